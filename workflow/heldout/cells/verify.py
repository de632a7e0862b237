"""Compares the cells of a task with the digests that were recorded when they were written.

A manifest lists the cells of a fitting job with the seal of each score file and the digest of each
model; a score file carries its own seal and names its cell; the name of a shared part is its digest.
Nothing is changed, nothing is unpickled, and one file is held in memory at a time. Of a pack, damaged
cells are named one by one; a repair writes the others anew.
"""

import os
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from heldout.cells.kept_models import FILE as KEPT
from heldout.cells.manifest import Index
from heldout.cells.model_file import SHARED
from heldout.cells.pack import MODELS, PackedCell, damaged_models
from heldout.cells.packs import PACKS, Packs
from heldout.cells.publish import waiting_model
from heldout.cells.score_file import ENDING, ScoreFile
from heldout.cells.store import Record, read_score
from heldout.cells.strangers import is_old, stranger
from heldout.cells.version import FILE
from heldout.faults import DAMAGED, FOREIGN, MISSING, REPAIR, RUN, Fault
from heldout.names import digest, theta_folder

MANIFESTS = "manifests"
APART = {SHARED, PACKS, MANIFESTS}
"""Folders beside those of the learners."""


@dataclass(frozen=True)
class Listing:
    """What a manifest says.

    Parameters
    ----------
    manifest
        Its name, for messages.
    receipt
        The receipt of the fitting job. Without it the next run runs the job again.
    counts
        Whether the next run would rely on it; otherwise it is of an earlier grid, table or version.
    cells
        Its cells.
    wanted
        Whether the config asks for the job, so that the next run makes anew what does not count.
    """

    manifest: str
    receipt: Path
    counts: bool
    cells: Index
    wanted: bool = True


Listed = list[tuple[Listing, Record]]
"""The manifests that list a cell, each with what it says."""


