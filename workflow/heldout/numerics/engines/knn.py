"""k-NN: one neighbour search with the largest k serves every k, and several training sets."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines.neighbor_sharing import Query, neighbors
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.neighbors import ExactKNeighborsClassifier, ExactKNeighborsRegressor
from heldout.numerics.predict import from_shares
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

BLOCK = 20_000_000
"""Neighbour votes that are held in memory at once."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all k on one training set."""
    yield from run_path(problem, thetas, "n_neighbors", _fit)


def model_class(classes: list[Any] | None) -> Any:
    """The estimator for these classes, or for numbers."""
    return ExactKNeighborsRegressor if classes is None else ExactKNeighborsClassifier


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    kind = model_class(path.classes)
    base = kind().fit(path.train, path.target)
    ks = [model.n_neighbors for model in path.models]
    query = Query(base.features_, path.held, max(ks))
    means = mean_votes(base.votes_, neighbors(path.problem, path.preprocessing, query), ks)
    for k in ks:
        model = kind(n_neighbors=k)
        model.__dict__.update({n: v for n, v in vars(base).items() if n.endswith("_")})
        yield model, predictions_of(means[k], model, path.classes)


def mean_votes(votes: np.ndarray, neighbors: np.ndarray, ks: list[int]) -> dict[int, np.ndarray]:
    """The mean vote of the first k neighbours, for each of these k."""
    means = {k: np.empty((len(neighbors), votes.shape[1])) for k in ks}
    step = max(1, BLOCK // (neighbors.shape[1] * votes.shape[1]))
    for start in range(0, len(neighbors), step):
        block = slice(start, start + step)
        sums = np.cumsum(votes[neighbors[block]], axis=1)
        for k in ks:
            means[k][block] = sums[:, k - 1] / k
    return means


def predictions_of(means: np.ndarray, model: Any, classes: list[Any] | None) -> Predictions:
    """The predictions of a model from the mean votes of its neighbours."""
    if classes is None:
        return Predictions(value=np.ascontiguousarray(means[:, 0]))
    return from_shares(means, model, classes)
