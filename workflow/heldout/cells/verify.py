"""Compares the cells of a task with the digests that were recorded when they were written.

A manifest lists the cells of a fitting job with the seal of each score file and the digest of each
model; a score file carries its own seal and names its cell; the name of a shared part is its digest.
Nothing is changed, nothing is unpickled, and one file is held in memory at a time.
"""

import json
import os
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from heldout.cells.kept_models import FILE as KEPT
from heldout.cells.manifest import Index
from heldout.cells.model_file import SHARED
from heldout.cells.publish import waiting_model
from heldout.cells.score_file import ENDING, ScoreFile
from heldout.cells.store import Record, read_score
from heldout.cells.strangers import is_old, stranger
from heldout.cells.version import FILE
from heldout.faults import DAMAGED, FOREIGN, MISSING, REPAIR, RUN, Fault
from heldout.names import digest, theta_name

MANIFESTS = "manifests"


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
    """

    manifest: str
    receipt: Path
    counts: bool
    cells: Index


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
        self._bad_parts: dict[str, list[tuple[Path, Listed]]] = {}

    def faults(self) -> Iterator[Fault]:
        """What is wrong; sets `cells`, all that there are, and `kept`, those that no manifest lists."""
        listed = _by_folder(self._listings)
        found = {name: _names(self._folder / name) for name in _folders(self._folder)}
        names = {name: found.get(name, set()) for name in sorted({*found, *listed})}
        total = sum(len(_sets(names[name], listed.get(name, {}))) for name in names)
        intact = yield from self._part_faults()
        for name in names:
            sets = listed.get(name, {})
            for held_out in sorted(_sets(names[name], sets)):
                path = self._folder / name / f"{held_out}.{ENDING}"
                yield from self._cell_faults(path, sets.get(held_out, []), intact)
                self._progress(self.cells, total)
            yield from self._other_faults(name, names[name])
        yield from self._lost_parts()
        yield from _strangers(self._folder)

    # --- one cell ------------------------------------------------------------------------------

    def _cell_faults(self, path: Path, listed: Listed, intact: set[str]) -> Iterator[Fault]:
        """What is wrong with a cell, which several manifests may list."""
        self.cells += 1
        self.kept += not listed
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


@cache
def theta_folder(theta: str) -> str:
    """The folder of a θ.

    Parameters
    ----------
    theta
        θ as canonical JSON.

    Returns
    -------
    str
        The name of its folder.

    Examples
    --------
    >>> theta_folder('{"n_neighbors":5}')
    'n_neighbors=5'
    """
    return theta_name(json.loads(theta))


def _folders(store: Path) -> Iterator[str]:
    """The folders of all θ."""
    for learner in _subfolders(store):
        if learner not in (SHARED, MANIFESTS):
            yield from (f"{learner}/{theta}" for theta in _subfolders(store / learner))


def _subfolders(folder: Path) -> list[str]:
    return [one.name for one in os.scandir(folder) if one.is_dir()] if folder.is_dir() else []


def _names(folder: Path) -> set[str]:
    """The names of the files in a folder."""
    return {one.name for one in os.scandir(folder) if one.is_file()} if folder.is_dir() else set()


def _sets(names: set[str], listed: dict[str, Listed]) -> set[str]:
    """The held-out sets that have a score file or are listed."""
    ending = f".{ENDING}"
    return {*listed, *(name.removesuffix(ending) for name in names if name.endswith(ending))}


def _belongs(scores: ScoreFile, path: Path) -> bool:
    """Whether a score file is of the cell in whose place it lies."""
    about = scores.metadata
    place = about["learner"], theta_folder(about["theta"]), f"{about['held_out']}.{ENDING}"
    return place == path.parts[-3:]


def _both(scores: Path) -> tuple[Path, Path]:
    """A score file and its model, which nothing vouches for without it."""
    return scores, scores.with_suffix(".model")


def _receipts(listed: Listed) -> tuple[Path, ...]:
    """The receipts without which the next run looks for the cell again."""
    return tuple(listing.receipt for listing, _ in listed)


def _missing(path: Path, listed: Listed) -> Fault:
    """A job that is due by itself looks for the cell without a repair."""
    mend = REPAIR if any(listing.counts for listing, _ in listed) else RUN
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
    for learner in sorted({*_subfolders(store)} - {SHARED, MANIFESTS}):
        for name in sorted(_names(store / learner)):
            yield from stranger(store / learner / name)
