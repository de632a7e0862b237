"""A pack: many cells of one learner in one file, which one job has written, from its start to its end.

A pack is a sequence of blocks, one after the other:

    mark (16 bytes) | sizes of head and body (8 + 8) | digest of sizes and head (16) | head | body

The head is compressed JSON: what the cells of the block share (learner, held-out set, kinds of
predictions), then a row for each cell, with all that the header of a score file says. The body holds
the predictions of the cells, one after the other; a cell's seal is that of its score file. Fitted models
are in a second file, whose name ends in `.models`: digest (16 bytes) | size (8) | bytes, one after the
other. A row says where its model was put; when others have been deleted, it is found by its digest.

A job appends whole blocks. Where it was killed, the last one is not whole: it counts as far as it is
there. Where bytes were changed, the head's digest or the seals of single cells say so, and reading goes
on at the next mark.
"""

import json
import math
import mmap
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from heldout.cells import score_file
from heldout.cells.score_file import Circumstances, Identity, ScoreFile
from heldout.cells.version import FORMAT
from heldout.files import append_bytes
from heldout.names import digest, theta_folder
from heldout.numerics.fit_warning import FitWarning
from heldout.predictions import Predictions

ENDING, MODELS = ".pack", ".models"
MARK = b"heldout block \x00\n"
SIZES = 8
"""Bytes of a number in front of a head."""
FRONT = len(MARK) + 2 * SIZES + 16
MODEL_FRONT = 16 + SIZES
WORTH_IT = 0.9
"""Predictions are compressed where that leaves less than this share of them."""


class Row(NamedTuple):
    """What a block says of one cell; further values only where they are not the usual ones."""

    theta: str
    key: str
    fit: str
    seal: str
    size: int
    engine: str
    seconds: float
    warnings: Sequence[Any] = ()
    model: str | None = None
    model_size: int | None = None
    model_at: int = 0
    shared_parts: Sequence[str] = ()

    @property
    def circumstances(self) -> Circumstances:
        """What is not sealed."""
        return Circumstances(
            self.model,
            tuple(self.shared_parts),
            self.engine,
            self.seconds,
            tuple(FitWarning(*one) for one in self.warnings),
            self.model_size,
        )


class Kinds(NamedTuple):
    """Which arrays of predictions each cell of a block has: name, type and shape of each."""

    arrays: tuple[tuple[str, np.dtype, tuple[int, ...]], ...]

    @staticmethod
    def of(predictions: Predictions) -> "Kinds":
        """Those of a cell."""
        arrays = sorted(predictions.arrays().items())
        return Kinds(tuple((name, one.dtype, one.shape) for name, one in arrays))

    def read(self, data: bytes) -> Predictions:
        """The arrays in some bytes, which must be as many as they need."""
        found, start = {}, 0
        for name, dtype, shape in self.arrays:
            count = math.prod(shape)
            found[name] = np.frombuffer(data, dtype, count, start).reshape(shape)
            start += found[name].nbytes
        if start != len(data):
            raise ValueError("other bytes than those of the arrays")
        return Predictions(**found)


@dataclass
class Block:
    """Cells of one learner and held-out set that are being collected, to be written at once.

    Parameters
    ----------
    learner, held_out
        What they share.
    sets
        The number of rows of each held-out set.
    kinds
        Which predictions each of them has.
    """

    learner: str
    held_out: str
    sets: dict[str, int]
    kinds: Kinds
    rows: list[Row] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    models: list[bytes] = field(default_factory=list)
    zipped: bool = False

    def takes(self, identity: Identity, predictions: Predictions) -> bool:
        """Whether a cell may join the others."""
        same = self.learner == identity.learner and self.held_out == identity.held_out
        return same and self.sets == identity.sets and self.kinds == Kinds.of(predictions)

    def add(
        self,
        identity: Identity,
        predictions: Predictions,
        fit: Circumstances,
        model: bytes | None,
    ) -> str:
        """Take a cell; its seal."""
        seal = score_file.seal_of(identity, predictions)
        body = b"".join(one.tobytes() for _, one in sorted(predictions.arrays().items()))
        if not self.rows:
            self.zipped = len(zlib.compress(body, 1)) < WORTH_IT * len(body)
        if self.zipped:
            body = zlib.compress(body, 1)
        keys = identity.keys
        self.rows.append(
            Row(
                identity.text,
                keys.cell,
                keys.fit,
                seal,
                len(body),
                fit.engine,
                fit.seconds,
                fit.warnings,
                fit.model,
                fit.model_size,
                sum(map(len, self.models)),
                fit.shared_parts,
            )
        )
        self.bodies.append(body)
        if model is not None:
            self.models.append(framed(model, fit.model))
        return seal

    @property
    def bytes(self) -> int:
        """How much has been collected."""
        return sum(map(len, self.bodies)) + sum(map(len, self.models))

    def head(self, models_at: int) -> dict[str, Any]:
        """What is said of the cells; their models begin at this place of their file."""
        return {
            "format": FORMAT,
            "learner": self.learner,
            "held_out": self.held_out,
            "sets": self.sets,
            "kinds": [(name, dtype.str, shape) for name, dtype, shape in self.kinds.arrays],
            "zipped": self.zipped,
            "rows": [_shortened(row, models_at) for row in self.rows],
        }

    def append_to(self, path: Path) -> list["PackedCell"]:
        """Write the block behind the others of a pack, models first; its cells."""
        models_at = append_bytes(path.with_suffix(MODELS), self.models) if self.models else 0
        said, body = self.head(models_at), b"".join(self.bodies)
        head = zlib.compress(json.dumps(said).encode(), 1)
        sizes = len(head).to_bytes(SIZES, "little") + len(body).to_bytes(SIZES, "little")
        front = MARK + sizes + bytes.fromhex(digest(sizes, head))
        at = append_bytes(path, [front, head, body])
        return list(_cells(said, path, at + FRONT + len(head)))


