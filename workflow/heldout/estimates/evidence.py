"""Evidence: the losses behind one estimate, and what an interval must know about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

Losses = Sequence[np.ndarray]
"""One array of per-example losses for each held-out set."""


@dataclass(frozen=True)
class Evidence:
    """Losses of held-out sets that came from one plan.

    `plan`: holdout, kfold, test, …; `losses`: an array per held-out set; `units`: likewise, the
    group (or row) of each example; `bound`: losses lie in [0, bound]; `binary`: they are 0 or 1;
    `ratio`: held-out size over training size; `repeats`: how many partitions the sets come from;
    `comparisons`: how many risks (or openings) the interval must hold for at once.
    """

    plan: str
    losses: Losses
    units: Losses
    bound: float | None = None
    binary: bool = False
    ratio: float | None = None
    repeats: int = 1
    comparisons: int = 1
    seed: int = 0
    halves: np.ndarray | None = None
    """Monte Carlo estimates of the two halves of each halving, shape (M, 2)."""

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
