"""Logistic regression: Newton steps to the optimum of each C, from zero, by rows or by columns.

They take a fraction of the time of scikit-learn's solver, and the probabilities are within 1e-6 of its own at
a tolerance of 1e-10. No C depends on the others of the grid. What is smaller counts: with fewer rows than
columns, a step costs as if there were as many columns as rows (`numerics.logistic.by_rows`). scikit-learn
fits where the steps do not reach the optimum, and warns if it does not either.
"""

import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import softmax

from heldout.names import Theta
from heldout.numerics.combination import Combination
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.logistic.by_columns import ByColumns
from heldout.numerics.logistic.by_rows import ByRows
from heldout.numerics.logistic.loss import Loss
from heldout.numerics.predict import aligned, as_codes, predict
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.products import products
from heldout.predictions import Predictions

SOLVED = 1e-9
"""A model whose mean loss has no larger slope is at its optimum, whatever its solver says of the last step."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all C on one training set."""
    yield from run_path(problem, thetas, "C", _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    present, codes = np.unique(path.target, return_inverse=True)
    given = path.models[0].class_weight
    weights = compute_class_weight(given, classes=present, y=path.target)[codes]
    loss = Loss(codes, len(present), weights)
    for model, solved in zip(path.models, _optima(path, loss), strict=True):
        if solved is None:
            _fit_by_library(model, path, loss)
            yield model, predict(model, path.held, path.classes)
        else:
            model.classes_, model.n_features_in_ = present, path.train.shape[1]
            model.coef_, model.intercept_ = solved.coef, solved.intercept
            model.n_iter_ = np.array([solved.steps], np.int32)
            yield model, _predictions(solved.scores, present, path)


class _Solved(NamedTuple):
    """The optimum for one C."""

    coef: Any
    """A row for each column of scores, or a `Combination`."""
    intercept: np.ndarray
    steps: int
    scores: np.ndarray
    """Of the held-out rows."""


def _optima(path: Path, loss: Loss) -> Iterable[_Solved | None]:
    """Those of all models; None where the optimum was not reached."""
    first, cs = path.models[0], [float(model.C) for model in path.models]
    if loss.classes < 2:
        return [None] * len(cs)
    solve = _by_rows if _by_rows_is_less(path.train.shape, loss.columns) else _by_columns
    return solve(path, loss, cs, first.tol, first.max_iter)


def _by_rows_is_less(shape: tuple[int, ...], columns: int) -> bool:
    """Whether it costs fewer multiplications in a step."""
    (n, p), k = shape, columns
    by_rows = k * n**3 / 2 + (k > 1) * n**3 / 6
    by_columns = n * p**2 * k**2 / 2 + (k * p) ** 3 / 6
    return bool(by_rows < by_columns)


def _by_rows(
    path: Path, loss: Loss, cs: list[float], tol: float, max_iter: int
) -> Iterator[_Solved | None]:
    scaled = path.problem.builder.definition.scale
    gram, held, means = products(path.train, path.held, scaled=scaled)
    optima = ByRows(gram, loss)
    for c, found in zip(cs, optima.solve(cs, tol, max_iter), strict=True):
        if found is None or not optima.slope(found, c) <= SOLVED:
            yield None
            continue
        weights, intercept = found.weights, found.intercept
        coef = Combination(path.train, weights - weights.mean(axis=0))
        whole, moved = coef if scaled else coef.array(), intercept - means @ weights
        yield _Solved(whole, moved, found.steps, held @ weights + intercept)


def _by_columns(
    path: Path, loss: Loss, cs: list[float], tol: float, max_iter: int
) -> Iterator[_Solved | None]:
    for c, found in zip(cs, ByColumns(path.train, loss).solve(cs, tol, max_iter), strict=True):
        if found is None or _slope(path.train, loss, found.coef, found.intercept, c) > SOLVED:
            yield None
            continue
        coef, intercept = np.ascontiguousarray(found.coef.T), found.intercept.copy()
        yield _Solved(coef, intercept, found.steps, path.held @ found.coef + intercept)


def _slope(
    rows: np.ndarray, loss: Loss, coef: np.ndarray, intercept: np.ndarray, c: float
) -> float:
    """The largest slope of the mean loss + ‖W‖²/2nC by a coefficient or an intercept."""
    _, shares = loss.at(rows @ coef + intercept)
    slopes = loss.slopes(shares)
    by_coef, by_intercept = rows.T @ slopes + coef / c, slopes.sum(axis=0)
    return float(max(np.abs(by_coef).max(), np.abs(by_intercept).max()) / loss.weight)


def _fit_by_library(model: Any, path: Path, loss: Loss) -> None:
    """Fit by scikit-learn. A search that found nothing better, because nothing is, has converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(path.train, path.target)
    for one in caught:
        unsolved = _slope(path.train, loss, model.coef_.T, model.intercept_, model.C) > SOLVED
        if unsolved or not issubclass(one.category, ConvergenceWarning):
            warnings.warn(one.message, one.category, stacklevel=2)


def _predictions(scores: np.ndarray, present: np.ndarray, path: Path) -> Predictions:
    """What scikit-learn would say for these scores."""
    assert path.classes is not None
    if len(present) == 2:
        scores = scores[:, 0]
        share = expit(scores)
        shares, chosen = np.column_stack([1 - share, share]), (scores > 0).astype(int)
    else:
        shares, chosen = softmax(scores), scores.argmax(axis=1)
    count = len(path.classes)
    label = as_codes(present[chosen], path.classes)
    decision = scores if len(present) == count else None
    return Predictions(label=label, proba=aligned(shares, present, count), decision=decision)
