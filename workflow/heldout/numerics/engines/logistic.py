"""Logistic regression: each C starts from the solution of the one before it.

At a tolerance of 1e-10 or less, Newton steps reach the same optimum from every start: the
probabilities are within 1e-6 of those of separate fits. For two classes the steps are taken here,
because scikit-learn's checks take longer than the steps. scikit-learn fits more than two classes,
weighted classes, and problems for which these steps do not converge (and warns if its own do not).
"""

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from heldout.names import Theta
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.predict import aligned, as_codes, predict
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

HALVINGS = 20
"""How often a step that does not lower the objective is halved."""
ROUNDING = 1e-12
"""The relative rounding error of the objective."""
SOLVED = 1e-9
"""A model whose objective has no larger slope is at its optimum, whatever its solver says of the last step."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all C on one training set."""
    yield from run_path(problem, thetas, "C", _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """Strongest penalty first: its solution is the nearest to zero, where the first fit starts."""
    order = sorted(range(len(path.models)), key=lambda i: path.models[i].C)
    fit = _fitter(path)
    fitted = {i: fit(path.models[i]) for i in order}
    for i in range(len(order)):
        yield fitted[i], _predictions(fitted[i], path)


def _predictions(model: Any, path: Path) -> Predictions:
    """The model's predictions; for two classes without scikit-learn's checks of the rows."""
    if len(model.classes_) != 2 or path.classes is None:
        return predict(model, path.held, path.classes)
    scores = path.held @ model.coef_[0] + model.intercept_[0]
    share = expit(scores)
    proba = aligned(np.column_stack([1 - share, share]), model.classes_, len(path.classes))
    label = as_codes(model.classes_[(scores > 0).astype(int)], path.classes)
    complete = len(path.classes) == 2
    return Predictions(label=label, proba=proba, decision=scores if complete else None)


def _fitter(path: Path) -> Any:
    present = np.unique(path.target)
    solver = _Solver(path)
    if len(present) != 2 or path.models[0].class_weight is not None:
        return solver.fit
    steps = _Steps(path.train, path.target == present[1])

    def fit(model: Any) -> Any:
        if not steps.descend(model):
            return solver.fit(model)
        model.classes_, model.n_features_in_ = present, path.train.shape[1]
        model.coef_, model.intercept_ = steps.weights[None, :-1].copy(), steps.weights[-1:].copy()
        return model

    return fit


class _Solver:
    """scikit-learn's solver, started from its previous solution."""

    def __init__(self, path: Path):
        self._path = path
        self._previous: Any = None

    def fit(self, model: Any) -> Any:
        """Fit a copy, so that models fitted before keep their coefficients."""
        solver = copy.copy(self._previous or model)
        solver.C, solver.warm_start = model.C, True
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            solver.fit(self._path.train, self._path.target)
        self._warn_of(caught, solver)
        self._previous = solver
        fitted = copy.copy(solver)
        fitted.warm_start = model.warm_start
        fitted.coef_, fitted.intercept_ = solver.coef_.copy(), solver.intercept_.copy()
        return fitted

    def _warn_of(self, caught: list[warnings.WarningMessage], solver: Any) -> None:
        """Pass warnings on. A search that found nothing better, because nothing is, has converged."""
        for one in caught:
            if issubclass(one.category, ConvergenceWarning) and self._slope(solver) <= SOLVED:
                continue
            warnings.warn(one.message, one.category, stacklevel=3)

    def _slope(self, solver: Any) -> float:
        """The largest slope of the mean loss + ‖W‖²/2nC of several classes; unknown for other models."""
        rows, classes = self._path.train, solver.classes_
        if len(classes) < 3 or solver.class_weight is not None:
            return np.inf
        scores = rows @ solver.coef_.T + solver.intercept_
        miss = softmax(scores, axis=1) - (self._path.target[:, None] == classes)
        slope = miss.T @ rows / len(rows) + solver.coef_ / (solver.C * len(rows))
        return float(max(np.abs(slope).max(), np.abs(miss.mean(axis=0)).max()))


class _Steps:
    """Newton steps on the mean logistic loss + ‖w‖²/2nC, the intercept being the last weight."""

    def __init__(self, train: np.ndarray, positive: np.ndarray):
        self._rows = np.column_stack([train, np.ones(len(train))])
        self._positive = positive.astype(float)
        self.weights = np.zeros(self._rows.shape[1])

    def descend(self, model: Any) -> bool:
        """Take Newton steps to the optimum for this C; returns whether it was reached."""
        penalty = np.full(len(self.weights), 1.0 / (model.C * len(self._rows)))
        penalty[-1] = 0.0
        weights, scores = self.weights, self._rows @ self.weights
        value = self._objective(weights, scores, penalty)
        for iteration in range(model.max_iter):
            share = expit(scores)
            slope = (share - self._positive) @ self._rows / len(scores) + penalty * weights
            step = self._step(share, slope, penalty)
            if step is None:
                return False
            if np.abs(slope).max() <= model.tol:
                self._take_last_step(weights, step, penalty, value)
                model.n_iter_ = np.array([iteration + 1], np.int32)
                return True
            for _ in range(HALVINGS):
                new = weights - step
                scores = self._rows @ new
                now = self._objective(new, scores, penalty)
                if now <= value + ROUNDING * abs(value):
                    break
                step = step / 2
            else:
                return False
            weights, value = new, now
        return False

    def _take_last_step(
        self, weights: np.ndarray, step: np.ndarray, penalty: np.ndarray, value: float
    ) -> None:
        """Where the objective is flat, a point with a small slope can be far from the optimum."""
        last = weights - step
        better = self._objective(last, self._rows @ last, penalty) <= value + ROUNDING * abs(value)
        self.weights = last if better else weights

    def _objective(self, weights: np.ndarray, scores: np.ndarray, penalty: np.ndarray) -> float:
        losses = np.logaddexp(0.0, scores) - self._positive * scores
        return float(losses.mean() + penalty @ weights**2 / 2)

    def _step(self, share: np.ndarray, slope: np.ndarray, penalty: np.ndarray) -> np.ndarray | None:
        """H⁻¹g, or None where H cannot be factored."""
        scaled = self._rows * np.sqrt(share * (1 - share) / len(share))[:, None]
        curvature = scaled.T @ scaled
        np.einsum("ii->i", curvature)[:] += penalty
        _, step, failed = dposv(curvature, slope)  # LAPACK itself: scipy's checks take longer
        return None if failed else step
