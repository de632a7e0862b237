"""Edges of a grid: where a better θ may lie outside, and where it does not.

A selected value that is the smallest or largest of its axis says that a better one may lie beyond if the risk
still falls there. It falls if the edge is better than its inner neighbour (other hyper-parameters equal) by more
than `CLEAR` standard errors of the paired difference. Steps of a fine grid may each be smaller than that: it
falls too if the edge is better than the middle of the axis by more than `CLEAR` standard errors, and the last
step is at least `SHARE` of the mean step between them, so that the fall has not ended before the edge.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from heldout.estimates.algorithm import evidence_for
from heldout.estimates.loss_table import LossTable
from heldout.estimates.paired import gain
from heldout.estimates.rules import ROUNDING, Curve
from heldout.learners.natural_bounds import HIGH, LOW, at_natural_bound
from heldout.names import Theta

Gain = Callable[[str, Theta, Theta], tuple[float, float | None]]
"""(learner, θ, other θ) → the risk of the other one minus that of θ, and its standard error."""

CLEAR = 2.0
"""Of two θ that do not differ the better one is at an edge often, and by one standard error nearly as often."""
SHARE = 0.5


@dataclass(frozen=True)
class Edge:
    """A hyper-parameter whose selected value lies at an end of its axis.

    open: whether a better θ may lie beyond. why: the reason, which completes `name = value …`.
    """

    name: str
    open: bool
    why: str


def gains_by(table: LossTable, by: str) -> Gain:
    """Make the comparison of two θ on the held-out rows that they were chosen by.

    Parameters
    ----------
    table
        The losses of a task.
    by
        The estimator that θ is chosen by.

    Returns
    -------
    Gain
        What the first one gains on the second, and its standard error.

    Examples
    --------
    >>> whole, half = {"shrink": 0.0}, {"shrink": 0.5}
    >>> round(gains_by(loss_table, "kfold")("mean", whole, half)[0], 4)
    2.5104
    """

    def compare(learner: str, theta: Theta, other: Theta) -> tuple[float, float | None]:
        return gain(*(evidence_for(table, by, learner, one) for one in (theta, other)))

    return compare


def edges_of(curve: Curve, pick: int, gain: Gain | None = None) -> list[Edge]:
    """Find the hyper-parameters whose selected value is the smallest or largest of three or more numbers.

    Parameters
    ----------
    curve
        The risks of a learner.
    pick
        The position of the selected θ.
    gain
        Compares two θ on the same held-out rows; None: by their risks alone.

    Returns
    -------
    list of Edge
        None where all θ have the same risk: then the first one is selected, wherever it lies.

    Examples
    --------
    >>> grid = [{"C": 1}, {"C": 10}, {"C": 100}]
    >>> edges_of(Curve("svm", grid, [0.3, 0.2, 0.1], [0.1] * 3), 2)
    [Edge(name='C', open=True, why='is the largest value of the grid')]
    >>> flat = edges_of(Curve("svm", grid, [0.3, 0.1, 0.1], [0.1] * 3), 2, lambda *_: (0.0, 0.0))
    >>> flat[0].open, flat[0].why
    (False, 'is the largest value of the grid, and no better than C = 10')
    """
    if np.ptp(curve.risks) <= ROUNDING:
        return []
    found = (_edge(curve, pick, name, gain) for name in curve.thetas[pick])
    return [one for one in found if one is not None]


def _edge(curve: Curve, pick: int, name: str, gain: Gain | None) -> Edge | None:
    end = _end(curve, pick, name)
    if end is None:
        return None
    text = f"is the {'smallest' if end == LOW else 'largest'} value of the grid"
    if at_natural_bound(name, curve.thetas[pick][name], end):
        return Edge(name, False, f"{text}, and none beyond makes sense")
    inwards = _inwards(curve, pick, name, end)
    if gain is None or not inwards:
        return Edge(name, True, text)
    return _compared(curve, pick, name, inwards, text, gain)


def _end(curve: Curve, pick: int, name: str) -> str | None:
    """Which end of its axis the selected value lies at. Above all numbers is `null`, no limit at all."""
    every = [theta.get(name) for theta in curve.thetas]
    values = [one for one in every if one is not None and _numeric(one)]
    value = curve.thetas[pick][name]
    if len(set(values)) < 3 or not _numeric(value):
        return None
    if value == min(values):
        return LOW
    return HIGH if value == max(values) and None not in every else None


def _numeric(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _inwards(curve: Curve, pick: int, name: str, end: str) -> list[int]:
    """The θ further inside, the nearest first, with equal other hyper-parameters.

    Drawn θ have no such neighbours: the best θ inside stands for them.
    """
    chosen = curve.thetas[pick]
    same = [
        place
        for place, theta in enumerate(curve.thetas)
        if place != pick
        and _numeric(theta.get(name))
        and _others(theta, name) == _others(chosen, name)
    ]
    if same:
        return sorted(same, key=lambda p: curve.thetas[p][name], reverse=end == HIGH)
    inside = [p for p, theta in enumerate(curve.thetas) if theta.get(name) != chosen[name]]
    return [min(inside, key=lambda p: curve.risks[p])] if inside else []


def _others(theta: Theta, name: str) -> Theta:
    return {key: value for key, value in theta.items() if key != name}


def _compared(
    curve: Curve, pick: int, name: str, inwards: Sequence[int], text: str, gain: Gain
) -> Edge:
    chosen = curve.thetas[pick]
    near = curve.thetas[inwards[0]]
    step, se = gain(curve.learner, chosen, near)
    other = f"{name} = {_short(near[name])}"
    if _clear(step, se):
        return Edge(name, True, f"{text}, and better than {other} by {_numbers(step, se)}")
    steps = len(inwards) // 2 + 1
    far = curve.thetas[inwards[steps - 1]]
    if steps > 1 and step > 0:
        whole, error = gain(curve.learner, chosen, far)
        if _clear(whole, error) and step >= SHARE * whole / steps:
            middle = f"{name} = {_short(far[name])}, in the middle of the axis,"
            return Edge(name, True, f"{text}, and better than {middle} by {_numbers(whole, error)}")
    if step <= ROUNDING:
        return Edge(name, False, f"{text}, and no better than {other}")
    return Edge(name, False, f"{text}, and not clearly better than {other} ({_numbers(step, se)})")


def _clear(difference: float, se: float | None) -> bool:
    """Whether a difference is more than noise; one whose noise is not known counts if there is any."""
    return difference > ROUNDING and (se is None or difference > CLEAR * se)


def _short(value: float) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _numbers(difference: float, se: float | None) -> str:
    return f"{difference:.3g}" + ("" if se is None else f", standard error {se:.2g}")
