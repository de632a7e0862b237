"""Fitting a batch of cells: only those whose key is not in the store."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.cells.plan import Plan
from heldout.cells.progress import Progress
from heldout.cells.store import Cell, Keys, ModelPickler, Record, Store
from heldout.errors import HeldoutError
from heldout.learners.definition import Definition
from heldout.names import Theta, canonical
from heldout.predictions import Predictions
from heldout.resampling.split import Resample

if TYPE_CHECKING:
    from heldout.numerics.pipeline import Builder
    from heldout.numerics.problem import Job, Outcome, Problem

PROBE = 3
"""How many θ of an endless grid are checked before the first fit."""


@dataclass
class Batch:
    """What a fitting job did."""

    cells: list[tuple[Cell, Record]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    fitted: int = 0


class Fitter:
    """Makes sure that cells are in the store, and keeps the account."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        models: str,
        loss_needs: str | None,
        expected: Iterable[Resample] = (),
    ):
        """`expected`: the training sets to come, for engines that prepare for several at once."""
        self.plan = plan
        self.store = store
        self.batch = Batch()
        self.progress = Progress()
        self._models = models
        self._loss_needs = loss_needs
        self._problems = Problems(plan, expected)

    def ensure(self, learner: Definition, resample: Resample, thetas: list[Theta]) -> None:
        """Find or fit the cells of one training set; an error ends only its own cell."""
        keep = self._models != "none" and not resample.parts
        wants_model = self._models == "all" and keep
        missing: dict[str, tuple[Cell, Keys]] = {}
        for theta, keys in zip(thetas, self.plan.keys(learner, resample, thetas), strict=True):
            cell = Cell(learner.name, theta, resample.name)
            record = self.store.find(cell, keys.cell, wants_model, self._loss_needs)
            if record is not None:
                self.batch.cells.append((cell, record))
                self.progress.add()
            else:
                missing[canonical(theta)] = cell, keys
        if missing:
            builder = self._builders[learner.name]
            for outcome in self._outcomes(builder, resample, list(missing.values())):
                cell, keys = missing[canonical(outcome.theta)]
                self._keep(cell, keys, resample, outcome, keep)
                self.progress.add()

    @cached_property
    def _builders(self) -> dict[str, "Builder"]:
        return checked_builders(self.plan, self._loss_needs)

    def _outcomes(
        self, builder: "Builder", resample: Resample, missing: list[tuple[Cell, Keys]]
    ) -> Iterator["Outcome"]:
        from heldout.numerics import run
        from heldout.numerics.engines import generic

        if resample.parts:
            yield from self._joined(builder, resample, [cell.theta for cell, _ in missing])
            return
        problem = self._problems.problem(builder, resample)
        fresh = []
        for cell, keys in missing:
            model = self.store.fitted_model(cell, keys)
            if model is None:
                fresh.append(cell.theta)
            else:
                yield generic.revisit(problem, cell.theta, model)
        yield from run.run(problem, fresh)

    def _joined(
        self, builder: "Builder", resample: Resample, thetas: list[Theta]
    ) -> Iterator["Outcome"]:
        """Many small fits, whose predictions go into one score file per θ."""
        from heldout.numerics import run
        from heldout.numerics.engines import leave_one_out
        from heldout.numerics.problem import Outcome

        if leave_one_out.is_exact_for(builder, resample, thetas):
            closed = leave_one_out.run(builder, resample, thetas)
            if closed is not None:
                yield from closed
                return
        said: dict[str, list[Outcome]] = {canonical(theta): [] for theta in thetas}
        for part in resample.parts:
            problem = self._problems.problem(builder, part)
            for outcome in run.run(problem, thetas):
                said[canonical(outcome.theta)].append(outcome)
        for theta in thetas:
            outcomes = said[canonical(theta)]
            errors = [outcome.error for outcome in outcomes if outcome.error is not None]
            yield Outcome(
                theta,
                predictions=None if errors else _concatenated(outcomes),
                error=errors[0] if errors else None,
                seconds=sum(outcome.seconds for outcome in outcomes),
                engine=outcomes[0].engine,
            )

    def _keep(
        self, cell: Cell, keys: Keys, resample: Resample, outcome: "Outcome", keep: bool
    ) -> None:
        if outcome.error is not None or outcome.predictions is None:
            error = f"{type(outcome.error).__name__}: {outcome.error}"
            self.batch.failures.append(f"{cell}: {error}")
            return
        if not _finite(outcome.predictions):
            self.batch.failures.append(f"{cell}: its predictions are not finite numbers")
            return
        model = self._problems.pickler.dump(outcome.model, outcome.shared) if keep else None
        sets = {name: len(rows) for name, rows in resample.held.items()}
        record = self.store.write(
            cell, keys, sets, outcome.predictions, model, outcome.engine, outcome.seconds
        )
        self.batch.cells.append((cell, record))
        self.batch.fitted += not outcome.revisited


