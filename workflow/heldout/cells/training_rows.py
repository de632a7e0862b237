"""The training rows that a model holds, as k-NN and kernel machines do: kept as row numbers, not as copies.

What such a model holds are rows of one matrix: the rows of the prepared table that it was trained on, transformed by the
steps before it. So this matrix is made again, from the table and the fitted steps, when the model is opened. It must then
have the digest that it had; steps whose numbers depend on the machine, as those of linear algebra do, are left alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from heldout.data.prepared import Prepared, row_digest
from heldout.names import digest

EXACT = frozenset(
    {
        "heldout.numerics.preprocessing.Preprocessor",
        "heldout.numerics.steps.prepare.Prepare",
        "heldout.numerics.steps.table.TableColumns",
        "sklearn.preprocessing._polynomial.PolynomialFeatures",
        "sklearn.impute._base.SimpleImputer",
        "sklearn.preprocessing._data.StandardScaler",
        "sklearn.preprocessing._data.MinMaxScaler",
        "sklearn.preprocessing._data.RobustScaler",
    }
)
"""Steps that move, subtract, multiply and divide single numbers: the same bits on every machine."""


@dataclass(frozen=True)
class TrainingRows:
    """How the matrix that a model was trained on is made again.

    Parameters
    ----------
    steps
        The fitted steps before the model.
    gaps
        The first row number, then the difference of each from the one before: these take less space.
    digest
        Of the matrix.
    """

    steps: tuple[Any, ...]
    gaps: np.ndarray
    digest: str

    def matrix(self, table: Prepared) -> np.ndarray | None:
        """The matrix; None if the table is not the one that the model was trained on."""
        rows = _numbers(self.gaps, table)
        found = None if rows is None else _transformed(table, rows, self.steps)
        return None if found is None or _digest(found) != self.digest else found


@dataclass(frozen=True)
class SourceRows:
    """The same for coefficients that are combinations of the rows: these are compared as they are in the table.

    Parameters
    ----------
    steps, gaps
        As in `TrainingRows`.
    digest
        Of the digest of each row.
    """

    steps: tuple[Any, ...]
    gaps: np.ndarray
    digest: str

    def matrix(self, table: Prepared) -> np.ndarray | None:
        """The matrix; None if the table is not the one that the model was trained on."""
        rows = _numbers(self.gaps, table)
        if rows is None:
            return None
        found = table.features[rows]
        if digest(*map(row_digest, found)) != self.digest:
            return None
        for step in self.steps:
            found = step.transform(found)
        return np.asarray(found)


class TrainingMatrix:
    """The matrix that a model was trained on, to look for its rows in the arrays of the model.

    Parameters
    ----------
    table
        The prepared table.
    rows
        The numbers of the training rows.
    steps
        The fitted steps before the model.

    Examples
    --------
    >>> table = Prepared({}, np.array([[1.0], [2.0], [4.0]]), np.zeros(3), np.zeros(3))
    >>> matrix = TrainingMatrix(table, np.array([0, 2]), [])
    >>> matrix.places(np.array([[4.0], [1.0], [4.0]])).tolist(), matrix.places(np.array([[2.0]]))
    ([1, 0, 1], None)
    """

    def __init__(self, table: Prepared, rows: np.ndarray, steps: Sequence[Any]):
        self._table, self._rows, self._steps = table, rows, tuple(steps)

    def is_by(self, steps: Sequence[Any]) -> bool:
        """Whether it is what these very steps make of the rows."""
        return [*map(id, steps)] == [*map(id, self._steps)]

    @cached_property
    def values(self) -> np.ndarray | None:
        """The matrix as it will be made again; None if the steps are not exact."""
        if not all(_kind(step) in EXACT for step in self._steps):
            return None
        return _transformed(self._table, self._rows, self._steps)

    @cached_property
    def recipe(self) -> TrainingRows:
        """How it is made again."""
        assert self.values is not None
        return TrainingRows(self._steps, np.diff(self._rows, prepend=0), _digest(self.values))

    @cached_property
    def source(self) -> SourceRows | None:
        """How it is made again for a combination of its rows; None if the steps are not exact."""
        framed = self._steps and getattr(self._steps[0], "takes_frame", False)
        if framed or not all(_kind(step) in EXACT for step in self._steps):
            return None
        known = self._table.row_digests
        found = digest(*(known[row] for row in self._rows))
        return SourceRows(self._steps, np.diff(self._rows, prepend=0), found)

    def places(self, array: np.ndarray) -> np.ndarray | slice | None:
        """The position in the matrix of each row of an array; None if one is not in it, to the last bit."""
        values = self.values if array.ndim == 2 else None
        if values is None or (array.shape[1:], array.dtype) != (values.shape[1:], values.dtype):
            return None
        if array.shape == values.shape and np.array_equal(_bits(array), _bits(values)):
            return slice(None)
        found = [self._places.get(row.tobytes(), -1) for row in array]
        return None if -1 in found else np.array(found)

    @cached_property
    def _places(self) -> dict[bytes, int]:
        assert self.values is not None
        return {row.tobytes(): place for place, row in enumerate(self.values)}


def _numbers(gaps: np.ndarray, table: Prepared) -> np.ndarray | None:
    """The row numbers; None if the table has fewer rows."""
    rows = np.cumsum(gaps)
    return None if len(rows) and rows.max() >= table.n else rows


def _kind(step: Any) -> str:
    return f"{type(step).__module__}.{type(step).__qualname__}"


def _transformed(table: Prepared, rows: np.ndarray, steps: Sequence[Any]) -> np.ndarray:
    found: Any
    if steps and getattr(steps[0], "takes_frame", False):
        found = table.frame.iloc[rows].reset_index(drop=True)
    else:
        found = table.features[rows]
    for step in steps:
        found = step.transform(found)
    return np.asarray(found)


def _bits(array: np.ndarray) -> np.ndarray:
    """Numbers that are equal if all bits are: 0 and −0 are not, and nothing is equal to NaN."""
    return array.view(f"u{array.dtype.itemsize}")


def _digest(matrix: np.ndarray) -> str:
    return digest(f"{matrix.dtype.str} {matrix.shape}", np.ascontiguousarray(matrix).data.cast("B"))
