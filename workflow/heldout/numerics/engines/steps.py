"""The engine for composed learners: a whole Pipeline of the user's, calibration, native columns.

Steps are fitted one after another on the training rows. Those before the model are kept for θ that
share them. Unlike in the other engines, scikit-learn checks all values: no step of heldout has seen them.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

from sklearn import config_context

from heldout.names import Theta
from heldout.numerics.pipeline import SAMPLE_WEIGHT, Recipe
from heldout.numerics.predict import predict, remember_classes
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.rows import own_rows
from heldout.numerics.steps.builder import ComposedBuilder
from heldout.numerics.steps.calibration import fit_calibrated
from heldout.numerics.steps.chain import Chain, global_seed, together
from heldout.numerics.threads import growing
from heldout.predictions import Predictions

Fit = Callable[[Recipe, Any, Any, Any, dict[str, Any]], Any]
"""Fits a model: takes the θ, the unfitted model, rows, target and arguments; returns the fitted model."""
Predict = Callable[[Any, Any, list[Any] | None], Predictions]
"""Predicts: takes the model that was fitted last, held-out rows, and the classes of the task."""


def fit(recipe: Recipe, model: Any, train: Any, target: Any, weights: dict[str, Any]) -> Any:
    """Fit a model, to rows of its own."""
    model.fit(own_rows(train), target, **weights)
    return model


def run(
    problem: Problem, thetas: list[Theta], fit: Fit = fit, predict: Predict = predict
) -> Iterator[Outcome]:
    """Fit and predict each θ, those that share steps together; an error is in the outcome of its own θ only."""
    in_order, recipes = together(problem.builder, thetas)
    chain = Chain(problem, recipes)
    for theta in in_order:
        started = time.perf_counter()
        try:
            with config_context(assume_finite=False, skip_parameter_validation=False):
                outcome = _fitted(problem, chain, theta, fit, predict)
        except Exception as error:
            yield Outcome(theta, error=error)
            continue
        steps = [step for _, step in outcome.steps[:-1] if not isinstance(step, str)]
        predictions = outcome.predictions
        seconds = time.perf_counter() - started
        yield Outcome(theta, outcome.pipeline, steps, predictions, seconds=seconds)


class _Fitted:
    """A fitted Pipeline and its predictions."""

    def __init__(self, problem: Problem, steps: list[tuple[str, Any]], held: Any, predict: Predict):
        self.steps = steps
        assert isinstance(problem.builder, ComposedBuilder)
        self.pipeline = problem.builder.pipeline(steps)
        self.predictions = predict(steps[-1][1], held, problem.builder.columns.classes)


def _fitted(problem: Problem, chain: Chain, theta: Theta, fit: Fit, predict: Predict) -> _Fitted:
    builder = problem.builder
    assert isinstance(builder, ComposedBuilder)
    recipe = builder.recipe(theta)
    steps, train, target, held = chain.fitted(recipe)
    held = own_rows(held)
    model = builder.estimator(recipe, problem.seed)
    if builder.calibrates_all:
        inner = builder.preprocessing(recipe, problem.seed).steps[1:]
        model = builder.pipeline([*inner, (builder.name, model)])
    weights = {} if problem.weights is None else {SAMPLE_WEIGHT: problem.weights}
    method = builder.definition.calibrate
    with global_seed(problem.seed):
        if method is None:
            with growing(builder):
                model = fit(recipe, model, train, target, weights)
        else:
            units, seed = problem.units, problem.seed
            rows = own_rows(train)
            model = fit_calibrated(model, method, rows, target, units, seed, weights)
        if builder.classification:
            remember_classes(model, target)
        return _Fitted(problem, [*steps, (builder.name, model)], held, predict)
