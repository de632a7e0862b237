"""Fitting a batch of cells: only those whose key is not in the store."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.cells import Plan
from heldout.errors import HeldoutError
from heldout.learners.definition import Definition
from heldout.names import Theta, canonical
from heldout.splits import Resample
from heldout.store import Cell, ModelPickler, Record, Store

if TYPE_CHECKING:
    from heldout.engines.problem import Outcome, Problem
    from heldout.learners.build import Builder


@dataclass
class Batch:
    """What a fitting job did."""

    cells: list[tuple[Cell, Record]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    fitted: int = 0


@dataclass(frozen=True)
class Missing:
    """The cells of one training set that are not in the store."""

    resample: Resample
    learner: Definition
    cells: list[Cell]
    keys: list[str]


def fit_part(
    plan: Plan, store: Store, part: int, parts: int, keep_models: bool, loss_needs: str | None
) -> Batch:
    """Fit the cells of part `part` (from 1) of `parts`; an error ends only its own cell."""
    batch = Batch()
    missing = []
    for resample, learner in _share(plan, part, parts):
        cells = plan.cells(learner, resample)
        keys = plan.keys(learner, resample, [cell.theta for cell in cells])
        found = [store.find(cell, key, keep_models) for cell, key in zip(cells, keys, strict=True)]
        batch.cells += [(c, r) for c, r in zip(cells, found, strict=True) if r is not None]
        absent = [i for i, record in enumerate(found) if record is None]
        if absent:
            missing.append(
                Missing(resample, learner, [cells[i] for i in absent], [keys[i] for i in absent])
            )
    if missing:
        builders = checked_builders(plan, loss_needs)
        problems = Problems(plan)
        for place in missing:
            problem = problems.problem(builders[place.learner.name], place.resample)
            _fit_missing(problem, store, place, keep_models, batch)
    return batch


def _share(plan: Plan, part: int, parts: int) -> Iterator[tuple[Resample, Definition]]:
    """Whole training sets where there are enough of them, else single (training set, learner)s."""
    by_resample = len(plan.resamples) >= parts
    for i, unit in enumerate(plan.units()):
        number = i // len(plan.learners) if by_resample else i
        if number % parts == part - 1:
            yield unit


def checked_builders(plan: Plan, loss_needs: str | None) -> dict[str, "Builder"]:
    """A builder per learner, after checking everything that can be checked without fitting."""
    from heldout.learners.build import Builder, check_learner

    builders = {learner.name: Builder(learner, plan.table) for learner in plan.learners}
    for builder in builders.values():
        check_learner(builder, builder.definition.thetas(plan.seed), loss_needs)
    return builders


def _fit_missing(
    problem: "Problem", store: Store, place: Missing, keep_models: bool, batch: Batch
) -> None:
    from heldout.engines import generic

    keys = dict(zip((canonical(cell.theta) for cell in place.cells), place.keys, strict=True))
    sets = {name: len(rows) for name, rows in place.resample.held.items()}
    pickler = ModelPickler()
    for outcome in generic.run(problem, [cell.theta for cell in place.cells]):
        cell = Cell(place.learner.name, outcome.theta, place.resample.name)
        if outcome.error is not None or outcome.predictions is None:
            batch.failures.append(f"{cell}: {type(outcome.error).__name__}: {outcome.error}")
            continue
        model = pickler.dump(outcome.model, outcome.shared) if keep_models else None
        record = store.write(
            cell,
            keys[canonical(cell.theta)],
            sets,
            outcome.predictions,
            model,
            generic.NAME,
            outcome.seconds,
        )
        batch.cells.append((cell, record))
        batch.fitted += 1


class Problems:
    """Makes the problem of each training set; keeps the arrays while the set stays the same."""

    def __init__(self, plan: Plan):
        self._plan = plan
        self._resample: Resample | None = None

    def problem(self, builder: "Builder", resample: Resample) -> "Problem":
        """One learner's problem; preprocessing is shared by the learners of a training set."""
        from heldout.engines.problem import Problem

        if resample is not self._resample:
            self._load(resample)
        seed = self._plan.fit_seed(builder.definition.name, resample)
        return Problem(builder, self._features, self._target, self._held, seed, self._prepared)

    def _load(self, resample: Resample) -> None:
        table = self._plan.table
        held = np.concatenate(list(resample.held.values()))
        self._resample = resample
        self._features = table.features[resample.train]
        self._target = table.target[resample.train]
        same = np.array_equal(held, resample.train)
        self._held = self._features if same else table.features[held]
        self._prepared: dict[str, Any] = {}


def report_batch(batch: Batch) -> None:
    """Say what was done, and fail if a cell failed: nothing is averaged over what is missing."""
    reused = len(batch.cells) - batch.fitted
    print(
        f"cells: {batch.fitted} fitted, {reused} reused, {len(batch.failures)} failed", flush=True
    )
    if batch.failures:
        shown = "\n".join(f"  {line}" for line in batch.failures[:20])
        more = len(batch.failures) - 20
        tail = f"\n  … and {more} more" if more > 0 else ""
        raise HeldoutError(
            f"{len(batch.failures)} cells could not be fitted (the others are kept):\n{shown}{tail}"
        )


def fit_cell(plan: Plan, learner: Definition, resample: Resample, theta: Theta) -> "Outcome":
    """Fit one cell outside the store."""
    from heldout.engines import generic
    from heldout.learners.build import Builder

    problem = Problems(plan).problem(Builder(learner, plan.table), resample)
    return next(iter(generic.run(problem, [theta])))
