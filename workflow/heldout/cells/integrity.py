"""Compares results with the digests that were recorded when they were written.

A manifest lists the cells of a fitting job with the digest of each score file and model; the name
of a shared part is its digest. A damaged file is removed together with its manifests and with all
tables computed from them. Otherwise Snakemake would take the tables for finished: it does not make a
missing manifest again if all files that the user wants exist.
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
"""Seconds. No file takes that long to write, so an older unfinished file is left from a killed job."""

CellName = tuple[str, str, str]
"""(learner, canonical θ, held-out set)."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a file or a cell.

    Parameters
    ----------
    what
        The cell or file.
    why
        What is wrong with it.
    files
        The files that have to be removed so that it is made again.
    """

    what: str
    why: str
    files: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Findings:
    """The number of cells that were inspected, and their faults."""

    cells: int = 0
    faults: list[Fault] = field(default_factory=list)


def inspect(folder: Path, models_expected: bool) -> Findings:
    """Compare the prepared table and every cell of a task with their digests.

    Parameters
    ----------
    folder
        The folder of a task, ``results/TASK``.
    models_expected
        Whether a missing model is a fault (not so with ``models: selected``).

    Returns
    -------
    Findings
        What is wrong; nothing is changed.

    Examples
    --------
    >>> inspect(folder, models_expected=True)
    Findings(cells=0, faults=[])
    """
    faults = list(_table_faults(folder))
    listed: dict[Path, Index] = {}
    for path in sorted((folder / "cells" / "manifests").glob("*.json")):
        try:
            listed[path] = read_manifests([path])
        except (ValueError, KeyError, TypeError):
            faults.append(Fault(f"manifest '{path.name}'", "cannot be read", (path,)))
    cells = _Cells(Store(folder / "cells"), models_expected)
    names = sorted({name for index in listed.values() for name in index})
    for name in names:
        lists = {path: index[name] for path, index in listed.items() if name in index}
        faults += cells.faults(name, lists)
    return Findings(len(names), faults)


def _table_faults(folder: Path) -> Iterator[Fault]:
    """The arrays that models are fitted on."""
    data = folder / "data"
    if not (data / "table.json").is_file():
        return
    try:
        table = open_prepared(data)
        intact = seen_digest(table.facts["schema"], table.features, table.target) == table.digest
    except (OSError, ValueError, KeyError):
        intact = False
    if not intact:
        files = (*data.iterdir(), *(folder / "cells" / "manifests").glob("*.json"))
        yield Fault(f"prepared table '{data}'", "differs from its digest", files)


class _Cells:
    """Inspects cells one by one, and each shared part once."""

    def __init__(self, store: Store, models_expected: bool):
        self._store = store
        self._models_expected = models_expected
        self._part_intact: dict[str, bool] = {}

    def faults(self, name: CellName, lists: dict[Path, Record]) -> Iterator[Fault]:
        """What is wrong with a cell, which several manifests may list."""
        learner, theta, held_out = name
        cell = Cell(learner, json.loads(theta), held_out)
        path = self._store.path(cell, ENDING)
        scores = self._store.read(cell)
        records = [record for record in lists.values() if scores and record.score == scores.seal]
        if scores is None:
            why = "the score file is damaged" if path.exists() else "the score file is missing"
            yield Fault(str(cell), why, (path, *lists))
        elif not records:
            yield Fault(str(cell), "the score file is not the one that was listed", tuple(lists))
        elif records[0].model is not None:
            yield from self._model_faults(cell, records[0].model, scores, tuple(lists))

    def _model_faults(
        self, cell: Cell, expected: str, scores: ScoreFile, lists: tuple[Path, ...]
    ) -> Iterator[Fault]:
        path = self._store.path(cell, "model")
        if not path.is_file():
            if self._models_expected:
                yield Fault(str(cell), "the model is missing", lists)
            return
        if digest(path.read_bytes()) != expected:
            yield Fault(str(cell), "the model is damaged", (path, *lists))
            return
        for name in scores.circumstances.shared_parts:
            if not self._is_intact(name):
                part = self._store.folder / SHARED / name
                why = "damaged" if part.exists() else "missing"
                yield Fault(str(cell), f"a shared part of the model is {why}", (part, path, *lists))

    def _is_intact(self, name: str) -> bool:
        if name not in self._part_intact:
            path = self._store.folder / SHARED / name
            self._part_intact[name] = path.is_file() and digest(path.read_bytes()) == name
        return self._part_intact[name]


def remove(folder: Path, findings: Findings) -> int:
    """Remove the files of all faults, and the tables computed from the cells.

    Parameters
    ----------
    folder
        The folder of a task, ``results/TASK``.
    findings
        What `inspect` found.

    Returns
    -------
    int
        The number of removed files.

    Examples
    --------
    >>> damaged = folder / "damaged.model"
    >>> damaged.touch()
    >>> remove(folder, Findings(1, [Fault("a cell", "the model is damaged", (damaged,))]))
    1
    >>> damaged.exists()
    False
    """
    damaged = [path for fault in findings.faults for path in fault.files]
    return _unlink([*damaged, *_derived(folder)])


def _derived(folder: Path) -> Iterator[Path]:
    """Tables and the selection, which are computed again without any fit."""
    for pattern in ("*.csv", "*.json", "estimates/*.csv"):
        yield from folder.glob(pattern)


def remove_leftovers(results: Path) -> int:
    """Remove files that a killed job had begun to write.

    Parameters
    ----------
    results
        The folder of all results.

    Returns
    -------
    int
        The number of removed files.

    Examples
    --------
    >>> import os
    >>> unfinished = folder / ".risks.csv.1234.tmp"
    >>> unfinished.touch()
    >>> remove_leftovers(folder)
    0
    >>> os.utime(unfinished, (0, 0))
    >>> remove_leftovers(folder)
    1
    """
    before = time.time() - OLD
    return _unlink(path for path in results.rglob(".*.tmp") if path.stat().st_mtime < before)


def _unlink(paths: Iterable[Path]) -> int:
    existing = [path for path in dict.fromkeys(paths) if path.is_file()]
    for path in existing:
        path.unlink()
    return len(existing)