def _shortened(row: Row, models_at: int) -> list[Any]:
    """The values of a row up to the last that says something."""
    values = list(row._replace(model_at=row.model_at + models_at) if row.model else row)
    while len(values) > len(Row._fields) - len(Row._field_defaults) and not values[-1]:
        values.pop()
    return values


class About(NamedTuple):
    """What the cells of a block share."""

    format: str
    learner: str
    held_out: str
    sets: str
    kinds: Kinds
    zipped: bool


class PackedCell(NamedTuple):
    """A cell in a pack, not read yet."""

    pack: Path
    about: About
    """What it shares with the others of its block."""
    row: Row
    """What the block says of it."""
    at: int
    """Where its predictions begin."""

    @property
    def folder(self) -> str:
        """The folder `learner/θ` that it would have as a file."""
        return f"{self.about.learner}/{theta_folder(self.row.theta)}"

    @property
    def name(self) -> str:
        """The place `learner/θ/held-out set` that it would have as a file."""
        return f"{self.folder}/{self.about.held_out}"

    def predictions(self) -> Predictions | None:
        """Its predictions; None if they are not what its seal says."""
        about, row = self.about, self.row
        try:
            data = _part(self.pack, self.at, row.size)
            found = about.kinds.read(zlib.decompress(data) if about.zipped else data)
        except (OSError, ValueError, TypeError, zlib.error):
            return None
        return found if row.seal == score_file.seal_in(self._identity, found.arrays()) else None

    @property
    def _identity(self) -> dict[str, str]:
        about, row = self.about, self.row
        return {
            "format": about.format,
            "key": row.key,
            "fit": row.fit,
            "learner": about.learner,
            "theta": row.theta,
            "held_out": about.held_out,
            "sets": about.sets,
        }

    def read(self) -> ScoreFile | None:
        """What a score file would say; None if it is damaged."""
        found = self.predictions()
        if found is None:
            return None
        more = self.row.circumstances.metadata() | {"seal": self.row.seal}
        return ScoreFile(self._identity | more, found)

    def model(self) -> bytes | None:
        """Its pickled model; None if it is missing or damaged."""
        expected = self.row.model
        if expected is None:
            return None
        try:
            with self.models.open("rb", buffering=0) as file:
                data = _frame(file.fileno(), self.row.model_at).model
            if data is not None and digest(data) == expected:
                return data
            found = (frame.model for frame in frames_in(self.models))
            return next((one for one in found if one and digest(one) == expected), None)
        except FileNotFoundError:
            return None

    @property
    def models(self) -> Path:
        """The file of the pack's models."""
        return self.pack.with_suffix(MODELS)


def block_of(cells: Iterable[PackedCell]) -> Block:
    """A new block with cells of an old one as they are."""
    first, *others = cells
    about = first.about
    sets = json.loads(about.sets)
    block = Block(about.learner, about.held_out, sets, about.kinds, zipped=about.zipped)
    for cell in (first, *others):
        model = cell.model()
        block.rows.append(cell.row._replace(model_at=sum(map(len, block.models))))
        block.bodies.append(_part(cell.pack, cell.at, cell.row.size))
        block.models += [] if model is None else [framed(model, cell.row.model)]
    return block


def framed(model: bytes, known: str | None = None) -> bytes:
    """A model as it stands in a file of many; its digest need not be computed where it is known."""
    return bytes.fromhex(known or digest(model)) + len(model).to_bytes(SIZES, "little") + model


class Frame(NamedTuple):
    """A model in a file of many."""

    digest: str
    """As it is written in front of it."""
    model: bytes | None
    """None if it is not there as a whole."""


