"""Many columns, few rows, none of which is nearly a combination of others: the scores themselves are found.

With centred rows X and K = XXᵀ, scores f = C·Kα + b have the penalty fᵀK⁺f/2C: K⁺ does not see a constant, which is
the intercept's share. So the objective is a function of f alone, and a Newton step solves (K⁺/C + W)s = −slope, W being
the curvature of the losses: a number for each row, or diag(π) − ππᵀ. Where all eigenvalues of K are of one
size this takes some conjugate gradients, scaled by what it would be with all of them equal, which are multiplications by
one matrix for all C. So nothing is factored but K.
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from heldout.numerics.logistic.loss import Loss
from heldout.numerics.logistic.newton import Points

WORTH_IT = {True: 1 / 250, False: 1 / 25}
"""How unlike the eigenvalues of K may be, as a share of n²: beyond it factoring is faster. By whether there is one
column of scores: for more of them it takes longer."""
EXACT = 1e4
"""How unlike they may be at most: K⁺ loses so much of what numbers hold."""
ENOUGH = 0.02
"""The share of the slope that conjugate gradients leave over."""
TIMES = 100
"""The largest number of conjugate gradients for a step."""


def inverse_of(gram: np.ndarray, several: bool) -> np.ndarray | None:
    """K⁺ for the products of centred rows; None where factoring is better, as where a row is a combination of others.

    Parameters
    ----------
    gram
        K.
    several
        Whether there are several columns of scores.

    Returns
    -------
    numpy.ndarray or None
        K⁺.

    Examples
    --------
    >>> rows = np.eye(60) - 1 / 60
    >>> bool(np.allclose(inverse_of(rows @ rows.T, several=False), rows))
    True
    >>> inverse_of(np.zeros((3, 3)), several=True) is None
    True
    """
    count = len(gram)
    share = float(np.trace(gram)) / count**2
    factor, failed = dpotrf(gram + share, lower=1, clean=1)  # a constant's eigenvalue is n·share
    if failed or not share > 0:
        return None
    lower, _ = dpotri(factor, lower=1, overwrite_c=1)
    inverse = lower + lower.T
    inverse.flat[:: count + 1] /= 2
    unlike = _size(gram) * _size(inverse) / count**0.5
    if not unlike <= min(EXACT, WORTH_IT[not several] * count**2):
        return None
    inverse -= 1 / (share * count**2)
    return np.asarray(inverse)


def _size(matrix: np.ndarray) -> float:
    """At least the largest eigenvalue."""
    return float(np.abs(matrix).sum(axis=0).max())


class ByScores:
    """For each C a function of the scores.

    Parameters
    ----------
    gram, inverse
        K, and K⁺ from `inverse_of`.
    loss
        The loss of these rows.
    cs
        The C.
    """

    def __init__(self, gram: np.ndarray, inverse: np.ndarray, loss: Loss, cs: np.ndarray):
        self._inverse, self._loss = inverse, loss
        self._size = _size(gram)
        self._over_c = 1.0 / cs[:, None, None]
        self._typical = float(np.trace(inverse)) / (len(inverse) - 1)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """All scores are 0."""
        shape = len(self._over_c), len(self._inverse), self._loss.columns
        return np.zeros(shape), np.ones(len(self._over_c), bool)

    def at(self, parameters: np.ndarray, which: np.ndarray) -> Points:
        """Evaluate the objectives. They are as steep by coefficients as XXᵀ allows, or as by an intercept."""
        losses, shares = self._loss.at(parameters)
        slopes, alpha = (
            self._loss.slopes(shares),
            self._over_c[which] * (self._inverse @ parameters),
        )
        value = losses + (parameters * alpha).reshape(len(which), -1).sum(axis=1) / 2
        slope = alpha + slopes
        by_coef = np.sqrt(self._size * (slope**2).sum(axis=1).max(axis=1))
        by_intercept = np.abs(slopes.sum(axis=1)).max(axis=1)
        steepness = np.maximum(by_coef, by_intercept) / self._loss.weight
        return Points(parameters, parameters, shares, value, slope, steepness, steepness)

    def factor(self, points: Points, which: np.ndarray) -> np.ndarray:
        """Nothing is factored."""
        return np.ones(len(which), bool)

    def towards(self, points: Points, which: np.ndarray) -> np.ndarray:
        """Conjugate gradients; none goes on after it has come near enough, whatever the others do."""
        steps, going = np.zeros_like(points.slope), np.arange(len(which))
        over_c, shares, left = self._over_c[which], points.shares, -points.slope
        step = along = np.zeros_like(left)
        before = enough = np.ones(len(which))
        for time in range(TIMES):
            scaled = self._scaled(left, shares, over_c)
            size = _dots(left, scaled)
            enough = ENOUGH**2 * size if time == 0 else enough
            far = size > enough
            if not far.all():
                steps[going[~far]] = step[~far]
                going, over_c, shares, left = going[far], over_c[far], shares[far], left[far]
                step, along, scaled = step[far], along[far], scaled[far]
                size, before, enough = size[far], before[far], enough[far]
            if not len(going):
                return steps
            along = scaled + _wide(size / before) * along  # along is 0 at first
            product = over_c * (self._inverse @ along) + self._curved(along, shares)
            length = _wide(size / _dots(along, product))
            step, left = step + length * along, left - length * product
            before = size
        steps[going] = step
        return steps

    def _curved(self, along: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """W times a vector."""
        moved = shares * along
        common = moved if self._loss.columns == 1 else moved.sum(axis=2, keepdims=True)
        return np.asarray(self._loss.weights * (moved - shares * common))

    def _scaled(self, left: np.ndarray, shares: np.ndarray, over_c: np.ndarray) -> np.ndarray:
        """(t/C + W)⁻¹ times a vector, t being the size of the eigenvalues of K⁺."""
        even, weights = self._typical * over_c, self._loss.weights
        if self._loss.columns == 1:
            return np.asarray(left / (even + weights * shares * (1 - shares)))
        diagonal = even + weights * shares
        own, other = left / diagonal, shares / diagonal
        common = (weights * shares * own).sum(axis=2, keepdims=True)
        scaled = own + other * (common / (even * other.sum(axis=2, keepdims=True)))
        return np.asarray(
            scaled - scaled.mean(axis=2, keepdims=True)
        )  # W does not see the same for all


def _dots(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.asarray((one * other).reshape(len(one), -1).sum(axis=1))


def _wide(values: np.ndarray) -> np.ndarray:
    return values[:, None, None]
