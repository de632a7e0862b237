"""Values of all held-out rows together, for scores whose mean over small sets is far off (F1, R², RMSE).

Each partition is one set: every row with the prediction of the model that was trained without its fold. θ
may differ from fold to fold, as in nested CV.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from heldout.estimates.evidence import Evidence, known_of
from heldout.estimates.loss_table import LossTable
from heldout.estimates.noise import HeldOut
from heldout.estimates.out_of_fold import OutOfFold
from heldout.estimates.tuned_se import Variability, training_variability
from heldout.measures.registry import LOSSES
from heldout.names import Theta
from heldout.predictions import Predictions, joined
from heldout.resampling.kinds import PAIRS
from heldout.resampling.split import Partition

Chosen = Callable[[Partition], Sequence[tuple[str, Theta]]]
"""For each fold of a partition the learner and θ of its model."""
SQUARED = ("r2", "root")
"""Families whose intervals rest on the squared loss."""


@dataclass(frozen=True)
class PooledFolds(OutOfFold):
    """The pseudo-losses of all rows of a partition as one set, for each θ."""

    def held(self, partition: Partition) -> HeldOut:
        """One set: all rows, and the unit of each column."""
        units = self.loss_table.units(self.order(partition))
        return HeldOut((len(units),), units)

    def _read(self, learner: str, partition: Partition) -> np.ndarray:
        table = self.loss_table
        found = []
        for theta in table.thetas[learner]:
            chosen = [(learner, theta)] * partition.k
            found.append(_Pool(table, partition, chosen).losses)
        return np.stack(found)


@dataclass(frozen=True)
class _Pool:
    """All rows of one partition, fold by fold, with the predictions of the chosen models."""

    loss_table: LossTable
    partition: Partition
    chosen: Sequence[tuple[str, Theta]]

    @cached_property
    def rows(self) -> list[np.ndarray]:
        return [self.partition.rows(fold) for fold in range(self.partition.k)]

    @cached_property
    def said(self) -> list[Predictions]:
        """The predictions for each fold."""
        return [self._said(fold) for fold in range(self.partition.k)]

    def _said(self, fold: int, without: int | None = None) -> Predictions:
        """The predictions for a fold by the model trained without it, and without another one if given."""
        name = self.partition.set_name(fold)
        left_out = name if without is None else self.partition.set_name(fold, without)
        resample = self.loss_table.resample(left_out)
        return self.loss_table.predictions(*self.chosen[fold], resample)[name]

    def _judged(self, judge: Callable, said: Sequence[Predictions]) -> np.ndarray:
        table, rows = self.loss_table.table, np.concatenate(self.rows)
        weights = None if table.weights is None else table.weights[rows]
        return np.asarray(judge(np.asarray(table.target)[rows], joined(said), weights))

    @cached_property
    def risk(self) -> float:
        return float(self._judged(self.loss_table.loss.risk, self.said))

    @cached_property
    def losses(self) -> np.ndarray:
        return self._judged(self.loss_table.loss, self.said)

    def values_by_pair(self) -> np.ndarray:
        """M[i, j] = n/nᵢ · (the pooled risk with fold i predicted by the model trained without i and j).

        To first order this is the mean over fold i of the pseudo-losses of that model, up to a constant.
        """
        k, n = self.partition.k, sum(map(len, self.rows))
        found = np.full((k, k), np.nan)
        for i in range(k):
            for j in range(k):
                if i != j:
                    said = [*self.said]
                    said[i] = self._said(i, j)
                    risk = float(self._judged(self.loss_table.loss.risk, said))
                    found[i, j] = n / len(self.rows[i]) * risk
        return found


def pooled_evidence(
    loss_table: LossTable, estimator: str, chosen: Chosen, selection: Callable[[OutOfFold], float]
) -> Evidence:
    """Collect what the pooled value of a procedure and its interval are computed from.

    Parameters
    ----------
    loss_table
        The losses of a task.
    estimator
        kfold_pooled or nested_cv_pooled.
    chosen
        The models of the folds.
    selection
        Gives Q by the losses that it is given; 0 at a fixed θ.

    Returns
    -------
    Evidence
        A set for each partition.
    """
    partitions = loss_table.partitions
    pools = [_Pool(loss_table, one, chosen(one)) for one in partitions]
    rows = [np.concatenate(pool.rows) for pool in pools]
    squared = None
    if loss_table.loss.family in SQUARED:
        by_squares = loss_table.judged_by(LOSSES["squared"])
        squared = partial(pooled_evidence, by_squares, estimator, chosen, selection)
    return Evidence(
        estimator,
        [pool.losses for pool in pools],
        [loss_table.units(one) for one in rows],
        rows,
        **known_of(loss_table),
        repeats=len(partitions),
        folds=partitions[0].k,
        centre=float(np.mean([pool.risk for pool in pools])),
        variability=lambda: _variability(loss_table, pools, selection),
        squared=squared,
        variance=_variance(loss_table) if squared else None,
    )


def _variability(
    loss_table: LossTable, pools: Sequence[_Pool], selection: Callable[[OutOfFold], float]
) -> Variability:
    training = None
    if loss_table.has(PAIRS):
        found = [training_variability(pool.values_by_pair()) for pool in pools]
        training = float(np.mean(found))
    return Variability(training, selection(PooledFolds(loss_table)))


def _variance(loss_table: LossTable) -> float:
    """The sample variance of the target."""
    target, weights = np.asarray(loss_table.table.target), loss_table.table.weights
    mean = np.average(target, weights=weights)
    n = len(target)
    return float(np.average((target - mean) ** 2, weights=weights) * n / (n - 1))
