"""k-NN: one neighbour query at the largest k serves every k, one search several training sets."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines.neighbor_sharing import Query, neighbours
from heldout.numerics.engines.path import Stretch, run_path
from heldout.numerics.neighbors import NeighboursClassifier, NeighboursRegressor
from heldout.numerics.pipeline import aligned
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

BLOCK = 20_000_000
"""Neighbour votes that are held in memory at once."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """All k of one training set."""
    yield from run_path(problem, thetas, "n_neighbors", _fit)


def kind_for(classes: list[Any] | None) -> Any:
    """The class of the models."""
    return NeighboursRegressor if classes is None else NeighboursClassifier


def _fit(stretch: Stretch) -> Iterator[tuple[BaseEstimator, Predictions]]:
    kind = kind_for(stretch.classes)
    base = kind().fit(stretch.train, stretch.target)
    ks = [model.n_neighbors for model in stretch.models]
    query = Query(base.features_, stretch.held, max(ks))
    near = neighbours(stretch.problem, stretch.preprocessing, query)
    found = shares(base.votes_, near, ks)
    for k in ks:
        model = kind(n_neighbors=k)
        model.__dict__.update({n: v for n, v in vars(base).items() if n.endswith("_")})
        yield model, said(found[k], model, stretch.classes)


def shares(votes: np.ndarray, neighbours: np.ndarray, ks: list[int]) -> dict[int, np.ndarray]:
    """The mean vote among the first k neighbours, for every k that is asked for."""
    found = {k: np.empty((len(neighbours), votes.shape[1])) for k in ks}
    step = max(1, BLOCK // (neighbours.shape[1] * votes.shape[1]))
    for start in range(0, len(neighbours), step):
        block = slice(start, start + step)
        sums = np.cumsum(votes[neighbours[block]], axis=1)
        for k in ks:
            found[k][block] = sums[:, k - 1] / k
    return found


def said(shares: np.ndarray, model: Any, classes: list[Any] | None) -> Predictions:
    """What a model says whose neighbours have voted."""
    if classes is None:
        return Predictions(value=np.ascontiguousarray(shares[:, 0]))
    proba = aligned(shares, model.classes_, len(classes))
    label = proba.argmax(axis=1).astype(np.min_scalar_type(len(classes)))
    return Predictions(label=label, proba=proba)
