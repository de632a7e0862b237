"""Newton steps to the minimum of a convex function, which use a factored curvature as long as it serves.

Where a descent starts depends on the training set only, so the result does, to the last bit.
"""

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Point:
    """What is known of the function at some parameters.

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
    """

    parameters: np.ndarray
    scores: np.ndarray
    shares: np.ndarray
    value: float
    slope: np.ndarray
    steepness: float


class Solution(NamedTuple):
    """The optimum of a training set for one C."""

    coef: np.ndarray
    """A column for each column of scores."""
    intercept: np.ndarray
    steps: int


Step = Callable[[Point], np.ndarray]
"""From a point to the step towards the minimum, by the curvature at this point or an earlier one."""


class Function(Protocol):
    """A function to minimise."""

    def start(self) -> tuple[np.ndarray, Step | None]:
        """Parameters to start from, and the step from there if its curvature is known already."""

    def at(self, parameters: np.ndarray) -> Point:
        """Evaluate the function."""

    def step_by_curvature(self, point: Point) -> Step | None:
        """Factor the curvature; None where it cannot be."""


def minimise(function: Function, tol: float, max_iter: int) -> tuple[np.ndarray, int] | None:
    """Descend until a step moves no score and the slope is small, or falls no further.

    Parameters
    ----------
    function
        The function.
    tol
        The steepness of the minimum, where numbers are exact enough for it.
    max_iter
        The largest number of steps.

    Returns
    -------
    tuple or None
        The parameters at the minimum and the number of steps; None if it was not reached.
    """
    parameters, step = function.start()
    now, before, fresh = function.at(parameters), 1.0, False
    for iteration in range(1, max_iter + 1):
        if step is None:
            step, fresh = function.step_by_curvature(now), True
            if step is None:
                return None
        towards = step(now)
        whole = function.at(now.parameters + towards)
        moved = float(np.abs(whole.scores - now.scores).max())
        new = whole if _is_lower(whole, now) else _part_of_the_way(function, now, towards)
        if new is None:
            if fresh:
                return (now.parameters, iteration) if moved <= AS_GOOD_AS_STILL else None
            step = None
            continue
        least = new.steepness <= tol or (fresh and new.steepness > now.steepness / 2)
        if least and moved * min(1.0, moved / before) <= STILL:
            return new.parameters, iteration
        new = _further(function, now, new) if fresh else new
        step = step if new.steepness <= SERVES * now.steepness else None
        now, before, fresh = new, moved, False
    return None


def _is_lower(new: Point, now: Point) -> bool:
    """Or less steep by far: where all losses are small, rounding hides which is lower."""
    lower = new.value <= now.value + ROUNDING * abs(now.value)
    return lower or new.steepness <= SERVES * now.steepness


def _part_of_the_way(function: Function, now: Point, step: np.ndarray) -> Point | None:
    """The first point on half the way, a quarter, …, that is lower; None if all are higher."""
    for halvings in range(1, HALVINGS):
        new = function.at(now.parameters + step / 2**halvings)
        if _is_lower(new, now):
            return new
    return None


def _further(function: Function, now: Point, new: Point) -> Point:
    """Twice the way, four times, …, while that is lower: steps are too short where losses fall exponentially."""
    while new.steepness > SERVES * now.steepness:
        longer = function.at(2 * new.parameters - now.parameters)
        if not longer.value < new.value:
            break
        new = longer
    return new
