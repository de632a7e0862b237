"""Manifests: the small file that a fitting job declares, listing its cells and their digests."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from heldout.cells.store import Cell, Record
from heldout.files import read_json, write_text
from heldout.names import Theta, canonical
from heldout.numerics.fit_warning import FitWarning

Index = dict[tuple[str, str, str], Record]
"""(learner, canonical θ, held-out set) → record."""


def write_manifest(path: Path, facts: dict[str, Any], cells: Iterable[tuple[Cell, Record]]) -> None:
    """Group the cells by learner and θ and write them, a θ a line."""
    grouped: dict[tuple[str, str], dict[str, Any]] = {}
    for cell, record in cells:
        place = (cell.learner, canonical(cell.theta))
        entry = grouped.setdefault(
            place, {"learner": cell.learner, "theta": cell.theta, "sets": {}}
        )
        entry["sets"][cell.held_out] = list(record if record.warnings else record[:-1])
    lines = ",\n".join(_line(entry) for entry in grouped.values())
    write_text(path, f'{_line(facts)[:-1]}, "cells": [\n{lines}\n]}}\n')


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def read_manifests(paths: Iterable[Path]) -> Index:
    """All cells of some manifests."""
    index: Index = {}
    for path in paths:
        for entry in read_json(path)["cells"]:
            theta = canonical(entry["theta"])
            for held_out, fields in entry["sets"].items():
                index[entry["learner"], theta, held_out] = _record(*fields)
    return index


def _record(*fields: Any) -> Record:
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
    """The cells whose fits gave warnings."""
    return [CellWarnings(*place, one.warnings) for place, one in index.items() if one.warnings]


def index_of(cells: Iterable[tuple[Cell, Record]]) -> Index:
    """The same from cells that are not in a manifest yet."""
    return {(cell.learner, canonical(cell.theta), cell.held_out): record for cell, record in cells}


def manifest_paths(folder: Path, batches: int) -> list[Path]:
    """The manifests of a task whose cells are fitted in so many batches."""
    manifests = folder / "cells" / "manifests"
    return [manifests / f"{batch}-of-{batches}.json" for batch in range(1, batches + 1)]


def record_of(index: Index, learner: str, theta: Theta, held_out: str) -> Record:
    """The record of one cell."""
    return index[learner, canonical(theta), held_out]