def frames_in(path: Path) -> Iterator[Frame]:
    """The models in a file, whether they are intact or not.

    Parameters
    ----------
    path
        The file, which must exist.

    Returns
    -------
    iterator of Frame
        One after the other.

    Examples
    --------
    >>> (folder / "knn.models").touch()
    >>> list(frames_in(folder / "knn.models"))
    []
    """
    at, size = 0, path.stat().st_size
    with path.open("rb", buffering=0) as file:
        while at < size:
            frame = _frame(file.fileno(), at)
            yield frame
            at = size if frame.model is None else at + MODEL_FRONT + len(frame.model)


def _frame(file: int, at: int) -> Frame:
    front = os.pread(file, MODEL_FRONT, at)
    size = int.from_bytes(front[16:], "little")
    left = os.fstat(file).st_size - at - MODEL_FRONT
    model = os.pread(file, size, at + MODEL_FRONT) if 0 <= size <= left else None
    return Frame(front[:16].hex(), model)


def damaged_models(path: Path) -> set[str]:
    """The digests of models in a file that are not as they were written.

    Parameters
    ----------
    path
        The file, which may be missing.

    Returns
    -------
    set of str
        As they are written in front of the models.

    Examples
    --------
    >>> damaged_models(folder / "knn.models")
    set()
    """
    frames = frames_in(path) if path.exists() else ()
    return {one.digest for one in frames if one.model is None or digest(one.model) != one.digest}


def _part(path: Path, at: int, size: int) -> bytes:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        return os.pread(file.fileno(), size, at)


def learner_of(pack: Path) -> str:
    """The learner whose cells are in a pack, by its name: learner, number, token, ending."""
    return pack.name.rsplit(".", 3)[0]


class Content(NamedTuple):
    """What is in a pack: cells, and the parts (start, end) in which none of its learner can be read."""

    cells: list[PackedCell]
    unreadable: list[tuple[int, int]]


def read_pack(path: Path) -> Content:
    """Find the cells of a pack; their predictions are read and compared with their seals later.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Content
        Empty if there is no such file. A last block that is not whole yet is not unreadable.

    Examples
    --------
    >>> read_pack(folder / "missing.pack").cells
    []
    """
    found = Content([], [])
    try:
        with path.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            at = 0
            while at < size:
                end = _block(file.fileno(), at, path, found.cells)
                if end is None:
                    end = _next_mark(file.fileno(), at + 1)
                    if end is None:
                        if not _unfinished(os.pread(file.fileno(), FRONT, at), size - at):
                            found.unreadable.append((at, size))
                        break
                    found.unreadable.append((at, end))
                at = end
    except FileNotFoundError:
        pass
    return found


def _unfinished(front: bytes, left: int) -> bool:
    """Whether what is left of a pack is the begin of a block."""
    if len(front) < FRONT:
        return MARK.startswith(front[: len(MARK)])
    start = len(MARK)
    head = int.from_bytes(front[start : start + SIZES], "little")
    return front.startswith(MARK) and FRONT + head > left


def _block(file: int, at: int, path: Path, cells: list[PackedCell]) -> int | None:
    """Take the cells of a block; where it ends, or None if its head is not whole."""
    front = os.pread(file, FRONT, at)
    if len(front) < FRONT or not front.startswith(MARK):
        return None
    start = len(MARK)
    sizes = front[start : start + 2 * SIZES]
    head_size, body_size = (
        int.from_bytes(part, "little") for part in (sizes[:SIZES], sizes[SIZES:])
    )
    if head_size > os.fstat(file).st_size:
        return None
    head = os.pread(file, head_size, at + FRONT)
    if front[-16:] != bytes.fromhex(digest(sizes, head)):
        return None
    about, body = json.loads(zlib.decompress(head)), at + FRONT + head_size
    if about["learner"] != learner_of(path):
        return None
    cells.extend(_cells(about, path, body))
    return body + body_size


def _cells(head: dict[str, Any], path: Path, at: int) -> Iterator[PackedCell]:
    if head["format"] != FORMAT:
        return
    arrays = tuple((name, np.dtype(one), tuple(shape)) for name, one, shape in head["kinds"])
    sets, kinds = json.dumps(head["sets"]), Kinds(arrays)
    about = About(head["format"], head["learner"], head["held_out"], sets, kinds, head["zipped"])
    rows = [Row(*values) for values in head["rows"]]
    starts = accumulate((row.size for row in rows), initial=at)
    for row, start in zip(rows, starts, strict=False):
        yield PackedCell(path, about, row, start)


def _next_mark(file: int, start: int) -> int | None:
    """Where the next block begins."""
    with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as data:
        found = data.find(MARK, start)
    return None if found < 0 else found
