"""Bad input is refused before the first fit, in words that say what, where and what to do."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import json
import pytest
from harness import TASK, Project

from heldout.config.study import Study
from heldout.errors import HeldoutError
from heldout.steps import draw_splits, fit_cells, prepare_data

Spoil = Callable[[Project], None]


def run_until_fits(project: Project) -> None:
    """All steps up to the fits, in this process: config, table, splits, checks of the learners."""
    study = Study(project.config)
    folder = project.results

    def spec(step: str, **wildcards: Any) -> dict[str, Any]:
        return json.loads(study.spec(step, TASK, **wildcards))

    prepare_data.main(folder, spec("prepare_data"))
    for split in study.splits(TASK):
        draw_splits.main(folder, spec("draw_splits", split=split))
    fit_cells.main(folder, spec("fit_cells", part=1, parts=1))


# --- spoiling ------------------------------------------------------------------------------


def config(**keys: Any) -> Spoil:
    return lambda project: project.config.update(keys)


def task(**keys: Any) -> Spoil:
    return lambda project: project.task.update(keys)


def learner(**keys: Any) -> Spoil:
    """Replace the block of the learner `tree`."""
    return lambda project: project.config["learners"].update(tree=keys)


def without(key: str) -> Spoil:
    return lambda project: project.task.pop(key)


def column(name: str, *values: str, **keys: Any) -> Spoil:
    """Replace or add a column; the values are repeated until the table is full."""

    def spoil(project: Project) -> None:
        cells = [line.split(",") for line in project.lines]
        if name not in cells[0]:
            cells = [[*line, ""] for line in cells]
            cells[0][-1] = name
        place = cells[0].index(name)
        for i, line in enumerate(cells[1:]):
            line[place] = values[i % len(values)]
        project.lines = [",".join(line) for line in cells]
        project.task.update(keys)

    return spoil


def cell(row: int, name: str, value: str, **keys: Any) -> Spoil:
    """Replace one value (rows counted from 1)."""

    def spoil(project: Project) -> None:
        values = project.lines[row].split(",")
        values[project.lines[0].split(",").index(name)] = value
        project.lines[row] = ",".join(values)
        project.task.update(keys)

    return spoil


def rows(count: int) -> Spoil:
    return lambda project: project.lines.__delitem__(slice(count + 1, None))


def header(line: str) -> Spoil:
    return lambda project: project.lines.__setitem__(0, line)


def file(name: str, content: bytes) -> Spoil:
    """Another table."""

    def spoil(project: Project) -> None:
        (project.folder / name).write_bytes(content)
        project.task["data"] = name

    return spoil


@dataclass(frozen=True)
class Bad:
    """How to spoil a good study, and what the message must say."""

    spoil: Spoil
    says: tuple[str, ...]


def bad(spoil: Spoil, *says: str) -> Bad:
    return Bad(spoil, says)


LATIN1 = "bill,species\n1,adélie\n2,gentoo\n".encode("latin-1")

CONFIGS = {
    "an unknown key": bad(config(sede=1), "sede: unknown key 'sede'; did you mean 'seed'?"),
}
