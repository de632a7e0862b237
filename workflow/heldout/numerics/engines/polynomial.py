"""Polynomials: one QR decomposition at the largest degree serves every degree.

The columns of degree d are the first columns of every higher degree; the same holds for the factors
Q and R. Where R is badly conditioned, least squares has many near-solutions and each degree is
fitted alone.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from heldout.names import Theta, canonical
from heldout.numerics.engines import generic
from heldout.numerics.pipeline import MODEL, POLY, Recipe
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
    recipes = [problem.builder.recipe(theta) for theta in thetas]
    largest = max(recipes, key=_degree)
    try:
        factors = _Factors(problem, largest)
    except (ValueError, MemoryError, np.linalg.LinAlgError):
        factors = None
    for theta, recipe in zip(thetas, recipes, strict=True):
        outcome = factors.outcome(problem, theta, recipe) if factors else None
        yield outcome or next(iter(generic.run(problem, [theta])))


def _degree(recipe: Recipe) -> int:
    degree = recipe.poly.get("degree", 2)
    if not isinstance(degree, int):
        raise ValueError("degrees given as pairs have no single order")
    return degree


class _Factors:
    """The centred QR decomposition at the largest degree."""

    def __init__(self, problem: Problem, recipe: Recipe):
        _, train, self.held = generic.preprocess(problem, recipe)
        self.x_mean, self.y_mean = train.mean(axis=0), float(np.mean(problem.train_target))
        if train.shape[0] <= train.shape[1]:
            raise ValueError("fewer rows than columns")
        q, self.r = np.linalg.qr(train - self.x_mean)
        self.projected = q.T @ (problem.train_target - self.y_mean)

    def outcome(self, problem: Problem, theta: Theta, recipe: Recipe) -> Outcome | None:
        """The fit of one degree, or None where it is not safe."""
        started = time.perf_counter()
        fitted = self._preprocessing(problem, recipe)
        count = fitted[POLY].n_output_features_
        r = self.r[:count, :count]
        if np.linalg.cond(r) > WELL_CONDITIONED:
            return None
        coef = np.linalg.solve(r, self.projected[:count])
        model: Any = problem.builder.estimator(recipe, problem.seed)
        model.coef_ = coef
        model.intercept_ = self.y_mean - float(self.x_mean[:count] @ coef)
        model.n_features_in_, model.rank_ = count, count
        predictions = Predictions(value=self.held[:, :count] @ coef + model.intercept_)
        pipeline = Pipeline([*fitted.steps, (MODEL, model)])
        shared = [step for _, step in fitted.steps]
        return Outcome(theta, pipeline, shared, predictions, seconds=time.perf_counter() - started)

    def _preprocessing(self, problem: Problem, recipe: Recipe) -> Pipeline:
        """Fit the steps of this degree; the polynomial step learns only the number of its columns."""
        steps = problem.builder.preprocessing(recipe)
        prepared = steps[0].fit_transform(problem.train_features)
        steps[POLY].fit(prepared[:1])
        return steps
