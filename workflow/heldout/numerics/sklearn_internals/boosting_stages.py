"""The first rounds of a fitted boosting model, as a model of their own."""

import copy
from typing import Any

import numpy as np

from heldout.numerics.sklearn_internals.selfcheck import once, small_table


def truncated(model: Any, parameter: str, rounds: int) -> Any:
    """A copy of a fitted model with its first rounds only.

    Parameters
    ----------
    model
        A fitted boosting model.
    parameter
        The hyper-parameter that is the number of rounds: `max_iter` (histogram-based) or
        `n_estimators`.
    rounds
        How many rounds to keep.
    """
    short = copy.copy(model)
    setattr(short, parameter, rounds)
    if parameter == "max_iter":
        short._predictors = model._predictors[:rounds]
    else:
        short.estimators_ = model.estimators_[:rounds]
        short.n_estimators_ = rounds
    return short


def with_decision(model: Any, decision: np.ndarray) -> Any:
    """A copy of a fitted classifier that has these decision values, whatever rows it predicts.

    Parameters
    ----------
    model
        A fitted boosting model.
    decision
        The decision values of some rows after some rounds.
    """
    said = copy.copy(model)
    said._raw_predict = lambda rows: decision.reshape(len(decision), -1)
    return said


@once
def is_exact(kind: type, parameter: str) -> bool:
    """Whether a model truncated after two rounds predicts what a fit of two rounds predicts."""
    features, score = small_table(60)
    target = (score > 0).astype(int) if hasattr(kind, "predict_proba") else score
    long, short = (
        kind(**{parameter: rounds}, random_state=0).fit(features, target) for rounds in (4, 2)
    )
    ours = truncated(long, parameter, 2)
    if not hasattr(kind, "predict_proba"):
        return np.array_equal(ours.predict(features), short.predict(features))
    staged = with_decision(long, list(long.staged_decision_function(features))[1])
    return all(
        np.array_equal(getattr(one, method)(features), getattr(short, method)(features))
        for one in (ours, staged)
        for method in ("predict", "predict_proba")
    )
