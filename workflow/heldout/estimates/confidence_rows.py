"""The confidence set of θ, from the folds of K-fold: the rows of confidence_set.csv.

A θ is kept if it cannot be told from the best one (see `confidence_set`): within its learner, and
among the θ of all learners. A learner cannot be told from the best if one of its θ is kept among all.
"""

from dataclasses import dataclass

import numpy as np

from heldout.estimates.confidence_set import kept, p_values, rivals_among
from heldout.estimates.lookup import available_kind
from heldout.estimates.loss_table import LossTable
from heldout.estimates.noise import distinct
from heldout.estimates.out_of_fold import OutOfFold
from heldout.names import canonical, seed_for
from heldout.resampling.kinds import FOLDS


@dataclass(frozen=True)
class ConfidenceRow:
    """A θ, its K-fold risk, and whether it can be told from the best θ of its learner, and of all."""

    learner: str
    theta: str
    risk: float
    p: float
    kept: bool
    p_all: float
    kept_all: bool


def confidence_rows(loss_table: LossTable, level: float, seed: int) -> list[ConfidenceRow]:
    """Compute the rows of confidence_set.csv.

    Parameters
    ----------
    loss_table
        The losses of a task.
    level
        The probability that the set contains the θ that is best on average.
    seed
        The root seed.

    Returns
    -------
    list of ConfidenceRow
        Learners and θ in order; none where there is no K-fold.

    Examples
    --------
    >>> [(row.theta, row.kept) for row in confidence_rows(loss_table, 0.95, seed=1)]
    [('{"shrink":0.0}', True), ('{"shrink":0.5}', True)]
    """
    if available_kind(FOLDS, loss_table.resamples) is None:
        return []
    folds, names = OutOfFold(loss_table), list(loss_table.thetas)
    alone = [learner_p_values(folds, [name], seed) for name in names]
    together = alone[0] if len(names) == 1 else learner_p_values(folds, names, seed)
    pairs = [(name, theta) for name in names for theta in loss_table.thetas[name]]
    means = [[folds.fold_means(n, p).mean(axis=0) for p in folds.repeats] for n in names]
    risks = np.concatenate([np.mean(one, axis=0) for one in means])
    parts = np.split(risks, np.cumsum([len(one) for one in alone])[:-1])
    own = [one for p, part in zip(alone, parts, strict=True) for one in kept(p, part, level)]
    columns = (
        risks.tolist(),
        np.concatenate(alone).tolist(),
        own,
        together.tolist(),
        kept(together, risks, level),
    )
    return [
        ConfidenceRow(name, canonical(theta), *values)
        for (name, theta), *values in zip(pairs, *columns, strict=True)
    ]


def learner_p_values(folds: OutOfFold, learners: list[str], seed: int) -> np.ndarray:
    """Compute for each θ of some learners the p-value of being the best.

    Parameters
    ----------
    folds
        The out-of-fold losses of a task.
    learners
        Names of learners.
    seed
        The root seed.

    Returns
    -------
    numpy.ndarray
        P-values, learner by learner; all 1 where units are too few to tell.

    Examples
    --------
    >>> bool(learner_p_values(OutOfFold(loss_table), ["mean"], seed=1).max() > 0.5)
    True
    """
    losses = _side_by_side([folds.by_row(name) for name in learners])
    centred = _side_by_side([folds.centred_by_row(name) for name in learners])
    units = folds.loss_table.units(np.arange(len(losses)))
    k = folds.repeats[0].k
    if distinct(units) <= k:
        return np.ones(losses.shape[1])
    rivals = rivals_among([len(folds.loss_table.thetas[name]) for name in learners])
    named_seed = seed_for(seed, "confidence_set", *learners)
    return p_values(losses, centred, units, k, named_seed, rivals=rivals)


def _side_by_side(matrices: list[np.ndarray]) -> np.ndarray:
    """All columns; a single matrix is not copied."""
    return matrices[0] if len(matrices) == 1 else np.concatenate(matrices, axis=1)