class CellCheck:
    """Inspects the store of one task.

    Parameters
    ----------
    folder
        ``results/TASK/cells``.
    listings
        What the manifests say.
    models_expected
        Whether a missing model is a fault (not so with ``models: selected``).
    progress
        Is told how many cells are inspected, of how many.

    Examples
    --------
    >>> check = CellCheck(folder, [], models_expected=True)
    >>> list(check.faults()), check.cells, check.kept
    ([], 0, 0)
    """

    def __init__(
        self,
        folder: Path,
        listings: list[Listing],
        models_expected: bool,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ):
        self.cells = self.kept = 0
        self._folder, self._listings = folder, listings
        self._models_expected, self._progress = models_expected, progress
        self._waiting: set[str] = set()
        self._damaged_models = cache(damaged_models)
        self._bad_parts: dict[str, list[tuple[Path, Listed]]] = {}

    def faults(self) -> Iterator[Fault]:
        """What is wrong; sets `cells`, all that there are, and `kept`, those that no manifest lists."""
        listed = _by_folder(self._listings)
        found = {name: _names(self._folder / name) for name in _folders(self._folder)}
        packed = yield from self._pack_faults()
        names = {name: found.get(name, set()) for name in sorted({*found, *listed, *packed})}
        sets = {
            name: sorted(_sets(names[name], {*listed.get(name, {}), *packed.get(name, {})}))
            for name in names
        }
        total = sum(map(len, sets.values()))
        intact = yield from self._part_faults()
        for name in names:
            lists, copies = listed.get(name, {}), packed.get(name, {})
            for held_out in sets[name]:
                path = self._folder / name / f"{held_out}.{ENDING}"
                about = lists.get(held_out, []), copies.get(held_out, [])
                yield from self._cell_faults(path, *about, intact)
                self._progress(self.cells, total)
            yield from self._other_faults(name, names[name])
        yield from self._lost_parts()
        yield from _strangers(self._folder)

    # --- one cell ------------------------------------------------------------------------------

    def _cell_faults(
        self, path: Path, listed: Listed, copies: list[PackedCell], intact: set[str]
    ) -> Iterator[Fault]:
        """What is wrong with a cell, which several manifests may list, and several packs hold."""
        self.cells += 1
        self.kept += not listed
        if copies:
            listed = yield from self._copy_faults(copies, listed, intact)
        scores = read_score(path)
        receipts = _receipts(listed)
        if scores is None and not path.is_file():
            if listed:  # else a running workflow has just removed it
                yield _missing(path, listed)
        elif scores is None:
            why = "its content is not what its seal says"
            yield Fault(DAMAGED, str(path), why, REPAIR, (*_both(path), *receipts))
        elif not _belongs(scores, path):
            why = "it is the score file of another cell"
            yield Fault(DAMAGED, str(path), why, REPAIR, (*_both(path), *receipts))
        else:
            yield from self._listing_faults(path, scores, listed)
            yield from self._model_faults(path.with_suffix(".model"), scores, listed, intact)

    def _copy_faults(
        self, copies: list[PackedCell], listed: Listed, intact: set[str]
    ) -> Generator[Fault, None, Listed]:
        """What is wrong with a cell in packs; returns the listings that none of them is for."""
        why = [self._damage(copy, intact) for copy in copies]
        for copy, reason in zip(copies, why, strict=True):
            if reason:
                what, receipts = f"{copy.name} in {copy.pack}", _receipts(_of(copy, listed))
                yield Fault(DAMAGED, what, reason, REPAIR, receipts, rewrite=(copy.pack,))
        whole = [copy for copy, reason in zip(copies, why, strict=True) if not reason]
        for copy in whole:
            mine = _of(copy, listed)
            if mine and self._models_expected and copy.row.model and not _any_model(whole, copy):
                yield Fault(
                    MISSING, f"{copy.name}.model", str(copy.models), REPAIR, _receipts(mine)
                )
        seals = {copy.row.seal for copy in copies}
        left = [(one, record) for one, record in listed if record.score not in seals]
        return [(one, record) for one, record in left if one.counts or not whole]

    def _damage(self, copy: PackedCell, intact: set[str]) -> str:
        """What is wrong with a packed cell; nothing if it is whole, with a model or without."""
        if copy.read() is None:
            return "its content is not what its seal says"
        if not copy.row.model or not copy.models.exists():
            return ""
        if copy.model() is None:
            damaged = copy.row.model in self._damaged_models(copy.models)
            return "its model is not as it was written" if damaged else ""
        if not intact.issuperset(copy.row.shared_parts):
            return "a shared part of its model is damaged or missing"
        return ""

    def _listing_faults(self, path: Path, scores: ScoreFile, listed: Listed) -> Iterator[Fault]:
        """A whole score file that is not the one that a manifest lists.

        One that was fitted anew for another config is no fault of the manifests before.
        """
        others = [one for one, record in listed if one.counts and record.score != scores.seal]
        if others:
            why = f"it is not the one that {others[0].manifest} lists"
            yield Fault(DAMAGED, str(path), why, REPAIR, _receipts(listed))
        elif not scores.header_intact:
            why = "its header is not as it was written"
            yield Fault(DAMAGED, str(path), why, REPAIR, (*_both(path), *_receipts(listed)))

    def _model_faults(
        self, path: Path, scores: ScoreFile, listed: Listed, intact: set[str]
    ) -> Iterator[Fault]:
        expected = scores.circumstances.model
        if not path.is_file():
            waiting = waiting_model(str(path), scores.circumstances)
            if waiting is not None:  # whoever finds the cell puts it into its place
                self._waiting.add(waiting)
            elif expected and listed and self._models_expected:
                yield _missing(path, listed)
        elif expected is None:
            why = "its score file says that no model is kept"
            yield Fault(FOREIGN, str(path), why, REPAIR, (path,))
        elif _content_digest(path) != expected:
            why = "it is not the model that its score file names"
            yield Fault(DAMAGED, str(path), why, REPAIR, (path, *_receipts(listed)))
        else:
            for name in set(scores.circumstances.shared_parts) - intact:
                self._bad_parts.setdefault(name, []).append((path, listed))

    # --- packs ---------------------------------------------------------------------------------

    def _pack_faults(self) -> Generator[Fault, None, dict[str, dict[str, list[PackedCell]]]]:
        """What is wrong with packs as such; returns their cells, by folder ``learner/θ`` and held-out set."""
        packs = Packs(self._folder / PACKS)
        found: dict[str, dict[str, list[PackedCell]]] = {}
        known = set()
        for path, content in packs.contents():
            known |= {path.name, path.with_suffix(MODELS).name}
            for cell in content.cells:
                found.setdefault(cell.folder, {}).setdefault(cell.about.held_out, []).append(cell)
            damaged = self._damaged_models(path.with_suffix(MODELS))
            if damaged - {cell.row.model for cell in content.cells if not cell.model()}:
                why = "a model in it is not as it was written"
                what = str(path.with_suffix(MODELS))
                yield Fault(DAMAGED, what, why, REPAIR, rewrite=(path,))
            if content.unreadable:
                places = ", ".join(f"{start} to {end}" for start, end in content.unreadable)
                why = f"bytes {places} are not as they were written"
                yield Fault(DAMAGED, str(path), why, REPAIR, rewrite=(path,))
        for name in sorted(_names(packs.folder) - known):
            path = packs.folder / name
            if path.suffix != MODELS:
                yield from stranger(path)
            elif is_old(path):
                yield Fault(FOREIGN, str(path), "it has no pack", REPAIR, (path,))
        return found

    # --- shared parts --------------------------------------------------------------------------

    def _part_faults(self) -> Generator[Fault, None, set[str]]:
        """Foreign files among the shared parts; returns the names of those that are intact."""
        shared = self._folder / SHARED
        intact: set[str] = set()
        for name in sorted(_names(shared)):
            if not _is_digest(name):
                yield from stranger(shared / name)
            elif _content_digest(shared / name) == name:
                intact.add(name)
            else:
                self._bad_parts[name] = []
        return intact

    def _lost_parts(self) -> Iterator[Fault]:
        """Parts that are damaged or missing. The models that hold them have to be made again."""
        for name, holders in sorted(self._bad_parts.items()):
            path = self._folder / SHARED / name
            models = tuple(model for model, _ in holders)
            receipts = (one for _, listed in holders for one in _receipts(listed))
            kind, why = (DAMAGED, "its digest is not its name") if path.is_file() else (MISSING, "")
            held = f"{len(models)} {'model holds' if len(models) == 1 else 'models hold'} it"
            files = (path, *models, *dict.fromkeys(receipts))
            yield Fault(kind, str(path), "; ".join(filter(None, [why, held])), REPAIR, files)

    # --- what is no cell -----------------------------------------------------------------------

    def _other_faults(self, name: str, names: set[str]) -> Iterator[Fault]:
        """Models without scores, and files that are neither."""
        for one in sorted(names):
            path = self._folder / name / one
            if one.endswith(f".{ENDING}") or str(path) in self._waiting:
                continue
            if one.endswith(".model"):
                if path.with_suffix(f".{ENDING}").name not in names and is_old(path):
                    yield Fault(FOREIGN, str(path), "it has no score file", REPAIR, (path,))
            else:
                yield from stranger(path)


