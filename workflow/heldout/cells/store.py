"""The cell store: a model and a score file per (learner, θ, held-out set), in readable folders.

``cells/{learner}/{theta}/{set}.score`` starts with one line of JSON (the cell's key, its arrays,
which model file belongs to it), followed by the raw arrays, the digest of all that, and the seconds it took.
``{set}.model`` is a pickle in which large arrays and shared parts are replaced by references into
``cells/.shared/{digest}``, where each is stored once. The score file is written last, so a cell
exists when its score file is whole.
"""

import io
import itertools
import json
import math
import os
import pickle
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from heldout.cells.key import Keys
from heldout.errors import HeldoutError
from heldout.files import write_bytes
from heldout.names import Theta, digest, theta_name
from heldout.predictions import Predictions

SHARED = ".shared"
LARGE = 2**16
"""Arrays of more bytes than this are stored once, by content; smaller ones are not worth a file."""
SEAL = len(digest())
"""The characters of a score file's digest of all that stands before it."""
REFERENCE = re.compile(rb"\x8c%c([0-9a-f]{%d})\x94Q" % (SEAL, SEAL))
"""How pickle writes a reference the first time: SHORT_BINUNICODE, MEMOIZE, BINPERSID."""
PLAIN = frozenset({str, int, float, bool, type(None)})  # most of a forest's pickle; never a part
CLOCK = 14
"""After the seal, not under it: the seconds that the fit took. Two jobs that fit the same cell at
the same time, as after a crash on a cluster, then write the same cell."""
LONGEST = 10.0 ** (CLOCK - 7) - 1


@dataclass(frozen=True)
class Cell:
    """The name of a fit: which learner, which θ, and what training did not see."""

    learner: str
    theta: Theta
    held_out: str

    @cached_property
    def theta_name(self) -> str:
        """The name of θ's folder."""
        return theta_name(self.theta)

    def __str__(self) -> str:
        theta = json.dumps(self.theta, sort_keys=True, ensure_ascii=False)
        return f"learner '{self.learner}', θ = {theta}, held-out set '{self.held_out}'"


class DamagedError(HeldoutError):
    """A file of the store no longer has the digest it was written with."""


class Record(NamedTuple):
    """A cell's line in a manifest."""

    key: str
    score: str
    model: str | None
    engine: str
    seconds: float


class Store:
    """The cells of one task."""

    def __init__(self, folder: Path):
        self.folder = folder

    def path(self, cell: Cell, ending: str) -> Path:
        """Where a cell's score or model lies."""
        return Path(self._place(cell, ending))

    def _place(self, cell: Cell, ending: str) -> str:
        return f"{self.folder}/{cell.learner}/{cell.theta_name}/{cell.held_out}.{ending}"

    def find(
        self, cell: Cell, key: str, with_model: bool, needs: str | None = None
    ) -> Record | None:
        """The record of a whole cell with this key that says what is needed, or None."""
        header, _, found = self._read(cell)
        if header is None or header["key"] != key or (needs and needs not in header["arrays"]):
            return None
        if with_model and not (header["model"] and os.path.isfile(self._place(cell, "model"))):  # noqa: PTH113
            return None
        return Record(key, found, header["model"], header["engine"], header["seconds"])

    def write(
        self,
        cell: Cell,
        keys: Keys,
        sets: dict[str, int],
        said: Predictions,
        model: "PickledModel | None",
        engine: str,
        seconds: float,
    ) -> Record:
        """Write the model, if any, and then the scores."""
        if model is not None:
            model.save(f"{self.folder}/{SHARED}", self._place(cell, "model"))
        arrays = {name: np.ascontiguousarray(array) for name, array in said.arrays().items()}
        data = b"".join(array.tobytes() for array in arrays.values())
        header: dict[str, Any] = {
            "key": keys.cell,
            "fit": keys.fit,
            "learner": cell.learner,
            "theta": cell.theta,
            "held_out": cell.held_out,
            "sets": sets,
            "arrays": {name: [array.dtype.str, array.shape] for name, array in arrays.items()},
            "model": model.digest if model else None,
            "engine": engine,
        }
        body = json.dumps(header).encode() + b"\n" + data
        seal = digest(body)
        clock = f"{min(seconds, LONGEST):{CLOCK}.6f}"
        write_bytes(self._place(cell, "score"), body + seal.encode() + clock.encode())
        return Record(keys.cell, seal, header["model"], engine, float(clock))

    def scores(self, cell: Cell, expected: str) -> dict[str, Predictions]:
        """The predictions on each held-out set, if the file still has its digest."""
        said, sizes = self.score(cell, expected)
        ends = list(itertools.accumulate(sizes.values(), initial=0))
        return {name: said.take(slice(ends[i], ends[i + 1])) for i, name in enumerate(sizes)}

    def score(self, cell: Cell, expected: str) -> tuple[Predictions, dict[str, int]]:
        """All predictions in one, and the sizes of the held-out sets."""
        header, data, found = self._read(cell)
        if header is None or found != expected:
            state = "damaged" if self.path(cell, "score").exists() else "missing"
            raise HeldoutError(
                f"the stored scores of {cell} are {state}; "
                "run `heldout check`, then snakemake again: only such cells are fitted anew"
            )
        return Predictions(**_arrays(header["arrays"], data)), header["sets"]

    def fitted_model(self, cell: Cell, keys: Keys) -> Any:
        """The stored model if it is whole and was fitted as `keys` ask, else None."""
        header, _, _ = self._read(cell)
        if header is None or header.get("fit") != keys.fit or not header["model"]:
            return None
        try:
            return self.load_model(cell, header["model"])
        except (FileNotFoundError, DamagedError):
            return None

    def load_model(self, cell: Cell, expected: str) -> Any:
        """The fitted Pipeline of a cell, if its file still has this digest."""
        return load_model(self.path(cell, "model"), self.folder / SHARED, expected)

    def prune_models(self, kept: set[str]) -> int:
        """Delete the models of all θ whose folder `learner/θ` is not kept; scores stay."""
        gone = [
            path
            for path in self.folder.glob("*/*/*.model")
            if f"{path.parent.parent.name}/{path.parent.name}" not in kept
        ]
        for path in gone:
            path.unlink()
        needed = {
            name
            for path in self.folder.glob("*/*/*.model")
            for name in part_names(path.read_bytes())
        }
        for part in (self.folder / SHARED).glob("*"):
            if part.name not in needed:
                part.unlink()
        return len(gone)

    def _read(self, cell: Cell) -> tuple[dict[str, Any] | None, bytes, str]:
        return read_score(self._place(cell, "score"))


