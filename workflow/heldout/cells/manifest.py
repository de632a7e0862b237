"""Manifests: the file that a fitting job writes as its output, with its cells and their digests."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from heldout.cells.store import Cell, Record
from heldout.files import read_json, write_text
from heldout.names import Theta, canonical
from heldout.numerics.fit_warning import FitWarning

Index = dict[tuple[str, str, str], Record]
"""(learner, canonical θ, held-out set) → record."""


def write_manifest(path: Path, facts: dict[str, Any], cells: Iterable[tuple[Cell, Record]]) -> None:
    """Write a manifest, with one line for each learner and θ.

    Parameters
    ----------
    path
        The file.
    facts
        Further entries: what the job did.
    cells
        The cells of the job.

    Examples
    --------
    >>> cell, record = Cell("knn", {"n_neighbors": 5}, "full"), Record("key", "seal", None, "knn", 0.5)
    >>> write_manifest(folder / "1-of-1.json", {"fitted": 1}, [(cell, record)])
    >>> print((folder / "1-of-1.json").read_text().strip())
    {"fitted": 1, "cells": [
    {"learner": "knn", "theta": {"n_neighbors": 5}, "sets": {"full": ["key", "seal", null, "knn", 0.5]}}
    ]}
    """
    grouped: dict[tuple[str, str], dict[str, Any]] = {}
    for cell, record in cells:
        group = (cell.learner, cell.text)
        entry = grouped.setdefault(
            group, {"learner": cell.learner, "theta": cell.theta, "sets": {}}
        )
        entry["sets"][cell.held_out] = list(record if record.warnings else record[:-1])
    lines = ",\n".join(_line(entry) for entry in grouped.values())
    write_text(path, f'{_line(facts)[:-1]}, "cells": [\n{lines}\n]}}\n')


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def read_manifests(paths: Iterable[Path]) -> Index:
    """All cells of some manifests.

    Parameters
    ----------
    paths
        Manifests.

    Returns
    -------
    dict
        The record by (learner, canonical θ, held-out set).

    Examples
    --------
    >>> cell, record = Cell("knn", {"n_neighbors": 5}, "full"), Record("key", "seal", None, "knn", 0.5)
    >>> write_manifest(folder / "1-of-1.json", {"fitted": 1}, [(cell, record)])
    >>> read_manifests([folder / "1-of-1.json"])["knn", '{"n_neighbors":5}', "full"].engine
    'knn'
    """
    index: Index = {}
    for path in paths:
        for entry in read_json(path)["cells"]:
            theta = canonical(entry["theta"])
            for held_out, fields in entry["sets"].items():
                index[entry["learner"], theta, held_out] = as_record(fields)
    return index


def as_record(fields: Sequence[Any]) -> Record:
    """Make a record of a cell's line in a manifest, in which warnings stand only if there are some.

    Parameters
    ----------
    fields
        The values of the record, in order.

    Returns
    -------
    Record
        The record.

    Examples
    --------
    >>> as_record(["key", "seal", None, "ridge", 0.5]).warnings
    ()
    >>> as_record(["key", "seal", None, "svm", 0.5, [["UserWarning", "slow", 2]]]).warnings[0].times
    2
    """
    key, score, model, engine, seconds, *warnings = fields
    found = tuple(FitWarning(*one) for one in (warnings[0] if warnings else ()))
    return Record(key, score, model, engine, seconds, found)


class CellWarnings(NamedTuple):
    """A cell whose fit gave warnings; θ as canonical text."""

    learner: str
    theta: str
    held_out: str
    warnings: tuple[FitWarning, ...]


def cell_warnings(index: Index) -> list[CellWarnings]:
    """The cells whose fits gave warnings.

    Parameters
    ----------
    index
        Records of cells.

    Returns
    -------
    list of CellWarnings
        Without the cells that have none.

    Examples
    --------
    >>> slow = Record("key", "seal", None, "svm", 0.5, (FitWarning("ConvergenceWarning", "…", 1),))
    >>> [one.held_out for one in cell_warnings({("svm", "{}", "full"): slow})]
    ['full']
    """
    return [CellWarnings(*name, one.warnings) for name, one in index.items() if one.warnings]


def index_of(cells: Iterable[tuple[Cell, Record]]) -> Index:
    """The index of cells that are not in a manifest yet.

    Parameters
    ----------
    cells
        Cells and their records.

    Returns
    -------
    dict
        The record by (learner, canonical θ, held-out set), as `read_manifests` gives it.

    Examples
    --------
    >>> record = Record("key", "seal", None, "knn", 0.5)
    >>> list(index_of([(Cell("knn", {"n_neighbors": 5}, "full"), record)]))
    [('knn', '{"n_neighbors":5}', 'full')]
    """
    return {(cell.learner, canonical(cell.theta), cell.held_out): record for cell, record in cells}


def manifest_paths(folder: Path, batches: int) -> list[Path]:
    """The manifests of a task.

    Parameters
    ----------
    folder
        The folder of the task, ``results/TASK``.
    batches
        The number of batches in which its cells are fitted.

    Returns
    -------
    list of pathlib.Path
        One for each batch.

    Examples
    --------
    >>> [path.as_posix() for path in manifest_paths(Path("results/penguins"), 2)][0]
    'results/penguins/cells/manifests/1-of-2.json'
    """
    manifests = folder / "cells" / "manifests"
    return [manifests / f"{batch}-of-{batches}.json" for batch in range(1, batches + 1)]


def record_of(index: Index, learner: str, theta: Theta, held_out: str) -> Record:
    """The record of one cell."""
    return index[learner, canonical(theta), held_out]
