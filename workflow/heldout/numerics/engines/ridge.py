"""Ridge: one eigendecomposition of the centred Gram matrix serves every λ."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.combination import Combination
from heldout.numerics.engines import generic
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.predict import as_codes
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.products import products
from heldout.numerics.sklearn_internals import ridge_classifier
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all λ on one training set."""
    if problem.builder.classification and not ridge_classifier.is_exact():
        yield from generic.run(problem, thetas)
        return
    yield from run_path(problem, thetas, "alpha", _fit)


class Solved(NamedTuple):
    """One λ; columns are those of the target."""

    coef: Any
    """A row for each column, or a `Combination`."""
    intercept: np.ndarray
    values: np.ndarray
    """The predictions for the held-out rows."""


Solve = Callable[[float], Solved]


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    rows, columns = path.train.shape
    solve = _by_columns(path) if columns <= rows else _by_rows(path)
    for model in path.models:
        yield _complete(model, solve(float(model.alpha)), path)


def _by_columns(path: Path) -> Solve:
    """(XᵀX + λI)⁻¹Xᵀy."""
    target, centre = _as_numbers(path), path.models[0].fit_intercept
    x_mean = path.train.mean(axis=0) if centre else np.zeros(path.train.shape[1])
    y_mean = target.mean(axis=0) if centre else np.zeros(target.shape[1])
    centred = path.train - x_mean
    values, vectors = np.linalg.eigh(centred.T @ centred)
    projected = vectors.T @ (centred.T @ (target - y_mean))

    def solve(alpha: float) -> Solved:
        coef = vectors @ (projected / (values + alpha)[:, None])
        intercept = y_mean - x_mean @ coef
        return Solved(coef.T, intercept, path.held @ coef + intercept)

    return solve


def _by_rows(path: Path) -> Solve:
    """Xᵀ(XXᵀ + λI)⁻¹y, a combination of the rows."""
    target, centre = _as_numbers(path), path.models[0].fit_intercept
    y_mean = target.mean(axis=0) if centre else np.zeros(target.shape[1])
    scaled = path.problem.builder.definition.scale
    gram, held, means = products(path.train, path.held, centre, scaled)
    values, vectors = np.linalg.eigh(gram)
    projected = vectors.T @ (target - y_mean)

    def solve(alpha: float) -> Solved:
        weights = vectors @ (projected / (values + alpha)[:, None])
        coef = Combination(path.train, weights - weights.mean(axis=0) if centre else weights)
        intercept, predicted = y_mean - means @ weights, held @ weights + y_mean
        return Solved(coef if scaled else coef.array(), intercept, predicted)

    return solve


def _as_numbers(path: Path) -> np.ndarray:
    """The target as columns of numbers; classes are coded as ±1, as in RidgeClassifier."""
    if path.classes is None:
        return np.asarray(path.target, np.float64)[:, None]
    present = np.unique(path.target)
    if len(present) == 2:
        return np.where(path.target == present[1], 1.0, -1.0)[:, None]
    return np.where(path.target[:, None] == present, 1.0, -1.0)


def _complete(model: Any, solved: Solved, path: Path) -> tuple[BaseEstimator, Predictions]:
    """Set the attributes that the model's own fit would set; its predictions."""
    values, features = solved.values, path.train.shape[1]
    model.n_iter_, model.solver_ = None, "eigen"
    if path.classes is None:
        model.coef_, model.intercept_ = _only(solved.coef), float(solved.intercept[0])
        model.n_features_in_ = features
        return model, Predictions(value=values[:, 0])
    ridge_classifier.complete(model, solved.coef, solved.intercept, path.target, features)
    present = model.classes_
    chosen = (values[:, 0] > 0).astype(int) if len(present) == 2 else values.argmax(axis=1)
    decision = values[:, 0] if len(present) == 2 else values
    complete = len(present) == len(path.classes)
    return model, Predictions(
        label=as_codes(present[chosen], path.classes),
        decision=np.ascontiguousarray(decision) if complete else None,
    )


def _only(coef: Any) -> Any:
    """The only row."""
    return coef.column(0) if isinstance(coef, Combination) else coef[0]
