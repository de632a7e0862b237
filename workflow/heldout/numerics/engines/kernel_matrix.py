"""Kernel matrices by BLAS, with exactly the numbers that libsvm's solver uses.

libsvm rounds kernel values to 32 bits, except on the diagonal. A product of matrices sums in another
order than libsvm's dot products. So a value halfway between two 32-bit numbers may be rounded to the
other one, and the solver would take other steps. Such values are few; they are computed again one
by one, as libsvm computes them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.blas import ddot

LARGEST = 25_000_000
"""Kernel values that are held in memory at once, 200 MB: a training set of 5000 rows."""
STEP = 32
"""Rows at a time: intermediate results stay in the processor's cache."""
ROUNDING = float(np.finfo(np.float64).eps)
MAX_RECOMPUTED = 0.005
"""To compute more than this share of the values again takes longer than a fit without the matrix."""


class Rows(NamedTuple):
    """Rows and their squared norms, summed as libsvm sums them."""

    values: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> "Rows":
        """The rows of a matrix, in the memory layout that libsvm needs."""
        values = np.ascontiguousarray(values, np.float64)
        return cls(values, np.array([ddot(row, row) for row in values]))

    def part(self, start: int, end: int | None = None) -> "Rows":
        """Some of the rows."""
        return Rows(self.values[start:end], self.squares[start:end])


@dataclass(frozen=True)
class Kernel:
    """One of scikit-learn's kernels, k(x, y) = function(argument), with `gamma` as a number.

    rbf exp(−γ‖x−y‖²), linear xᵀy, poly (γxᵀy + coef0)^degree, sigmoid tanh(γxᵀy + coef0).
    """

    kind: str
    gamma: float
    coef0: float
    degree: int

    @classmethod
    def of(cls, model: Any, train: np.ndarray) -> "Kernel":
        """The kernel of a model that is to be fitted on these rows."""
        gamma = model.gamma
        if gamma == "auto":
            gamma = 1.0 / train.shape[1]
        elif gamma == "scale":
            variance = train.var()
            gamma = 1.0 / (train.shape[1] * variance) if variance != 0 else 1.0
        return cls(model.kernel, gamma, model.coef0, model.degree)

    def between(self, rows: Rows, others: Rows) -> np.ndarray:
        """The kernel of each row with each of the others."""
        return self._function(np, self.arguments(rows, others))

    def blocks(self, rows: Rows, others: Rows) -> Iterator[np.ndarray]:
        """The kernel of each row with each of the others, some rows at a time."""
        for start in range(0, len(rows.values), STEP):
            yield self.between(rows.part(start, start + STEP), others)

    def gram(self, rows: Rows) -> np.ndarray | None:
        """The kernel of each row with each row, as libsvm rounds it.

        None if it is too large, or if too many values would have to be computed again.
        """
        count = len(rows.values)
        if count**2 > LARGEST:
            return None
        matrix = np.empty((count, count))
        allowed = MAX_RECOMPUTED * count**2
        for start in range(0, count, STEP):
            block, uncertain = self._gram_block(rows, start)
            allowed -= len(uncertain)
            if allowed < 0:
                return None
            for i, j in uncertain:
                block[i, j] = self._as_libsvm(rows, start + i, start + j)
            matrix[start : start + STEP, start:] = block
            matrix[start:, start : start + STEP] = block.T
        np.fill_diagonal(matrix, [self._as_libsvm(rows, i, i) for i in range(count)])
        return matrix

    def _gram_block(self, rows: Rows, start: int) -> tuple[np.ndarray, np.ndarray]:
        """Some rows with themselves and all later ones; the positions where rounding is uncertain."""
        arguments = self.arguments(rows.part(start, start + STEP), rows.part(start))
        block = self._function(np, arguments)
        error = self.value_error(arguments, block, self.argument_error(rows))
        low, high = (block - error).astype(np.float32), (block + error).astype(np.float32)
        return block, np.argwhere(low != high)

    def _as_libsvm(self, rows: Rows, i: int, j: int) -> float:
        """One value, by libsvm's dot product and the C library's functions, which can differ from numpy's."""
        dot = ddot(rows.values[i], rows.values[j])
        squares = float(rows.squares[i] + rows.squares[j])
        return self._function(math, self._argument(dot, squares))

    def arguments(self, rows: Rows, others: Rows) -> np.ndarray:
        """The argument of the kernel function, for each row with each of the others."""
        squares = rows.squares[:, None] + others.squares if self.kind == "rbf" else 0.0
        return self._argument(rows.values @ others.values.T, squares)

    def _argument(self, dot: Any, squares: Any) -> Any:
        if self.kind == "rbf":
            return -self.gamma * (squares - 2 * dot)
        return dot if self.kind == "linear" else self.gamma * dot + self.coef0

    def _function(self, library: Any, argument: Any) -> Any:
        if self.kind == "rbf":
            return library.exp(argument)
        if self.kind == "sigmoid":
            return library.tanh(argument)
        return _power(argument, self.degree) if self.kind == "poly" else argument

    def value_error(self, arguments: np.ndarray, values: np.ndarray, error: float) -> Any:
        """A bound on the error of values whose arguments have this error: the error times the slope."""
        if self.kind == "rbf":
            return values * error
        if self.kind == "poly":
            slope = self.degree * _power(np.abs(arguments) + error, max(self.degree - 1, 0))
            return slope * error
        return error

    def argument_error(self, rows: Rows) -> float:
        """A bound on the difference of two ways to sum an argument, and on the function's rounding."""
        sums = ROUNDING * (rows.values.shape[1] + 4)
        largest = float(rows.squares.max())
        if self.kind == "linear":
            return sums * largest
        if self.kind == "rbf":
            return sums * (4 * self.gamma * largest + 1)
        return sums * (self.gamma * largest + abs(self.coef0))


def _power(base: Any, times: int) -> Any:
    """A whole power, multiplied in libsvm's order."""
    product = base**0
    while times > 0:
        if times % 2:
            product = product * base
        base = base * base
        times //= 2
    return product
