"""Polynomials: one QR decomposition at the largest degree serves every degree.

The columns of degree d are the first columns of every higher degree; the same holds for the factors
Q and R. They grow by one degree at a time, from the lower ones only, so that a degree gets the same
bits whatever the largest one is. Where R is badly conditioned, or a degree has no fewer columns than
there are rows, least squares has many near-solutions and that degree is fitted alone.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from heldout.names import Theta, canonical
from heldout.numerics.engines import generic
from heldout.numerics.pipeline import MODEL, POLY
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

WELL_CONDITIONED = 1e7
"""The largest condition number of a factor that is used."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all degrees on one training set."""
    groups: dict[str, list[Theta]] = {}
    for theta in thetas:
        recipe = problem.builder.recipe(theta)
        rest = {k: v for k, v in recipe.poly.items() if k != "degree"}
        groups.setdefault(canonical([recipe.columns, recipe.prepare, rest]), []).append(theta)
    for group in groups.values():
        yield from _run_group(problem, group)


def _run_group(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    fitted = {
        i: steps for i, theta in enumerate(thetas) if (steps := _steps(problem, theta)) is not None
    }
    largest = max(fitted, key=lambda i: fitted[i][POLY].n_output_features_, default=None)
    factors = None if largest is None else _Factors(problem, thetas[largest])
    for i, theta in enumerate(thetas):
        outcome = factors.outcome(theta, fitted[i]) if factors and i in fitted else None
        yield outcome or next(iter(generic.run(problem, [theta])))


def _steps(problem: Problem, theta: Theta) -> Pipeline | None:
    """The fitted steps before the model; None for pairs of degrees, and for as many columns as rows.

    The polynomial step learns only the number of its columns.
    """
    recipe = problem.builder.recipe(theta)
    if not isinstance(recipe.poly.get("degree", 2), int):
        return None
    steps = problem.builder.preprocessing(recipe)
    try:
        prepared = steps[0].fit_transform(problem.train_features)
        steps[POLY].fit(prepared[:1])
    except ValueError:
        return None
    return steps if steps[POLY].n_output_features_ < len(problem.train_target) else None


class _Factors:
    """The centred QR decomposition at the degree of one θ, the largest."""

    def __init__(self, problem: Problem, theta: Theta):
        self._problem = problem
        fitted, train, self._held = generic.preprocess(problem, problem.builder.recipe(theta))
        sizes = np.bincount(fitted[POLY].powers_.sum(axis=1))[1:]
        ends = np.cumsum(sizes)
        self._r, self._x_mean = np.zeros((ends[-1], ends[-1])), np.empty(ends[-1])
        self._projected, self._y_mean = np.empty(ends[-1]), float(np.mean(problem.train_target))
        q = np.empty((len(train), 0))
        for start, end in zip(ends - sizes, ends, strict=True):
            q = np.hstack([q, self._add(q, np.array(train[:, start:end]), slice(start, end))])

    def _add(self, q: np.ndarray, columns: np.ndarray, where: slice) -> np.ndarray:
        """The columns of one degree without their projections on the lower ones, then their own QR."""
        self._x_mean[where] = columns.mean(axis=0)
        columns -= self._x_mean[where]
        for _ in range(2):  # once leaves too much where columns are nearly collinear
            shares = q.T @ columns
            columns -= q @ shares
            self._r[: where.start, where] += shares
        new, self._r[where, where] = np.linalg.qr(columns)
        self._projected[where] = new.T @ (self._problem.train_target - self._y_mean)
        return new

    def outcome(self, theta: Theta, fitted: Pipeline) -> Outcome | None:
        """The fit of one degree, or None where it is not safe."""
        started, count = time.perf_counter(), fitted[POLY].n_output_features_
        r = self._r[:count, :count]
        if np.linalg.cond(r) > WELL_CONDITIONED:
            return None
        builder = self._problem.builder
        model: Any = builder.estimator(builder.recipe(theta), self._problem.seed)
        model.coef_ = np.linalg.solve(r, self._projected[:count])
        model.intercept_ = self._y_mean - float(self._x_mean[:count] @ model.coef_)
        model.n_features_in_, model.rank_ = count, count
        held = np.ascontiguousarray(self._held[:, :count])
        predictions = Predictions(value=held @ model.coef_ + model.intercept_)
        pipeline = Pipeline([*fitted.steps, (MODEL, model)])
        shared = [step for _, step in fitted.steps]
        return Outcome(theta, pipeline, shared, predictions, seconds=time.perf_counter() - started)
