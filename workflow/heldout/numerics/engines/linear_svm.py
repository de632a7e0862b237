"""Linear support vector machines on many more columns than rows: the solver gets as many columns as rows.

liblinear's dual solver uses rows by their products only, so rows with the same products make it take the same steps,
up to rounding: those of L, where XXᵀ = LLᵀ by a pivoted Cholesky factorization. One L serves all θ. The coefficients that
it finds for L become a weight for each row of X, whose combination is the coefficients of the model.
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

BY_THE_SAME_ROWS = (
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
WIDE = 2
"""Columns for each row from which L is worth it."""
MOST = 3000
"""Training rows whose products, 72 MB, are held in memory some times at once."""
APART = 1e-8
"""The squared distance of a row of length 1 from the combinations of others, from which its digits are kept."""
EXACT = 1e-10
"""The length of what is left of a row of length 1 that is a combination of others."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all θ on one training set."""
    yield from run_path(problem, thetas, BY_THE_SAME_ROWS, _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    count, columns = path.train.shape
    factor = _Factor.of(path.train) if WIDE * count <= columns and count <= MOST else None
    if factor is None:
        for model in path.models:
            model.fit(path.train, path.target)
            yield model, predict(model, path.held, path.classes)
        return
    products = path.held @ path.train.T
    for model in path.models:
        given, model.dual = model.dual, True  # which `auto` is for more columns than rows
        model.fit(factor.rows, path.target)
        weights = factor.weights(model.coef_)
        values = products @ weights + model.intercept_
        model.dual, model.n_features_in_ = given, columns
        model.coef_ = Combination(path.train, weights if model.coef_.ndim == 2 else weights[:, 0])
        yield model, _predictions(model, values, path)


class _Factor(NamedTuple):
    """L, of rows X."""

    rows: np.ndarray
    pivots: np.ndarray
    """Rows of X of which the others are combinations: as many as L has columns."""

    @classmethod
    def of(cls, rows: np.ndarray) -> "_Factor | None":
        """None where products of rows do not tell them apart, or are too large for numbers."""
        gram = rows @ rows.T
        lengths = np.sqrt(np.diag(gram))
        if not np.isfinite(lengths).all() or not lengths.any():
            return None
        lengths[lengths == 0] = 1.0
        factor, order, rank, _ = dpstrf(gram / np.outer(lengths, lengths), tol=APART, lower=1)
        order -= 1  # LAPACK counts from 1
        factor = np.tril(factor)[:, :rank] * lengths[order, None]
        pivots, others = order[:rank], order[rank:]
        left = rows[others] - _solved(factor[:rank], factor[rank:].T).T @ rows[pivots]
        if (np.sqrt((left**2).sum(axis=1)) > EXACT * lengths[others]).any():
            return None
        short = np.empty_like(factor)
        short[order] = factor
        return cls(short, pivots)

    def weights(self, coef: np.ndarray) -> np.ndarray:
        """The w of Xᵀw for coefficients of L: a column for each row of them; only pivots have any."""
        by_column = np.atleast_2d(coef).T
        weights = np.zeros((len(self.rows), by_column.shape[1]))
        weights[self.pivots] = _solved(self.rows[self.pivots], by_column)
        return weights


def _solved(triangle: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Tᵀx = b for a lower triangle T."""
    return np.asarray(solve_triangular(triangle, right, lower=True, trans=1))


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
