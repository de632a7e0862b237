"""Fitting a batch of cells: only those whose key is not in the store."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from heldout.cells.key import Keys
from heldout.cells.model_file import ModelPickler
from heldout.cells.plan import Plan, columns_of
from heldout.cells.progress import Progress
from heldout.cells.store import Cell, Record, Store, with_stored
from heldout.errors import HeldoutError
from heldout.learners.learner import Learner
from heldout.names import Theta, canonical
from heldout.numerics.engines.registry import by_engine
from heldout.predictions import Predictions
from heldout.resampling.split import Resample

if TYPE_CHECKING:  # a job that finds all its cells in the store never imports scikit-learn
    from heldout.numerics.pipeline import Builder
    from heldout.numerics.problem import Outcome, Problem, TrainingSet, TrainingSets


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

    def ensure(self, learner: Learner, resample: Resample, thetas: list[Theta]) -> None:
        """Find or fit the cells of one training set; an error ends only its own cell."""
        keep = self._models != "none" and not resample.members
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
            for outcome, fitted in self._outcomes(learner, resample, list(missing.values())):
                cell, keys = missing[canonical(outcome.theta)]
                self._keep(cell, keys, resample, outcome, keep, fitted)
                self.progress.add()

    @cached_property
    def _builders(self) -> dict[str, "Builder"]:
        from heldout.cells.preflight import checked_builders

        return checked_builders(self.plan, self._loss_needs)

    def _outcomes(
        self, learner: Learner, resample: Resample, missing: list[tuple[Cell, Keys]]
    ) -> Iterator[tuple["Outcome", bool]]:
        """Each outcome, and whether its model was fitted now (else only its predictions are new)."""
        from heldout.numerics import run

        builder = self._builders[learner.name]
        if resample.members:
            for outcome in self._problems.members(builder, resample, [c.theta for c, _ in missing]):
                yield outcome, True
            return
        problem = self._problems.problem(builder, resample)
        fresh = []
        for cell, keys in missing:
            stored = self.store.fitted_model(cell, keys)
            if stored is None:
                fresh.append(cell.theta)
            else:
                model, about = stored
                yield with_stored(run.predict_again(problem, cell.theta, model), about), False
        for outcome in run.fit(problem, by_engine(learner, builder.classification, fresh)):
            yield outcome, True

    def _keep(
        self,
        cell: Cell,
        keys: Keys,
        resample: Resample,
        outcome: "Outcome",
        keep: bool,
        fitted: bool,
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
        record = self.store.write(cell, keys, sets, outcome, model)
        self.batch.cells.append((cell, record))
        self.batch.fitted += fitted


def share(plan: Plan, batch: int, batches: int) -> Iterator[tuple[Resample, Learner]]:
    """The batch's (training set, learner)s: whole training sets where there are enough of them."""
    listed = [learner for learner in plan.learners if not learner.endless]
    by_resample = len(plan.resamples) >= batches
    number = 0
    for i, resample in enumerate(plan.resamples):
        for learner in listed:
            if (i if by_resample else number) % batches == batch - 1:
                yield resample, learner
            number += 1


class Problems:
    """Makes the numeric problems of a plan's resamples."""

    def __init__(self, plan: Plan, expected: Iterable[Resample] = ()):
        """`expected`: the resamples to come, for engines that prepare for several at once."""
        self._plan = plan
        self._expected = list(expected)
        self._current = ""
        self.pickler = ModelPickler()

    @cached_property
    def _sets(self) -> "TrainingSets":
        from heldout.numerics.problem import TrainingSets

        table = self._plan.table
        expected = [_training_set(one) for one in self._expected if not one.members]
        return TrainingSets(table.features, table.target, expected)

    def problem(self, builder: "Builder", resample: Resample) -> "Problem":
        """One learner's problem; preprocessing is shared by the learners of a training set."""
        if resample.name != self._current:
            self._current = resample.name
            self.pickler = ModelPickler()
        seed = self._plan.fit_seed(builder.definition.name, resample)
        return self._sets.problem(builder, _training_set(resample), seed)

    def members(
        self, builder: "Builder", resample: Resample, thetas: list[Theta]
    ) -> Iterator["Outcome"]:
        """Many small fits, whose predictions go into one score file per θ."""
        from heldout.numerics import run
        from heldout.numerics.engines import leave_one_out

        table, held = self._plan.table, list(resample.held.values())
        exact = leave_one_out.run(builder, table.features, table.target, held, thetas)
        if exact is not None:
            yield from exact
            return
        engines = by_engine(builder.definition, builder.classification, thetas)
        yield from run.fit_members((self.problem(builder, m) for m in resample.members), engines)


def _training_set(resample: Resample) -> "TrainingSet":
    from heldout.numerics.problem import TrainingSet

    return TrainingSet(resample.name, resample.train, list(resample.held.values()))


def _finite(predictions: Predictions) -> bool:
    return all(
        bool(np.isfinite(array).all())
        for array in predictions.arrays().values()
        if array.dtype.kind == "f"
    )


def fit_model(plan: Plan, learner: Learner, resample: Resample, theta: Theta) -> "Outcome":
    """Fit one model outside the store; it predicts one row only, for its predictions are not needed."""
    from heldout.numerics import run
    from heldout.numerics.pipeline import Builder

    builder = Builder(learner, columns_of(plan.table))
    problem = Problems(plan).problem(builder, resample)
    problem = replace(problem, held_features=problem.train_features[:1])
    engines = by_engine(learner, builder.classification, [theta])
    return next(iter(run.fit(problem, engines)))


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
