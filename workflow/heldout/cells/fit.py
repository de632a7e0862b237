"""Fitting a batch of cells: only those whose key is not in the store."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from heldout.cells.key import Keys
from heldout.cells.plan import Plan, columns_of, has_texts
from heldout.cells.problems import Problems
from heldout.cells.progress import Progress
from heldout.cells.store import Cell, Record, Store, with_stored
from heldout.errors import HeldoutError
from heldout.learners.learner import Learner
from heldout.learners.threads import threaded
from heldout.names import Theta, canonical
from heldout.numerics.engines.registry import AT_ONCE, by_engine
from heldout.predictions import Predictions
from heldout.resampling.split import Resample

if TYPE_CHECKING:  # a job that finds all its cells in the store never imports scikit-learn
    from heldout.numerics.pipeline import Builder
    from heldout.numerics.problem import Outcome


@dataclass
class Batch:
    """What a fitting job did.

    Parameters
    ----------
    cells
        The cells that were found in the store or fitted.
    failures
        A message for each cell that could not be fitted.
    fitted
        How many models were fitted.
    """

    cells: list[tuple[Cell, Record]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    fitted: int = 0


class Fitter:
    """Finds cells in the store and fits those that are missing.

    Parameters
    ----------
    plan
        All cells of the task.
    store
        The store of the task.
    models
        Which models are kept: `all`, `selected` (all until the selection) or `none`.
    loss_needs
        The kind of prediction that the loss is computed from; cells without it are fitted again.
    expected
        The training sets to come, for engines that share work between training sets.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        models: str,
        loss_needs: str | None,
        expected: Iterable[Resample] = (),
    ):
        self.plan = plan
        self.store = store
        self.batch = Batch()
        self.progress = Progress()
        self._models = models
        self._loss_needs = loss_needs
        self._problems = Problems(plan, expected)

    def ensure(self, learner: Learner, resample: Resample, thetas: list[Theta]) -> None:
        """Find or fit the cells of one training set; an error fails only its own cell."""
        keeps_models = self._models != "none" and not resample.members
        needs_model = self._models == "all" and keeps_models
        missing: dict[str, tuple[Cell, Keys]] = {}
        for theta, keys in zip(thetas, self.plan.keys(learner, resample, thetas), strict=True):
            cell = Cell(learner.name, theta, resample.name)
            record = self.store.find(cell, keys.cell, needs_model, self._loss_needs)
            if record is not None:
                self.batch.cells.append((cell, record))
                self.progress.add()
            else:
                missing[cell.text] = cell, keys
        try:
            for outcome, fitted in self._outcomes(learner, resample, list(missing.values())):
                cell, keys = missing[canonical(outcome.theta)]
                self._store_outcome(cell, keys, resample, outcome, keeps_models, fitted)
                self.progress.add()
        finally:
            self.store.flush()

    def builders(self) -> dict[str, "Builder"]:
        """The builder of each learner, after all checks; made once."""
        return self._builders

    @cached_property
    def _builders(self) -> dict[str, "Builder"]:
        from heldout.cells.preflight import checked_builders

        return checked_builders(self.plan, self._loss_needs)

    def _outcomes(
        self, learner: Learner, resample: Resample, missing: list[tuple[Cell, Keys]]
    ) -> Iterator[tuple["Outcome", bool]]:
        """Each outcome, and whether its model was fitted; a stored model gets new predictions only."""
        if not missing:
            return
        from heldout.numerics import run

        builder = self._builders[learner.name]
        if resample.members:
            for outcome in self._problems.members(builder, resample, [c.theta for c, _ in missing]):
                yield outcome, True
            return
        problem = self._problems.problem(builder, resample)
        weighted, texts = self.plan.table.weighted, has_texts(self.plan.table)
        unfitted = []
        for cell, keys in missing:
            stored = self.store.fitted_model(cell, keys)
            if stored is None or stored[1].engine in AT_ONCE:
                unfitted.append(cell.theta)
            else:
                model, circumstances = stored
                again = run.predict_again(problem, cell.theta, model)
                yield with_stored(again, circumstances), False
        engines = by_engine(learner, builder.classification, unfitted, weighted, texts)
        for outcome in run.fit(problem, engines, whole=False):
            yield outcome, True

    def _store_outcome(
        self,
        cell: Cell,
        keys: Keys,
        resample: Resample,
        outcome: "Outcome",
        keeps_models: bool,
        fitted: bool,
    ) -> None:
        """Write a cell, or note its failure."""
        if outcome.error is not None or outcome.predictions is None:
            error = f"{type(outcome.error).__name__}: {outcome.error}"
            self.batch.failures.append(f"{cell}: {error}")
            return
        if not _finite(outcome.predictions):
            self.batch.failures.append(f"{cell}: its predictions are not finite numbers")
            return
        pickler = self._problems.pickler
        model = pickler.dump(outcome.model, outcome.shared) if keeps_models else None
        sets = {name: len(rows) for name, rows in resample.held.items()}
        record = self.store.write(cell, keys, sets, outcome, model)
        self.batch.cells.append((cell, record))
        self.batch.fitted += fitted


