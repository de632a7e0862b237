"""Checks before the first fit that a loss is defined on every held-out set, and that thresholds can decide."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from heldout.cells.plan import Plan
from heldout.data.prepared import Prepared
from heldout.errors import HeldoutError
from heldout.measures.loss import Loss, takes_weights
from heldout.resampling.split import TRAIN, Resample


class Sets(NamedTuple):
    """A table and the resamples of it: all that is looked at."""

    table: Prepared
    resamples: Sequence[Resample]


def check_sets(loss: Loss, plan: Plan | Sets) -> None:
    """Refuse a loss that is not defined on some held-out set of a plan.

    Parameters
    ----------
    loss
        The loss that θ is chosen by.
    plan
        The table and the resamples of a task.

    Raises
    ------
    HeldoutError
        Names the set, what it lacks, and what to do.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from heldout.measures.score_registry import SCORES
    >>> held = Resample("dev", np.array([0]), {"dev": np.array([1, 2])})
    >>> table = SimpleNamespace(target=np.array([0, 1, 1]), classes=["a", "b"], weights=None)
    >>> check_sets(SCORES["f1"], SimpleNamespace(table=table, resamples=[held]))
    """
    if loss.by_example:
        return
    if plan.table.weights is not None and loss.family == "unstudied" and not takes_weights(loss):
        raise HeldoutError(
            f"loss: '{loss.name}' takes no weights; remove weights, or choose another loss"
        )
    for resample in plan.resamples:
        for name, rows in _sets(resample):
            _check_set(loss, plan.table, name, rows)


def check_threshold(loss: Loss | None, classes: Sequence[Any] | None) -> None:
    """Refuse decision thresholds where they do not decide between two classes.

    Parameters
    ----------
    loss
        The loss that θ is chosen by; None where the user's function is not imported yet.
    classes
        The labels; None if targets are numbers.

    Raises
    ------
    HeldoutError
        Says what is wrong and what to do.

    Examples
    --------
    >>> check_threshold(None, ["adelie", "chinstrap", "gentoo"])
    Traceback (most recent call last):
    heldout.errors.HeldoutError: threshold: is for two classes, and the target has 3; leave it out
    """
    if classes is None:
        raise HeldoutError(
            "threshold: is for two classes, and the target is a number; leave it out"
        )
    if len(classes) != 2:
        raise HeldoutError(
            f"threshold: is for two classes, and the target has {len(classes)}; leave it out"
        )
    if loss is not None and loss.needs != "label":
        raise HeldoutError(
            f"threshold: changes labels only, and the loss '{loss.name}' is computed from {loss.needs}; choose one "
            "of labels (needs: label), or leave out the threshold"
        )


def _sets(resample: Resample) -> Iterable[tuple[str, np.ndarray]]:
    return ((name, rows) for name, rows in resample.held.items() if name != TRAIN)


def _check_set(loss: Loss, table: Prepared, name: str, rows: np.ndarray) -> None:
    target = np.asarray(table.target)[rows]
    if len(rows) < 2:
        raise HeldoutError(
            f"loss: '{loss.name}' is a number of a whole set, and held-out set '{name}' has one row"
        )
    if table.classes is None:
        if loss.family == "r2" and np.ptp(target) == 0:
            raise HeldoutError(
                f"loss: '{loss.name}' is not defined on held-out set '{name}', where all targets are "
                f"{target[0]:g}; use {_fewer(table)}, or another loss"
            )
        return
    missing = np.setdiff1d(np.arange(len(table.classes)), target)
    if loss.every_class and len(missing):
        raise HeldoutError(
            f"loss: '{loss.name}' is not defined on held-out set '{name}', which has no row of class "
            f"'{table.classes[missing[0]]}'; use {_fewer(table)} or a larger share"
            f"{', kfold.stratify: true,' if table.times is None else ','} or another loss"
        )


def _fewer(table: Prepared) -> str:
    return "fewer folds (kfold.k)" if table.times is None else "fewer blocks (rolling.blocks)"
