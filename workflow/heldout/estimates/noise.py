"""Test noise: the variance of a mean over held-out sets that comes from their rows.

The estimate is the mean over J held-out sets of their mean loss, so a row of a set of size n has the
weight 1/(J·n). With units u (groups, or single rows) and C the estimate,

    noise = Σ_u (Σ_{x∈u} w_x·(ℓ_x − C))².

For folds of equal size this is Σ(ℓ_x − C)²/n². Groups: times G/(G−1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


def distinct(units: np.ndarray) -> int:
    """How many units there are; sorting takes a tenth of the time of the hash table in `np.unique`.

    Parameters
    ----------
    units
        Numbers of units.

    Returns
    -------
    int
        The count of different numbers.

    Examples
    --------
    >>> distinct(np.array([3, 1, 3])), distinct(np.array([], int))
    (2, 0)
    """
    ordered = np.sort(units)
    return int((ordered[1:] != ordered[:-1]).sum()) + (len(ordered) > 0)


@dataclass(frozen=True)
class HeldOut:
    """Held-out rows, set by set: the size of each set, and the unit of each of their rows.

    A unit may occur in several sets, if these overlap.
    """

    sizes: tuple[int, ...]
    unit: np.ndarray

    @staticmethod
    def of(units: Sequence[np.ndarray]) -> "HeldOut":
        """The sets with these units."""
        return HeldOut(tuple(map(len, units)), np.concatenate(units))

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each row in the mean over sets of their means."""
        return np.repeat([1 / (len(self.sizes) * size) for size in self.sizes], self.sizes)

    @cached_property
    def _order(self) -> np.ndarray | None:
        """Rows sorted by unit; None where each row is a unit of its own."""
        order = np.argsort(self.unit, kind="stable")
        return None if len(self._starts_of(order)) == len(order) else order

    def _starts_of(self, order: np.ndarray) -> np.ndarray:
        return np.flatnonzero(np.diff(self.unit[order], prepend=self.unit[order[:1]] - 1))

    @cached_property
    def _starts(self) -> np.ndarray:
        assert self._order is not None
        return self._starts_of(self._order)

    @cached_property
    def grouped(self) -> bool:
        """Whether a unit holds more than one row of the same set."""
        ends = np.cumsum(self.sizes)
        sets = (self.unit[end - size : end] for end, size in zip(ends, self.sizes, strict=True))
        return any(len(units) > 1 and distinct(units) < len(units) for units in sets)

    @cached_property
    def count(self) -> int:
        """The number of units."""
        return len(self.unit) if self._order is None else len(self._starts)

    def centres(self, losses: np.ndarray) -> np.ndarray:
        """The mean over sets of their means, for each row of `losses`."""
        return np.asarray(losses @ self.weights)

    def noise(self, losses: np.ndarray) -> np.ndarray:
        """Compute the test noise.

        Parameters
        ----------
        losses
            Losses of all rows, one set after the other; with a leading dimension, of several θ.

        Returns
        -------
        numpy.ndarray
            The variance, for each θ.

        Examples
        --------
        >>> sets = HeldOut.of([np.array([0, 1]), np.array([2, 3])])
        >>> sets.noise(np.array([1.0, 0.0, 0.0, 1.0]))
        array(0.0625)
        """
        parts = np.asarray(losses - self.centres(losses)[..., None])
        parts *= self.weights
        if self._order is not None:
            parts = np.add.reduceat(parts[..., self._order], self._starts, axis=-1)
        factor = self.count / (self.count - 1) if self.grouped else 1.0
        parts *= parts  # in its place: this is as large as the losses
        return np.asarray(factor * parts.sum(axis=-1))
