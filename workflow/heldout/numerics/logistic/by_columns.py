"""Few columns: the objective as a function of the coefficients themselves.

The first descent, from zero, is that of C = 1. All others start from its optimum, with its curvature.
The curvature is a matrix that is factored; with very many coefficients it is only multiplied by, in conjugate
gradients.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from heldout.numerics.logistic.loss import Loss
from heldout.numerics.logistic.newton import Points, Solution, minimise

FIRST = 1.0
"""The C whose optimum the others start from."""
DENSE = 2000
"""The largest number of coefficients whose curvature is a matrix."""
AT_ONCE = 2**23
"""Numbers in the factors of the C that are solved side by side: 64 MB."""
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

    def solve(self, cs: Sequence[float], tol: float, max_iter: int) -> list[Solution | None]:
        """The optimum for each C; None where it was not reached."""
        size = max(1, AT_ONCE // (self._rows.shape[1] * self._loss.columns) ** 2)
        parts = [np.array(cs[start : start + size]) for start in range(0, len(cs), size)]
        found = [
            one
            for part in parts
            for one in minimise(
                _Objectives(self._rows, self._loss, part, *self._first), tol, max_iter
            )
        ]
        return [None if one is None else Solution(one[0][:-1], one[0][-1], one[1]) for one in found]

    @cached_property
    def _first(self) -> tuple[np.ndarray, np.ndarray | None]:
        """The coefficients for the first C, and the curvature of the loss there if it is a matrix."""
        zero = np.zeros((self._rows.shape[1], self._loss.columns))
        objective = _Objectives(self._rows, self._loss, np.array([FIRST]), zero, None)
        [found] = minimise(objective, tol=1e-6, max_iter=100)
        first = zero if found is None else found[0]
        if zero.size > DENSE:
            return first, None
        _, shares = self._loss.at(self._rows @ first)
        return first, objective.curvature(shares)


class _Objectives:
    """For each C a function of the coefficients (down, then the intercept) for each column of scores."""

    def __init__(
        self,
        rows: np.ndarray,
        loss: Loss,
        cs: np.ndarray,
        first: np.ndarray,
        curvature: np.ndarray | None,
    ):
        self._rows, self._loss, self._count = rows, loss, len(cs)
        self._penalties = np.repeat(1.0 / cs[:, None, None], rows.shape[1], axis=1)
        self._penalties[:, -1] = 0.0
        self._first, self._curvature = first, curvature
        self._factors: dict[int, np.ndarray] = {}

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """The optimum for another C, whose curvature is known if it is a matrix."""
        factored = np.zeros(self._count, bool)
        if self._curvature is not None:
            factored[:] = [self._is_factored(i, self._curvature) for i in range(self._count)]
        return np.repeat(self._first[None], self._count, axis=0), factored

    def at(self, parameters: np.ndarray, which: np.ndarray) -> Points:
        """Evaluate the objectives."""
        scores = self._rows @ parameters
        losses, shares = self._loss.at(scores)
        penalised = self._penalties[which] * parameters
        slope = self._rows.T @ self._loss.slopes(shares) + penalised
        value = losses + (parameters * penalised).reshape(len(which), -1).sum(axis=1) / 2
        steepness = np.abs(slope).max(axis=(1, 2)) / self._loss.weight
        return Points(parameters, scores, shares, value, slope, steepness, steepness)

    def factor(self, points: Points, which: np.ndarray) -> np.ndarray:
        """Factor the second derivatives by all coefficients, or do without."""
        if self._first.size > DENSE:
            return np.ones(len(which), bool)
        return np.array(
            [
                self._is_factored(place, self.curvature(shares))
                for place, shares in zip(which, points.shares, strict=True)
            ]
        )

    def _is_factored(self, place: int, curvature: np.ndarray) -> bool:
        penalty = np.tile(self._penalties[place, :, 0], self._loss.columns)
        factor, failed = dpotrf(curvature + np.diag(penalty), lower=1, overwrite_a=1)
        self._factors[place] = factor
        return not failed

    def towards(self, points: Points, which: np.ndarray) -> np.ndarray:
        """By the factors, or by conjugate gradients."""
        found = np.empty_like(points.slope)
        for step, place, slope, shares in zip(
            found, which, points.slope, points.shares, strict=True
        ):
            if self._first.size > DENSE:
                step[:] = self._by_products(shares, -slope, self._penalties[place])
            else:
                right = -slope.ravel(order="F")
                solved, _ = dpotrs(self._factors[place], right, lower=1, overwrite_b=1)
                step[:] = solved.reshape(slope.shape, order="F")
        return found

    def curvature(self, shares: np.ndarray) -> np.ndarray:
        """The second derivatives of the loss: a block for each pair of columns; the lower ones only."""
        size, columns = self._first.shape
        whole = np.zeros((columns * size, columns * size), order="F")
        for i, j in zip(*np.tril_indices(columns), strict=True):
            block = whole[i * size : (i + 1) * size, j * size : (j + 1) * size]
            block[:] = self._block(shares[:, i], shares[:, j], i == j)
            block[-1, -1] += columns > 1  # the same for all intercepts changes nothing
        return whole

    def _block(self, left: np.ndarray, right: np.ndarray, same: bool) -> np.ndarray:
        weights = self._loss.weights[:, 0]
        if same:
            scaled = self._rows * np.sqrt(weights * left * (1 - left))[:, None]
            return np.asarray(scaled.T @ scaled)
        return np.asarray(-(self._rows * (weights * left * right)[:, None]).T @ self._rows)

    def _by_products(
        self, shares: np.ndarray, right: np.ndarray, penalty: np.ndarray
    ) -> np.ndarray:
        """Solve by conjugate gradients, scaled by the lengths of columns."""
        spread = self._loss.weights * shares * (1 - shares)
        lengths = np.einsum("ij,ij->j", self._rows, self._rows) / len(self._rows)
        scale = np.outer(lengths, spread.sum(axis=0)) + penalty
        solved, left = np.zeros_like(right), right
        towards = scaled = left / scale
        size = float((left * scaled).sum())
        enough = ENOUGH**2 * size
        for _ in range(right.size):
            product = self._curvature_times(shares, towards, penalty)
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

    def _curvature_times(
        self, shares: np.ndarray, direction: np.ndarray, penalty: np.ndarray
    ) -> np.ndarray:
        moved = shares * (self._rows @ direction)
        common = shares * (moved if self._loss.columns == 1 else moved.sum(axis=1, keepdims=True))
        curved = self._loss.weights * (moved - common)
        return np.asarray(self._rows.T @ curved + penalty * direction)
