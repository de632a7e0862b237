"""Newton steps to the minima of convex functions, which use a factored curvature as long as it serves.

Several functions are minimised side by side, so that what is computed for all of them costs one call. None sees
the others: each is a slice of its own in every array, and where its descent starts depends on the training set only.
So a minimum has the same bits whatever else is asked for.
"""

from typing import NamedTuple, Protocol

import numpy as np

HALVINGS = 20
"""How often a step that does not lower the objective is halved."""
ROUNDING = 1e-12
"""The relative rounding error of the objective."""
SERVES = 0.15
"""A step that leaves at most this share of the slope may be followed by one with the same curvature."""
STILL = 1e-9
"""Scores that the next step would move no further are those of the minimum."""
AS_GOOD_AS_STILL = 1e-6
"""The same where rounding hides whether the step goes downwards."""


class Points(NamedTuple):
    """What is known of each function at some parameters; the first axis of every array counts functions.

    Parameters
    ----------
    parameters
        A column for each column of scores.
    scores
        The scores of all rows.
    shares
        The probabilities that these scores are.
    value
        The objective.
    slope
        What the step is computed from; zero at the minimum.
    steepness
        The size of the slope of the mean objective by the coefficients.
    products
        What else the step is computed from, if anything.
    """

    parameters: np.ndarray
    scores: np.ndarray
    shares: np.ndarray
    value: np.ndarray
    slope: np.ndarray
    steepness: np.ndarray
    products: np.ndarray

    def of(self, places: np.ndarray) -> "Points":
        """Those of some functions."""
        return Points(*(values[places] for values in self))

    def put(self, places: np.ndarray, others: "Points") -> None:
        """Put others in the place of some."""
        for values, new in zip(self, others, strict=True):
            values[places] = new


class Solution(NamedTuple):
    """The optimum of a training set for one C."""

    coef: np.ndarray
    """A column for each column of scores."""
    intercept: np.ndarray
    steps: int


class Functions(Protocol):
    """Functions to minimise. `which` says to which of them the first axis of an array belongs."""

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Parameters to start from, and for which functions the curvature there is factored already."""

    def at(self, parameters: np.ndarray, which: np.ndarray) -> Points:
        """Evaluate some of the functions."""

    def factor(self, points: Points, which: np.ndarray) -> np.ndarray:
        """Factor the curvatures; for which functions that is possible."""

    def towards(self, points: Points, which: np.ndarray) -> np.ndarray:
        """The steps towards the minima, by the curvatures that were factored last."""


Found = tuple[np.ndarray, int] | None
"""The parameters at the minimum and the number of steps; None if it was not reached."""


def minimise(functions: Functions, tol: float, max_iter: int) -> list[Found]:
    """Descend until a step moves no score and the slope is small, or falls no further.

    Parameters
    ----------
    functions
        The functions.
    tol
        The steepness of a minimum, where numbers are exact enough for it.
    max_iter
        The largest number of steps.

    Returns
    -------
    list
        The minimum of each function.
    """
    parameters, factored = functions.start()
    found: list[Found] = [None] * len(parameters)
    which = np.arange(len(parameters))
    now, before = functions.at(parameters, which), np.ones(len(which))
    for iteration in range(1, max_iter + 1):
        fresh, going = ~factored, np.ones(len(which), bool)
        if fresh.any():
            going[fresh] = functions.factor(now.of(fresh), which[fresh])
        if not going.all():
            which, before, fresh, now = which[going], before[going], fresh[going], now.of(going)
        if not len(which):
            break
        towards = functions.towards(now, which)
        new = functions.at(now.parameters + towards, which)
        moved = np.abs(new.scores - now.scores).max(axis=(1, 2))
        stuck = _part_of_the_way(functions, now, new, towards, which)
        for place in np.flatnonzero(stuck & fresh & (moved <= AS_GOOD_AS_STILL)):
            found[which[place]] = now.parameters[place], iteration
        least = (new.steepness <= tol) | (fresh & (new.steepness > now.steepness / 2))
        least &= ~stuck & (moved * np.minimum(1.0, moved / before) <= STILL)
        for place in np.flatnonzero(least):
            found[which[place]] = new.parameters[place], iteration
        _go_further(functions, now, new, np.flatnonzero(fresh & ~stuck & ~least), which)
        factored = ~stuck & (new.steepness <= SERVES * now.steepness)
        if stuck.any():
            new.put(stuck, now.of(stuck))
        before = np.where(stuck, before, moved)
        now, left = new, ~least & ~(stuck & fresh)
        if not left.all():
            which, before, factored, now = which[left], before[left], factored[left], now.of(left)
    return found


def _is_lower(new: Points, now: Points) -> np.ndarray:
    """Or less steep by far: where all losses are small, rounding hides which is lower."""
    lower = new.value <= now.value + ROUNDING * np.abs(now.value)
    return np.asarray(lower | (new.steepness <= SERVES * now.steepness))


def _part_of_the_way(
    functions: Functions, now: Points, new: Points, towards: np.ndarray, which: np.ndarray
) -> np.ndarray:
    """Where points are not lower, the first on half the way, a quarter, …, that is; which are all higher."""
    higher = ~_is_lower(new, now)
    for halvings in range(1, HALVINGS):
        places = np.flatnonzero(higher)
        if not len(places):
            break
        parameters = now.parameters[places] + towards[places] / 2**halvings
        nearer = functions.at(parameters, which[places])
        lower = _is_lower(nearer, now.of(places))
        new.put(places[lower], nearer.of(lower))
        higher[places[lower]] = False
    return higher


def _go_further(
    functions: Functions, now: Points, new: Points, places: np.ndarray, which: np.ndarray
) -> None:
    """Twice the way, four times, …, while that is lower: steps are too short where losses fall exponentially."""
    while True:
        places = places[new.steepness[places] > SERVES * now.steepness[places]]
        if not len(places):
            return
        parameters = 2 * new.parameters[places] - now.parameters[places]
        longer = functions.at(parameters, which[places])
        lower = longer.value < new.value[places]
        places = places[lower]
        new.put(places, longer.of(lower))
