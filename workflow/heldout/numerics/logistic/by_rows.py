"""Many columns, few rows: the coefficients are combinations of the rows, and these are found instead.

With centred rows X, the coefficients of a class are C·Xᵀα. Its scores are C·K·α + b for K = XXᵀ, and the
minimum is where α = −(slopes of the losses). So a Newton step costs as if there were as many columns as rows.
For more than two classes the curvature of the loss at a row is diag(π) − ππᵀ. Its inverse plus the
block-diagonal C·K needs a factorisation for each class and one for their sum (Rasmussen and Williams 2006,
algorithm 3.3), instead of one for all classes together.
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from heldout.numerics.logistic.loss import Loss
from heldout.numerics.logistic.newton import Point, Solution, Step, minimise


class ByRows:
    """The optima of one training set.

    Parameters
    ----------
    rows
        The rows.
    loss
        The loss of these rows.
    """

    def __init__(self, rows: np.ndarray, loss: Loss):
        self._means = rows.mean(axis=0)
        self._centred = rows - self._means
        self._gram, self._loss = self._centred @ self._centred.T, loss

    def solve(self, c: float, tol: float, max_iter: int) -> Solution | None:
        """The optimum for a C; None if it was not reached."""
        found = minimise(_Objective(self._gram, self._loss, c), tol, max_iter)
        if found is None:
            return None
        coef = c * (self._centred.T @ found[0][:-1])
        return Solution(coef, found[0][-1] - self._means @ coef, found[1])


class _Objective:
    """A function of α (down: rows, then the intercept) for each column of scores."""

    def __init__(self, gram: np.ndarray, loss: Loss, c: float):
        self._gram, self._loss, self._c = gram, loss, c

    def start(self) -> tuple[np.ndarray, None]:
        """All scores are 0."""
        return np.zeros((len(self._gram) + 1, self._loss.columns)), None

    def at(self, parameters: np.ndarray) -> Point:
        """Evaluate the objective."""
        alpha, intercept = parameters[:-1], parameters[-1]
        products = self._c * (self._gram @ alpha)
        scores = products + intercept
        losses, shares = self._loss.at(scores)
        slopes = self._loss.slopes(shares)
        value = losses + float((alpha * products).sum()) / 2
        slope = alpha + slopes
        return Point(parameters, scores, shares, value, slope, self._steepness(slope, slopes))

    def _steepness(self, slope: np.ndarray, slopes: np.ndarray) -> float:
        """The length of Xᵀ·slope, which is the slope by the coefficients, or the slope by an intercept."""
        squares = (slope * (self._gram @ slope)).sum(axis=0).max()
        by_intercept = np.abs(slopes.sum(axis=0)).max()
        return float(max(np.sqrt(max(squares, 0.0)), by_intercept) / self._loss.weight)

    def step_by_curvature(self, point: Point) -> Step | None:
        """Factor I + D^½·C·K·D^½ for each column of scores."""
        curvature = _Curvature(self._c * self._gram, point.shares, self._loss)
        return curvature.step if curvature.is_factored else None


class _Curvature:
    """E = (D⁻¹ + C·K)⁻¹ for each column of scores, D being the diagonal of the loss's curvature."""

    def __init__(self, covariance: np.ndarray, shares: np.ndarray, loss: Loss):
        self._covariance, self._several = covariance, loss.columns > 1
        diagonal = loss.weights * (shares if self._several else shares * (1 - shares))
        self._inverses = np.empty((loss.columns, *covariance.shape))
        self.is_factored = self._invert(diagonal)
        if not self.is_factored:
            return
        self._sums = self._inverses.sum(axis=1).T
        self._by_intercepts = np.diag(self._sums.sum(axis=0))
        if self._several:
            self._total, failed = dpotrf(self._inverses.sum(axis=0), lower=1)
            self.is_factored = not failed
            self._by_intercepts -= self._sums.T @ self._solve_total(self._sums)
            self._by_intercepts += 1 / loss.columns  # the same for all changes nothing

    def _invert(self, diagonal: np.ndarray) -> bool:
        """One after another; once for all where the scores are 0."""
        if (diagonal == diagonal[:, :1]).all():
            self._inverses[:] = _inverse(self._covariance, diagonal[:, 0])
        else:
            for own, one in zip(self._inverses, diagonal.T, strict=True):
                own[:] = _inverse(self._covariance, one)
        return bool(np.isfinite(self._inverses[:, 0, 0]).all())

    def step(self, point: Point) -> np.ndarray:
        """Solve for the step that makes the slope zero, and the sum of each column of α too."""
        solved = point.slope - self._spread(self._times(self._covariance @ point.slope))
        missing = point.parameters[:-1].sum(axis=0) - solved.sum(axis=0)
        by_intercept = np.linalg.solve(self._by_intercepts, missing)
        return np.vstack([-solved - self._spread(self._sums * by_intercept), by_intercept])

    def _times(self, columns: np.ndarray) -> np.ndarray:
        """E times a vector for each column."""
        return np.asarray((self._inverses @ columns.T[:, :, None])[:, :, 0].T)

    def _spread(self, columns: np.ndarray) -> np.ndarray:
        """Without what the columns have in common, since shares sum to 1: E becomes (W⁻¹ + C·K)⁻¹."""
        if not self._several:
            return columns
        common = self._solve_total(columns.sum(axis=1))
        return np.asarray(columns - (self._inverses @ common).T)

    def _solve_total(self, right: np.ndarray) -> np.ndarray:
        solved, _ = dpotrs(self._total, right, lower=1)
        return np.asarray(solved)


def _inverse(covariance: np.ndarray, diagonal: np.ndarray) -> np.ndarray | float:
    """D^½·(I + D^½·C·K·D^½)⁻¹·D^½; nan where it cannot be factored."""
    root = np.sqrt(diagonal)
    scaled = root[:, None] * covariance * root
    scaled.flat[:: len(root) + 1] += 1.0
    factor, failed = dpotrf(scaled.T, lower=1, clean=1, overwrite_a=1)
    if failed:
        return np.nan
    lower, _ = dpotri(factor, lower=1, overwrite_c=1)
    inverse = lower + lower.T
    inverse.flat[:: len(root) + 1] /= 2
    return np.asarray(root[:, None] * inverse * root)
