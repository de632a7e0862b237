"""The model file of a cell: a fitted Pipeline, without the parts that other models contain too.

It is a pickle in which large arrays and shared parts, such as the preprocessing of a training set,
are replaced by references. Each such part is stored once, under its digest, in ``cells/.shared/``.
`open_model` loads them too. Like any pickle, a model file must come from somebody you trust.
"""

import io
import os
import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from heldout.errors import HeldoutError
from heldout.files import write_bytes
from heldout.names import digest

SHARED = ".shared"
"""The folder of shared parts in the store's folder."""
LARGE = 2**16
"""Arrays of more bytes than this are stored once, by content; smaller ones are not worth a file."""
PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types that are never a shared part; most objects in a model have one of them."""


class DamagedError(HeldoutError):
    """A file of the store no longer has the digest it was written with."""


def open_model(path: Path | str, expected: str | None = None) -> Any:
    """The fitted Pipeline in a cell's model file.

    Parameters
    ----------
    path
        ``results/TASK/cells/LEARNER/THETA/SET.model``.
    expected
        The digest that the file must have; None if any will do. Shared parts are always compared
        with their digest.

    Returns
    -------
    sklearn.pipeline.Pipeline
        It takes rows as in ``results/TASK/data/X.npy`` and predicts codes of classes, or numbers.

    Raises
    ------
    DamagedError
        If the file or one of its shared parts is not as it was written.
    FileNotFoundError
        If one of them is missing.

    Examples
    --------
    >>> pickled = ModelPickler().dump({"alpha": 1.0}, shared=[])
    >>> path = folder / "cells" / "ridge" / "alpha=1.0" / "full.model"
    >>> pickled.save(str(folder / "cells" / SHARED), str(path))
    >>> open_model(path, pickled.digest)
    {'alpha': 1.0}
    """
    path = Path(path)
    return unpickled(_read_intact(path, expected), path.parents[2] / SHARED)


def unpickled(data: bytes, shared: Path) -> Any:
    """The fitted Pipeline in the bytes of a model file, with its parts from the folder of shared ones."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, name: str) -> Any:
            return pickle.loads(_read_intact(shared / name, name))

    return Unpickler(io.BytesIO(data)).load()


def read_model(path: str, expected: str | None) -> bytes | None:
    """The bytes of a model file, or of a shared part.

    Parameters
    ----------
    path
        The file.
    expected
        The digest that it must have.

    Returns
    -------
    bytes or None
        None if the file is missing, or has another digest.

    Examples
    --------
    >>> read_model(str(folder / "full.model"), "digest") is None
    True
    """
    try:
        return None if expected is None else _read_intact(Path(path), expected)
    except (FileNotFoundError, DamagedError):
        return None


def _read_intact(path: Path, expected: str | None) -> bytes:
    data = path.read_bytes()
    if expected is not None and digest(data) != expected:
        raise DamagedError(f"'{path}' is damaged: delete it, and it is made again when needed")
    return data


class PickledModel:
    """A pickled model.

    Parameters
    ----------
    pickled
        The model without its shared parts.
    parts
        The pickled shared parts, by digest.
    written
        The files of shared parts that are already written; updated.
    """

    def __init__(self, pickled: bytes, parts: dict[str, bytes], written: set[str]):
        self.pickled = pickled
        self.parts = parts
        self.digest = digest(pickled)
        self._written = written

    def save(self, shared: str, path: str) -> None:
        """Write the shared parts that are not in their folder yet, then the model."""
        self.save_parts(shared)
        write_bytes(path, self.pickled)

    def save_parts(self, shared: str) -> None:
        """Write the shared parts that are not in their folder yet."""
        for name, data in self.parts.items():
            part = f"{shared}/{name}"
            if part not in self._written and not _has_size(part, len(data)):
                write_bytes(part, data)
            self._written.add(part)


def _has_size(path: str, size: int) -> bool:
    try:
        return os.stat(path).st_size == size  # noqa: PTH116
    except FileNotFoundError:
        return False


class ModelPickler:
    """Pickles the models of one training set, each shared part once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str, bytes]] = {}
        self._written: set[str] = set()

    def dump(self, model: Any, shared: Iterable[Any]) -> PickledModel:
        """Pickle a model; `shared` are objects inside it that other models also contain."""
        shared_ids = {id(part) for part in shared}
        buffer = io.BytesIO()
        pickler = _Pickler(buffer, self._known, shared_ids)
        pickler.dump(model)
        return PickledModel(buffer.getvalue(), pickler.parts, self._written)


class _Pickler(pickle.Pickler):
    def __init__(
        self, buffer: io.BytesIO, known: dict[int, tuple[Any, str, bytes]], shared_ids: set[int]
    ):
        super().__init__(buffer, protocol=5)
        self._known, self._shared_ids = known, shared_ids
        self.parts: dict[str, bytes] = {}

    def persistent_id(self, value: Any) -> str | None:
        if type(value) in PLAIN:
            return None
        large = type(value) is np.ndarray and value.nbytes > LARGE and value.dtype != object
        if not large and id(value) not in self._shared_ids:
            return None
        if id(value) not in self._known:
            data = pickle.dumps(value, protocol=5)
            self._known[id(value)] = value, digest(data), data
        _, name, data = self._known[id(value)]
        self.parts[name] = data
        return name