def _by_folder(listings: list[Listing]) -> dict[str, dict[str, Listed]]:
    """What is listed, by folder ``learner/θ`` and held-out set."""
    found: dict[str, dict[str, Listed]] = {}
    for listing in listings:
        for (learner, theta, held_out), record in listing.cells.items():
            sets = found.setdefault(f"{learner}/{theta_folder(theta)}", {})
            sets.setdefault(held_out, []).append((listing, record))
    return found


def _folders(store: Path) -> Iterator[str]:
    """The folders of all θ."""
    for learner in _subfolders(store):
        if learner not in APART:
            yield from (f"{learner}/{theta}" for theta in _subfolders(store / learner))


def _subfolders(folder: Path) -> list[str]:
    return [one.name for one in os.scandir(folder) if one.is_dir()] if folder.is_dir() else []


def _names(folder: Path) -> set[str]:
    """The names of the files in a folder."""
    return {one.name for one in os.scandir(folder) if one.is_file()} if folder.is_dir() else set()


def _sets(names: set[str], listed: set[str]) -> set[str]:
    """The held-out sets that have a score file or are listed."""
    ending = f".{ENDING}"
    return {*listed, *(name.removesuffix(ending) for name in names if name.endswith(ending))}


def _belongs(scores: ScoreFile, path: Path) -> bool:
    """Whether a score file is of the cell in whose place it lies."""
    about = scores.metadata
    place = about["learner"], theta_folder(about["theta"]), f"{about['held_out']}.{ENDING}"
    return place == path.parts[-3:]


def _of(copy: PackedCell, listed: Listed) -> Listed:
    """What lists a packed cell."""
    return [(listing, record) for listing, record in listed if record.score == copy.row.seal]


def _any_model(copies: list[PackedCell], copy: PackedCell) -> bool:
    """Whether one of several equal cells has a model."""
    return any(one.model() for one in copies if one.row.seal == copy.row.seal)


def _both(scores: Path) -> tuple[Path, Path]:
    """A score file and its model, which nothing vouches for without it."""
    return scores, scores.with_suffix(".model")


def _receipts(listed: Listed) -> tuple[Path, ...]:
    """The receipts without which the next run looks for the cell again."""
    return tuple(listing.receipt for listing, _ in listed)


def _missing(path: Path, listed: Listed) -> Fault:
    """A job that is due by itself looks for the cell without a repair."""
    due = all(listing.wanted and not listing.counts for listing, _ in listed)
    mend = RUN if due else REPAIR
    return Fault(MISSING, str(path), f"{listed[0][0].manifest} lists it", mend, _receipts(listed))


def _is_digest(name: str) -> bool:
    return len(name) == 32 and set(name) <= set("0123456789abcdef")


def _content_digest(path: Path) -> str | None:
    """The digest of a file; None if it is gone, because a workflow may run at the same time."""
    try:
        return digest(path.read_bytes())
    except FileNotFoundError:
        return None


def _strangers(store: Path) -> Iterator[Fault]:
    """Files above the folders of θ."""
    for name in sorted(_names(store) - {FILE, KEPT}):
        yield from stranger(store / name)
    for learner in sorted({*_subfolders(store)} - APART):
        for name in sorted(_names(store / learner)):
            yield from stranger(store / learner / name)
