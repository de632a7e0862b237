"""Forests: the first trees of a large forest are the small forest, exactly."""

import copy
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta, canonical
from heldout.numerics.engines.path import Stretch, run_path
from heldout.numerics.engines.tree_predictions import leaves, said
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.sklearn_internals.forest_builder import Nursery, Whole
from heldout.predictions import Predictions

Nurseries = dict[int, Nursery]
"""One for each way of preparing the training set, by the identity of the prepared rows."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """All numbers of trees of one training set; depths share the trees that reach none of them."""
    nurseries: Nurseries = {}
    for alike in _by_all_but_depth(problem, thetas):
        whole: Whole = {}
        yield from run_path(problem, alike, "n_estimators", partial(_fit, nurseries, whole))


def _by_all_but_depth(problem: Problem, thetas: list[Theta]) -> Iterable[list[Theta]]:
    groups: dict[str, list[Theta]] = {}
    for theta in thetas:
        recipe = problem.builder.recipe(theta)
        rest = {k: v for k, v in recipe.model.items() if k not in ("max_depth", "n_estimators")}
        groups.setdefault(recipe.shared + canonical(rest), []).append(theta)
    return groups.values()


def _fit(
    nurseries: Nurseries, whole: Whole, stretch: Stretch
) -> Iterator[tuple[BaseEstimator, Predictions]]:
    counts = [model.n_estimators for model in stretch.models]
    nursery = nurseries.setdefault(id(stretch.train), Nursery(stretch.train, stretch.target))
    largest = nursery.fit(stretch.models[int(np.argmax(counts))], whole)
    sums = _running_sums(largest, stretch, set(counts))
    for model in stretch.models:
        count = model.n_estimators
        forest = copy.copy(largest)
        forest.n_estimators = count
        forest.estimators_ = largest.estimators_[:count]
        yield forest, said(sums[count] / count, forest, stretch)


def _running_sums(forest: Any, stretch: Stretch, counts: set[int]) -> dict[int, np.ndarray]:
    """The summed predictions of the first trees, tree by tree as the forest itself adds them."""
    rows = np.ascontiguousarray(stretch.held, np.float32)
    total = np.zeros(1)
    sums = {}
    for number, tree in enumerate(forest.estimators_, start=1):
        total = total + leaves(tree, rows)
        if number in counts:
            sums[number] = total
    return sums
