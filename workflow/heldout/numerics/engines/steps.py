"""The engine for composed learners: a whole Pipeline of the user's, calibration, native columns.

Steps are fitted one after another on the training rows. Those before the model are kept for θ that
share them. Unlike in the other engines, scikit-learn checks all values: no step of heldout has seen them.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn import config_context

from heldout.names import Theta, canonical
from heldout.numerics.pipeline import SAMPLE_WEIGHT, Recipe
from heldout.numerics.predict import predict, remember_classes
from heldout.numerics.preprocessing import Preprocessor
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.steps.builder import ComposedBuilder
from heldout.numerics.steps.calibration import fit_calibrated
from heldout.numerics.steps.prepare import Prepare
from heldout.numerics.steps.table import TableColumns

WEIGHTED = (Prepare, Preprocessor)
"""Steps whose scales count the weights of rows."""
OWN = (*WEIGHTED, TableColumns)
"""Steps that transform the rows they were fitted to as they transform others."""
KEPT = 4
"""How many fitted preprocessings of a training set are kept for other θ."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit and predict each θ; an error is in the outcome of its own θ only."""
    for theta in thetas:
        started = time.perf_counter()
        try:
            checked = config_context(assume_finite=False, skip_parameter_validation=False)
            with checked, _global_seed(problem.seed):
                outcome = _fitted(problem, theta)
        except Exception as error:
            yield Outcome(theta, error=error)
            continue
        steps = [step for _, step in outcome.steps[:-1] if not isinstance(step, str)]
        predictions = outcome.predictions
        seconds = time.perf_counter() - started
        yield Outcome(theta, outcome.pipeline, steps, predictions, seconds=seconds)


@contextmanager
def _global_seed(seed: int) -> Iterator[None]:
    """For functions that draw from numpy's global state and take no seed, such as mutual information."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


class _Fitted:
    """A fitted Pipeline and its predictions."""

    def __init__(self, problem: Problem, steps: list[tuple[str, Any]], held: Any):
        self.steps = steps
        assert isinstance(problem.builder, ComposedBuilder)
        self.pipeline = problem.builder.pipeline(steps)
        self.predictions = predict(steps[-1][1], held, problem.builder.columns.classes)


def _fitted(problem: Problem, theta: Theta) -> _Fitted:
    builder = problem.builder
    assert isinstance(builder, ComposedBuilder)
    recipe = builder.recipe(theta)
    steps, train, target, held = _preprocessed(problem, recipe)
    model = builder.estimator(recipe, problem.seed)
    if builder.calibrates_all:
        inner = builder.preprocessing(recipe, problem.seed).steps[1:]
        model = builder.pipeline([*inner, (builder.name, model)])
    weights = {} if problem.weights is None else {SAMPLE_WEIGHT: problem.weights}
    method = builder.definition.calibrate
    if method is None:
        model.fit(train, target, **weights)
    else:
        units, seed = problem.units, problem.seed
        model = fit_calibrated(model, method, train, target, units, seed, weights)
    if builder.classification:
        remember_classes(model, target)
    return _Fitted(problem, [*steps, (builder.name, model)], held)


Preprocessed = tuple[list[tuple[str, Any]], Any, np.ndarray, Any]
"""The fitted steps, the training rows and their target, and the held-out rows."""


def _preprocessed(problem: Problem, recipe: Recipe) -> Preprocessed:
    """Fit the steps before the model, unless another θ has."""
    definition, shared = problem.builder.definition, problem.preprocessed
    about = [definition.steps, definition.params, definition.scale, definition.source]
    name = f"steps:{problem.seed}:{definition.name}:{canonical(about)}:{recipe.shared}"
    if name not in shared:
        kept = [one for one in shared if one.startswith("steps:")]
        for one in kept[: max(0, len(kept) - KEPT + 1)]:
            del shared[one]
        shared[name] = _fit_steps(problem, recipe)
    found: Preprocessed = shared[name]
    return found


def _fit_steps(problem: Problem, recipe: Recipe) -> Preprocessed:
    builder = problem.builder
    assert isinstance(builder, ComposedBuilder)
    steps = builder.preprocessing(recipe, problem.seed).steps
    if builder.calibrates_all:
        steps = steps[:1]
    train, target, held = problem.train_features, problem.train_target, problem.held_features
    for _, step in steps:
        if isinstance(step, str):  # switched off
            continue
        if hasattr(step, "fit_resample"):  # in training only: held-out rows stay as they are
            train, target = step.fit_resample(train, target)
            continue
        same = held is train and isinstance(step, OWN)
        train = _fit_transform(step, train, target, problem.weights)
        held = train if same else step.transform(held)
    return list(steps), train, np.asarray(target), held


def _fit_transform(step: Any, train: Any, target: Any, weights: np.ndarray | None) -> Any:
    """Fit a step, and transform the rows it was fitted to. Weights are for heldout's own steps."""
    if isinstance(step, WEIGHTED):
        return step.fit_transform(train, target, weights)
    if hasattr(step, "fit_transform"):
        return step.fit_transform(train, target)
    return step.fit(train, target).transform(train)
