"""Nested cross-validation from the cells of folds and of pairs of folds, and its dev-set variant.

The model trained without folds {i, j} is used for outer fold i with inner fold j, and for outer fold
j with inner fold i. So K(K−1)/2 inner fits per θ are enough. The outer fit is the cell of the fold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from heldout.estimates.confidence_set import centred, kept, p_values
from heldout.estimates.loss_table import LossTable
from heldout.estimates.noise import distinct
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rules import Curve, Rule
from heldout.estimates.tuned_se import WITHOUT_PAIRS
from heldout.names import Theta, seed_for
from heldout.resampling.kinds import ADJACENT, PAIRS
from heldout.resampling.split import Partition, next_fold


@dataclass(frozen=True)
class InnerTable:
    """For one learner and partition: sums over the losses of the model without {i, j} on fold j.

    `mean[θ, i, j]` is the mean loss. `moments[θ, i, j]` holds Σn, ΣS², ΣnS and Σn² over the units
    of the fold (groups or rows), n being the number and S the sum of a unit's losses. These give the
    risk and the standard error over any set of folds.
    """

    learner: str
    thetas: Sequence[Theta]
    mean: np.ndarray
    moments: np.ndarray | None
    """None where no rule needs standard errors."""
    units: Sequence[int]
    """The number of units of each fold."""
    grouped: bool

    def curve(self, outer: int, inner: Sequence[int]) -> Curve:
        """Risk and standard error of each θ over the inner folds of an outer fold.

        The standard error is that of K-fold at a fixed θ, as outside (see `intervals.standard_error`).
        """
        means = self.mean[:, outer, inner]
        centre = means.mean(axis=1)
        if self.moments is None:
            return Curve(self.learner, self.thetas, centre.tolist(), [None] * len(centre))
        n, ss, ns, nn = np.moveaxis(self.moments[:, outer, inner], -1, 0)
        squares = ss - 2 * centre[:, None] * ns + centre[:, None] ** 2 * nn
        noise = (np.maximum(squares, 0) / n**2).sum(axis=1) / len(inner) ** 2
        units = sum(self.units[fold] for fold in inner)
        factor = units / (units - 1) if self.grouped and units > 1 else 1.0
        errors = np.sqrt(WITHOUT_PAIRS * factor * noise)
        return Curve(self.learner, self.thetas, centre.tolist(), errors.tolist())


@dataclass(frozen=True)
class OuterFold:
    """One outer fold: the learner and θ chosen without it, and their losses on it.

    `place`: the position of θ in the learner's grid.
    """

    repeat: int
    fold: int
    learner: str
    place: int
    theta: Theta
    losses: np.ndarray
    units: np.ndarray


def inner_table(
    loss_table: LossTable, learner: str, partition: Partition, errors: bool = True
) -> InnerTable:
    """Read the losses of a learner's fold-pair cells.

    Parameters
    ----------
    loss_table
        The losses of a task, with cells of pairs of folds.
    learner
        The learner's name.
    partition
        One of the table's partitions.
    errors
        Whether standard errors are needed.

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
    moments = np.full((len(thetas), k, k, 4), np.nan) if errors else None
    fold_of = {partition.set_name(f): f for f in range(k)}
    prefix = f"k{k}.r{partition.repeat}."
    mine = [r for r in loss_table.resamples[kind].values() if r.name.startswith(prefix)]
    units = {
        name: np.unique(loss_table.units(partition.rows(f)), return_inverse=True)[1]
        for name, f in fold_of.items()
    }
    for resample in mine:
        names = list(resample.held)
        if moments is None:
            risks = [loss_table.risks(learner, theta, resample) for theta in thetas]
        else:
            by_theta = [loss_table.losses(learner, theta, resample) for theta in thetas]
        for name, other in (names, names[::-1]):
            i, j = fold_of[other], fold_of[name]
            if moments is None:
                mean[:, i, j] = [of_theta[name] for of_theta in risks]
                continue
            losses = np.stack([of_theta[name] for of_theta in by_theta])
            mean[:, i, j] = losses.mean(axis=1)
            moments[:, i, j] = _moments(losses, units[name])
    sizes = [int(units[partition.set_name(f)].max()) + 1 for f in range(k)]
    return InnerTable(learner, thetas, mean, moments, sizes, loss_table.table.grouped)


