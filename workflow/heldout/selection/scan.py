"""The scan of an endless grid: θ = 1, 2, 3, … until every selection that uses it has stopped.

A learner is scanned by one job, because whether θ + 1 is fitted depends on the risks up to θ: those
of the selection itself, and those of the selection in every outer fold of nested CV.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heldout.cells.fit import Fitter
from heldout.cells.manifest import index_of
from heldout.cells.stored import StoredCells
from heldout.estimates.algorithm import evidence_for
from heldout.estimates.intervals import standard_error
from heldout.estimates.loss_table import LossTable, named_resamples
from heldout.estimates.nested import inner_folds, inner_table
from heldout.estimates.nested_rolling import BlockTables
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rules import Curve, first_local_min
from heldout.learners.learner import Learner
from heldout.measures.loss import Loss
from heldout.names import Theta
from heldout.resampling.split import Split
from heldout.selection.spec import ScanSpec


@dataclass(frozen=True)
class Scanner:
    """What a scan needs besides the cells."""

    loss: Loss
    splits: dict[str, Split]
    kinds: Sequence[str]
    spec: ScanSpec

    def scan(self, fitter: Fitter, learner: Learner) -> None:
        """Fit θ in order, as many at a time as some selection needs at least."""
        thetas: list[Theta] = []
        needed, maximum = self.spec.patience + 1, self.spec.maximum
        while needed and len(thetas) < maximum and not fitter.batch.failures:
            wanted = learner.first_thetas(min(len(thetas) + needed, maximum))
            for resample in fitter.plan.resamples:
                fitter.ensure(learner, resample, wanted[len(thetas) :])
            thetas = wanted
            if not fitter.batch.failures:
                loss_table = self._loss_table(fitter, learner.name, thetas)
                needed = max(
                    self._missing(curve) for curve in self._curves(loss_table, learner.name)
                )

    def _loss_table(self, fitter: Fitter, name: str, thetas: list[Theta]) -> LossTable:
        table = fitter.plan.table
        named = named_resamples(self.kinds, table.n, self.splits)
        cells = StoredCells(fitter.store, index_of(fitter.batch.cells))
        return LossTable(table, self.loss, {name: thetas}, self.splits, named, cells)

    def _missing(self, curve: Curve) -> int:
        return first_local_min(curve.risks, curve.errors, self.spec.patience).rises_missing

    def _curves(self, loss_table: LossTable, name: str) -> Iterator[Curve]:
        """The risks that the selection, and each outer fold of nested CV, chooses by."""
        yield curve_of(loss_table, self.spec.by, name)
        for estimator in self.spec.nested:
            if ESTIMATORS[estimator].only_in_time:
                tables = BlockTables(loss_table)
                yield from (tables.of(name).curve(known) for _, known in tables.choices())
                continue
            for partition in loss_table.partitions:
                table = inner_table(loss_table, name, partition)
                for outer in range(partition.k):
                    yield table.curve(outer, inner_folds(estimator, outer, partition.k))


def curve_of(loss_table: LossTable, by: str, name: str) -> Curve:
    """Compute the risks and standard errors of a learner's θ.

    Parameters
    ----------
    loss_table
        The losses of a task.
    by
        The estimator, one that `select.by` may name.
    name
        The learner.

    Returns
    -------
    Curve
        A risk and a standard error for each θ.

    Examples
    --------
    >>> curve = curve_of(loss_table, "kfold", "mean")
    >>> list(zip(curve.thetas, curve.risks))
    [({'shrink': 0.0}, 9.375), ({'shrink': 0.5}, 11.885416666666666)]
    """
    evidence = [evidence_for(loss_table, by, name, theta) for theta in loss_table.thetas[name]]
    errors = [standard_error(one) for one in evidence]
    return Curve(name, loss_table.thetas[name], [one.risk for one in evidence], errors)
