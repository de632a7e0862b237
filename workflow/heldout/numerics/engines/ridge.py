"""Ridge: one eigendecomposition of the centred Gram matrix serves every λ."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines.path import Stretch, run_path
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """All λ of one training set."""
    yield from run_path(problem, thetas, "alpha", _fit)


def _fit(stretch: Stretch) -> Iterator[tuple[BaseEstimator, Predictions]]:
    intercept = stretch.models[0].fit_intercept
    target = _as_numbers(stretch)
    x_mean = stretch.train.mean(axis=0) if intercept else np.zeros(stretch.train.shape[1])
    y_mean = target.mean(axis=0) if intercept else np.zeros(target.shape[1])
    centred, responses = stretch.train - x_mean, target - y_mean
    weights = _solver(centred, responses)
    for model in stretch.models:
        coef = weights(float(model.alpha))
        yield _finish(model, coef, y_mean - x_mean @ coef, stretch)


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


def _as_numbers(stretch: Stretch) -> np.ndarray:
    """The target as columns of numbers; classes become ±1 as in RidgeClassifier."""
    if stretch.classes is None:
        return np.asarray(stretch.target, np.float64)[:, None]
    present = np.unique(stretch.target)
    if len(present) == 2:
        return np.where(stretch.target == present[1], 1.0, -1.0)[:, None]
    return np.where(stretch.target[:, None] == present, 1.0, -1.0)


def _finish(
    model: Any, coef: np.ndarray, intercept: np.ndarray, stretch: Stretch
) -> tuple[BaseEstimator, Predictions]:
    """Give the model what its own fit would have given it."""
    values = stretch.held @ coef + intercept
    model.n_features_in_ = stretch.train.shape[1]
    model.n_iter_, model.solver_ = None, "eigen"
    if stretch.classes is None:
        model.coef_, model.intercept_ = coef[:, 0], float(intercept[0])
        return model, Predictions(value=values[:, 0])
    from sklearn.preprocessing import LabelBinarizer

    model.coef_, model.intercept_ = coef.T, intercept
    model._label_binarizer = LabelBinarizer(pos_label=1, neg_label=-1).fit(stretch.target)
    present = model._label_binarizer.classes_
    if "classes_" not in dir(type(model)):
        model.classes_ = present
    chosen = (values[:, 0] > 0).astype(int) if len(present) == 2 else values.argmax(axis=1)
    label = present[chosen].astype(np.min_scalar_type(len(stretch.classes)))
    decision = values[:, 0] if len(present) == 2 else values
    return model, Predictions(label=label, decision=np.ascontiguousarray(decision))
