"""Rows of a table that are cut out of it when they are needed."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np


class Cut:
    """Some rows and columns of a matrix: not a copy, until one is asked for.

    Parameters
    ----------
    table
        The matrix; perhaps a file that is mapped into memory.
    rows
        Row numbers.
    columns
        Positions of columns; None for all of them.

    Examples
    --------
    >>> cut = Cut(np.arange(6.0).reshape(3, 2), np.array([2, 0]))
    >>> cut.array
    array([[4., 5.],
           [0., 1.]])
    >>> cut.columns([1])[:, 0:1]
    array([[5.],
           [1.]])
    """

    def __init__(self, table: np.ndarray, rows: np.ndarray, columns: Sequence[int] | None = None):
        self._table, self._rows, self._columns = table, rows, columns

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        width = self._table.shape[1] if self._columns is None else len(self._columns)
        return len(self._rows), width

    @cached_property
    def array(self) -> np.ndarray:
        """A copy, made once."""
        if self._columns is not None:
            return self[:, :]
        return np.asarray(self._table[self._rows])

    def columns(self, positions: Sequence[int]) -> "Cut":
        """The same rows with these columns of the table only."""
        return Cut(self._table, self._rows, positions)

    def __getitem__(self, key: tuple[slice, slice]) -> Any:
        """A copy of all rows of a block of columns: `cut[:, 2:4]`."""
        _, block = key
        table = np.asarray(self._table)
        positions = np.arange(table.shape[1]) if self._columns is None else self._columns
        chosen = positions[block]
        values = np.empty((len(self._rows), len(chosen)), table.dtype, order="F")
        for place, column in enumerate(chosen):
            values[:, place] = table[:, column].take(self._rows)
        return values
