"""Few columns: the objective as a function of the coefficients themselves.

The first descent, from zero, is that of C = 1. All others start from its optimum, with its curvature.
The curvature is a matrix that is factored; with very many coefficients it is only multiplied by, in conjugate
gradients.
"""

from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from heldout.numerics.logistic.loss import Loss
from heldout.numerics.logistic.newton import Point, Solution, Step, minimise

FIRST = 1.0
"""The C whose optimum the others start from."""
DENSE = 2000
"""The largest number of coefficients whose curvature is a matrix."""
ENOUGH = 1e-2
"""The share of the slope that conjugate gradients leave over."""


class ByColumns:
    """The optima of one training set.

    Parameters
    ----------
    rows
        The rows.
    loss
        The loss of these rows.
    """

    def __init__(self, rows: np.ndarray, loss: Loss):
        self._rows, self._loss = np.column_stack([rows, np.ones(len(rows))]), loss

    def solve(self, c: float, tol: float, max_iter: int) -> Solution | None:
        """The optimum for a C; None if it was not reached."""
        found = minimise(_Objective(self._rows, self._loss, c, self._first), tol, max_iter)
        return None if found is None else Solution(found[0][:-1], found[0][-1], found[1])

    @cached_property
    def _first(self) -> tuple[np.ndarray, np.ndarray | None]:
        """The coefficients for the first C, and the curvature of the loss there if it is a matrix."""
        zero = np.zeros((self._rows.shape[1], self._loss.columns))
        objective = _Objective(self._rows, self._loss, FIRST, (zero, None))
        found = minimise(objective, tol=1e-6, max_iter=100)
        first = zero if found is None else found[0]
        dense = zero.size <= DENSE
        return first, objective.curvature(objective.at(first)) if dense else None


class _Objective:
    """A function of the coefficients (down, then the intercept) for each column of scores."""

    def __init__(
        self,
        rows: np.ndarray,
        loss: Loss,
        c: float,
        start: tuple[np.ndarray, np.ndarray | None],
    ):
        self._rows, self._loss, self._start = rows, loss, start
        self._penalty = np.full((rows.shape[1], 1), 1.0 / c)
        self._penalty[-1] = 0.0

    def start(self) -> tuple[np.ndarray, Step | None]:
        """The optimum for another C."""
        parameters, curvature = self._start
        return parameters, None if curvature is None else self._step(curvature)

    def at(self, parameters: np.ndarray) -> Point:
        """Evaluate the objective."""
        scores = self._rows @ parameters
        losses, shares = self._loss.at(scores)
        penalised = self._penalty * parameters
        slope = self._rows.T @ self._loss.slopes(shares) + penalised
        value = losses + float((parameters * penalised).sum()) / 2
        steepness = float(np.abs(slope).max() / self._loss.weight)
        return Point(parameters, scores, shares, value, slope, steepness)

    def step_by_curvature(self, point: Point) -> Step | None:
        """Factor the second derivatives by all coefficients, or do without."""
        if point.slope.size > DENSE:
            return lambda now: self._by_products(point.shares, -now.slope)
        return self._step(self.curvature(point))

    def _step(self, curvature: np.ndarray) -> Step | None:
        penalty = np.tile(self._penalty[:, 0], self._loss.columns)
        factor, failed = dpotrf(curvature + np.diag(penalty), lower=1, overwrite_a=1)
        if failed:
            return None

        def step(point: Point) -> np.ndarray:
            solved, _ = dpotrs(factor, -point.slope.ravel(order="F"), lower=1)
            return np.asarray(solved.reshape(point.slope.shape, order="F"))

        return step

    def curvature(self, point: Point) -> np.ndarray:
        """The second derivatives of the loss: a block for each pair of columns; the lower ones only."""
        size, columns = point.slope.shape
        whole = np.zeros((columns * size, columns * size), order="F")
        for i, j in zip(*np.tril_indices(columns), strict=True):
            block = whole[i * size : (i + 1) * size, j * size : (j + 1) * size]
            block[:] = self._block(point.shares[:, i], point.shares[:, j], i == j)
            block[-1, -1] += columns > 1  # the same for all intercepts changes nothing
        return whole

    def _block(self, left: np.ndarray, right: np.ndarray, same: bool) -> np.ndarray:
        weights = self._loss.weights[:, 0]
        if same:
            scaled = self._rows * np.sqrt(weights * left * (1 - left))[:, None]
            return np.asarray(scaled.T @ scaled)
        return np.asarray(-(self._rows * (weights * left * right)[:, None]).T @ self._rows)

    def _by_products(self, shares: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Solve by conjugate gradients, scaled by the lengths of columns."""
        spread = self._loss.weights * shares * (1 - shares)
        lengths = np.einsum("ij,ij->j", self._rows, self._rows) / len(self._rows)
        scale = np.outer(lengths, spread.sum(axis=0)) + self._penalty
        solved, left = np.zeros_like(right), right
        towards = scaled = left / scale
        size = float((left * scaled).sum())
        enough = ENOUGH**2 * size
        for _ in range(right.size):
            product = self._curvature_times(shares, towards)
            length = size / float((towards * product).sum())
            solved, left = solved + length * towards, left - length * product
            scaled = left / scale
            before, size = size, float((left * scaled).sum())
            if not size > enough:
                break
            towards = scaled + size / before * towards
        if self._loss.columns > 1:
            solved[-1] -= solved[-1].mean()  # the same for all intercepts changes nothing
        return solved

    def _curvature_times(self, shares: np.ndarray, direction: np.ndarray) -> np.ndarray:
        moved = shares * (self._rows @ direction)
        common = shares * (moved if self._loss.columns == 1 else moved.sum(axis=1, keepdims=True))
        curved = self._loss.weights * (moved - common)
        return np.asarray(self._rows.T @ curved + self._penalty * direction)
