"""The nested-CV standard error of a fixed algorithm (Bates, Hastie & Tibshirani 2023).

Not the nested CV of Algorithm 1, which tunes: here θ is fixed, and the pair cells tell how far the
cross-validation estimate of a smaller data set misses the risk of its models.
"""

import numpy as np
from scipy import special

from heldout.estimates.intervals import Bounds
from heldout.estimates.loss_table import LossTable
from heldout.names import Theta
from heldout.resampling.split import Partition

ADVISED_REPEATS = 20


def bates_bounds(loss_table: LossTable, learner: str, theta: Theta, level: float) -> Bounds:
    """Standard error and interval, centred at the bias-corrected estimate."""
    partitions = loss_table.partitions
    k, n = partitions[0].k, loss_table.table.n
    gaps, inner_losses, outer_means = [], [], []
    for partition in partitions:
        for fold in range(partition.k):
            inner = _inner_losses(loss_table, learner, theta, partition, fold)
            name = partition.set_name(fold)
            outer = loss_table.losses(learner, theta, loss_table.resample(name))[name]
            spread = outer.var(ddof=1) / len(outer) if len(outer) > 1 else 0.0
            gaps.append((inner.mean() - outer.mean()) ** 2 - spread)
            inner_losses.append(inner)
            outer_means.append(outer.mean())
    pooled = np.concatenate(inner_losses)
    naive = float(pooled.std(ddof=1) / np.sqrt(n))
    mse = (k - 1) / k * float(np.mean(gaps))
    se = float(np.clip(np.sqrt(max(0.0, mse)), naive, np.sqrt(k) * naive))
    nested = float(np.mean([losses.mean() for losses in inner_losses]))
    centre = nested - (1 + ((k - 2) / k) ** 1.5) * (nested - float(np.mean(outer_means)))
    half = float(special.ndtri(0.5 + level / 2)) * se
    top = float("inf") if loss_table.loss.bound is None else loss_table.loss.bound
    return se, max(0.0, centre - half), min(top, centre + half)


def _inner_losses(
    loss_table: LossTable, learner: str, theta: Theta, partition: Partition, outer: int
) -> np.ndarray:
    """The losses on every other fold j of the model trained without {outer, j}."""
    found = []
    for inner in range(partition.k):
        if inner != outer:
            pair = loss_table.resample(partition.set_name(outer, inner))
            found.append(loss_table.losses(learner, theta, pair)[partition.set_name(inner)])
    return np.concatenate(found)
