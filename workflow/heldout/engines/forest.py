"""Forests: the first trees of a large forest are the small forest, exactly."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.engines.path import Stretch, run_path
from heldout.engines.problem import Outcome, Problem
from heldout.learners.build import aligned
from heldout.losses import Predictions
from heldout.names import Theta


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """All numbers of trees of one training set."""
    yield from run_path(problem, thetas, "n_estimators", _fit)


def _fit(stretch: Stretch) -> Iterator[tuple[BaseEstimator, Predictions]]:
    counts = [model.n_estimators for model in stretch.models]
    largest: Any = copy.copy(stretch.models[int(np.argmax(counts))])
    largest.fit(stretch.train, stretch.target)
    sums = _running_sums(largest, stretch, set(counts))
    for model in stretch.models:
        count = model.n_estimators
        forest = copy.copy(largest)
        forest.n_estimators = count
        forest.estimators_ = largest.estimators_[:count]
        yield forest, _said(sums[count] / count, forest, stretch)


def _running_sums(forest: Any, stretch: Stretch, counts: set[int]) -> dict[int, np.ndarray]:
    """The summed predictions of the first trees, tree by tree as the forest itself adds them."""
    rows = np.ascontiguousarray(stretch.held, np.float32)
    total = np.zeros(1)
    sums = {}
    for number, tree in enumerate(forest.estimators_, start=1):
        said = tree.tree_.predict(rows)  # as the tree itself does, without checks of the rows
        total = total + (said[:, 0] if stretch.classes is None else said)
        if number in counts:
            sums[number] = total
    return sums


def _said(mean: np.ndarray, forest: Any, stretch: Stretch) -> Predictions:
    if stretch.classes is None:
        return Predictions(value=mean)
    proba = aligned(mean, forest.classes_, len(stretch.classes))
    label = proba.argmax(axis=1).astype(np.min_scalar_type(len(stretch.classes)))
    return Predictions(label=label, proba=proba)
