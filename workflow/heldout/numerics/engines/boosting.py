"""Boosting: one fit of the longest run serves every number of rounds.

The first rounds of a long run are exactly the rounds of a shorter run with the same seed. Histogram-based models of a
training set share the bins of its rows. Where such a model takes columns as they are, no row is copied: bins are made
from the table, column by column.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from heldout.names import Theta
from heldout.numerics.engines import generic
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.pipeline import Recipe
from heldout.numerics.predict import aligned, as_codes
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.sklearn_internals import boosting_bins, boosting_routes, boosting_stages
from heldout.predictions import Predictions

HISTOGRAMS, STAGES = "max_iter", "n_estimators"
"""What the number of rounds is called: of models on histograms, and of others."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all numbers of rounds on one training set."""
    kind = type(problem.builder.prototype)
    parameter = HISTOGRAMS if "HistGradient" in problem.builder.path else STAGES
    if not boosting_stages.is_exact(kind, parameter):
        yield from generic.run(problem, thetas)
    elif (
        parameter == HISTOGRAMS and boosting_bins.is_exact(kind) and boosting_routes.is_exact(kind)
    ):
        yield from run_path(problem, thetas, parameter, _fit_on_bins, _uncut)
    else:
        yield from run_path(problem, thetas, parameter, lambda path: _fit(path, parameter))


def _uncut(problem: Problem, recipe: Recipe) -> tuple[Pipeline, Any, Any]:
    """The preprocessing, with rows that are still part of the table where it leaves them as they are."""
    cuts, fitted = problem.cuts(), problem.builder.preprocessing(recipe)
    step = fitted.steps[0][1]
    model = problem.builder.estimator(recipe, problem.seed)
    if (
        cuts is None
        or len(fitted) > 1
        or not step.only_numbers
        or not boosting_bins.takes_cut(model)
    ):
        return generic.preprocess(problem, recipe)
    train, held = (cut.columns(step.numbers) for cut in cuts)
    step.fit(np.empty((0, len(problem.builder.columns.names))))
    return fitted, train, train if cuts[0] is cuts[1] else held


def _fit_on_bins(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    counts = [int(model.max_iter) for model in path.models]
    longest: Any = path.models[int(np.argmax(counts))]
    kept, name = path.problem.preprocessed, path.name
    bins = boosting_bins.fit(longest, path.train, path.target, kept, name)
    if path.held is path.train:
        held = bins.matrix
    else:
        held = boosting_bins.held_bins(longest, bins, path.held, kept, name)
    staged = boosting_routes.raw_predictions(longest, held, counts)
    stages = {count: _predictions(longest, path, raw) for count, raw in staged}
    for count in counts:
        yield boosting_stages.truncated(longest, HISTOGRAMS, count), stages[count]


def _fit(path: Path, parameter: str) -> Iterator[tuple[BaseEstimator, Predictions]]:
    counts = [int(getattr(model, parameter)) for model in path.models]
    longest: Any = path.models[int(np.argmax(counts))]
    longest.fit(path.train, path.target)
    stages = _stages(longest, path, set(counts))
    for count in counts:
        yield boosting_stages.truncated(longest, parameter, count), stages[count]


def _stages(longest: Any, path: Path, counts: set[int]) -> dict[int, Predictions]:
    """The predictions after each of these numbers of rounds."""
    if path.classes is None:
        staged = enumerate(longest.staged_predict(path.held), start=1)
        return {i: Predictions(value=np.asarray(values)) for i, values in staged if i in counts}
    staged = enumerate(longest.staged_decision_function(path.held), start=1)
    return {
        number: _predictions(longest, path, decision)
        for number, decision in staged
        if number in counts
    }


def _predictions(longest: Any, path: Path, raw: np.ndarray) -> Predictions:
    """Labels and probabilities, or numbers, by scikit-learn's own code, from the sums of trees after a stage."""
    model, classes = boosting_stages.with_decision(longest, raw), path.classes
    if classes is None:
        return Predictions(value=np.asarray(model.predict(path.held), np.float64))
    complete = len(model.classes_) == len(classes)
    flat = raw[:, 0] if raw.ndim == 2 and raw.shape[1] == 1 else raw
    return Predictions(
        label=as_codes(model.predict(path.held), classes),
        proba=aligned(model.predict_proba(path.held), model.classes_, len(classes)),
        decision=np.array(flat, np.float64) if complete else None,
    )
