"""What path engines have in common: θ that differ in the path's parameters only are fitted together."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from heldout.names import Theta, canonical
from heldout.numerics.engines.generic import preprocess
from heldout.numerics.pipeline import MODEL, Recipe
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions


class Stretch(NamedTuple):
    """Prepared rows, and the unfitted models of some θ that differ in the path's parameters only."""

    models: list[BaseEstimator]
    train: np.ndarray
    target: np.ndarray
    held: np.ndarray
    classes: list[Any] | None
    problem: Problem
    preprocessing: Pipeline


Fit = Callable[[Stretch], Iterator[tuple[BaseEstimator, Predictions]]]
"""Fits the models of a stretch in order; yields each with its predictions on the held-out rows."""


def run_path(
    problem: Problem, thetas: list[Theta], parameters: str | tuple[str, ...], fit: Fit
) -> Iterator[Outcome]:
    """Fit θ stretch by stretch; an error ends its own θ only. One parameter's name will do."""
    names = (parameters,) if isinstance(parameters, str) else parameters
    for stretch_thetas, recipe in _stretches(problem, thetas, names):
        yield from _run_stretch(problem, stretch_thetas, recipe, fit)


def _stretches(
    problem: Problem, thetas: list[Theta], names: tuple[str, ...]
) -> Iterator[tuple[list[Theta], Recipe]]:
    groups: dict[str, tuple[list[Theta], Recipe]] = {}
    for theta in thetas:
        recipe = problem.builder.recipe(theta)
        rest = {name: value for name, value in recipe.model.items() if name not in names}
        place = recipe.shared + canonical(rest)
        groups.setdefault(place, ([], recipe))[0].append(theta)
    yield from groups.values()


def _run_stretch(
    problem: Problem, thetas: list[Theta], recipe: Recipe, fit: Fit
) -> Iterator[Outcome]:
    done = 0
    started = time.perf_counter()
    try:
        fitted, train, held = preprocess(problem, recipe)
        builder = problem.builder
        models = [builder.estimator(builder.recipe(theta), problem.seed) for theta in thetas]
        target, classes = problem.train_target, builder.table.classes
        stretch = Stretch(models, train, target, held, classes, problem, fitted)
        shared = [step for _, step in fitted.steps]
        path = fit(stretch)
        for theta in thetas:
            model, said = next(path)
            pipeline = Pipeline([*fitted.steps, (MODEL, model)])
            seconds = time.perf_counter() - started
            yield Outcome(theta, pipeline, shared, said, seconds=seconds)
            done += 1
            started = time.perf_counter()
    except Exception as error:
        yield from _one_by_one(problem, thetas[done:], error, fit)


def _one_by_one(
    problem: Problem, thetas: list[Theta], error: Exception, fit: Fit
) -> Iterator[Outcome]:
    """After an error among several θ, each is fitted alone: only the guilty one is given up."""
    if len(thetas) == 1:
        yield Outcome(thetas[0], error=error)
        return
    for theta in thetas:
        yield from _run_stretch(problem, [theta], problem.builder.recipe(theta), fit)
