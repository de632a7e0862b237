"""The interval of risks over time, and the values in time order that it is computed from."""

import numpy as np
from scipy import special

from heldout.estimates import ends
from heldout.estimates.cosine import averages, cosine_se
from heldout.estimates.evidence import Bounds, Evidence, differs

FEWEST_VALUES = 6
"""The interval is refused with fewer blocks, or time stamps."""
SERIES = ("rolling", "nested_rolling")
"""Estimators whose held-out sets are blocks in time order."""


def series_of(evidence: Evidence) -> np.ndarray:
    """Collect the values in time order whose mean is an estimate.

    Of blocks their risks. Of one set the sums of the losses of each time stamp, each loss minus the estimate,
    over the mean number of rows of a stamp: where all stamps have as many rows, their mean losses.

    Parameters
    ----------
    evidence
        The losses of an estimate, with times where there is one set.

    Returns
    -------
    numpy.ndarray
        A value for each block, or time stamp.

    Examples
    --------
    >>> losses, times = [np.array([1.0, 0.0, 4.0])], np.array([7.0, 5.0, 7.0])
    >>> series_of(Evidence("test", losses, [np.arange(3)], times=times)).round(3).tolist()
    [0.556, 2.778]
    """
    if evidence.estimator in SERIES:
        return evidence.set_means
    assert evidence.times is not None
    _, stamp = np.unique(evidence.times, return_inverse=True)
    sizes = np.bincount(stamp)
    sums = np.bincount(stamp, weights=evidence.pooled - evidence.risk)
    return evidence.risk + sums / sizes.mean()


def unless_in_time(evidence: Evidence) -> str | None:
    """Losses must be in time order, vary, and come from enough blocks or time stamps."""
    blocks = evidence.estimator in SERIES
    if not blocks and evidence.times is None:
        return "rows are in no time order"
    if not blocks and evidence.family != "mean":
        return "not derived for scores of one set in time order"
    values = series_of(evidence)
    if len(values) < FEWEST_VALUES:
        what = "blocks" if blocks else "time stamps"
        return f"needs {FEWEST_VALUES} {what}, found {len(values)}"
    size = max(float(np.abs(values).max()), evidence.bound or 0.0)
    if not differs(values, size):
        return "all blocks have the same loss: their variance cannot be estimated"
    return None


def cosine_t(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± t_B·SE by B cosine averages of the values in time order.

    Losses without an upper bound are skewed: [C − h, C + h + h²/(2C)], h = t_B·SE (docs/time.md).

    Parameters
    ----------
    evidence
        The losses of an estimate in time order.
    delta
        1 − the confidence level.

    Returns
    -------
    tuple
        The standard error, the lower and the upper end.

    Examples
    --------
    >>> blocks = [np.array([loss]) for loss in (1.0, 3.0, 2.0, 5.0, 4.0, 6.0)]
    >>> found = cosine_t(Evidence("rolling", blocks, [np.arange(1)] * 6), 0.05)
    >>> [round(one, 2) for one in found]
    [1.05, 0.0, 10.96]
    """
    values = series_of(evidence)
    se = cosine_se(values)
    assert se is not None
    half = float(special.stdtrit(averages(len(values)), 1 - delta / 2)) * se
    if evidence.bound is None and not evidence.negative and evidence.risk > 0:
        return se, *ends.skewed(evidence.risk, half)
    return se, evidence.risk - half, evidence.risk + half
