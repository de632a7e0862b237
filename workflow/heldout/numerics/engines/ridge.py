"""Ridge: one eigendecomposition of the centred Gram matrix serves every λ."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines import generic
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.predict import as_codes
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.sklearn_internals import ridge_classifier
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all λ on one training set."""
    if problem.builder.classification and not ridge_classifier.is_exact():
        yield from generic.run(problem, thetas)
        return
    yield from run_path(problem, thetas, "alpha", _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    intercept = path.models[0].fit_intercept
    target = _as_numbers(path)
    x_mean = path.train.mean(axis=0) if intercept else np.zeros(path.train.shape[1])
    y_mean = target.mean(axis=0) if intercept else np.zeros(target.shape[1])
    centred, responses = path.train - x_mean, target - y_mean
    solve = _solver(centred, responses)
    for model in path.models:
        coef = solve(float(model.alpha))
        yield _complete(model, coef, y_mean - x_mean @ coef, path)


def _solver(centred: np.ndarray, responses: np.ndarray) -> Any:
    """λ → (XᵀX + λI)⁻¹Xᵀy, through the smaller of XᵀX and XXᵀ."""
    rows, columns = centred.shape
    if columns <= rows:
        values, vectors = np.linalg.eigh(centred.T @ centred)
        projected = vectors.T @ (centred.T @ responses)
        return lambda alpha: vectors @ (projected / (values + alpha)[:, None])
    values, vectors = np.linalg.eigh(centred @ centred.T)
    projected = vectors.T @ responses
    return lambda alpha: centred.T @ (vectors @ (projected / (values + alpha)[:, None]))


def _as_numbers(path: Path) -> np.ndarray:
    """The target as columns of numbers; classes are coded as ±1, as in RidgeClassifier."""
    if path.classes is None:
        return np.asarray(path.target, np.float64)[:, None]
    present = np.unique(path.target)
    if len(present) == 2:
        return np.where(path.target == present[1], 1.0, -1.0)[:, None]
    return np.where(path.target[:, None] == present, 1.0, -1.0)


def _complete(
    model: Any, coef: np.ndarray, intercept: np.ndarray, path: Path
) -> tuple[BaseEstimator, Predictions]:
    """Set the attributes that the model's own fit would set, and predict."""
    values = path.held @ coef + intercept
    model.n_features_in_ = path.train.shape[1]
    model.n_iter_, model.solver_ = None, "eigen"
    if path.classes is None:
        model.coef_, model.intercept_ = coef[:, 0], float(intercept[0])
        return model, Predictions(value=values[:, 0])
    ridge_classifier.complete(model, coef, intercept, path.target)
    present = model.classes_
    chosen = (values[:, 0] > 0).astype(int) if len(present) == 2 else values.argmax(axis=1)
    decision = values[:, 0] if len(present) == 2 else values
    complete = len(present) == len(path.classes)
    return model, Predictions(
        label=as_codes(present[chosen], path.classes),
        decision=np.ascontiguousarray(decision) if complete else None,
    )