def _moments(losses: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """For each θ (rows) the sums over the units of a fold, which are numbered from 0."""
    n = np.bincount(unit)
    by_unit = losses[:, np.argsort(unit, kind="stable")]
    s = np.add.reduceat(by_unit, np.cumsum(n) - n, axis=1)
    count = np.ones(len(s))
    return np.stack([count * n.sum(), (s**2).sum(axis=1), s @ n, count * (n @ n)], 1)


@dataclass(frozen=True)
class InnerTables:
    """The inner tables of a task, each read when it is first asked for."""

    loss_table: LossTable
    errors: bool = True
    """Whether standard errors are needed."""
    _found: dict[tuple[str, int], InnerTable] = field(default_factory=dict)

    def of(self, learner: str, partition: Partition) -> InnerTable:
        """The table of a learner and a partition."""
        place = learner, partition.repeat
        if place not in self._found:
            self._found[place] = inner_table(self.loss_table, learner, partition, self.errors)
        return self._found[place]

    def curve(
        self, learner: str, partition: Partition, outer: int, inner: Sequence[int], rule: Rule
    ) -> Curve:
        """Risk and standard error of each θ over the inner folds of an outer fold, as a rule needs it."""
        found = self.of(learner, partition).curve(outer, inner)
        if not rule.by_confidence_set:
            return found
        p = self._p_values(learner, partition, outer, inner, rule)
        return replace(found, kept=kept(p, found.risks, rule.level))

    def _p_values(
        self, learner: str, partition: Partition, outer: int, inner: Sequence[int], rule: Rule
    ) -> np.ndarray:
        """For each θ the p-value of being the best on the inner folds; 1 where units are too few to tell."""
        table, thetas = self.loss_table, self.loss_table.thetas[learner]
        parts = []
        for fold in inner:
            pair, name = table.resample(partition.set_name(outer, fold)), partition.set_name(fold)
            parts.append(np.stack([table.losses(learner, t, pair)[name] for t in thetas], axis=1))
        losses = np.concatenate(parts)
        folds = np.repeat(np.asarray(inner), [len(part) for part in parts])
        units = table.units(np.concatenate([partition.rows(fold) for fold in inner]))
        if distinct(units) <= len(inner):
            return np.ones(len(thetas))
        seed = seed_for(rule.seed, "confidence_set", learner, partition.set_name(outer))
        return p_values(losses, centred(losses, folds), units, len(inner), seed)


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
    tables: InnerTables, estimator: str, learners: Sequence[str], rule: Rule
) -> Iterator[OuterFold]:
    """For each fold: choose θ (and the learner) without it, and take the losses of that cell on it."""
    loss_table = tables.loss_table
    for partition in loss_table.partitions:
        for outer in range(partition.k):
            inner = inner_folds(estimator, outer, partition.k)
            curves = [tables.curve(name, partition, outer, inner, rule) for name in learners]
            curve, best = rule.choose(curves)
            name, theta = partition.set_name(outer), curve.thetas[best]
            losses = loss_table.losses(curve.learner, theta, loss_table.resample(name))[name]
            units = loss_table.units(partition.rows(outer))
            yield OuterFold(partition.repeat, outer, curve.learner, best, theta, losses, units)


def values_by_pair(
    tables: InnerTables, partition: Partition, chosen: Sequence[tuple[str, int]]
) -> np.ndarray:
    """Collect the values of folds by the models trained without two folds.

    Parameters
    ----------
    tables
        The inner tables of a task with all pairs of folds.
    partition
        One of its partitions.
    chosen
        For each fold the learner and the position of θ in its grid.

    Returns
    -------
    numpy.ndarray
        M[i, j], K × K: the mean loss on fold i of the chosen θ, trained without folds i and j. The
        diagonal is NaN.

    Examples
    --------
    >>> values_by_pair(InnerTables(loss_table), loss_table.partitions[0], [("mean", 0)] * 3)
    array([[  nan, 14.5 ,  3.25],
           [ 8.5 ,   nan,  3.25],
           [15.25, 21.25,   nan]])
    """
    rows = [
        tables.of(learner, partition).mean[place, :, fold]
        for fold, (learner, place) in enumerate(chosen)
    ]
    return np.stack(rows)
