"""Weights of rows, checked before the first fit: every learner takes them, and every set has some."""

import numpy as np

from heldout.cells.plan import Plan
from heldout.errors import HeldoutError
from heldout.numerics.pipeline import SAMPLE_WEIGHT, Builder


def check_weights(plan: Plan, builders: dict[str, Builder]) -> None:
    """Check that learners and training sets go with the weights of the rows, if there are any.

    Parameters
    ----------
    plan
        The plan of a task.
    builders
        The builder of each learner.

    Raises
    ------
    HeldoutError
        Names the learner, or the held-out set, and what to do.
    """
    if plan.table.weights is None:
        return
    column = plan.table.facts["weights"]
    for name, builder in builders.items():
        _check_learner(name, builder, column)
    _check_sets(plan, plan.table.weights > 0, column)


def _check_learner(name: str, builder: Builder, column: str) -> None:
    reason = builder.refuses_weights()
    if reason is not None:
        raise HeldoutError(
            f"learners.{name}: {reason}, and the rows have some (weights: {column}); take '{name}' out of "
            f"the task's learners, or remove weights (a class of your own takes them by "
            f"fit(X, y, {SAMPLE_WEIGHT}=None))"
        )


def _check_sets(plan: Plan, counts: np.ndarray, column: str) -> None:
    """Single rows may have weight 0: leave-one-out, whose sets they are, takes one mean over all."""
    for resample in plan.resamples:
        sets = [] if resample.members else [resample.train, *resample.held.values()]
        for place, rows in enumerate(sets):
            if not counts[rows].any():
                which = "held-out" if place else "training"
                raise HeldoutError(
                    f"weights: the {which} rows of '{resample.name}' all have weight 0 in '{column}', so "
                    "that nothing counts; hold out another share of the rows (kfold.k, fraction), or "
                    "remove rows of weight 0 from the table"
                )
