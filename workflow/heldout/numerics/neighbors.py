"""k nearest neighbours with ties broken by (distance, training index), for every k.

scikit-learn's own classes break ties in the order in which their search finds the rows. These
classes give the same predictions where nothing is tied, and one query serves every k.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.neighbors import NearestNeighbors

MARGIN = 8
"""A search returns so many rows more than the k nearest: rows tied with the k-th are among them."""
BLOCK = 2**16
"""Numbers that are computed at once: they fit into the processor's cache."""
SMALL_SEARCH = 6000
"""Up to so many distances are computed with plain numpy, which starts quicker than a search."""
QUERY_COST = 200
"""The cost of numpy's calls for one query, counted in distances."""
ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Times the number of features: a generous bound on the relative rounding error of ‖x‖² − 2xᵀy + ‖y‖²."""


def nearest(train: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """The k nearest training rows of each query, by (distance, index).

    Parameters
    ----------
    train, queries
        Rows of numbers.
    k
        How many neighbours; at most the number of training rows.

    Returns
    -------
    numpy.ndarray
        Positions of training rows, nearest first: a row of k for each query.

    Examples
    --------
    >>> nearest(np.array([[0.0], [2.0], [3.0]]), np.array([[1.0]]), 2)
    array([[0, 1]])
    """
    if k > len(train):
        raise ValueError(f"n_neighbors = {k} is more than the {len(train)} training rows")
    count = min(k + MARGIN, len(train))
    if len(queries) * (len(train) + QUERY_COST) <= SMALL_SEARCH or count == len(train):
        return np.stack([_nearest_to(query, train, k) for query in queries])
    centre = central_point(train)
    centred = queries - centre
    search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(train - centre)
    candidates = np.sort(search.kneighbors(centred, return_distance=False), axis=1)
    squares = np.empty(candidates.shape)
    for block in blocks(len(queries), count * train.shape[1]):
        squares[block] = squared_distances(train, candidates[block], queries[block])
    order = np.argsort(squares, axis=1, kind="stable")
    chosen = np.take_along_axis(candidates, order, axis=1)[:, :k]
    ranked = np.take_along_axis(squares, order, axis=1)
    # Where rows beyond the candidates may be tied with the k-th, all distances are computed.
    error = rounding_error(np.linalg.norm(centred, axis=1), ranked[:, -1], train.shape[1])
    for row in np.flatnonzero(~(ranked[:, -1] - ranked[:, k - 1] > error)):
        chosen[row] = _nearest_to(queries[row], train, k)
    return chosen


def central_point(rows: np.ndarray) -> np.ndarray:
    """The median of some of the rows, as a new origin.

    A search computes distances from scalar products, whose rounding errors grow with the distance
    from the origin.
    """
    return np.median(rows[:: len(rows) // 100 + 1], axis=0)


def blocks(queries: int, numbers: int) -> Iterator[slice]:
    """Slices of the queries, small enough for the cache if each query needs so many numbers."""
    step = max(1, BLOCK // numbers)
    for start in range(0, queries, step):
        yield slice(start, start + step)


def squared_distances(train: np.ndarray, candidates: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """From each query to its own candidates among the training rows, rounded as in `_nearest_to`."""
    differences = train[candidates] - queries[:, None, :]
    differences *= differences
    return differences.sum(axis=2)


def rounding_error(norms: np.ndarray, squares: np.ndarray, features: int) -> np.ndarray:
    """How far ‖x‖² − 2xᵀy + ‖y‖² may be from these squared distances, and they from the true ones.

    ‖x‖ is given; ‖y‖ is at most ‖x‖ plus the distance.
    """
    return ROUNDING * (features + 8) * (2 * norms + np.sqrt(squares)) ** 2


def _nearest_to(query: np.ndarray, train: np.ndarray, k: int) -> np.ndarray:
    """The k nearest rows to one query, from the distances of all rows."""
    distances = ((train - query) ** 2).sum(axis=1)
    if k < len(train):
        limit = np.partition(distances, k - 1)[k - 1]
        near = np.flatnonzero(distances <= limit)
    else:
        near = np.arange(len(train))
    return near[np.argsort(distances[near], kind="stable")][:k]


class _ExactKNeighbors(BaseEstimator):
    """What classifier and regressor have in common: they average the votes of the neighbours."""

    def __init__(self, n_neighbors: int = 5, weights: str = "uniform"):
        self.n_neighbors = n_neighbors
        self.weights = weights

    def fit(self, features: np.ndarray, target: np.ndarray) -> Any:
        """Store the training rows and their votes."""
        self.features_ = np.ascontiguousarray(features)
        self._store_votes(target)
        return self

    def _store_votes(self, target: np.ndarray) -> None:
        self.votes_ = np.asarray(target, np.float64)[:, None]

    def _mean_votes(self, features: np.ndarray) -> np.ndarray:
        neighbors = nearest(self.features_, np.asarray(features), self.n_neighbors)
        sums = np.cumsum(self.votes_[neighbors], axis=1)
        return sums[:, self.n_neighbors - 1] / self.n_neighbors


class ExactKNeighborsRegressor(RegressorMixin, _ExactKNeighbors):
    """The mean target of the k nearest rows.

    Parameters
    ----------
    n_neighbors
        The number of neighbours.
    weights
        `uniform`, the only value; as in scikit-learn's class.
    """

    def predict(self, features: np.ndarray) -> np.ndarray:
        """One number for each row."""
        return self._mean_votes(features)[:, 0]


class ExactKNeighborsClassifier(ClassifierMixin, _ExactKNeighbors):
    """The class shares among the k nearest rows; of equal shares the first class wins.

    Parameters
    ----------
    n_neighbors
        The number of neighbours.
    weights
        `uniform`, the only value; as in scikit-learn's class.
    """

    def _store_votes(self, target: np.ndarray) -> None:
        """One vote for the class of each row."""
        self.classes_, codes = np.unique(np.asarray(target), return_inverse=True)
        self.votes_ = np.eye(len(self.classes_))[codes]

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        """The share of each class."""
        return self._mean_votes(features)

    def predict(self, features: np.ndarray) -> np.ndarray:
        """The class with the largest share."""
        return self.classes_[self._mean_votes(features).argmax(axis=1)]
