"""The engine for any scikit-learn estimator: one fit per θ, with preprocessing that θ share."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from heldout.names import Theta
from heldout.numerics.pipeline import MODEL, SAMPLE_WEIGHT, Recipe
from heldout.numerics.predict import predict, remember_classes
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.rows import may_change_rows, own_rows
from heldout.numerics.threads import growing

KEPT = 2**28
"""Bytes of preprocessed rows after which those of other θ and learners are made again when they are needed."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit and predict each θ; an error is in the outcome of its own θ only."""
    for theta in thetas:
        started = time.perf_counter()
        try:
            recipe = problem.builder.recipe(theta)
            fitted, train, held = preprocess(problem, recipe)
            model = problem.builder.estimator(recipe, problem.seed)
            if may_change_rows(model):
                train, held = own_rows(train), own_rows(held)
            with growing(problem.builder):
                model.fit(train, problem.train_target, **_weights_of(problem))
            if problem.builder.classification:
                remember_classes(model, problem.train_target)
            predictions = predict(model, held, problem.builder.columns.classes)
        except Exception as error:
            yield Outcome(theta, error=error)
            continue
        pipeline = Pipeline([*fitted.steps, (MODEL, model)])
        shared = [step for _, step in fitted.steps]
        seconds = time.perf_counter() - started
        yield Outcome(theta, pipeline, shared, predictions, seconds=seconds)


def preprocess(problem: Problem, recipe: Recipe) -> tuple[Pipeline, np.ndarray, np.ndarray]:
    """Fit the preprocessing of a training set, once for all θ and learners that share it.

    Parameters
    ----------
    problem
        The training set.
    recipe
        The θ, sorted by step.

    Returns
    -------
    tuple
        The fitted steps before the model, the transformed training rows and held-out rows.
    """
    name = name_of_rows(problem, recipe)
    if name not in problem.preprocessed:
        if _size(problem.preprocessed) > KEPT:
            problem.preprocessed.clear()
        fitted = problem.builder.preprocessing(recipe)
        train, held = problem.train_features, problem.held_features
        for _, step in fitted.steps:  # one by one, because Pipeline.fit_transform clones each step
            same = held is train
            train = step.fit_transform(train, problem.train_target, **_weights_for(step, problem))
            held = train if same else step.transform(held)
        problem.preprocessed[name] = fitted, train, held
    return problem.preprocessed[name]


def name_of_rows(problem: Problem, recipe: Recipe) -> str:
    """A text that is equal for all θ, and learners, whose preprocessed rows of a training set are equal."""
    definition = problem.builder.definition
    return f"{definition.scale}:{definition.polynomial}:{recipe.shared}"


def _size(preprocessed: Mapping[str, tuple[Any, ...]]) -> int:
    """The bytes of all matrices."""
    return sum(getattr(one, "nbytes", 0) for made in preprocessed.values() for one in made)


def _weights_of(problem: Problem) -> dict[str, np.ndarray]:
    """The weights of the training rows as arguments of `fit`; nothing if all rows are alike."""
    return {} if problem.weights is None else {SAMPLE_WEIGHT: problem.weights}


def _weights_for(step: BaseEstimator, problem: Problem) -> dict[str, np.ndarray]:
    """The same for a step before the model: nothing if it takes no weights."""
    if problem.weights is None or not has_fit_parameter(step, SAMPLE_WEIGHT):
        return {}
    return _weights_of(problem)