def read_score(path: Path | str) -> tuple[dict[str, Any] | None, bytes, str]:
    """The header (None if missing or damaged), the arrays' bytes and the file's seal."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            whole = file.readall()
        body, seal, clock = whole[: -SEAL - CLOCK], whole[-SEAL - CLOCK : -CLOCK], whole[-CLOCK:]
        seconds = float(clock)
    except (FileNotFoundError, ValueError):
        return None, b"", ""
    if digest(body).encode() != seal:
        return None, b"", ""
    line, _, data = body.partition(b"\n")
    return json.loads(line) | {"seconds": seconds}, data, seal.decode()


def _arrays(described: dict[str, Any], data: bytes) -> dict[str, np.ndarray]:
    arrays, start = {}, 0
    for name, (kind, shape) in described.items():
        count = math.prod(shape)
        arrays[name] = np.frombuffer(data, kind, count, start).reshape(shape)
        start += arrays[name].nbytes
    return arrays


def _is_whole(path: str, size: int) -> bool:
    try:
        return os.stat(path).st_size == size  # noqa: PTH116
    except FileNotFoundError:
        return False


class PickledModel:
    """A pickled model and the parts of it that are shared with other models."""

    def __init__(self, pickled: bytes, parts: dict[str, bytes], written: set[str]):
        self.pickled = pickled
        self.parts = parts
        self.written = written
        self.digest = digest(pickled)

    def save(self, shared: str, path: str) -> None:
        """Write the parts that are not there yet, then the model."""
        for name, data in self.parts.items():
            part = f"{shared}/{name}"
            if part not in self.written and not _is_whole(part, len(data)):
                write_bytes(part, data)
            self.written.add(part)
        write_bytes(path, self.pickled)


class ModelPickler:
    """Pickles the models of one training set, each shared part once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str, bytes]] = {}
        self._written: set[str] = set()

    def dump(self, model: Any, shared: Iterable[Any]) -> PickledModel:
        """Pickle a model; `shared` are objects inside it that other models also hold."""
        apart = {id(part) for part in shared}
        buffer = io.BytesIO()
        pickler = _Pickler(buffer, self._known, apart)
        pickler.dump(model)
        return PickledModel(buffer.getvalue(), pickler.parts, self._written)


class _Pickler(pickle.Pickler):
    def __init__(
        self, buffer: io.BytesIO, known: dict[int, tuple[Any, str, bytes]], apart: set[int]
    ):
        super().__init__(buffer, protocol=5)
        self._known, self._apart = known, apart
        self.parts: dict[str, bytes] = {}

    def persistent_id(self, value: Any) -> str | None:
        if type(value) in PLAIN:
            return None
        large = type(value) is np.ndarray and value.nbytes > LARGE and value.dtype != object
        if not large and id(value) not in self._apart:
            return None
        if id(value) not in self._known:
            data = pickle.dumps(value, protocol=5)
            self._known[id(value)] = value, digest(data), data
        _, name, data = self._known[id(value)]
        self.parts[name] = data
        return name


def part_names(pickled: bytes) -> list[str]:
    """The shared parts that a pickled model refers to, found without unpickling it."""
    return sorted({name.decode() for name in REFERENCE.findall(pickled)})


def load_model(path: Path, shared: Path, expected: str) -> Any:
    """A pickled model with its shared parts put back, all of them as they were written."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, name: str) -> Any:
            return pickle.loads(_read_whole(shared / name, name))

    return Unpickler(io.BytesIO(_read_whole(path, expected))).load()


def _read_whole(path: Path, expected: str) -> bytes:
    data = path.read_bytes()
    if digest(data) != expected:
        raise DamagedError(f"'{path}' is damaged: delete it, and it is made again when needed")
    return data
