"""Whole files or none: every write goes to a temporary name in the same folder, then is renamed."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

PROCESS = os.urandom(4).hex()
"""Tells apart processes of one number on two machines that share a disk."""


def write_atomic(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Let `write` fill a temporary file, then give it its name in one step."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{PROCESS}.tmp")
    try:
        with temporary.open("wb") as file:
            write(file)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: Path | str, data: bytes) -> None:
    """`Path.write_bytes`, atomically; makes the folder if need be.

    With plain strings and few calls: two such files are written for every cell.
    """
    folder, name = os.path.split(path)
    temporary = f"{folder or '.'}/.{name}.{os.getpid()}-{PROCESS}.tmp"
    try:
        try:
            file = open(temporary, "wb", buffering=0)  # noqa: PTH123, SIM115
        except FileNotFoundError:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
            file = open(temporary, "wb", buffering=0)  # noqa: PTH123, SIM115
        with file:
            _write_all(file, data)
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _write_all(file: io.FileIO, data: bytes) -> None:
    """A single write may take only part of the data."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def write_text(path: Path, text: str) -> None:
    """UTF-8 text, atomically."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Indented JSON, atomically; NaN is refused."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """The JSON value in a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_array(path: Path, array: np.ndarray) -> None:
    """A .npy file, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, lambda file: np.save(file, array))
