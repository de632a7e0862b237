"""Results against the digests that were recorded when they were written.

A manifest lists the cells of a fitting job with the digest of each score file and model; the name
of a shared part is its digest. What differs is removed together with everything that Snakemake
would else take for finished: it looks at the files a user asked for, and does not make up for a
manifest that is missing behind them.
"""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from heldout.cells.manifest import Index, read_manifests
from heldout.cells.model_file import SHARED
from heldout.cells.score_file import ENDING, ScoreFile
from heldout.cells.store import Cell, Record, Store
from heldout.data.prepared import open_prepared, seen_digest
from heldout.names import digest

OLD = 3600.0
"""Seconds: no file takes that long to write, so an older unfinished one belongs to nobody."""

Place = tuple[str, str, str]
"""(learner, canonical θ, held-out set)."""


@dataclass(frozen=True)
class Fault:
    """What is wrong, why, and the files that have to go."""

    what: str
    why: str
    files: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Findings:
    """The number of cells looked at, and what was wrong."""

    cells: int = 0
    faults: list[Fault] = field(default_factory=list)


def inspect(folder: Path, models_expected: bool) -> Findings:
    """Compare the prepared table and every cell of a task with their digests."""
    faults = list(_table_faults(folder))
    listed: dict[Path, Index] = {}
    for path in sorted((folder / "cells" / "manifests").glob("*.json")):
        try:
            listed[path] = read_manifests([path])
        except (ValueError, KeyError, TypeError):
            faults.append(Fault(f"manifest '{path.name}'", "cannot be read", (path,)))
    cells = _Cells(Store(folder / "cells"), models_expected)
    places = sorted({place for index in listed.values() for place in index})
    for place in places:
        lists = {path: index[place] for path, index in listed.items() if place in index}
        faults += cells.faults(place, lists)
    return Findings(len(places), faults)


def _table_faults(folder: Path) -> Iterator[Fault]:
    """The arrays that fits see; without them everything is found out again from the table."""
    data = folder / "data"
    if not (data / "table.json").is_file():
        return
    try:
        table = open_prepared(data)
        whole = seen_digest(table.facts["schema"], table.features, table.target) == table.digest
    except (OSError, ValueError, KeyError):
        whole = False
    if not whole:
        gone = (*data.iterdir(), *(folder / "cells" / "manifests").glob("*.json"))
        yield Fault(f"prepared table '{data}'", "differs from its digest", gone)


class _Cells:
    """Looks at cells one by one, and at each shared part once."""

    def __init__(self, store: Store, models_expected: bool):
        self._store = store
        self._models_expected = models_expected
        self._parts: dict[str, bool] = {}

    def faults(self, place: Place, lists: dict[Path, Record]) -> Iterator[Fault]:
        """What is wrong with a cell, which several manifests may list."""
        learner, theta, held_out = place
        cell = Cell(learner, json.loads(theta), held_out)
        path = self._store.path(cell, ENDING)
        found = self._store.read(cell)
        records = [record for record in lists.values() if found and record.score == found.seal]
        if found is None:
            why = "the score file is damaged" if path.exists() else "the score file is missing"
            yield Fault(str(cell), why, (path, *lists))
        elif not records:
            yield Fault(str(cell), "the score file is not the one that was listed", tuple(lists))
        elif records[0].model is not None:
            yield from self._model_faults(cell, records[0].model, found, tuple(lists))

    def _model_faults(
        self, cell: Cell, expected: str, found: ScoreFile, lists: tuple[Path, ...]
    ) -> Iterator[Fault]:
        path = self._store.path(cell, "model")
        if not path.is_file():
            if self._models_expected:
                yield Fault(str(cell), "the model is missing", lists)
            return
        if digest(path.read_bytes()) != expected:
            yield Fault(str(cell), "the model is damaged", (path, *lists))
            return
        for name in found.circumstances.shared_parts:
            if not self._part_is_whole(name):
                part = self._store.folder / SHARED / name
                why = "damaged" if part.exists() else "missing"
                yield Fault(str(cell), f"a shared part of the model is {why}", (part, path, *lists))

    def _part_is_whole(self, name: str) -> bool:
        if name not in self._parts:
            path = self._store.folder / SHARED / name
            self._parts[name] = path.is_file() and digest(path.read_bytes()) == name
        return self._parts[name]


def remove(folder: Path, findings: Findings) -> int:
    """Remove what is wrong, its manifests and the tables computed from them; returns how many."""
    wrong = [path for fault in findings.faults for path in fault.files]
    return _unlink([*wrong, *_derived(folder)])


def _derived(folder: Path) -> Iterator[Path]:
    """Tables and the selection: no fit is needed to compute them again."""
    for pattern in ("*.csv", "*.json", "estimates/*.csv"):
        yield from folder.glob(pattern)


def remove_leftovers(results: Path) -> int:
    """Remove files that a killed job had begun to write."""
    before = time.time() - OLD
    return _unlink(path for path in results.rglob(".*.tmp") if path.stat().st_mtime < before)


def _unlink(paths: Iterable[Path]) -> int:
    there = [path for path in dict.fromkeys(paths) if path.is_file()]
    for path in there:
        path.unlink()
    return len(there)
