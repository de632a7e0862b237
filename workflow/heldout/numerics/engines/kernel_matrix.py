"""Kernel matrices by BLAS, with the very numbers that libsvm's solver sees.

libsvm rounds kernel values to 32 bits, all but the diagonal. A product of matrices sums in another
order than libsvm's dot products: a value that lies halfway between two such numbers may be rounded
to the other one, and from there the solver takes another way. Such values are few; they are
computed anew as libsvm computes them, one by one.
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
"""Rows at a time: what is made of them on the way stays in the processor's cache."""
ROUNDING = float(np.finfo(np.float64).eps)
REDONE = 0.005
"""Computing anew more than this share of the values takes longer than a fit without the matrix."""


class Rows(NamedTuple):
    """Rows and their squared lengths, summed as libsvm sums."""

    values: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> "Rows":
        """The rows of a matrix, in the order in memory that libsvm wants."""
        values = np.ascontiguousarray(values, np.float64)
        return cls(values, np.array([ddot(row, row) for row in values]))

    def part(self, start: int, end: int | None = None) -> "Rows":
        """Some of the rows."""
        return Rows(self.values[start:end], self.squares[start:end])


@dataclass(frozen=True)
class Kernel:
    """A kernel of scikit-learn's, k(x, y) = shape(argument), with `gamma` as a number.

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
        return self._shape(np, self._arguments(rows, others))

    def blocks(self, rows: Rows, others: Rows) -> Iterator[np.ndarray]:
        """The same, some rows at a time."""
        for start in range(0, len(rows.values), STEP):
            yield self.between(rows.part(start, start + STEP), others)

    def gram(self, rows: Rows) -> np.ndarray | None:
        """The kernel of each row with each, as libsvm has it; None if too large or too uncertain."""
        count = len(rows.values)
        if count**2 > LARGEST:
            return None
        found = np.empty((count, count))
        left = REDONE * count**2
        for start in range(0, count, STEP):
            block, uncertain = self._rounded(rows, start)
            left -= len(uncertain)
            if left < 0:
                return None
            for i, j in uncertain:
                block[i, j] = self._one(rows, start + i, start + j)
            found[start : start + STEP, start:] = block
            found[start:, start : start + STEP] = block.T
        np.fill_diagonal(found, [self._one(rows, i, i) for i in range(count)])
        return found

    def _rounded(self, rows: Rows, start: int) -> tuple[np.ndarray, np.ndarray]:
        """Some rows with themselves and all later ones; where it is unsure how to round."""
        arguments = self._arguments(rows.part(start, start + STEP), rows.part(start))
        block = self._shape(np, arguments)
        error = self._spread(arguments, block, self._error(rows))
        low, high = (block - error).astype(np.float32), (block + error).astype(np.float32)
        return block, np.argwhere(low != high)

    def _one(self, rows: Rows, i: int, j: int) -> float:
        """With libsvm's dot product and the C library's functions, which are not always numpy's."""
        dot = ddot(rows.values[i], rows.values[j])
        squares = float(rows.squares[i] + rows.squares[j])
        return self._shape(math, self._argument(dot, squares))

    def _arguments(self, rows: Rows, others: Rows) -> np.ndarray:
        squares = rows.squares[:, None] + others.squares if self.kind == "rbf" else 0.0
        return self._argument(rows.values @ others.values.T, squares)

    def _argument(self, dot: Any, squares: Any) -> Any:
        if self.kind == "rbf":
            return -self.gamma * (squares - 2 * dot)
        return dot if self.kind == "linear" else self.gamma * dot + self.coef0

    def _shape(self, library: Any, argument: Any) -> Any:
        if self.kind == "rbf":
            return library.exp(argument)
        if self.kind == "sigmoid":
            return library.tanh(argument)
        return _power(argument, self.degree) if self.kind == "poly" else argument

    def _spread(self, arguments: np.ndarray, values: np.ndarray, error: float) -> Any:
        """How far off a value can be if its argument is off by so much: at most the slope times it."""
        if self.kind == "rbf":
            return values * error
        if self.kind == "poly":
            slope = self.degree * _power(np.abs(arguments) + error, max(self.degree - 1, 0))
            return slope * error
        return error

    def _error(self, rows: Rows) -> float:
        """A bound on what two ways to sum an argument differ by, with room for rounding the shape."""
        sums = ROUNDING * (rows.values.shape[1] + 4)
        largest = float(rows.squares.max())
        if self.kind == "linear":
            return sums * largest
        if self.kind == "rbf":
            return sums * (4 * self.gamma * largest + 1)
        return sums * (self.gamma * largest + abs(self.coef0))


def _power(base: Any, times: int) -> Any:
    """Multiplied in libsvm's order."""
    found = base**0
    while times > 0:
        if times % 2:
            found = found * base
        base = base * base
        times //= 2
    return found
