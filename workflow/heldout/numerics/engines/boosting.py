"""Boosting: the stages of a long run are the short runs, exactly."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines.path import Stretch, run_path
from heldout.numerics.pipeline import aligned
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """All numbers of rounds of one training set."""
    path = problem.builder.definition.import_path(problem.builder.classification)
    parameter = "max_iter" if "HistGradient" in path else "n_estimators"
    yield from run_path(problem, thetas, parameter, lambda s: _fit(s, parameter))


def _fit(stretch: Stretch, parameter: str) -> Iterator[tuple[BaseEstimator, Predictions]]:
    counts = [int(getattr(model, parameter)) for model in stretch.models]
    longest: Any = copy.copy(stretch.models[int(np.argmax(counts))])
    longest.fit(stretch.train, stretch.target)
    stages = _stages(longest, stretch, set(counts))
    for count in counts:
        model = copy.copy(longest)
        setattr(model, parameter, count)
        if parameter == "max_iter":
            model._predictors = longest._predictors[:count]
        else:
            model.estimators_ = longest.estimators_[:count]
            model.n_estimators_ = count
        yield model, stages[count]


def _stages(longest: Any, stretch: Stretch, counts: set[int]) -> dict[int, Predictions]:
    if stretch.classes is None:
        staged = enumerate(longest.staged_predict(stretch.held), start=1)
        return {i: Predictions(value=np.asarray(said)) for i, said in staged if i in counts}
    labels = longest.staged_predict(stretch.held)
    probas = longest.staged_predict_proba(stretch.held)
    kept = {}
    for number, (label, proba) in enumerate(zip(labels, probas, strict=True), start=1):
        if number in counts:
            codes = label.astype(np.min_scalar_type(len(stretch.classes)))
            whole = aligned(proba, longest.classes_, len(stretch.classes))
            kept[number] = Predictions(label=codes, proba=whole)
    return kept
