"""Boosting: one fit of the longest run serves every number of rounds.

The first rounds of a long run are exactly the rounds of a shorter run with the same seed.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines import generic
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.predict import aligned, as_codes
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.sklearn_internals import boosting_stages
from heldout.predictions import Predictions


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all numbers of rounds on one training set."""
    parameter = "max_iter" if "HistGradient" in problem.builder.path else "n_estimators"
    if not boosting_stages.is_exact(type(problem.builder.prototype), parameter):
        yield from generic.run(problem, thetas)
        return
    yield from run_path(problem, thetas, parameter, lambda path: _fit(path, parameter))


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
        number: _stage_predictions(longest, path, decision)
        for number, decision in staged
        if number in counts
    }


def _stage_predictions(longest: Any, path: Path, decision: np.ndarray) -> Predictions:
    """Labels and probabilities by scikit-learn's own code, from the decision values of a stage."""
    assert path.classes is not None
    model, classes = boosting_stages.with_decision(longest, decision), path.classes
    complete = len(model.classes_) == len(classes)
    flat = decision[:, 0] if decision.ndim == 2 and decision.shape[1] == 1 else decision
    return Predictions(
        label=as_codes(model.predict(path.held), classes),
        proba=aligned(model.predict_proba(path.held), model.classes_, len(classes)),
        decision=np.array(flat, np.float64) if complete else None,
    )
