"""The model file of a cell: a fitted Pipeline, without the parts that other models contain too.

It is a pickle in which large arrays and shared parts, such as the preprocessing of a training set,
are replaced by references. Each such part is stored once, under its digest, in ``cells/.shared/``. Of
the training rows that a model holds it has the numbers only (`training_rows`). Whatever is larger than a
block of the disk is compressed, in the format of zstd. `open_model` puts all together again. Like any
pickle, a model file must come from somebody you trust.
"""

import io
import os
import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from heldout.cells.training_rows import SourceRows, TrainingMatrix, TrainingRows
from heldout.data.prepared import Prepared, open_prepared
from heldout.errors import HeldoutError
from heldout.files import write_bytes
from heldout.names import digest
from heldout.numerics.combination import Combination, combined

SHARED = ".shared"
"""The folder of shared parts in the store's folder."""
LARGE = 2**16
"""Arrays of more bytes than this are stored once, by content; smaller ones are not worth a file."""
BLOCK = 4096
"""Up to so many bytes nothing is gained by compressing them: a disk has no smaller blocks."""
LEVEL = 3
"""Of zstd: 400 MB a second, and trees take a fifth of their size."""
ZSTD = bytes.fromhex("28b52ffd")
"""What a file in its format begins with; a pickle begins otherwise."""
PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types that are never a shared part; most objects in a model have one of them."""


Known = dict[int, tuple[Any, Any, dict[str, bytes]]]
"""Of objects by their `id`: the object (so that no other one gets that), its reference, and the parts that it needs."""


Rows = tuple[str, np.ndarray | slice, Any]
"""Refers to training rows: the name of their `TrainingRows`, which of them, and the order in memory."""
COMBINED = "combination"
"""Begins a reference to a combination of them: the name of their `SourceRows`, the shape of the weights, the weights."""


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
    return _Loader(shared).load(data)


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


class _Loader:
    """Loads a model and its parts, each part once."""

    def __init__(self, shared: Path):
        self._shared, self._table = shared, shared.parents[1] / "data"
        self._parts: dict[str, Any] = {}

    def load(self, data: bytes) -> Any:
        """The object in a file."""
        unpickler = pickle.Unpickler(io.BytesIO(_expanded(data)))
        unpickler.persistent_load = self._referred  # type: ignore[method-assign]
        return unpickler.load()

    def _referred(self, reference: Any) -> Any:
        if isinstance(reference, str):
            return self._part(reference)
        if reference[0] == COMBINED:
            _, part, shape, weights = reference
            return combined(self._part(part), weights.reshape(shape))
        name, places, order = reference
        return np.asarray(self._part(name)[places], order=order)

    def _part(self, name: str) -> Any:
        if name not in self._parts:
            part = self.load(_read_intact(self._shared / name, name))
            self._parts[name] = (
                self._matrix(part) if isinstance(part, TrainingRows | SourceRows) else part
            )
        return self._parts[name]

    def _matrix(self, rows: TrainingRows | SourceRows) -> np.ndarray:
        try:
            matrix = rows.matrix(open_prepared(self._table))
        except (OSError, ValueError, KeyError) as error:
            raise DamagedError(self._no_rows(f"could not be read ({error})")) from error
        if matrix is None:
            raise DamagedError(self._no_rows("is another one or damaged"))
        return matrix

    def _no_rows(self, why: str) -> str:
        return (
            f"a model in '{self._shared.parent}' holds training rows by their numbers, and the table in '{self._table}' "
            f"{why}: run `heldout run`, which makes both again where need be"
        )


def _compressed(data: bytes) -> bytes:
    if len(data) <= BLOCK:
        return data
    import pyarrow as pa  # here: most models are small

    return bytes(pa.Codec("zstd", compression_level=LEVEL).compress(data, asbytes=True))


def _expanded(data: bytes) -> bytes:
    if not data.startswith(ZSTD):
        return data
    import pyarrow as pa

    with pa.input_stream(pa.py_buffer(data), compression="zstd") as stream:
        return bytes(stream.read())


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
    """Pickles the models of one training set, each shared part once.

    Parameters
    ----------
    table
        The prepared table; None: training rows in models are stored as they are.
    rows
        The numbers of the training rows in it.
    """

    def __init__(self, table: Prepared | None = None, rows: np.ndarray | None = None) -> None:
        self._table, self._rows = table, rows
        self._matrix: TrainingMatrix | None = None
        self._known: Known = {}
        self._written: set[str] = set()

    def dump(self, model: Any, shared: Iterable[Any]) -> PickledModel:
        """Pickle a model; `shared` are objects inside it that other models also contain."""
        ids = {id(part) for part in shared}
        pickled, parts = _pickled(model, self._known, ids, self._matrix_of(model))
        return PickledModel(_compressed(pickled), parts, self._written)

    def _matrix_of(self, model: Any) -> TrainingMatrix | None:
        """The rows that the last step of a Pipeline was trained on; None if it holds coefficients and no rows."""
        steps = [step for _, step in getattr(model, "steps", [])]
        if self._table is None or self._rows is None or not steps:
            return None
        coef = getattr(steps.pop(), "__dict__", {}).get("coef_")
        if coef is not None and not isinstance(coef, Combination):
            return None
        if self._matrix is None or not self._matrix.is_by(steps):
            self._matrix = TrainingMatrix(self._table, self._rows, steps)
        return self._matrix


def _pickled(
    value: Any, known: Known, shared: set[int], matrix: TrainingMatrix | None
) -> tuple[bytes, dict[str, bytes]]:
    """The pickle of an object, and the parts that it refers to, by name."""
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, known, shared, matrix)
    pickler.dump(value)
    return buffer.getvalue(), pickler.parts


class _Pickler(pickle.Pickler):
    def __init__(
        self, buffer: io.BytesIO, known: Known, shared: set[int], matrix: TrainingMatrix | None
    ):
        super().__init__(buffer, protocol=5)
        self._known, self._shared, self._matrix = known, shared, matrix
        self.parts: dict[str, bytes] = {}

    def persistent_id(self, value: Any) -> Any:
        if type(value) in PLAIN:
            return None
        if type(value) is Combination:
            return self._combination(value)
        size = value.nbytes if type(value) is np.ndarray and value.dtype != object else 0
        if size <= BLOCK and id(value) not in self._shared:
            return None
        if id(value) not in self._known:
            found = self._rows(value) if size > BLOCK else None
            if found is None and size <= LARGE and id(value) not in self._shared:
                return None
            self._known[id(value)] = value, *(found or self._part(value))
        _, reference, parts = self._known[id(value)]
        self.parts |= parts
        return reference

    def _part(self, value: Any) -> tuple[str, dict[str, bytes]]:
        data = _compressed(pickle.dumps(value, protocol=5))
        name = digest(data)
        return name, {name: data}

    def _rows(self, value: np.ndarray) -> tuple[Any, dict[str, bytes]] | None:
        """A reference to rows of the training matrix, if the array consists of such."""
        places = None if self._matrix is None else self._matrix.places(value)
        if places is None:
            return None
        assert self._matrix is not None
        name, parts = self._recipe(self._matrix.recipe)
        fortran = value.flags.f_contiguous and not value.flags.c_contiguous
        return (name, places, "F" if fortran else "C"), parts

    def _combination(self, value: Combination) -> Any:
        """A reference to the training rows, with the weights of the combination; None if they are not exact."""
        source = None if self._matrix is None else self._matrix.source
        if source is None:
            return None
        name, parts = self._recipe(source)
        self.parts |= parts
        return COMBINED, name, value.weights.shape, value.weights.ravel()

    def _recipe(self, recipe: TrainingRows | SourceRows) -> tuple[str, dict[str, bytes]]:
        """The name of the part that holds it, and the parts that are needed with it."""
        if id(recipe) not in self._known:
            pickled, parts = _pickled(recipe, self._known, self._shared, None)
            data = _compressed(pickled)
            self._known[id(recipe)] = recipe, digest(data), parts | {digest(data): data}
        _, name, parts = self._known[id(recipe)]
        return name, parts
