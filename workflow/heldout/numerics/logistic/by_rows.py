"""Many columns, few rows: the coefficients are combinations of the rows, and these are found instead.

With centred rows X, the coefficients of a class are C·Xᵀα. Its scores are C·K·α + b for K = XXᵀ, and the
minimum is where α = −(slopes of the losses). So a Newton step costs as if there were as many columns as rows.
For more than two classes the curvature of the loss at a row is diag(π) − ππᵀ. Its inverse plus the
block-diagonal C·K needs a factorisation for each class and one for their sum (Rasmussen and Williams 2006,
algorithm 3.3), instead of one for all classes together. Where K allows it, nothing is factored (`by_scores`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from heldout.numerics.logistic.by_scores import ByScores, inverse_of
from heldout.numerics.logistic.loss import Loss
from heldout.numerics.logistic.newton import Points, minimise

AT_ONCE = 2**23
"""Numbers in the curvatures of the C that are solved side by side: 64 MB."""


class Combined(NamedTuple):
    """The optimum of a training set for one C, as a combination of its rows."""

    weights: np.ndarray
    """A number for each row and column of scores; the coefficients are the sums of the centred rows times these."""
    intercept: np.ndarray
    """Of centred rows."""
    steps: int


class ByRows:
    """The optima of one training set.

    Parameters
    ----------
    gram
        The products of the centred rows.
    loss
        The loss of these rows.
    """

    def __init__(self, gram: np.ndarray, loss: Loss):
        self._gram, self._loss = gram, loss
        self._inverse = inverse_of(gram, loss.columns > 1)

    def solve(self, cs: Sequence[float], tol: float, max_iter: int) -> list[Combined | None]:
        """The optimum for each C; None where it was not reached."""
        factors = self._gram.size if self._inverse is None else len(self._gram)
        size = max(1, AT_ONCE // (self._loss.columns * factors))
        parts = (np.array(cs[start : start + size]) for start in range(0, len(cs), size))
        return [one for part in parts for one in self._solved(part, tol, max_iter)]

    def _solved(self, cs: np.ndarray, tol: float, max_iter: int) -> list[Combined | None]:
        """By scores, or by factors."""
        functions: _ByFactors | ByScores
        if self._inverse is None:
            functions = _ByFactors(self._gram, self._loss, cs)
        else:
            functions = ByScores(self._gram, self._inverse, self._loss, cs)
        found = minimise(functions, tol, max_iter)
        return [
            None if one is None else self._combined(c, *one)
            for c, one in zip(cs, found, strict=True)
        ]

    def _combined(self, c: float, parameters: np.ndarray, steps: int) -> Combined:
        """From scores, or from α and intercepts."""
        if self._inverse is None:
            return Combined(c * parameters[:-1], parameters[-1], steps)
        return Combined(self._inverse @ parameters, parameters.mean(axis=0), steps)

    def slope(self, found: Combined, c: float) -> float:
        """At least the largest slope of the mean loss + ‖W‖²/2nC by a coefficient or an intercept."""
        _, shares = self._loss.at(self._gram @ found.weights + found.intercept)
        slopes = self._loss.slopes(shares)
        left = slopes + found.weights / c
        squares = (left * (self._gram @ left)).sum(axis=0).max()
        by_intercept = np.abs(slopes.sum(axis=0)).max()
        return float(np.maximum(np.sqrt(max(squares, 0.0)), by_intercept) / self._loss.weight)


class _ByFactors:
    """For each C a function of α (down: rows, then the intercept) for each column of scores."""

    def __init__(self, gram: np.ndarray, loss: Loss, cs: np.ndarray):
        self._gram, self._loss, self._cs = gram, loss, cs
        self._curvatures: dict[int, _OneColumn | _SeveralColumns] = {}

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """All scores are 0."""
        shape = len(self._cs), len(self._gram) + 1, self._loss.columns
        return np.zeros(shape), np.zeros(len(self._cs), bool)

    def at(self, parameters: np.ndarray, which: np.ndarray) -> Points:
        """Evaluate the objectives."""
        alpha, intercept = parameters[:, :-1], parameters[:, -1:]
        scaled = self._cs[which, None, None] * (self._gram @ alpha)
        scores = scaled + intercept
        losses, shares = self._loss.at(scores)
        slopes = self._loss.slopes(shares)
        value = losses + (alpha * scaled).reshape(len(which), -1).sum(axis=1) / 2
        slope = alpha + slopes
        products = self._gram @ slope
        steepness = self._steepness(slope, slopes, products)
        return Points(parameters, scores, shares, value, slope, steepness, products)

    def _steepness(self, slope: np.ndarray, slopes: np.ndarray, products: np.ndarray) -> np.ndarray:
        """The length of Xᵀ·slope, which is the slope by the coefficients, or the slope by an intercept."""
        squares = (slope * products).sum(axis=1).max(axis=1)
        by_intercept = np.abs(slopes.sum(axis=1)).max(axis=1)
        length = np.sqrt(np.maximum(squares, 0.0))
        return np.asarray(np.maximum(length, by_intercept) / self._loss.weight)

    def factor(self, points: Points, which: np.ndarray) -> np.ndarray:
        """Factor I + D^½·C·K·D^½ for each column of scores."""
        kind = _OneColumn if self._loss.columns == 1 else _SeveralColumns
        for place, shares in zip(which, points.shares, strict=True):
            self._curvatures[place] = kind(self._gram, self._cs[place], shares, self._loss.weights)
        return np.array([self._curvatures[place].is_factored for place in which])

    def towards(self, points: Points, which: np.ndarray) -> np.ndarray:
        """The steps that make the slope zero, and the sum of each column of α too."""
        found = np.empty_like(points.parameters)
        about = zip(which, points.parameters, points.slope, points.products, found, strict=True)
        for place, parameters, slope, products, step in about:
            curvature = self._curvatures[place]
            solved = slope - curvature.times(self._cs[place] * products)
            missing = parameters[:-1].sum(axis=0) - solved.sum(axis=0)
            step[-1], moved = curvature.by_intercepts(missing)
            step[:-1] = -solved - moved
        return found


class _OneColumn:
    """E = (D⁻¹ + C·K)⁻¹, D being the diagonal of the loss's curvature."""

    def __init__(self, gram: np.ndarray, c: float, shares: np.ndarray, weights: np.ndarray):
        self._root = np.sqrt(weights * shares * (1 - shares))
        self._factor, failed = dpotrf(_scaled(gram, c, self._root[:, 0]), lower=1, overwrite_a=1)
        self.is_factored = not failed and bool(np.isfinite(self._factor[0, 0]))
        if self.is_factored:
            self._sums = self.times(np.ones_like(shares))
            self._sum = float(self._sums.sum())

    def times(self, column: np.ndarray) -> np.ndarray:
        """E times a vector."""
        solved, _ = dpotrs(self._factor, self._root * column, lower=1, overwrite_b=1)
        return np.asarray(self._root * solved)

    def by_intercepts(self, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The change of the intercept that brings α the sum that it lacks, and what it does to α."""
        change = missing / self._sum
        return change, self._sums * change


class _SeveralColumns:
    """E for each column of scores, D being the diagonal of the loss's curvature."""

    def __init__(self, gram: np.ndarray, c: float, shares: np.ndarray, weights: np.ndarray):
        self._inverses = np.empty((shares.shape[1], *gram.shape))
        self.is_factored = self._invert(gram, c, weights * shares)
        if not self.is_factored:
            return
        self._sums = self._inverses.sum(axis=1).T
        self._total, failed = dpotrf(self._inverses.sum(axis=0), lower=1, overwrite_a=1)
        self.is_factored = not failed
        self._by_intercepts = np.diag(self._sums.sum(axis=0))
        self._by_intercepts -= self._sums.T @ self._solve_total(self._sums)
        self._by_intercepts += 1 / len(self._inverses)  # the same for all changes nothing

    def _invert(self, gram: np.ndarray, c: float, diagonal: np.ndarray) -> bool:
        """One after another; once for all where the scores are 0."""
        if (diagonal == diagonal[:, :1]).all():
            self._inverses[:] = _inverse(gram, c, diagonal[:, 0])
        else:
            for own, one in zip(self._inverses, diagonal.T, strict=True):
                own[:] = _inverse(gram, c, one)
        return bool(np.isfinite(self._inverses[:, 0, 0]).all())

    def times(self, columns: np.ndarray) -> np.ndarray:
        """(W⁻¹ + C·K)⁻¹ times a vector for each column, W being the curvature of the loss."""
        return self._spread((self._inverses @ columns.T[:, :, None])[:, :, 0].T)

    def by_intercepts(self, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The changes of the intercepts that bring each α the sum that it lacks, and what they do to α."""
        change = np.linalg.solve(self._by_intercepts, missing)
        return change, self._spread(self._sums * change)

    def _spread(self, columns: np.ndarray) -> np.ndarray:
        """Without what the columns have in common, since shares sum to 1."""
        common = self._solve_total(columns.sum(axis=1))
        return np.asarray(columns - (self._inverses @ common).T)

    def _solve_total(self, right: np.ndarray) -> np.ndarray:
        solved, _ = dpotrs(self._total, right, lower=1)
        return np.asarray(solved)


def _scaled(gram: np.ndarray, c: float, root: np.ndarray) -> np.ndarray:
    """I + D^½·C·K·D^½, for LAPACK to overwrite."""
    scaled: np.ndarray = np.multiply.outer(c * root, root)
    scaled *= gram
    scaled.flat[:: len(root) + 1] += 1.0
    return scaled.T


def _inverse(gram: np.ndarray, c: float, diagonal: np.ndarray) -> np.ndarray | float:
    """D^½·(I + D^½·C·K·D^½)⁻¹·D^½; nan where it cannot be factored."""
    root = np.sqrt(diagonal)
    factor, failed = dpotrf(_scaled(gram, c, root), lower=1, clean=1, overwrite_a=1)
    if failed:
        return np.nan
    lower, _ = dpotri(factor, lower=1, overwrite_c=1)
    inverse = lower + lower.T
    inverse.flat[:: len(root) + 1] /= 2
    inverse *= np.multiply.outer(root, root)
    return np.asarray(inverse)