def share(plan: Plan, batch: int, batches: int) -> Iterator[tuple[Resample, Definition]]:
    """The batch's (training set, learner)s: whole training sets where there are enough of them."""
    listed = [learner for learner in plan.learners if not learner.endless]
    by_resample = len(plan.resamples) >= batches
    number = 0
    for i, resample in enumerate(plan.resamples):
        for learner in listed:
            if (i if by_resample else number) % batches == batch - 1:
                yield resample, learner
            number += 1


def checked_builders(plan: Plan, loss_needs: str | None) -> dict[str, "Builder"]:
    """A builder per learner, after checking everything that can be checked without fitting."""
    from heldout.numerics.pipeline import Builder, check_learner

    builders = {learner.name: Builder(learner, plan.table) for learner in plan.learners}
    for builder in builders.values():
        learner = builder.definition
        thetas = learner.first_thetas(PROBE) if learner.endless else learner.thetas(plan.seed)
        check_learner(builder, thetas, loss_needs)
    return builders


class Problems:
    """Makes the problem of each training set; keeps the arrays while the set stays the same."""

    def __init__(self, plan: Plan, expected: Iterable[Resample] = ()):
        self._plan = plan
        self._expected = {one.name: one for one in expected if not one.parts}
        self._resample: Resample | None = None
        self.pickler = ModelPickler()

    def problem(self, builder: "Builder", resample: Resample) -> "Problem":
        """One learner's problem; preprocessing is shared by the learners of a training set."""
        from heldout.numerics.problem import Origin, Problem

        if resample is not self._resample:
            self._load(resample)
        seed = self._plan.fit_seed(builder.definition.name, resample)
        origin = None
        if resample.name in self._expected:
            origin = Origin(resample.train, self._held_rows, self._job)
        arrays = self._features, self._target, self._held
        return Problem(builder, *arrays, seed, self._prepared, origin)

    @cached_property
    def _job(self) -> "Job":
        from heldout.numerics.problem import Job

        return Job([(one.train, _held_rows(one)) for one in self._expected.values()])

    def _load(self, resample: Resample) -> None:
        table = self._plan.table
        held = self._held_rows = _held_rows(resample)
        self._resample = resample
        self._features = table.features[resample.train]
        self._target = table.target[resample.train]
        same = np.array_equal(held, resample.train)
        self._held = self._features if same else table.features[held]
        self._prepared: dict[str, Any] = {}
        self.pickler = ModelPickler()


def _held_rows(resample: Resample) -> np.ndarray:
    sets = list(resample.held.values())
    return sets[0] if len(sets) == 1 else np.concatenate(sets)


def _finite(said: Predictions) -> bool:
    return all(
        bool(np.isfinite(array).all())
        for array in said.arrays().values()
        if array.dtype.kind == "f"
    )


def _concatenated(outcomes: list["Outcome"]) -> Predictions:
    arrays = [outcome.predictions.arrays() for outcome in outcomes if outcome.predictions]
    return Predictions(**{name: np.concatenate([a[name] for a in arrays]) for name in arrays[0]})


def fit_model(plan: Plan, learner: Definition, resample: Resample, theta: Theta) -> "Outcome":
    """Fit one model outside the store; it is asked about one row only, for its predictions are not needed."""
    from heldout.numerics import run
    from heldout.numerics.pipeline import Builder

    problem = Problems(plan).problem(Builder(learner, plan.table), resample)
    problem = replace(problem, held_features=problem.train_features[:1])
    return next(iter(run.run(problem, [theta])))


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
