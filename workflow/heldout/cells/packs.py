"""The packs of a store: ``cells/.packs/{learner}.{number}.{token}.pack``.

Each job and attempt appends to packs of its own, whose tokens nobody else has, so there are never two
writers in a file, and nothing is ever changed in it. Two jobs may store the same cell (the run that
fitted it was killed while its jobs live on). Both stay, each whole in its pack: a manifest finds the
one that it lists by its seal, and who looks for a key takes the first, by the number of its pack, which
is larger than that of all packs before, then by its token. So no later job changes what is found.
"""

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from heldout.cells.pack import (
    ENDING,
    MODELS,
    Block,
    Content,
    Kinds,
    PackedCell,
    block_of,
    framed,
    frames_in,
    learner_of,
    read_pack,
)
from heldout.cells.publish import new_token
from heldout.cells.score_file import Circumstances, Identity
from heldout.files import write_bytes
from heldout.names import digest
from heldout.predictions import Predictions

PACKS = ".packs"
"""The folder of packs in the store's folder."""
MOST_CELLS, MOST_BYTES = 1000, 4_000_000
"""Of a block."""
SECONDS = 1.0
"""A killed job loses the cells of so many seconds at most; what takes longer to fit is written at once."""


class Packs:
    """All packs of a store.

    Parameters
    ----------
    folder
        ``results/TASK/cells/.packs``; need not exist.

    Examples
    --------
    >>> Packs(folder / PACKS).copies("knn", '{"n_neighbors":5}', "full")
    ()
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._known: dict[str, dict[tuple[str, str], list[PackedCell]]] = {}
        self._writers: dict[str, PackWriter] = {}

    def copies(self, learner: str, theta: str, held_out: str) -> Sequence[PackedCell]:
        """All that packs hold of a cell, the one that counts first; whether they are whole is not known yet."""
        if learner not in self._known:
            self._known[learner] = defaultdict(list)
            for path in self._paths.get(learner, ()):
                self._take(learner, read_pack(path).cells)
        return self._known[learner].get((theta, held_out), ())

    def has(self, learner: str) -> bool:
        """Whether there are packs of a learner."""
        return learner in self._paths

    def _take(self, learner: str, cells: list[PackedCell]) -> None:
        known = self._known[learner]
        for cell in cells:
            known[cell.row.theta, cell.about.held_out].append(cell)

    @cached_property
    def _paths(self) -> dict[str, list[Path]]:
        """The packs of each learner that were there at first, in order."""
        found: dict[str, list[Path]] = {}
        for path in pack_files(self.folder):
            found.setdefault(learner_of(path), []).append(path)
        return found

    def cells(self) -> Iterator[PackedCell]:
        """All cells, pack by pack."""
        for _, content in self.contents():
            yield from content.cells

    def contents(self) -> Iterator[tuple[Path, Content]]:
        """What is in each pack."""
        for path in pack_files(self.folder):
            yield path, read_pack(path)

    def prune_models(self, kept: set[str]) -> int:
        """Delete the models of all cells but those of some folders `learner/θ`; how many."""
        return sum(_prune(path, content, kept) for path, content in self.contents())

    def add(
        self,
        identity: Identity,
        predictions: Predictions,
        fit: Circumstances,
        model: bytes | None,
    ) -> str:
        """Take a cell, to be written before long; its seal."""
        if identity.learner not in self._writers:
            path = new_pack(self.folder, identity.learner)
            self._writers[identity.learner] = PackWriter(path, self._written)
        return self._writers[identity.learner].add(identity, predictions, fit, model)

    def flush(self) -> None:
        """Write all cells that have been taken."""
        for writer in self._writers.values():
            writer.flush()

    def _written(self, cells: list[PackedCell]) -> None:
        """Find cells that were written, if others of their learner have been looked for."""
        if cells[0].about.learner in self._known:
            self._take(cells[0].about.learner, cells)


class PackWriter:
    """Appends to a pack that nobody else writes to.

    Parameters
    ----------
    path
        The pack, which need not exist.
    written
        Is told of the cells that are in their place.
    """

    def __init__(self, path: Path, written: Callable[[list[PackedCell]], None]):
        self.path = path
        self._written = written
        self._block: Block | None = None
        self._since = time.monotonic()

    def add(
        self,
        identity: Identity,
        predictions: Predictions,
        fit: Circumstances,
        model: bytes | None,
    ) -> str:
        """Take a cell, and write what has been taken if it is time; the seal of the cell."""
        if self._block is not None and not self._block.takes(identity, predictions):
            self.flush()
        if self._block is None:
            kinds = Kinds.of(predictions)
            self._block = Block(identity.learner, identity.held_out, identity.sets, kinds)
        seal = self._block.add(identity, predictions, fit, model)
        full = len(self._block.rows) >= MOST_CELLS or self._block.bytes >= MOST_BYTES
        if full or time.monotonic() - self._since >= SECONDS:
            self.flush()
        return seal

    def flush(self) -> None:
        """Write what has been taken."""
        block, self._block = self._block, None
        if block is not None:
            self._written(block.append_to(self.path))
        self._since = time.monotonic()


def _prune(pack: Path, content: Content, kept: set[str]) -> int:
    path = pack.with_suffix(MODELS)
    if not path.exists():
        return 0
    stay = {cell.row.model for cell in content.cells if cell.row.model and cell.folder in kept}
    models = [one.model for one in frames_in(path)]
    left = [one for one in models if one and digest(one) in stay]
    if left:
        write_bytes(path, b"".join(map(framed, left)))
    else:
        path.unlink()
    return len(models) - len(left)


def rewrite(path: Path, keep: Callable[[PackedCell], bool]) -> None:
    """Leave some cells of a pack out, and what cannot be read: they are written anew without them.

    The new pack counts as much as the old one. Whoever is killed meanwhile leaves both.

    Parameters
    ----------
    path
        The pack. Nobody may write to it.
    keep
        Whether a cell stays.

    Examples
    --------
    >>> rewrite(folder / "ridge.000001.ab.pack", lambda cell: True)
    >>> list(folder.glob("ridge.*"))
    []
    """
    learner, number, token, _ = path.name.rsplit(".", 3)
    new = path.with_name(f"{learner}.{number}.{token}r{ENDING}")
    _remove(new)  # somebody was killed
    kept = filter(keep, read_pack(path).cells)
    for _, cells in itertools.groupby(kept, key=lambda cell: id(cell.about)):
        block_of(cells).append_to(new)
    _remove(path)


def _remove(pack: Path) -> None:
    pack.unlink(missing_ok=True)
    pack.with_suffix(MODELS).unlink(missing_ok=True)


def pack_files(folder: Path) -> list[Path]:
    """The packs in a folder, the first one first.

    Parameters
    ----------
    folder
        The folder of packs.

    Returns
    -------
    list of pathlib.Path
        In the order in which their cells count.

    Examples
    --------
    >>> for name in ("knn.000002.ab.pack", "knn.000010.aa.pack", "knn.000002.ab.models"):
    ...     (folder / name).touch()
    >>> [path.name for path in pack_files(folder)]
    ['knn.000002.ab.pack', 'knn.000010.aa.pack']
    """
    found = [path for path in folder.glob(f"*{ENDING}") if is_pack(path.name)]
    return sorted(found, key=_order)


def is_pack(name: str) -> bool:
    """Whether a file is called as packs are."""
    parts = name.rsplit(".", 3)
    return len(parts) == 4 and f".{parts[3]}" == ENDING and parts[1].isdecimal()


def _order(pack: Path) -> tuple[int, str]:
    _, number, token, _ = pack.name.rsplit(".", 3)
    return int(number), token


def new_pack(folder: Path, learner: str) -> Path:
    """A name for a pack behind all others, which nobody else has."""
    numbers = [_order(path)[0] for path in pack_files(folder)]
    return folder / f"{learner}.{max(numbers, default=0) + 1:06d}.{new_token()}{ENDING}"
