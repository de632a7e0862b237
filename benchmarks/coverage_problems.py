"""The problems of the coverage study, read from coverage.yaml, and the config that runs them.

Each problem at each n is a task of its own, so that each has its own number of draws.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("coverage.yaml")
SCORES = Path(__file__).with_name("coverage_scores.yaml")
SEED, LEVEL = 2026, 0.95
TRUTH = 4000
"""Rows that a true risk is computed on where it has no closed form. Its error counts as a miss of the
interval, so it must be small beside the standard error of an estimate; problems may ask for more."""
BATCHES, SMALLEST = 4, 25
"""Jobs of a cell, so that a killed run loses little and both cores end together; draws of the smallest job."""
EVERY_FEATURE_ALONE = "every_feature_alone"
"""Instead of the values of `features` in a grid: a candidate for each feature."""


@dataclass(frozen=True)
class Problem:
    """What is drawn, what is learned, and whether such a problem was used to find the rule."""

    name: str
    title: str
    origin: str
    draws: dict[int, int]
    task: dict[str, Any]
    learners: dict[str, dict[str, Any]]
    population: int | None = None
    """Rows of the real table that samples are drawn from."""
    heavy: bool = False
    """Whether few rows carry most of the loss, so that no interval is expected to hold."""

    @property
    def folds(self) -> int:
        """K."""
        return int(self.task.get("kfold", {}).get("k", 5))

    @property
    def repeats(self) -> int:
        """How many partitions are drawn."""
        return int(self.task.get("kfold", {}).get("repeats", 1))

    @property
    def candidates(self) -> int:
        """How many θ of all learners are tried."""
        axes = [given.get("grid", {}).values() for given in self.learners.values()]
        return sum(prod(_values(axis) for axis in grid) for grid in axes)

    @property
    def group_size(self) -> int:
        """How many rows a group has; 1 without groups."""
        return int(self.task.get("oracle", {}).get("group_size", 5)) if self.grouped else 1

    @property
    def grouped(self) -> bool:
        """Whether rows come in groups."""
        return "groups" in self.task


def _values(axis: Any) -> int:
    return int(axis["logspace"][2]) if isinstance(axis, dict) else len(axis)


@dataclass(frozen=True)
class Cell:
    """A problem at one n."""

    problem: Problem
    n: int
    draws: int

    @property
    def task(self) -> str:
        """The name of its task."""
        return f"{self.problem.name}.n{self.n}"


def read_problems(file: Path = FILE) -> list[Problem]:
    """All problems of a study, in the order of its file."""
    found = yaml.safe_load(file.read_text(encoding="utf-8"))["problems"]
    return [_problem(name, block) for name, block in found.items()]


def _problem(name: str, block: dict[str, Any]) -> Problem:
    task = block["task"]
    learners = {one: _learner(given, task) for one, given in block["learners"].items()}
    given = block["title"], block["origin"], block["n"], task, learners
    return Problem(name, *given, block.get("population"), block.get("heavy", False))


def _learner(given: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    grid = given.get("grid", {})
    if grid.get("features") != EVERY_FEATURE_ALONE:
        return given
    alone = [[f"x{i + 1}"] for i in range(task["oracle"]["features"])]
    return {**given, "grid": {**grid, "features": alone}}


def cells_of(problems: Iterable[Problem], draws: int | None = None) -> list[Cell]:
    """Every problem at every n; `draws` replaces the numbers of the file."""
    return [
        Cell(problem, n, draws or own) for problem in problems for n, own in problem.draws.items()
    ]


def config_of(cells: Iterable[Cell]) -> dict[str, Any]:
    """The config of all cells: names of learners are joined to those of their problems."""
    cells = list(cells)
    learners = {
        _joined(cell, name): given
        for cell in cells
        for name, given in cell.problem.learners.items()
    }
    tasks = {cell.task: _task(cell) for cell in cells}
    return {"seed": SEED, "level": LEVEL, "tasks": tasks, "learners": learners}


def _joined(cell: Cell, learner: str) -> str:
    return f"{cell.problem.name}.{learner}"


def _task(cell: Cell) -> dict[str, Any]:
    given = cell.problem.task
    batch = min(cell.draws, max(SMALLEST, -(-cell.draws // BATCHES)))
    audit = {"replicates": cell.draws, "m": [cell.n], "batch": batch, "truth": TRUTH}
    return {
        "target": "y",
        "test": 0,
        "estimators": ["kfold", "nested_cv"],
        **given,
        "kfold": {"k": 5, **given.get("kfold", {})},
        "learners": [_joined(cell, name) for name in cell.problem.learners],
        "audit": {**audit, **given.get("audit", {})},
    }
