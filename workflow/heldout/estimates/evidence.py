"""Evidence: the losses that an estimate is the mean of, and what its intervals are computed from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from heldout.names import Theta

Losses = Sequence[np.ndarray]
"""One array of per-example losses for each held-out set."""
Bounds = tuple[float | None, float, float]
"""Standard error (None if the method has none), lower and upper end of an interval."""


class FoldPairs(NamedTuple):
    """Losses of the models trained without two folds, for each fold of each partition.

    `inner`: for each fold i, the losses on every other fold j of the model trained without {i, j};
    `outer`: the losses on fold i of the model trained without it. `k` folds, `n` rows.
    """

    k: int
    n: int
    inner: Losses
    outer: Losses


@dataclass(frozen=True)
class Evidence:
    """The losses of an estimate, by held-out set.

    `estimator`: holdout, kfold, test, …; `losses`: an array per held-out set; `units`: likewise, the
    group (or row) of each example; `bound`: losses lie in [0, bound]; `binary`: they are 0 or 1;
    `ratio`: held-out size over training size; `repeats`: how many partitions the sets come from;
    `divisor`: what δ is divided by, because the interval is one of several; `seed`: for intervals that draw. What only some intervals need: `halves`, the Monte Carlo estimates of the
    two halves of each halving, shape (M, 2); `fold_pairs`, called when needed; `bootstrap_risks`, the
    out-of-bag risks of bootstrap samples in each of which θ was chosen.
    """

    estimator: str
    losses: Losses
    units: Losses
    bound: float | None = None
    binary: bool = False
    ratio: float | None = None
    repeats: int = 1
    divisor: int = 1
    seed: int = 0
    halves: np.ndarray | None = None
    fold_pairs: Callable[[], FoldPairs] | None = None
    bootstrap_risks: np.ndarray | None = None

    @cached_property
    def pooled(self) -> np.ndarray:
        """All losses in one array."""
        return np.concatenate(self.losses)

    @cached_property
    def set_means(self) -> np.ndarray:
        """The mean loss of each held-out set."""
        if all(len(losses) == 1 for losses in self.losses):  # leave-one-out
            return self.pooled
        return np.array([losses.mean() for losses in self.losses])

    @cached_property
    def risk(self) -> float:
        """The mean over held-out sets of their mean loss."""
        return float(self.set_means.mean())

    @property
    def n(self) -> int:
        """The number of losses."""
        return len(self.pooled)

    @cached_property
    def unit_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """For each unit, the number and the sum of its losses."""
        _, unit = np.unique(np.concatenate(self.units), return_inverse=True)
        return np.bincount(unit).astype(float), np.bincount(unit, weights=self.pooled)

    @property
    def grouped(self) -> bool:
        """Whether a unit holds more than one loss of the same held-out set."""
        return any(len(units) > 1 and len(np.unique(units)) < len(units) for units in self.units)


@dataclass(frozen=True)
class Estimate:
    """What an estimator's function returns: a risk, and the evidence for its intervals.

    Without evidence there is neither standard error nor interval. `chosen`: the learner and θ that it
    is for, where these are not the selected ones.
    """

    risk: float
    n: int
    evidence: Evidence | None = None
    chosen: tuple[str, Theta] | None = None

    @staticmethod
    def of(evidence: Evidence, chosen: tuple[str, Theta] | None = None) -> "Estimate":
        """The estimate that is the mean over held-out sets."""
        return Estimate(evidence.risk, evidence.n, evidence, chosen)
