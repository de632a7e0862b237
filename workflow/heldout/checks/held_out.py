"""The held-out rows that checks of a selected model look at."""

from collections.abc import Iterator

import numpy as np

from heldout.checks.check import Context
from heldout.estimates.algorithm import evidence_for
from heldout.estimates.evidence import Evidence
from heldout.estimates.lookup import available_kind
from heldout.estimates.registry import ESTIMATORS
from heldout.names import Theta
from heldout.predictions import Predictions
from heldout.resampling.split import TRAIN

JUDGES = ("rolling", "kfold", "holdout", "montecarlo")
"""The estimators whose held-out rows are looked at: the first that there is."""
WORDS = {
    "rolling": "blocks of time",
    "kfold": "folds",
    "holdout": "the development set",
    "montecarlo": "rounds of Monte Carlo CV",
}


def judge_of(context: Context) -> str | None:
    """The estimator whose held-out rows are looked at; None if there is none of them."""
    available = context.loss_table.resamples
    return next((one for one in JUDGES if available_kind(ESTIMATORS[one].judges, available)), None)


def evidence_of(context: Context, learner: str, theta: Theta) -> Evidence | None:
    """The held-out losses of a learner and θ."""
    judge = judge_of(context)
    return None if judge is None else evidence_for(context.loss_table, judge, learner, theta)


def predictions_of(
    context: Context, learner: str, theta: Theta
) -> Iterator[tuple[np.ndarray, Predictions]]:
    """The rows of each held-out set, and what was predicted for them; of repeats, the first partition."""
    judge, table = judge_of(context), context.loss_table
    if judge is None:
        return
    kind = available_kind(ESTIMATORS[judge].judges, table.resamples)
    assert kind is not None
    resamples = list(table.resamples[kind].values())
    if judge == "kfold":
        resamples = resamples[: table.partitions[0].k]
    for resample in resamples:
        for name, said in table.predictions(learner, theta, resample).items():
            if name != TRAIN:
                yield resample.held[name], said


def selected(context: Context) -> tuple[str, Theta]:
    """The selected learner and its θ."""
    return context.selection["learner"], context.selection["theta"]
