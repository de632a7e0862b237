"""Linear support vector machines on more columns than rows: the solver gets at most as many columns as rows.

liblinear's dual solver uses rows by their products only. So rows with the same products make it take the same
steps: those of L, where XXᵀ = LLᵀ by a pivoted Cholesky factorization. One L serves all θ. A coefficient a column
of L is then one a row of X, and the coefficients are a combination of the rows.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.combination import Combination
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.predict import as_codes, predict
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

NOT_OF_THE_ROWS = (
    "C",
    "loss",
    "epsilon",
    "class_weight",
    "tol",
    "max_iter",
    "fit_intercept",
    "intercept_scaling",
)
"""Parameters for all of whose values L is the same."""
MOST = 5000
"""Training rows whose products are held in memory at once, 200 MB."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all θ on one training set."""
    yield from run_path(problem, thetas, NOT_OF_THE_ROWS, _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    count, columns = path.train.shape
    short = _Short.of(path.train) if count < columns and count <= MOST else None
    if short is None or not short.pivots.size:
        for model in path.models:
            model.fit(path.train, path.target)
            yield model, predict(model, path.held, path.classes)
        return
    products = path.held @ path.train.T
    for model in path.models:
        given, model.dual = model.dual, True  # which `auto` is for more columns than rows
        model.fit(short.rows, path.target)
        weights = short.weights(model.coef_)
        values = products @ weights + model.intercept_
        model.dual, model.n_features_in_ = given, columns
        model.coef_ = Combination(path.train, weights if model.coef_.ndim == 2 else weights[:, 0])
        yield model, _predictions(model, values, path)


class _Short(NamedTuple):
    """Rows with the same products as those of X."""

    rows: np.ndarray
    """L."""
    pivots: np.ndarray
    """Rows of which the others are combinations: as many as L has columns."""

    @classmethod
    def of(cls, rows: np.ndarray) -> "_Short":
        factor, order, rank, _ = dpstrf(rows @ rows.T, lower=1)
        order -= 1  # LAPACK counts from 1
        short = np.empty((len(rows), rank))
        short[order] = np.tril(factor)[:, :rank]
        return cls(short, order[:rank])

    def weights(self, coef: np.ndarray) -> np.ndarray:
        """The w of Xᵀw for coefficients of L: a column for each of their rows; only pivots have any."""
        by_column = np.atleast_2d(coef).T
        weights = np.zeros((len(self.rows), by_column.shape[1]))
        weights[self.pivots] = solve_triangular(
            self.rows[self.pivots], by_column, lower=True, trans=1
        )
        return weights


def _predictions(model: Any, values: np.ndarray, path: Path) -> Predictions:
    """What the model would say for these decision values, or numbers."""
    if path.classes is None:
        return Predictions(value=values[:, 0])
    present = model.classes_
    two = len(present) == 2
    chosen = (values[:, 0] > 0).astype(int) if two else values.argmax(axis=1)
    complete = len(present) == len(path.classes)
    decision = np.ascontiguousarray(values[:, 0] if two else values) if complete else None
    return Predictions(as_codes(present[chosen], path.classes), decision=decision)
