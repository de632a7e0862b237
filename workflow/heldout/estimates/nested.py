"""Nested cross-validation from the cells of folds and of pairs of folds, and its dev-set variant.

The model trained without folds {i, j} is used for outer fold i with inner fold j, and for outer fold
j with inner fold i. So K(K−1)/2 inner fits per θ are enough. The outer fit is the cell of the fold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from heldout.estimates.evidence import Evidence
from heldout.estimates.loss_table import LossTable
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rules import Curve, Rule
from heldout.names import Theta
from heldout.resampling.kinds import ADJACENT, PAIRS
from heldout.resampling.split import Partition, next_fold


@dataclass(frozen=True)
class InnerTable:
    """For one learner and partition: sums over the losses of the model without {i, j} on fold j.

    `mean[θ, i, j]` is the mean loss. `moments[θ, i, j]` holds Σn, ΣS, ΣS², ΣnS and Σn² over the units
    of the fold (groups or rows), n being the number and S the sum of a unit's losses. These give the
    mean and the standard error over any set of folds.
    """

    learner: str
    thetas: Sequence[Theta]
    mean: np.ndarray
    moments: np.ndarray

    def curve(self, outer: int, inner: Sequence[int]) -> Curve:
        """Risk and standard error of each θ over the inner folds of an outer fold."""
        risks = self.mean[:, outer, inner].mean(axis=1)
        n, s, ss, ns, nn = np.moveaxis(self.moments[:, outer, inner].sum(axis=1), -1, 0)
        centre = s / n
        errors = np.sqrt(np.maximum(ss - 2 * centre * ns + centre**2 * nn, 0)) / n
        return Curve(self.learner, self.thetas, risks.tolist(), errors.tolist())


@dataclass(frozen=True)
class OuterFold:
    """One outer fold: the learner and θ chosen without it, and their losses on it."""

    repeat: int
    fold: int
    learner: str
    theta: Theta
    losses: np.ndarray
    units: np.ndarray


def inner_table(loss_table: LossTable, learner: str, partition: Partition) -> InnerTable:
    """Read the losses of a learner's fold-pair cells.

    Parameters
    ----------
    loss_table
        The losses of a task, with cells of pairs of folds.
    learner
        The learner's name.
    partition
        One of the table's partitions.

    Returns
    -------
    InnerTable
        Gives the inner risks of every outer fold.

    Examples
    --------
    >>> table = inner_table(loss_table, "mean", loss_table.partitions[0])
    >>> table.curve(0, [1, 2]).risks
    [11.875, 14.78125]
    """
    kind = PAIRS if loss_table.has(PAIRS) else ADJACENT
    thetas, k = loss_table.thetas[learner], partition.k
    mean = np.full((len(thetas), k, k), np.nan)
    moments = np.full((len(thetas), k, k, 5), np.nan)
    fold_of = {partition.set_name(f): f for f in range(k)}
    prefix = f"k{k}.r{partition.repeat}."
    mine = [r for r in loss_table.resamples[kind].values() if r.name.startswith(prefix)]
    units = {
        name: np.unique(loss_table.units(partition.rows(f)), return_inverse=True)[1]
        for name, f in fold_of.items()
    }
    for resample in mine:
        names = list(resample.held)
        by_theta = [loss_table.losses(learner, theta, resample) for theta in thetas]
        for name, other in (names, names[::-1]):
            i, j = fold_of[other], fold_of[name]
            losses = np.stack([of_theta[name] for of_theta in by_theta])
            mean[:, i, j] = losses.mean(axis=1)
            moments[:, i, j] = _moments(losses, units[name])
    return InnerTable(learner, thetas, mean, moments)


def _moments(losses: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """For each θ (rows) the sums over the units of a fold, which are numbered from 0."""
    n = np.bincount(unit)
    by_unit = losses[:, np.argsort(unit, kind="stable")]
    s = np.add.reduceat(by_unit, np.cumsum(n) - n, axis=1)
    count = np.ones(len(s))
    return np.stack([count * n.sum(), s.sum(axis=1), (s**2).sum(axis=1), s @ n, count * (n @ n)], 1)


Tables = dict[tuple[str, int], InnerTable]
"""Inner tables by learner and repeat."""


def inner_tables(loss_table: LossTable) -> Tables:
    """The inner tables of all learners and partitions."""
    return {
        (learner, partition.repeat): inner_table(loss_table, learner, partition)
        for learner in loss_table.thetas
        for partition in loss_table.partitions
    }


def inner_folds(estimator: str, outer: int, k: int) -> list[int]:
    """List the inner folds of an outer fold.

    Parameters
    ----------
    estimator
        A nested estimator.
    outer
        The outer fold, counted from 0.
    k
        The number of folds.

    Returns
    -------
    list of int
        All other folds; for the dev-set variant, the next one.

    Examples
    --------
    >>> inner_folds("nested_cv", 1, 4)
    [0, 2, 3]
    >>> inner_folds("nested_dev", 1, 4)
    [2]
    """
    if ADJACENT in ESTIMATORS[estimator].kinds:
        return [next_fold(outer, k)]
    return [fold for fold in range(k) if fold != outer]


def outer_folds(
    loss_table: LossTable, tables: Tables, estimator: str, learners: Sequence[str], rule: Rule
) -> Iterator[OuterFold]:
    """For each fold: choose θ (and the learner) without it, and take the losses of that cell on it."""
    for partition in loss_table.partitions:
        for outer in range(partition.k):
            inner = inner_folds(estimator, outer, partition.k)
            curves = [tables[name, partition.repeat].curve(outer, inner) for name in learners]
            curve, best = rule.choose(curves)
            name, theta = partition.set_name(outer), curve.thetas[best]
            losses = loss_table.losses(curve.learner, theta, loss_table.resample(name))[name]
            units = loss_table.units(partition.rows(outer))
            yield OuterFold(partition.repeat, outer, curve.learner, theta, losses, units)


def nested_evidence(loss_table: LossTable, estimator: str, folds: Sequence[OuterFold]) -> Evidence:
    """The losses on the outer folds: K-fold cross-validation of the tuned procedure."""
    partitions = loss_table.partitions
    return Evidence(
        estimator,
        [fold.losses for fold in folds],
        [fold.units for fold in folds],
        bound=loss_table.loss.bound,
        binary=loss_table.loss.name == "zero_one",
        ratio=1 / (partitions[0].k - 1),
        repeats=len(partitions),
    )
