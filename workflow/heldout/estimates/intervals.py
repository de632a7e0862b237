"""Confidence intervals. Each is computed only for the evidence that it is valid for.

δ = 1 − level. Where an interval is one of several, it uses a part of δ: on the development set δ/M, so
that the intervals of all M risks hold at once; on the test set see `opening_divisor`.
"""

from collections.abc import Iterator

from heldout.estimates.cosine import cosine_se
from heldout.estimates.cv_intervals import test_noise
from heldout.estimates.evidence import Bounds, Evidence
from heldout.estimates.interval_registry import INTERVALS
from heldout.estimates.refusals import unless_noisy, unless_varied
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.sample_intervals import t
from heldout.estimates.time_intervals import SERIES, series_of, unless_in_time
from heldout.registries import resolve


def opening_divisor(count: int) -> int:
    """Compute what δ is divided by when sealed rows judge one more selection.

    The first opening keeps δ, since its interval is given away before there is a second one; number
    t ≥ 2 uses δ/(t(t+1)). These parts add up to 1.5 δ at most, so that all intervals hold together with
    probability 1 − 1.5 δ if the selections were fixed beforehand. (δ/M for each of M would not do: the
    first was issued at δ.)

    Parameters
    ----------
    count
        The place of the selection among those that the rows have judged: 1, 2, …

    Returns
    -------
    int
        What δ is divided by.

    Examples
    --------
    >>> [opening_divisor(count) for count in (1, 2, 3)]
    [1, 6, 12]
    """
    return 1 if count == 1 else count * (count + 1)


def reason_against(name: str, evidence: Evidence) -> str | None:
    """Why an interval is not valid for this evidence; None if it is."""
    entry = INTERVALS[name]
    if evidence.estimator not in entry.derived_for:
        return f"{name} is not derived for {evidence.estimator}"
    if evidence.in_order != entry.in_order:
        if evidence.in_order:
            return f"rows are in time order, and {name} takes them as exchangeable"
        return f"{name} is for rows in time order"
    if evidence.family not in entry.families:
        return f"{name} is not derived for this measure"
    if evidence.weighted and not entry.weights:
        return f"{name} is not derived for rows with weights"
    reason: str | None = resolve(entry.refuses)(evidence)
    return reason


def bounds_of(name: str, evidence: Evidence, level: float) -> Bounds:
    """The standard error and both ends of an interval.

    Ends are cut to the range of the loss, and the interval contains the estimate: those that are
    centred elsewhere, or are percentiles, are extended to it.
    """
    reason = reason_against(name, evidence)
    if reason is not None:
        raise ValueError(reason)
    se, low, high = _bounds(name, evidence, (1 - level) / evidence.divisor)
    top = float("inf") if evidence.bound is None else evidence.bound
    bottom = float("-inf") if evidence.negative else 0.0
    return se, max(bottom, min(low, evidence.risk)), min(top, max(high, evidence.risk))


def _bounds(name: str, evidence: Evidence, delta: float) -> Bounds:
    found: Bounds = resolve(INTERVALS[name].bounds)(evidence, delta)
    return found


def remark_on(name: str, evidence: Evidence) -> str | None:
    """What must be known of an interval's row: the column `note`."""
    entry = INTERVALS[name]
    found: str | None = resolve(entry.remark)(evidence) if entry.remark else None
    return found


def valid_intervals(evidence: Evidence) -> Iterator[str]:
    """The names of the intervals that are valid for this evidence, the best one first."""
    for name in ESTIMATORS[evidence.estimator].intervals:
        if reason_against(name, evidence) is None:
            yield name


def refusals(evidence: Evidence) -> dict[str, str]:
    """For each interval that is not valid for this evidence, the reason."""
    reasons = {name: reason_against(name, evidence) for name in INTERVALS}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def standard_error(evidence: Evidence) -> float | None:
    """Compute the standard error that selection rules use.

    K-fold: that of a fixed θ without pairs of folds, because inside an outer fold of nested CV there
    are no pairs; so θ is chosen by the same rule inside and outside. Also where no interval of the mean
    over folds is known (F1, R²): θ is chosen by that mean.

    Parameters
    ----------
    evidence
        The losses of an estimate.

    Returns
    -------
    float or None
        Of blocks in time order by cosine averages; of several other held-out sets their test noise, widened; of single ones that of `t`, also where an exact
        interval is better; else that of the first valid interval that has one. None if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> losses = [np.array([0.0, 2.0]), np.array([1.0, 1.0])]
    >>> rows = [np.array([0, 1]), np.array([2, 3])]
    >>> round(standard_error(Evidence("kfold", losses, rows)), 4)
    0.5
    """
    if evidence.estimator in SERIES:
        return cosine_se(evidence.set_means)
    if evidence.in_order:
        return None if unless_in_time(evidence) else cosine_se(series_of(evidence))
    if evidence.estimator in INTERVALS["tuned_jackknife"].derived_for:
        return None if unless_noisy(evidence) else test_noise(evidence)
    if evidence.estimator in INTERVALS["t"].derived_for:
        return None if unless_varied(evidence) else t(evidence, 0.05)[0]
    for name in valid_intervals(evidence):
        se = _bounds(name, evidence, 0.05)[0]
        if se is not None:
            return se
    return None
