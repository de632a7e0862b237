"""Candidate neighbours: the nearest rows in the whole table, found once for a job's training sets.

Every training set scales the features by its own rows, so every one has its own distances, and a
search among all its rows is most of the work of k-NN. But scales hardly differ between the sets of
a job. With s_f the scales of all rows, s'_f those of a training set, and w_f = (s_f / s'_f)²,

    min w · d² ≤ d'² ≤ max w · d².

So the nearest training rows of a row are taken from its candidates, the nearest rows under s, by the
distances d' of the training set itself. They are the right ones if the k-th is nearer than √(min w)
times the farthest candidate. Where that is not certain to the last bit, the training set is searched.

Nothing is learned from held-out rows: the scales of all rows only choose rows to compare with, and
the result is that of `nearest` on the training rows alone, whichever rows are chosen.
"""

from typing import NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from heldout.numerics.neighbors import blocks, central_point, rounding_error, squared_distances
from heldout.numerics.preprocessing import Preprocessor

QUERIES = 4096
"""Rows that are searched for at a time: the result of a search takes twice the memory of candidates."""
MAX_UNCERTAIN = 0.5
"""Candidates are no longer used above this share of uncertain rows, as where most distances are tied."""
SINGLE_PRECISION = 1e-6
"""More than the relative rounding error of a distance in single precision, and of its square."""


class Spread(NamedTuple):
    """How the scaling of a training set differs from the reference, the scaling of all rows."""

    low: float
    """min w"""
    high: float
    """max w"""
    shift: float
    """The distance between the means, in units of the reference."""


