"""Lasso and elastic net: coordinate descent along the path of penalties, warm-started.

Only at a tight tolerance (1e-8 or less), where the result hardly depends on the start.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import enet_path

from heldout.names import Theta
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all penalties on one training set."""
    yield from run_path(problem, thetas, "alpha", _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """Solve from the largest penalty to the smallest; yield in the order of the models."""
    x_mean, y_mean = path.train.mean(axis=0), float(np.mean(path.target))
    alphas = np.array([float(model.alpha) for model in path.models])
    order = np.argsort(-alphas, kind="stable")
    first: Any = path.models[0]
    responses = path.target - y_mean
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # given below, for each penalty
        _, coefs, gaps = enet_path(
            np.asfortranarray(path.train - x_mean),
            responses,
            l1_ratio=getattr(first, "l1_ratio", 1.0),
            alphas=alphas[order],
            tol=first.tol,
            max_iter=first.max_iter,
        )
    allowed = first.tol * float(responses @ responses) / len(responses)
    position = np.argsort(order, kind="stable")
    for i, model in enumerate(path.models):
        gap = float(gaps[position[i]])
        if gap > allowed:
            text = (
                f"The duality gap is {gap:.3g}, above {allowed:.3g}: max_iter or tol is too small"
            )
            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        model.coef_ = np.ascontiguousarray(coefs[:, position[i]])
        model.intercept_ = y_mean - float(x_mean @ model.coef_)
        model.n_features_in_ = path.train.shape[1]
        yield model, Predictions(value=path.held @ model.coef_ + model.intercept_)
