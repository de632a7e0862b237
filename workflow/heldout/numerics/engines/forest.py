"""Forests: one fit of the largest forest serves every number of trees.

The first trees of a large forest are exactly the trees of a smaller forest with the same seed.
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.engines.tree_predictions import leaf_values, predictions_of
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.threads import growing
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all numbers of trees on one training set."""
    yield from run_path(problem, thetas, "n_estimators", _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    counts = [model.n_estimators for model in path.models]
    largest: Any = copy.copy(path.models[int(np.argmax(counts))])
    with growing(path.problem.builder):
        largest.fit(path.train, path.target)
    sums_by_count = _running_sums(largest, path, set(counts))
    for model in path.models:
        count = model.n_estimators
        forest = copy.copy(largest)
        forest.n_estimators = count
        forest.estimators_ = largest.estimators_[:count]
        yield forest, predictions_of(sums_by_count[count] / count, forest, path)


def _running_sums(forest: Any, path: Path, counts: set[int]) -> dict[int, np.ndarray]:
    """The summed predictions of the first trees, added tree by tree as the forest itself does."""
    rows = np.ascontiguousarray(path.held, np.float32)
    total = np.zeros(1)
    sums_by_count = {}
    for number, tree in enumerate(forest.estimators_, start=1):
        total = total + leaf_values(tree, rows)
        if number in counts:
            sums_by_count[number] = total
    return sums_by_count
