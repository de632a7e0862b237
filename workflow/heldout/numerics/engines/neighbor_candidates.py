"""Candidate neighbours: the nearest rows in the whole table, found once for a job's training sets.

Every training set scales the features by its own rows, so every one has its own distances, and a
search among all its rows is most of the work of k-NN. But scales hardly differ between the sets of
a job. With s_f the scales of all rows, s'_f those of a training set, and w_f = (s_f / s'_f)²,

    min w · d² ≤ d'² ≤ max w · d².

So the training rows nearest to a row are looked for among its candidates under s, by the distances d'
of the training set itself. They are the right ones if the k-th is nearer than √(min w) times the
farthest candidate; where that is not certain to the last bit, the training set is searched.

Nothing is learned from held-out rows: the scales of all rows only propose rows to compare with.
Whatever they propose, the result is that of `nearest` on the training rows alone.
"""

from typing import NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from heldout.numerics.neighbors import blocks, centre_of, rounding, squared_distances
from heldout.numerics.preprocessing import Preprocessor

QUERIES = 4096
"""Rows that are searched for at a time: what the search returns is twice as large as what is kept."""
MISSES = 0.5
"""The share of uncertain rows above which sharing is given up, as where most distances are tied."""
SINGLE = 1e-6
"""More than the rounding of a distance to single precision, and of its square."""


class Spread(NamedTuple):
    """How a training set's scaling differs from the reference's: min w, max w, and the means."""

    low: float
    high: float
    shift: float


class Candidates:
    """The `width` nearest rows of those rows that were searched for, under one reference scaling.

    `k` is the number of neighbours that the width was chosen for.
    """

    def __init__(self, reference: Preprocessor, rows: np.ndarray, k: int, width: int):
        self.k = k
        self.nbytes = bytes_of(len(rows), width)
        self._reference = reference
        self._rows = rows if reference.scale else rows - centre_of(rows)
        self._norms = np.linalg.norm(self._rows, axis=1)
        self._known = np.zeros(len(rows), bool)
        self._near = np.empty((len(rows), width), np.int32)
        self._far = np.empty((len(rows), width), np.float32)
        self._search = NearestNeighbors(n_neighbors=width, algorithm="brute").fit(self._rows)
        self._asked = self._missed = 0

    def serves(self, own: Preprocessor) -> bool:
        """Whether a training set differs in its scales only, and most rows were certain so far."""
        levels = zip(self._reference.levels_, own.levels_, strict=True)
        alike = all(np.array_equal(ours, theirs) for ours, theirs in levels)
        return alike and self._missed <= MISSES * self._asked

    def find(
        self, rows: np.ndarray, held: np.ndarray, trained: "TrainingRows", own: Preprocessor, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """For which rows of the table the answer is certain, and their k nearest training rows.

        `held` are the features of the rows as the training set prepares them.
        """
        self._search_for(rows)
        spread = self._spread(own)
        widths = self._widths(rows, trained.place, k, spread)
        neighbours, kth, far = self._compared(rows, held, trained, widths, k)
        certain = kth < self._beyond(rows, far, spread)
        self._asked += len(rows)
        self._missed += int(np.count_nonzero(~certain))
        return certain, trained.with_copies(neighbours[certain])

    def _compared(
        self,
        rows: np.ndarray,
        held: np.ndarray,
        trained: "TrainingRows",
        widths: np.ndarray,
        k: int,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The nearest among so many candidates, the k-th squared distance, and that of the last candidate."""
        neighbours = np.empty((len(rows), k), np.intp)
        kth, far = np.empty((2, len(rows)))
        order = np.argsort(widths, kind="stable")  # rows of a block look equally far
        for block in blocks(len(rows), int(widths.mean()) * held.shape[1]):
            some = order[block]
            width = widths[some[-1]]
            near = trained.place[self._near[rows[some], :width]]
            neighbours[some], kth[some] = _nearest_of(near, trained.features, held[some], k)
            far[some] = self._far[rows[some], width - 1]
        return neighbours, kth, far

    def _search_for(self, rows: np.ndarray) -> None:
        """Find the candidates of rows that have none yet."""
        new = rows[~self._known[rows]]
        for start in range(0, len(new), QUERIES):
            some = new[start : start + QUERIES]
            self._far[some], self._near[some] = self._search.kneighbors(self._rows[some])
        self._known[new] = True

    def _spread(self, own: Preprocessor) -> Spread:
        """Categories are not scaled: their w is 1."""
        if not own.scale:
            return Spread(1.0, 1.0, 0.0)
        scales = self._reference.scales_
        ratios = (scales / own.scales_) ** 2
        shift = np.linalg.norm((own.means_ - self._reference.means_) / scales)
        return Spread(ratios.min(initial=1.0), ratios.max(initial=1.0), float(shift))

    def _widths(self, rows: np.ndarray, place: np.ndarray, k: int, spread: Spread) -> np.ndarray:
        """How many candidates of each row can be among the k nearest, and one more."""
        near, far = self._near[rows], self._far[rows]
        inside = np.cumsum(place[near] >= 0, axis=1, dtype=np.int32)
        kth = (inside < k).sum(axis=1)
        there = np.minimum(kth, far.shape[1] - 1)
        reach = far[np.arange(len(rows)), there] * np.sqrt(spread.high / spread.low)
        return np.clip((far <= reach[:, None]).sum(axis=1) + 1, there + 1, far.shape[1])

    def _beyond(self, rows: np.ndarray, far: np.ndarray, spread: Spread) -> np.ndarray:
        """A lower bound on the squared distance of a row that is `far` away under the reference."""
        doubt = rounding(self._norms[rows] + spread.shift, far**2, self._rows.shape[1])
        return spread.low * (1 - SINGLE) * far**2 - spread.high * doubt


class TrainingRows:
    """The position of each row of the table in training, and the preprocessed training rows."""

    def __init__(self, n: int, rows: np.ndarray, features: np.ndarray):
        self.features = features
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        self.place = np.full(n, -1, np.int32)
        self.place[rows[first]] = first
        self.copies_adjacent = len(first) == np.count_nonzero(self.place >= 0)
        """Whether the copies of a row, as in a bootstrap bag, follow one another."""
        self._copies = np.zeros(len(rows), np.intp)
        self._copies[first] = np.diff(first, append=len(rows))

    def with_copies(self, neighbours: np.ndarray) -> np.ndarray:
        """Each neighbour as often as it stands in training, and of all these the first k."""
        copies = self._copies[neighbours]
        if (copies == 1).all():  # also where there are none
            return neighbours
        times = copies.ravel()
        ends = np.cumsum(times)
        nth = np.arange(ends[-1]) - np.repeat(ends - times, times)
        positions = np.repeat(neighbours.ravel(), times) + nth
        starts = np.cumsum(copies.sum(axis=1)) - copies.sum(axis=1)
        return positions[starts[:, None] + np.arange(neighbours.shape[1])]


def _nearest_of(
    near: np.ndarray, train: np.ndarray, queries: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of given positions in training (-1: not there), and the k-th squared distance."""
    near = np.sort(near, axis=1)
    squares = squared_distances(train, near, queries)
    squares[near < 0] = np.inf
    best = np.argsort(squares, axis=1, kind="stable")[:, :k]
    kth = np.take_along_axis(squares, best[:, -1:], axis=1)[:, 0]
    return np.take_along_axis(near, best, axis=1), kth


def bytes_of(n: int, width: int) -> int:
    """Memory that the candidates of n rows take."""
    return n * width * (np.dtype(np.int32).itemsize + np.dtype(np.float32).itemsize)
