"""Products of the columns of a matrix, computed where they are needed."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

MOST = 4000
"""Columns among which all products are computed at once."""


class Gram:
    """G = XᵀX/n: all of it where X has no more columns than rows, else the part that is asked for.

    Parameters
    ----------
    rows
        X, with n rows.

    Examples
    --------
    >>> Gram(np.eye(3)[:2]).among(np.array([1, 2]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """

    def __init__(self, rows: np.ndarray):
        count, columns = rows.shape
        self._rows = rows
        self._whole = columns <= count and columns <= MOST
        self._known = rows.T @ rows / count if self._whole else np.empty((0, 0))
        self._learned = np.arange(columns) if self._whole else np.zeros(0, np.intp)
        self._place = np.arange(columns) if self._whole else np.full(columns, -1)

    @contextmanager
    def for_now(self) -> Iterator[None]:
        """Forget afterwards what is learned inside, so that later products do not depend on it."""
        learned = self._learned
        yield
        self._place[self._learned[len(learned) :]] = -1
        self._learned = learned

    def among(self, columns: np.ndarray, ridge: float = 0.0) -> np.ndarray:
        """G among some columns, with a number added to its diagonal.

        Parameters
        ----------
        columns
            The positions of the columns.
        ridge
            What is added.

        Returns
        -------
        numpy.ndarray
            A new matrix.
        """
        self._learn(columns[self._place[columns] < 0])
        place = self._place[columns]
        matrix: np.ndarray = self._known[place[:, None], place]
        matrix.flat[:: len(columns) + 1] += ridge
        return matrix

    def times(self, columns: np.ndarray, coefs: np.ndarray) -> np.ndarray:
        """Gb, for a b that is zero in all but some columns."""
        if self._whole:
            return coefs @ self._known[columns]
        return (self._rows[:, columns] @ coefs) @ self._rows / len(self._rows)

    def _learn(self, new: np.ndarray) -> None:
        if not len(new):
            return
        old, size = len(self._learned), len(self._learned) + len(new)
        if size > len(self._known):
            known = self._known
            self._known = np.empty((2 * size, 2 * size))
            self._known[:old, :old] = known[:old, :old]
        self._learned = np.concatenate([self._learned, new])
        self._place[new] = np.arange(old, size)
        part = self._rows[:, self._learned].T @ self._rows[:, new] / len(self._rows)
        self._known[:size, old:size] = part
        self._known[old:size, :size] = part.T
