"""Trees: one tree serves every ccp_alpha, one growth every max_depth of a plain classifier.

A pruned tree is exactly what scikit-learn grows and prunes for that ccp_alpha. A deep tree cut at
max_depth is not always what a shallow fit grows (ties are broken by a random order that depends on
the nodes seen before): `depths` grows both sides of a tie. Where it cannot be exact, as in
regression, a depth limit that binds gets a fit of its own.
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines.path import Stretch, run_path
from heldout.numerics.engines.tree_predictions import leaves, said
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.sklearn_internals import tree_depths
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """All pruning strengths, or all depths, of one training set."""
    by_depth = [theta for theta in thetas if "max_depth" in theta and "ccp_alpha" not in theta]
    by_alpha = [theta for theta in thetas if theta not in by_depth]
    yield from run_path(problem, by_depth, "max_depth", _fit_depths)
    yield from run_path(problem, by_alpha, "ccp_alpha", _fit_prunings)


def _fit_depths(stretch: Stretch) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """All depths in one growth, or each with a fit of its own."""
    models = stretch.models
    if not tree_depths.fit(models, stretch.train, stretch.target):
        models = _fit_each_depth(stretch)
    rows = np.ascontiguousarray(stretch.held, np.float32)
    for model in models:
        yield model, said(leaves(model, rows), model, stretch)


def _fit_each_depth(stretch: Stretch) -> list[BaseEstimator]:
    """Lowest limit first; a tree that does not reach its limit is the tree of all higher ones."""
    limits = [tree_depths.limit_of(model) for model in stretch.models]
    fitted: dict[int, BaseEstimator] = {}
    grown: Any = None
    for i in sorted(range(len(limits)), key=lambda i: limits[i]):
        model: Any = stretch.models[i]
        if grown is None:
            model.fit(stretch.train, stretch.target)
            grown = model if model.get_depth() < limits[i] else None
        else:
            model = _like(model, grown)
        fitted[i] = model
    return [fitted[i] for i in range(len(limits))]


def _fit_prunings(stretch: Stretch) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """Grow once without pruning, then prune for each strength."""
    grown: Any = copy.copy(stretch.models[0])
    grown.ccp_alpha = 0.0
    grown.fit(stretch.train, stretch.target)
    rows = np.ascontiguousarray(stretch.held, np.float32)
    for model in stretch.models:
        pruned: Any = _like(model, grown)
        pruned._prune_tree()
        yield pruned, said(leaves(pruned, rows), pruned, stretch)


def _like(model: Any, grown: Any) -> Any:
    """The grown tree under another model's parameters."""
    made = copy.copy(grown)
    made.__dict__.update(model.get_params(deep=False))
    return made
