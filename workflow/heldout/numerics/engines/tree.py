"""Trees: one tree serves every ccp_alpha, and one pass every max_depth of a classifier.

A pruned tree is exactly what scikit-learn grows and prunes for that ccp_alpha. A deep tree cut at
max_depth is not always what a shallow fit grows: equally good splits are chosen in a random order
that depends on the nodes grown before. `tree_depths` grows the nodes of all equally good splits. It
cannot be exact in regression; there every depth limit that is reached gets a fit of its own.
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
from heldout.numerics.sklearn_internals import tree_depths, tree_pruning
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all pruning strengths, or all depths, on one training set."""
    by_depth = [theta for theta in thetas if "max_depth" in theta and "ccp_alpha" not in theta]
    by_alpha = [theta for theta in thetas if theta not in by_depth]
    yield from run_path(problem, by_depth, "max_depth", _fit_depths)
    yield from run_path(problem, by_alpha, "ccp_alpha", _fit_prunings)


def _fit_depths(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """All depths in one pass, or each with a fit of its own."""
    models = path.models
    if not tree_depths.is_exact() or not tree_depths.fit(models, path.train, path.target):
        models = _fit_each_depth(path)
    yield from _with_predictions(models, path)


def _with_predictions(
    models: list[BaseEstimator], path: Path
) -> Iterator[tuple[BaseEstimator, Predictions]]:
    rows = np.ascontiguousarray(path.held, np.float32)
    for model in models:
        yield model, predictions_of(leaf_values(model, rows), model, path)


def _fit_each_depth(path: Path) -> list[BaseEstimator]:
    """Lowest limit first; a tree that does not reach its limit is the tree of all higher limits."""
    limits = [tree_depths.limit_of(model) for model in path.models]
    fitted: dict[int, BaseEstimator] = {}
    grown: Any = None
    for i in sorted(range(len(limits)), key=lambda i: limits[i]):
        model: Any = path.models[i]
        if grown is None:
            model.fit(path.train, path.target)
            grown = model if model.get_depth() < limits[i] else None
        else:
            model = tree_pruning.with_parameters_of(model, grown)
        fitted[i] = model
    return [fitted[i] for i in range(len(limits))]


def _fit_prunings(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """Grow once without pruning, then prune for each strength."""
    if not tree_pruning.is_exact(type(path.models[0])):
        models = [model.fit(path.train, path.target) for model in path.models]
    else:
        grown: Any = copy.copy(path.models[0])
        grown.ccp_alpha = 0.0
        grown.fit(path.train, path.target)
        models = [tree_pruning.pruned(model, grown) for model in path.models]
    yield from _with_predictions(models, path)
