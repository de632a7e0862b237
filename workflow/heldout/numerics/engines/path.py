"""What path engines have in common: θ that differ only in the path's parameters are fitted together."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from heldout.names import Theta, canonical
from heldout.numerics.engines.generic import name_of_rows, preprocess
from heldout.numerics.pipeline import MODEL, Recipe
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions


class Path(NamedTuple):
    """The models to fit in one pass, and the preprocessed rows."""

    models: list[BaseEstimator]
    """Unfitted; they differ only in the path's parameters."""
    train: np.ndarray
    target: np.ndarray
    held: np.ndarray
    classes: list[Any] | None
    """The classes of the task; None for a number to predict."""
    problem: Problem
    preprocessing: Pipeline
    """The fitted steps before the model."""
    name: str
    """Equal for all paths of a training set with the same preprocessed rows."""


Prepare = Callable[[Problem, Recipe], tuple[Pipeline, Any, Any]]
"""Fits the steps before the model; returns them, and the transformed training rows and held-out rows."""
Fit = Callable[[Path], Iterator[tuple[BaseEstimator, Predictions]]]
"""Fits the models of a path in order; yields each with its predictions on the held-out rows."""


def run_path(
    problem: Problem,
    thetas: list[Theta],
    parameters: str | tuple[str, ...],
    fit: Fit,
    prepare: Prepare = preprocess,
) -> Iterator[Outcome]:
    """Fit θ path by path; an error is in the outcome of its own θ only.

    Parameters
    ----------
    problem
        The training rows and the rows to predict.
    thetas
        The θ to fit.
    parameters
        The hyper-parameters all of whose values are fitted in one pass.
    fit
        Fits one path.
    prepare
        Fits the preprocessing that its θ share.

    Yields
    ------
    Outcome
        One for each θ, path by path.
    """
    names = (parameters,) if isinstance(parameters, str) else parameters
    for group in _groups(problem, thetas, names):
        yield from _run_group(problem, group, fit, prepare)


def _groups(
    problem: Problem, thetas: list[Theta], names: tuple[str, ...]
) -> Iterable[list[tuple[Theta, Recipe]]]:
    groups: dict[str, list[tuple[Theta, Recipe]]] = {}
    for theta in thetas:
        recipe = problem.builder.recipe(theta)
        rest = {name: value for name, value in recipe.model.items() if name not in names}
        groups.setdefault(recipe.shared + canonical(rest), []).append((theta, recipe))
    return groups.values()


def _run_group(
    problem: Problem, group: Sequence[tuple[Theta, Recipe]], fit: Fit, prepare: Prepare
) -> Iterator[Outcome]:
    done = 0
    started = time.perf_counter()
    try:
        fitted, train, held = prepare(problem, group[0][1])
        builder = problem.builder
        models = [builder.estimator(recipe, problem.seed) for _, recipe in group]
        target, classes = problem.train_target, builder.columns.classes
        shared = [step for _, step in fitted.steps]
        name = name_of_rows(problem, group[0][1])
        pairs = fit(Path(models, train, target, held, classes, problem, fitted, name))
        for theta, _ in group:
            model, predictions = next(pairs)
            pipeline = Pipeline([*fitted.steps, (MODEL, model)])
            seconds = time.perf_counter() - started
            yield Outcome(theta, pipeline, shared, predictions, seconds=seconds)
            done += 1
            started = time.perf_counter()
    except Exception as error:
        yield from _one_by_one(problem, group[done:], error, fit, prepare)


def _one_by_one(
    problem: Problem,
    group: Sequence[tuple[Theta, Recipe]],
    error: Exception,
    fit: Fit,
    prepare: Prepare,
) -> Iterator[Outcome]:
    """After an error, fit each of several θ alone, so that only the one that causes it fails."""
    if len(group) == 1:
        yield Outcome(group[0][0], error=error)
        return
    for one in group:
        yield from _run_group(problem, [one], fit, prepare)
