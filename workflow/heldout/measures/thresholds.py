"""The decision threshold as a hyper-parameter: the key `threshold` of a task, and θ with and without it.

A row gets the positive class where its probability is at least the threshold, else the other class. The
probabilities are those of the stored predictions, so that a threshold needs no fit.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Sequence
from typing import Any

from heldout.errors import HeldoutError
from heldout.names import Theta

THRESHOLD = "threshold"
"""What the hyper-parameter is called in θ."""

TUNE = "tune"

TUNED = (
    *(0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
    *(0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99, 0.995),
)
"""What `tune` tries: denser where a class is rare."""


def thresholds_of(given: Any, where: str) -> list[float]:
    """Read the key `threshold`.

    Parameters
    ----------
    given
        `tune`, a number, a list of numbers, or None.
    where
        The key of the config that an error message names.

    Returns
    -------
    list of float
        The thresholds to try; none where the learner's own labels are used.

    Raises
    ------
    HeldoutError
        If a number is not between 0 and 1 or is listed twice, or there is none.

    Examples
    --------
    >>> thresholds_of([0.5, 0.2], "tasks.t.threshold"), thresholds_of(None, "tasks.t.threshold")
    ([0.5, 0.2], [])
    >>> thresholds_of(1.5, "tasks.t.threshold")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: tasks.t.threshold: should lie between 0 and 1, found 1.5
    """
    if given is None:
        return []
    if given == TUNE:
        return list(TUNED)
    found = [float(one) for one in (given if isinstance(given, list) else [given])]
    if not found:
        raise HeldoutError(f"{where}: the list is empty; write {TUNE}, or numbers between 0 and 1")
    for place, one in enumerate(found):
        if not 0 < one < 1:
            raise HeldoutError(f"{where}: should lie between 0 and 1, found {one:g}")
        if one in found[:place]:
            raise HeldoutError(f"{where}: {one:g} is listed twice")
    return found


def with_thresholds(thetas: Sequence[Theta], thresholds: Sequence[float]) -> list[Theta]:
    """Add the thresholds to a grid.

    Parameters
    ----------
    thetas
        The θ of a learner.
    thresholds
        The thresholds to try; with none of them the grid stays as it is.

    Returns
    -------
    list of dict
        Each θ with each threshold; those of one θ follow each other.

    Examples
    --------
    >>> with_thresholds([{"C": 1}], [0.2, 0.5])
    [{'C': 1, 'threshold': 0.2}, {'C': 1, 'threshold': 0.5}]
    """
    if not thresholds:
        return list(thetas)
    return [{**theta, THRESHOLD: one} for theta in thetas for one in thresholds]


def without_threshold(theta: Theta) -> Theta:
    """Take the threshold out of a θ: what remains is what a model is fitted with.

    Parameters
    ----------
    theta
        A θ with a threshold.

    Returns
    -------
    dict
        The other hyper-parameters.

    Examples
    --------
    >>> without_threshold({"C": 1, "threshold": 0.2})
    {'C': 1}
    """
    return {name: value for name, value in theta.items() if name != THRESHOLD}
