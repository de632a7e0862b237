"""Lasso and elastic net to rounding: the columns in use are followed from the largest penalty down.

The coefficients b minimise ‖y − Xb‖²/2n + λ₁‖b‖₁ + λ₂‖b‖²/2, with λ₁ = αρ, λ₂ = α(1 − ρ), and ρ the share of the
lasso. The columns in use, A, are those whose coefficient is not zero. With their signs s, with G = XᵀX/n
and c = Xᵀy/n, they solve a linear system, (G_A + λ₂)b = c_A − λ₁s. This is the solution if b has the signs s,
and no other column's slope, c − Gb, is beyond λ₁. So columns leave and join until both hold: several at
once, or, where that leads nowhere, one by one, where each change lowers the objective.

It begins without columns at the largest penalty and goes down by steps of a fixed ratio. An α is reached
from the last of these steps above it, so its solution does not depend on the other α that are asked for.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv, dpotrf, dpotrs, dpstrf, dtrtrs

from heldout.numerics.engines.gram import Gram

RATIO = 0.8
"""From one step to the next."""
SMALLEST = 1e-10
"""Below this share of the largest penalty any α is reached in one step."""
ROUNDS = 20
"""Changes of several columns at once, before it is tried one by one."""
CHANGES = 1000
"""Changes one by one, before no solution counts as found."""
EFFORT = 1e11
"""The most for all of these together: a change of m columns costs m³. That is some seconds."""
TOLERANCE = 1e-12
"""How far beyond λ₁ a slope may be, as a share of the largest |c|."""
DEPENDENT = 1e-10
"""A column is a combination of others if they leave no larger share of its variance."""
CLOSE = 1e-6
"""The tolerance for a combination of others, which cannot be told from it more closely."""
MOST = 2000
"""Columns in use, beyond which coordinate descent is faster."""


class System(NamedTuple):
    """G_A + λ₂ and its Cholesky factor, for other λ₁."""

    ridge: float
    matrix: np.ndarray
    factor: np.ndarray


class Active(NamedTuple):
    """The columns in use, with the signs and values of their coefficients, and what was factored for them."""

    columns: np.ndarray
    signs: np.ndarray
    coefs: np.ndarray
    system: System | None = None

    def only(self, kept: np.ndarray) -> "Active":
        """Some of the columns."""
        return Active(self.columns[kept], self.signs[kept], self.coefs[kept])

    def joined(self, columns: np.ndarray, signs: np.ndarray) -> "Active":
        """With further columns, whose coefficients are still 0."""
        return Active(
            np.concatenate([self.columns, columns]),
            np.concatenate([self.signs, signs]),
            np.concatenate([self.coefs, np.zeros(len(columns))]),
        )


NONE = Active(np.zeros(0, np.intp), np.zeros(0), np.zeros(0))


class Penalty(NamedTuple):
    """λ₁ and λ₂."""

    lasso: float
    ridge: float


class ActiveSets:
    """The lasso and the elastic net on centred rows.

    Parameters
    ----------
    rows
        The features; each column has mean 0.
    target
        The target, with mean 0.
    share
        The share of the lasso in the penalty, `l1_ratio` in scikit-learn; above 0.

    Examples
    --------
    >>> rows = np.array([[1.0, -1.0], [-1.0, -1.0], [0.0, 2.0]])
    >>> [coefs] = ActiveSets(rows, np.array([2.0, -1.0, -1.0]), 1.0).coefficients([0.5])
    >>> coefs.round(6)
    array([ 0.75, -0.25])
    """

    def __init__(self, rows: np.ndarray, target: np.ndarray, share: float):
        self._columns, self._share = rows.shape[1], share
        self._correlations = rows.T @ target / len(rows)
        self._largest = float(np.abs(self._correlations).max(initial=0.0))
        self._gram = Gram(rows)

    def coefficients(self, alphas: Sequence[float]) -> Iterator[np.ndarray | None]:
        """The coefficients at each α; None where they were not found.

        Parameters
        ----------
        alphas
            From the largest to the smallest.

        Yields
        ------
        numpy.ndarray or None
            A coefficient for each column.
        """
        start = alpha = self._largest / self._share
        active: Active | None = NONE
        for asked in alphas:
            while alpha * RATIO > max(asked, SMALLEST * start):
                alpha *= RATIO
                active = self._moved(active, alpha)
            with self._gram.for_now():
                found = self._moved(active, asked)
            yield None if found is None else self._filled(found)

    def _filled(self, active: Active) -> np.ndarray:
        coefs = np.zeros(self._columns)
        coefs[active.columns] = active.coefs
        return coefs

    def _moved(self, active: Active | None, alpha: float) -> Active | None:
        """The solution at an α, from that at a larger one."""
        if active is None:
            return None
        penalty = Penalty(alpha * self._share, alpha * (1 - self._share))
        found = self._by_several(active, penalty)
        return self._by_one(active, penalty) if found is None else found

    def _by_several(self, active: Active, penalty: Penalty) -> Active | None:
        """All wrong signs leave at once, and all slopes beyond λ₁ join."""
        settled = len(active.columns)
        for _ in range(ROUNDS):
            solved = self._solved(active, penalty)
            if solved is None:
                active = self._independent(active, settled, penalty)
                solved = self._solved(active, penalty)
            if solved is None:
                return None
            right = self._right(solved, penalty)
            if not right.all():
                active = active.only(right)
                settled = len(active.columns)
                continue
            slopes = self._slopes(solved, penalty)
            if slopes is None:
                return None
            beyond = self._beyond(slopes, solved, penalty)
            if not len(beyond):
                return solved
            if len(beyond) > 10 + len(active.columns) // 2:
                return None  # too long a step: most of them would leave again
            if len(solved.columns) + len(beyond) > MOST:
                return None
            settled = len(solved.columns)
            active = solved.joined(beyond, np.sign(slopes[beyond]))
        return None

    def _by_one(self, active: Active, penalty: Penalty) -> Active | None:
        """The first coefficient to become zero leaves, or the slope farthest beyond λ₁ joins."""
        changed: Active | None = active
        effort = 0.0
        for _ in range(CHANGES):
            if changed is None:
                return None
            effort += len(changed.columns) ** 3
            solved = self._solved(changed, penalty)
            if solved is None or effort > EFFORT:
                return None
            if not self._right(solved, penalty).all():
                changed = _first_zero(changed, solved.coefs - changed.coefs)
                continue
            slopes = self._slopes(solved, penalty)
            if slopes is None:
                return None
            beyond = self._beyond(slopes, solved, penalty)
            if not len(beyond):
                return solved
            if len(solved.columns) >= MOST:
                return None
            joins = beyond[[np.argmax(np.abs(slopes[beyond]))]]
            changed = solved.joined(joins, np.sign(slopes[joins]))
            if self._solved(changed, penalty) is None:
                if abs(slopes[joins[0]]) <= penalty.lasso * (1 + CLOSE):
                    return solved
                changed = self._exchanged(changed)
        return None

    def _exchanged(self, active: Active) -> Active | None:
        """The last column is a combination of the others: it takes over until one of them is zero."""
        matrix = self._gram.among(active.columns)
        _, weights, _ = dposv(matrix[:-1, :-1], matrix[:-1, -1])
        return _first_zero(active, active.signs[-1] * np.append(-weights, 1.0))

    def _right(self, active: Active, penalty: Penalty) -> np.ndarray:
        """Which coefficients have their sign; without λ₁ any will do."""
        return (active.coefs * active.signs > 0) | (penalty.lasso == 0)

    def _solved(self, active: Active, penalty: Penalty) -> Active | None:
        """With the coefficients (G_A + λ₂)⁻¹(c_A − λ₁s); None if a column is a combination of others."""
        if not len(active.columns):
            return active
        system = active.system
        if system is None or system.ridge != penalty.ridge:
            system = self._factored(active.columns, penalty.ridge)
        if system is None:
            return None
        wanted = self._correlations[active.columns] - penalty.lasso * active.signs
        coefs, _ = dpotrs(system.factor, wanted)
        correction, _ = dpotrs(system.factor, wanted - system.matrix @ coefs)
        return active._replace(coefs=coefs + correction, system=system)

    def _factored(self, columns: np.ndarray, ridge: float) -> System | None:
        matrix = self._gram.among(columns, ridge)
        factor, failed = dpotrf(matrix.T, clean=0)
        if failed or (factor.diagonal() ** 2 < DEPENDENT * matrix.diagonal()).any():
            return None
        return System(ridge, matrix, factor)

    def _slopes(self, active: Active, penalty: Penalty) -> np.ndarray | None:
        """c − Gb, for the columns in use less λ₂b; None if those are not λ₁s."""
        slopes = self._correlations - self._gram.times(active.columns, active.coefs)
        slopes[active.columns] -= penalty.ridge * active.coefs
        off = np.abs(slopes[active.columns] - penalty.lasso * active.signs).max(initial=0.0)
        return slopes if off <= TOLERANCE * self._largest else None

    def _beyond(self, slopes: np.ndarray, active: Active, penalty: Penalty) -> np.ndarray:
        """The columns that must join."""
        beyond = np.abs(slopes) > penalty.lasso + TOLERANCE * self._largest
        beyond[active.columns] = False
        return np.flatnonzero(beyond)

    def _independent(self, active: Active, settled: int, penalty: Penalty) -> Active:
        """Without those after the settled ones that are a combination of these and of one another."""
        matrix = self._gram.among(active.columns, penalty.ridge)
        scales = np.sqrt(matrix.diagonal())
        matrix /= np.outer(scales, scales)
        rest = matrix[settled:, settled:]
        if settled:
            factor, _ = dpotrf(matrix[:settled, :settled], lower=1)
            across, _ = dtrtrs(factor, matrix[:settled, settled:], lower=1)
            rest = rest - across.T @ across
        _, order, rank, _ = dpstrf(rest, tol=DEPENDENT)
        return active.only(np.append(np.arange(settled), settled + np.sort(order[:rank] - 1)))


def _first_zero(active: Active, direction: np.ndarray) -> Active | None:
    """As far along a direction as all signs hold, without the column whose coefficient is zero there.

    None if no coefficient comes to zero: that is rounding, among columns that are nearly combinations of others.
    """
    shrinking = np.flatnonzero(direction * active.signs < 0)
    if not len(shrinking):
        return None
    steps = -active.coefs[shrinking] / direction[shrinking]
    first = int(np.argmin(steps))
    moved = active._replace(coefs=active.coefs + steps[first] * direction)
    return moved.only(np.arange(len(active.columns)) != shrinking[first])
