"""Atomic writes: a file is written under a temporary name in its folder, then renamed."""

import io
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

PROCESS = os.urandom(4).hex()
"""Part of temporary names: on a shared disk, two machines may have processes of the same number."""


def write_atomic(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Let a function fill a temporary file, then rename it; after an error no file is left.

    Parameters
    ----------
    path
        The file; its folder must exist.
    write
        Gets the open temporary file.

    Examples
    --------
    >>> write_atomic(folder / "whole.txt", lambda file: file.write(b"all of it"))
    >>> (folder / "whole.txt").read_text()
    'all of it'
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{PROCESS}.tmp")
    try:
        with temporary.open("wb") as file:
            write(file)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: Path | str, data: bytes) -> None:
    """Write bytes atomically.

    Plain strings and few calls, for speed: two such files are written for every cell.

    Parameters
    ----------
    path, data
        The file, whose folder is made if need be, and its content.

    Examples
    --------
    >>> write_bytes(folder / "new" / "a.bin", b"ab")
    >>> (folder / "new" / "a.bin").read_bytes()
    b'ab'
    """
    folder, name = os.path.split(path)
    temporary = f"{folder or '.'}/.{name}.{os.getpid()}-{PROCESS}.tmp"
    try:
        write_in_place(temporary, data)
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_in_place(path: str, data: bytes) -> None:
    """Write bytes to a file that nobody else knows yet.

    Parameters
    ----------
    path, data
        The file, whose folder is made if need be, and its content.

    Examples
    --------
    >>> write_in_place(f"{folder}/new/.a.tmp", b"ab")
    >>> (folder / "new" / ".a.tmp").read_bytes()
    b'ab'
    """
    try:
        file = open(path, "wb", buffering=0)  # noqa: PTH123, SIM115
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        file = open(path, "wb", buffering=0)  # noqa: PTH123, SIM115
    with file:
        _write_all(file, data)


def _write_all(file: io.FileIO, data: bytes) -> None:
    """A single write may take only part of the data."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def append_bytes(path: Path, parts: Iterable[bytes]) -> int:
    """Write bytes behind those of a file that nobody else writes to.

    Parameters
    ----------
    path, parts
        The file, which is made if need be, as is its folder, and what is appended.

    Returns
    -------
    int
        Where they begin in the file.

    Examples
    --------
    >>> append_bytes(folder / "a.bin", [b"ab"]), append_bytes(folder / "a.bin", [b"c", b"d"])
    (0, 2)
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        start = os.fstat(file.fileno()).st_size
        _write_all(file, b"".join(parts))
    return start


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically.

    Parameters
    ----------
    path
        The file; its folder is made if need be.
    text
        The content.

    Examples
    --------
    >>> write_text(folder / "a.txt", "θ")
    >>> (folder / "a.txt").read_text(encoding="utf-8")
    'θ'
    """
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON atomically.

    Parameters
    ----------
    path, value
        The file, whose folder is made if need be, and anything that JSON can hold but NaN.

    Examples
    --------
    >>> write_json(folder / "a.json", {"k": 5})
    >>> read_json(folder / "a.json")
    {'k': 5}
    """
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Any
        Its value.

    Examples
    --------
    >>> _ = (folder / "a.json").write_text("[1, 2]")
    >>> read_json(folder / "a.json")
    [1, 2]
    """
    return json.loads(path.read_text(encoding="utf-8"))


def write_array(path: Path, array: Any) -> None:
    """Write an array as a .npy file, atomically.

    Parameters
    ----------
    path, array
        The file and its content, a numpy array. The folder of the file is made if need be; a file
        that is there is replaced.

    Examples
    --------
    >>> import numpy as np
    >>> import numpy as np
    >>> write_array(folder / "x.npy", np.arange(3))
    >>> np.load(folder / "x.npy").tolist()
    [0, 1, 2]
    """
    import numpy as np  # here, because steps that only write JSON do without it

    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, lambda file: np.save(file, array))
