"""Lasso and elastic net: coordinate descent along the path of penalties, warm-started.

Only at a tight tolerance (1e-8 or less), where the start no longer shows in the result.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import enet_path

from heldout.names import Theta
from heldout.numerics.engines.path import Stretch, run_path
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """All penalties of one training set."""
    yield from run_path(problem, thetas, "alpha", _fit)


def _fit(stretch: Stretch) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """Largest penalty first; the solutions are given back in the order asked for."""
    x_mean, y_mean = stretch.train.mean(axis=0), float(np.mean(stretch.target))
    alphas = np.array([float(model.alpha) for model in stretch.models])
    order = np.argsort(-alphas, kind="stable")
    first: Any = stretch.models[0]
    _, coefs, _ = enet_path(
        np.asfortranarray(stretch.train - x_mean),
        stretch.target - y_mean,
        l1_ratio=getattr(first, "l1_ratio", 1.0),
        alphas=alphas[order],
        tol=first.tol,
        max_iter=first.max_iter,
    )
    by_position = coefs[:, np.argsort(order, kind="stable")]
    for i, model in enumerate(stretch.models):
        model.coef_ = np.ascontiguousarray(by_position[:, i])
        model.intercept_ = y_mean - float(x_mean @ model.coef_)
        model.n_features_in_ = stretch.train.shape[1]
        yield model, Predictions(value=stretch.held @ model.coef_ + model.intercept_)