class Candidates:
    """The nearest rows of the table to each row, under one reference scaling; found when needed.

    Parameters
    ----------
    reference
        The preprocessing, fitted on all rows.
    rows
        All rows, preprocessed by it.
    k
        The number of neighbours that the width was chosen for.
    width
        The number of candidates of each row.
    """

    def __init__(self, reference: Preprocessor, rows: np.ndarray, k: int, width: int):
        self.k = k
        self.nbytes = bytes_of(len(rows), width)
        self._reference = reference
        self._rows = rows if reference.scale else rows - central_point(rows)
        self._norms = np.linalg.norm(self._rows, axis=1)
        self._searched = np.zeros(len(rows), bool)
        self._neighbors = np.empty((len(rows), width), np.int32)
        self._distances = np.empty((len(rows), width), np.float32)
        self._search = NearestNeighbors(n_neighbors=width, algorithm="brute").fit(self._rows)
        self._n_queries = self._n_uncertain = 0

    def serves(self, preprocessor: Preprocessor) -> bool:
        """Whether a training set differs only in its scales, and most rows were certain so far."""
        levels = zip(self._reference.levels_, preprocessor.levels_, strict=True)
        same_levels = all(np.array_equal(ours, theirs) for ours, theirs in levels)
        return same_levels and self._n_uncertain <= MAX_UNCERTAIN * self._n_queries

    def find(
        self,
        rows: np.ndarray,
        held: np.ndarray,
        training_rows: "TrainingRows",
        preprocessor: Preprocessor,
        k: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Look for the k nearest training rows among the candidates.

        Parameters
        ----------
        rows
            The rows of the table whose neighbours are needed.
        held
            Their features, preprocessed by the training set.
        training_rows
            The training set.
        preprocessor
            Its preprocessing.
        k
            The number of neighbours.

        Returns
        -------
        tuple of numpy.ndarray
            For each row whether its neighbours are certain; the neighbours of the certain rows.
        """
        self._search_for(rows)
        spread = self._spread(preprocessor)
        widths = self._widths(rows, training_rows.position, k, spread)
        neighbors, kth, last = self._compared(rows, held, training_rows, widths, k)
        certain = kth < self._least_beyond(rows, last, spread)
        self._n_queries += len(rows)
        self._n_uncertain += int(np.count_nonzero(~certain))
        return certain, training_rows.with_copies(neighbors[certain])

    def _compared(
        self,
        rows: np.ndarray,
        held: np.ndarray,
        training_rows: "TrainingRows",
        widths: np.ndarray,
        k: int,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compare each row with the first `widths` of its candidates.

        Returns the k nearest of them, the k-th squared distance, and the distance of the last one
        under the reference.
        """
        neighbors = np.empty((len(rows), k), np.intp)
        kth, last = np.empty((2, len(rows)))
        order = np.argsort(widths, kind="stable")  # rows of a block have about the same width
        for block in blocks(len(rows), int(widths.mean()) * held.shape[1]):
            some = order[block]
            width = widths[some[-1]]
            positions = training_rows.position[self._neighbors[rows[some], :width]]
            neighbors[some], kth[some] = _nearest_of(
                positions, training_rows.features, held[some], k
            )
            last[some] = self._distances[rows[some], width - 1]
        return neighbors, kth, last

    def _search_for(self, rows: np.ndarray) -> None:
        """Find the candidates of rows that have none yet."""
        new = rows[~self._searched[rows]]
        for start in range(0, len(new), QUERIES):
            some = new[start : start + QUERIES]
            self._distances[some], self._neighbors[some] = self._search.kneighbors(self._rows[some])
        self._searched[new] = True

    def _spread(self, preprocessor: Preprocessor) -> Spread:
        """Categories are not scaled: their w is 1."""
        if not preprocessor.scale:
            return Spread(1.0, 1.0, 0.0)
        scales = self._reference.scales_
        ratios = (scales / preprocessor.scales_) ** 2
        shift = np.linalg.norm((preprocessor.means_ - self._reference.means_) / scales)
        return Spread(ratios.min(initial=1.0), ratios.max(initial=1.0), float(shift))

    def _widths(self, rows: np.ndarray, position: np.ndarray, k: int, spread: Spread) -> np.ndarray:
        """How many candidates of each row can be among the k nearest, and one more."""
        candidates, distances = self._neighbors[rows], self._distances[rows]
        n_in_training = np.cumsum(position[candidates] >= 0, axis=1, dtype=np.int32)
        kth = (n_in_training < k).sum(axis=1)
        last = np.minimum(kth, distances.shape[1] - 1)
        reach = distances[np.arange(len(rows)), last] * np.sqrt(spread.high / spread.low)
        within_reach = (distances <= reach[:, None]).sum(axis=1)
        return np.clip(within_reach + 1, last + 1, distances.shape[1])

    def _least_beyond(self, rows: np.ndarray, last: np.ndarray, spread: Spread) -> np.ndarray:
        """A lower bound on the squared distances of rows beyond the last candidate."""
        error = rounding_error(self._norms[rows] + spread.shift, last**2, self._rows.shape[1])
        return spread.low * (1 - SINGLE_PRECISION) * last**2 - spread.high * error


class TrainingRows:
    """A training set, and where it contains each row of the table.

    Parameters
    ----------
    n
        The number of rows of the table.
    rows
        The training rows, as row numbers of the table; a row may occur several times.
    features
        Their preprocessed features.
    """

    def __init__(self, n: int, rows: np.ndarray, features: np.ndarray):
        self.features = features
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        self.position = np.full(n, -1, np.int32)
        """The position of each row of the table in the training set; -1 if it is not in it."""
        self.position[rows[first]] = first
        self.copies_adjacent = len(first) == np.count_nonzero(self.position >= 0)
        """Whether the copies of a row, as in a bootstrap bag, follow one another."""
        self._copies = np.zeros(len(rows), np.intp)
        self._copies[first] = np.diff(first, append=len(rows))

    def with_copies(self, neighbors: np.ndarray) -> np.ndarray:
        """Each neighbour as often as it is in the training set; of all these the first k."""
        copies = self._copies[neighbors]
        if (copies == 1).all():  # also if there are no neighbours
            return neighbors
        times = copies.ravel()
        ends = np.cumsum(times)
        nth = np.arange(ends[-1]) - np.repeat(ends - times, times)
        positions = np.repeat(neighbors.ravel(), times) + nth
        starts = np.cumsum(copies.sum(axis=1)) - copies.sum(axis=1)
        return positions[starts[:, None] + np.arange(neighbors.shape[1])]


def _nearest_of(
    positions: np.ndarray, train: np.ndarray, queries: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of these training rows (-1: none) to each query, and the k-th squared distance."""
    positions = np.sort(positions, axis=1)
    squares = squared_distances(train, positions, queries)
    squares[positions < 0] = np.inf
    best = np.argsort(squares, axis=1, kind="stable")[:, :k]
    kth = np.take_along_axis(squares, best[:, -1:], axis=1)[:, 0]
    return np.take_along_axis(positions, best, axis=1), kth


def bytes_of(n: int, width: int) -> int:
    """The memory that the candidates of n rows take."""
    return n * width * (np.dtype(np.int32).itemsize + np.dtype(np.float32).itemsize)
