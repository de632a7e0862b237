"""The .632 and .632+ bootstrap (Efron 1983; Efron & Tibshirani 1997)."""

from typing import NamedTuple

import numpy as np

from heldout.estimates.evidence import Bags
from heldout.estimates.loss_table import LossTable
from heldout.measures.loss import Loss
from heldout.names import Theta
from heldout.predictions import Predictions
from heldout.resampling.kinds import BAGS

MOST_PAIRS = 1_000_000
"""The no-information risk of a loss of sets is computed on at most this many pairs."""


class PerRow(NamedTuple):
    """E₁, and how many rows are in every bag: these have no out-of-bag loss and are left out of E₁."""

    risk: float
    never_out: int


def per_row_risk(loss_table: LossTable, learner: str, theta: Theta) -> PerRow:
    """Efron's E₁: for each row the mean loss over the bags that left it out, then the mean.

    A loss of sets has no loss of a row: then it is the mean over bags.
    """
    if not loss_table.loss.by_example:
        risks = [
            loss_table.risks(learner, theta, bag)[bag.name]
            for bag in loss_table.resamples[BAGS].values()
        ]
        return PerRow(float(np.mean(risks)), 0)
    total, count = np.zeros(loss_table.table.n), np.zeros(loss_table.table.n)
    for bag in loss_table.resamples[BAGS].values():
        rows = bag.held[bag.name]
        if loss_table.plain:
            total[rows] += loss_table.losses(learner, theta, bag)[bag.name]
        else:  # without weights: these come last
            said = loss_table.predictions(learner, theta, bag)[bag.name]
            total[rows] += loss_table.loss(loss_table.table.target[rows], said)
        count[rows] += 1
    seen, weights = count > 0, loss_table.table.weights
    risk = np.average(total[seen] / count[seen], weights=None if weights is None else weights[seen])
    return PerRow(float(risk), int((~seen).sum()))


def bags_of(loss_table: LossTable, learner: str, theta: Theta) -> Bags:
    """Collect what the standard error of the out-of-bag risk is computed from.

    Parameters
    ----------
    loss_table
        The losses of a task, with cells of bags.
    learner, theta
        The algorithm A_θ.

    Returns
    -------
    Bags
        Counts and losses of units: groups, or rows.
    """
    n = loss_table.table.n
    _, unit = np.unique(loss_table.units(np.arange(n)), return_inverse=True)
    sizes = np.bincount(unit)
    first = np.unique(unit, return_index=True)[1]
    counts, losses = [], []
    for bag in loss_table.resamples[BAGS].values():
        rows = bag.held[bag.name]
        held = loss_table.losses(learner, theta, bag)[bag.name]
        counts.append(np.bincount(bag.train, minlength=n)[first])
        losses.append(np.bincount(unit[rows], weights=held, minlength=len(sizes)))
    return Bags(np.stack(counts), np.stack(losses), sizes)


def no_information_risk(
    loss: Loss, target: np.ndarray, predictions: Predictions, weights: np.ndarray | None = None
) -> float:
    """γ, the no-information risk: that over all n² pairs of a prediction and a target.

    Of losses of sets, and with weights, over as many pairs as `PAIRS` allows: predictions against targets
    that are shifted by equal steps, so that each occurs equally often.
    """
    if not loss.by_example or weights is not None:
        return _shifted_risk(loss, np.asarray(target), predictions, weights)
    values, counts = np.unique(np.asarray(target), return_counts=True)
    risks = [float(loss(np.full(len(target), value), predictions).mean()) for value in values]
    return float(np.dot(counts, risks) / len(target))


def _shifted_risk(
    loss: Loss, target: np.ndarray, predictions: Predictions, weights: np.ndarray | None
) -> float:
    n = len(target)
    count = max(1, min(n, MOST_PAIRS // n))
    shifts = np.unique(np.linspace(0, n, count, endpoint=False).astype(int))
    rows = (np.arange(n) + shifts[:, None]) % n
    said = predictions.take(np.tile(np.arange(n), len(shifts)))
    weight = None if weights is None else (weights * weights[rows]).reshape(-1)
    return loss.risk(target[rows].reshape(-1), said, weight)


def point_632(training: float, per_row: float) -> float:
    """.368·e + .632·E₁."""
    return 0.368 * training + 0.632 * per_row


def point_632plus(training: float, per_row: float, no_information: float) -> float:
    """(1−w)·e + w·E₁′ with w = .632/(1−.368R); E₁′ and R are clipped as in Efron & Tibshirani 1997."""
    capped = min(per_row, no_information)
    overfits = capped > training and no_information > training
    rate = (capped - training) / (no_information - training) if overfits else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    return (1 - weight) * training + weight * capped