def share(plan: Plan, batch: int, batches: int) -> Iterator[tuple[Resample, Learner]]:
    """Which training sets and learners one batch fits.

    Whole training sets, if there are at least as many as batches, so that batches have about as many rows to
    train on; learners with an endless grid are left out.

    Parameters
    ----------
    plan
        All cells of the task.
    batch, batches
        The number of the batch, from 1 on, and how many there are.

    Returns
    -------
    iterator
        Over pairs of a training set and a learner.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from heldout.learners.learner import define
    >>> folds = [Resample(f"fold {i}", np.array([0]), {}) for i in (1, 2, 3)]
    >>> plan = SimpleNamespace(resamples=folds, learners=[define("knn", None), define("tree", None)])
    >>> [(fold.name, learner.name) for fold, learner in share(plan, batch=2, batches=3)]
    [('fold 2', 'knn'), ('fold 2', 'tree')]
    """
    finite = [learner for learner in plan.learners if not learner.endless]
    if len(plan.resamples) >= batches:
        places = _balanced([_rows_to_fit(one) for one in plan.resamples], batches)
        mine = [
            one for one, place in zip(plan.resamples, places, strict=True) if place == batch - 1
        ]
        yield from itertools.product(mine, finite)
    else:
        yield from itertools.islice(
            itertools.product(plan.resamples, finite), batch - 1, None, batches
        )


def _rows_to_fit(resample: Resample) -> int:
    return len(resample.train) + sum(len(member.train) for member in resample.members)


def _balanced(sizes: list[int], batches: int) -> list[int]:
    """The batch of each training set: the largest sets first, each to the batch with the fewest rows.

    Examples
    --------
    >>> _balanced([6, 6, 6, 6], 2), _balanced([4, 3, 3, 3, 3], 2)
    ([0, 1, 0, 1], [0, 1, 1, 0, 1])
    """
    rows, places = [0] * batches, [0] * len(sizes)
    for place in sorted(range(len(sizes)), key=lambda one: -sizes[one]):
        places[place] = rows.index(min(rows))
        rows[places[place]] += sizes[place]
    return places


def _finite(predictions: Predictions) -> bool:
    return all(
        bool(np.isfinite(array).all())
        for array in predictions.arrays().values()
        if array.dtype.kind == "f"
    )


def fit_model(plan: Plan, learner: Learner, resample: Resample, theta: Theta) -> "Outcome":
    """Fit one model without the store.

    Parameters
    ----------
    plan
        All cells of the task.
    learner, theta
        What to fit.
    resample
        The training set.

    Returns
    -------
    Outcome
        With the model. Only the first training row is predicted, to save time.

    Examples
    --------
    >>> from heldout.cells.plan import open_plan
    >>> from heldout.cells.spec import CellsSpec
    >>> from heldout.data.prepare import prepare
    >>> from heldout.data.request import Request
    >>> from heldout.learners.learner import define
    >>> request = Request("irises", 19, "sklearn:iris", "target", test=0)
    >>> _ = prepare(request, folder / "data", folder / "vault")
    >>> tree = define("tree", None)
    >>> plan = open_plan(folder, CellsSpec("irises", 19, ["full"], [tree], {}, "{}"))
    >>> outcome = fit_model(plan, tree, plan.resamples[0], {"max_depth": 2})
    >>> outcome.model[-1].get_depth()
    2
    """
    from heldout.numerics import run
    from heldout.numerics.builders import builder_of

    builder = builder_of(threaded(learner), columns_of(plan.table))
    first = replace(resample, held={resample.name: resample.train[:1]})
    problem = Problems(plan).problem(builder, first)
    about = learner, builder.classification, [theta], plan.table.weighted
    engines = by_engine(*about, has_texts(plan.table))
    return next(iter(run.fit(problem, engines)))


def report_batch(batch: Batch) -> None:
    """Print what a job did; an error if a cell failed, because no estimate may leave it out.

    Parameters
    ----------
    batch
        What the job did.

    Examples
    --------
    >>> report_batch(Batch(fitted=0))
    cells: 0 fitted, 0 reused, 0 failed
    """
    reused = len(batch.cells) - batch.fitted
    print(
        f"cells: {batch.fitted} fitted, {reused} reused, {len(batch.failures)} failed", flush=True
    )
    refuse_failures(batch)


def refuse_failures(batch: Batch) -> None:
    """Raise an error if a cell failed.

    Parameters
    ----------
    batch
        What was fitted.

    Raises
    ------
    HeldoutError
        Lists the first failures.

    Examples
    --------
    >>> refuse_failures(Batch())
    """
    if batch.failures:
        shown = "\n".join(f"  {line}" for line in batch.failures[:20])
        more = len(batch.failures) - 20
        tail = f"\n  … and {more} more" if more > 0 else ""
        raise HeldoutError(
            f"{len(batch.failures)} cells could not be fitted (the others are kept):\n{shown}{tail}"
        )
