"""Confidence intervals of some evidence. Each names its target, and refuses what it is not for.

δ = 1 − level. With several comparisons (or openings of the test set) each interval uses δ/M.
"""

from collections.abc import Iterator

from heldout.estimates.evidence import Bounds, Evidence
from heldout.estimates.interval_registry import INTERVALS
from heldout.estimates.refusals import unless_two
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.sample_intervals import t
from heldout.registries import resolve


def reason_against(name: str, evidence: Evidence) -> str | None:
    """Why an interval may not be computed here, or None."""
    entry = INTERVALS[name]
    if evidence.estimator not in entry.derived_for:
        return f"{name} is not derived for {evidence.estimator}"
    reason: str | None = resolve(entry.refuses)(evidence)
    return reason


def bounds_of(name: str, evidence: Evidence, level: float) -> Bounds:
    """The standard error and the ends of an interval, cut to the range of the loss."""
    reason = reason_against(name, evidence)
    if reason is not None:
        raise ValueError(reason)
    se, low, high = _bounds(name, evidence, (1 - level) / evidence.comparisons)
    top = float("inf") if evidence.bound is None else evidence.bound
    return se, max(0.0, low), min(top, high)


def _bounds(name: str, evidence: Evidence, delta: float) -> Bounds:
    found: Bounds = resolve(INTERVALS[name].bounds)(evidence, delta)
    return found


def valid_intervals(evidence: Evidence) -> Iterator[str]:
    """The names of the methods that are valid here, the recommended one first."""
    for name in ESTIMATORS[evidence.estimator].intervals:
        if reason_against(name, evidence) is None:
            yield name


def refusals(evidence: Evidence) -> dict[str, str]:
    """Why each of the other methods is not computed here."""
    reasons = {name: reason_against(name, evidence) for name in INTERVALS}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def standard_error(evidence: Evidence) -> float | None:
    """The dependence-aware standard error that selection rules compare risks by."""
    for name in valid_intervals(evidence):
        se = _bounds(name, evidence, 0.05)[0]
        if se is not None:
            return se
    if evidence.estimator in INTERVALS["t"].derived_for and unless_two(evidence) is None:
        return t(evidence, 0.05)[0]
    return None
