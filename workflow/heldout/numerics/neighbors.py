"""k nearest neighbours with ties broken by (distance, training index), whatever k.

scikit-learn's own classes break ties as their search structure happens to. These give the same
predictions where there are none, and one query serves every k.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.neighbors import NearestNeighbors

MARGIN = 8
CACHE = 2**16
"""Numbers at a time: the candidates of a block of queries stay in the processor's cache."""
FEW = 6000
"""Up to so many distances are computed with plain numpy, which starts quicker than a search."""
CALLS = 200
"""What numpy's calls for one query cost, in distances."""
ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Times features: the rounding of a squared distance that comes from a scalar product, with room."""


def nearest(train: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """The k nearest training rows of each query, by (distance, index)."""
    if k > len(train):
        raise ValueError(f"n_neighbors = {k} is more than the {len(train)} training rows")
    count = min(k + MARGIN, len(train))
    if len(queries) * (len(train) + CALLS) <= FEW or count == len(train):
        return np.stack([_exactly(train, query, k) for query in queries])
    centre = centre_of(train)
    asked = queries - centre
    search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(train - centre)
    candidates = np.sort(search.kneighbors(asked, return_distance=False), axis=1)
    squares = np.empty(candidates.shape)
    for block in blocks(len(queries), count * train.shape[1]):
        squares[block] = squared_distances(train, candidates[block], queries[block])
    order = np.argsort(squares, axis=1, kind="stable")
    chosen = np.take_along_axis(candidates, order, axis=1)[:, :k]
    ranked = np.take_along_axis(squares, order, axis=1)
    # A row whose ties may reach beyond its candidates is done exactly.
    doubt = rounding(np.linalg.norm(asked, axis=1), ranked[:, -1], train.shape[1])
    for row in np.flatnonzero(~(ranked[:, -1] - ranked[:, k - 1] > doubt)):
        chosen[row] = _exactly(train, queries[row], k)
    return chosen


def centre_of(rows: np.ndarray) -> np.ndarray:
    """A point amid most rows: far from zero, the scalar products of a search round too much."""
    return np.median(rows[:: len(rows) // 100 + 1], axis=0)


def blocks(queries: int, numbers: int) -> Iterator[slice]:
    """Slices of the queries, each of which deals with so many numbers."""
    step = max(1, CACHE // numbers)
    for start in range(0, queries, step):
        yield slice(start, start + step)


def squared_distances(train: np.ndarray, near: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """From each query to its own candidates among the training rows, rounded as in `_exactly`."""
    apart = train[near] - queries[:, None, :]
    apart *= apart
    return apart.sum(axis=2)


def rounding(norms: np.ndarray, squares: np.ndarray, features: int) -> np.ndarray:
    """How far ‖x‖² − 2xᵀy + ‖y‖² may be from these squared distances, and they from the truth.

    ‖x‖ is given; ‖y‖ is at most ‖x‖ plus the distance.
    """
    return ROUNDING * (features + 8) * (2 * norms + np.sqrt(squares)) ** 2


def _exactly(train: np.ndarray, query: np.ndarray, k: int) -> np.ndarray:
    distances = ((train - query) ** 2).sum(axis=1)
    if k < len(train):
        limit = np.partition(distances, k - 1)[k - 1]
        near = np.flatnonzero(distances <= limit)
    else:
        near = np.arange(len(train))
    return near[np.argsort(distances[near], kind="stable")][:k]


class _ExactKNeighbors(BaseEstimator):
    """Remembers the training rows."""

    def __init__(self, n_neighbors: int = 5, weights: str = "uniform"):
        self.n_neighbors = n_neighbors
        self.weights = weights

    def fit(self, features: np.ndarray, target: np.ndarray) -> Any:
        """Remember."""
        self.features_ = np.ascontiguousarray(features)
        self.remember(target)
        return self

    def remember(self, target: np.ndarray) -> None:
        """Remember the targets in the form that votes are counted in."""
        self.votes_ = np.asarray(target, np.float64)[:, None]

    def averages(self, neighbours: np.ndarray) -> np.ndarray:
        """The mean vote of the first k of the given neighbours."""
        return (
            np.cumsum(self.votes_[neighbours], axis=1)[:, self.n_neighbors - 1] / self.n_neighbors
        )

    def _mean_votes(self, features: np.ndarray) -> np.ndarray:
        return self.averages(nearest(self.features_, np.asarray(features), self.n_neighbors))


class ExactKNeighborsRegressor(RegressorMixin, _ExactKNeighbors):
    """The mean target of the k nearest rows."""

    def predict(self, features: np.ndarray) -> np.ndarray:
        """One number for each row."""
        return self._mean_votes(features)[:, 0]


class ExactKNeighborsClassifier(ClassifierMixin, _ExactKNeighbors):
    """The class shares among the k nearest rows; of equal shares the first class wins."""

    def remember(self, target: np.ndarray) -> None:
        """One vote for the class of each row."""
        self.classes_, codes = np.unique(np.asarray(target), return_inverse=True)
        self.votes_ = np.eye(len(self.classes_))[codes]

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        """The share of each class."""
        return self._mean_votes(features)

    def predict(self, features: np.ndarray) -> np.ndarray:
        """The class with the largest share."""
        return self.classes_[self._mean_votes(features).argmax(axis=1)]
