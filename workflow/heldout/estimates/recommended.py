"""Which interval is recommended, in one place.

An estimator lists its intervals in order. The first that is valid is recommended if it stands in `holds`,
and none of the reasons below is against it.
"""

from heldout.estimates.evidence import Evidence
from heldout.estimates.holds import BY_THEOREM, HOLDS, OF_SCORES, WITH_WEIGHTS
from heldout.estimates.interval_registry import INTERVALS, MEAN
from heldout.estimates.intervals import reason_against as reason_invalid
from heldout.estimates.intervals import valid_intervals
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.tails import carriers, rows_with_half, tail_ratio

NONE_HOLDS = "no interval holds"
HEAVY_TAILS = "heavy tails"
FEW_CARRIERS = "few rows carry the loss"

ROWS_ONLY = {"bootstrap_se"}
"""Intervals that hold for independent rows only: with groups they covered less than 90 %."""

NOT_IN_GROUPS = {"other"}
"""Families of scores that were not simulated with groups."""

FEWEST = {"bca": 15, "skewed_t": 8, "tuned_jackknife": 6, "wilson": 8}
"""An interval of this name is recommended from this many rows (or groups) on."""


def recommended(evidence: Evidence) -> str | None:
    """Name the recommended interval.

    Parameters
    ----------
    evidence
        The losses of an estimate.

    Returns
    -------
    str or None
        The interval; None if none is known to hold: `reason_for_none` says why.

    Examples
    --------
    >>> import numpy as np
    >>> losses = [np.array([1.0, 0.0, 0.0, 0.0])]
    >>> recommended(Evidence("test", losses, [np.arange(4)], bound=1.0, binary=True))
    'clopper_pearson'
    """
    return None if reason_for_none(evidence) else next(valid_intervals(evidence))


def reason_for_none(evidence: Evidence) -> str | None:
    """Say why no interval is recommended.

    Parameters
    ----------
    evidence
        The losses of an estimate.

    Returns
    -------
    str or None
        The reason, in words; None if an interval is recommended.

    Examples
    --------
    >>> import numpy as np
    >>> losses = [np.array([1.0, 0.0]), np.array([0.0, 0.0])]
    >>> rows = [np.array([0, 1]), np.array([2, 3])]
    >>> reason_for_none(Evidence("kfold", losses, rows, bound=1.0, binary=True, candidates=7))
    'no interval holds: the same rows chose θ among 7'
    """
    name = next(valid_intervals(evidence), None)
    if name is None:
        return _without_interval(evidence)
    if evidence.folds is not None and evidence.repeats > 1:
        return "no interval of a pooled score is known to hold for repeats"
    found = reason_against(
        evidence.estimator,
        name,
        evidence.unit_count,
        evidence.grouped,
        evidence.candidates,
        evidence.family,
        evidence.weighted,
    )
    if found is None and HOLDS.get((evidence.estimator, name)) != BY_THEOREM:
        reason = heavy_tails(evidence)
        return None if reason is None else f"{NONE_HOLDS}: {reason}"
    return found


def reason_against(
    estimator: str,
    interval: str,
    units: int,
    grouped: bool,
    candidates: int,
    family: str = MEAN,
    weighted: bool = False,
) -> str | None:
    """Say why a valid interval is not recommended, whatever the losses are.

    Parameters
    ----------
    estimator, interval
        Their names.
    units
        The number of held-out rows, or of groups.
    grouped
        Whether rows come in groups.
    candidates
        How many θ the same rows chose among, if the interval does not allow for that.
    family
        Of the loss.
    weighted
        Whether rows have weights.

    Returns
    -------
    str or None
        The reason, in words; None if it is recommended.

    Examples
    --------
    >>> reason_against("test", "wilson", units=5, grouped=True, candidates=1)
    'no interval is known to hold for 5 groups; 8 are needed'
    """
    if candidates > 1:
        return f"{NONE_HOLDS}: the same rows chose θ among {candidates}"
    known = (estimator, interval) in HOLDS
    if family != MEAN:
        known = (family, estimator, interval) in OF_SCORES
    if weighted and (family, interval) not in WITH_WEIGHTS:
        return "no interval of this estimate is known to hold for rows with weights"
    if not known or (grouped and (interval in ROWS_ONLY or family in NOT_IN_GROUPS)):
        return "no interval of this estimate is known to hold"
    fewest = FEWEST.get(interval, 2)
    if units < fewest:
        what = "groups" if grouped else "rows"
        return f"no interval is known to hold for {units} {what}; {fewest} are needed"
    return None


def _without_interval(evidence: Evidence) -> str | None:
    """Why there is none at all; None for estimators that have none by nature."""
    if not ESTIMATORS[evidence.estimator].intervals:
        return None
    if not evidence.varies:
        return "no interval: all losses are equal, so that their variance cannot be estimated"
    if evidence.unit_count < 2:
        return "no interval: there is one independent unit only"
    return f"no interval: {_first_reason(evidence)}"


def _first_reason(evidence: Evidence) -> str:
    """Why the first interval that is for this measure is not valid; that there is none for it."""
    names = ESTIMATORS[evidence.estimator].intervals
    fitting = [
        name
        for name in names
        if evidence.family in INTERVALS[name].families
        and INTERVALS[name].in_order == evidence.in_order
    ]
    if not fitting:
        return "none is known for this measure"
    return reason_invalid(fitting[0], evidence) or ""


def heavy_tails(evidence: Evidence) -> str | None:
    """Say which share of the rows carries half of the loss, if these are too few for any interval.

    Parameters
    ----------
    evidence
        The losses of an estimate.

    Returns
    -------
    str or None
        The reason against an interval; None if losses are not that unequal.

    Examples
    --------
    >>> import numpy as np
    >>> losses, rows = [np.array([0.0, 0.0, 0.0, 0.0, 0.0, 9.0])], [np.arange(6)]
    >>> heavy_tails(Evidence("test", losses, rows, heavy=4.0))
    'heavy tails, 1 of 6 held-out losses make up half of the risk'
    """
    if evidence.squared is not None:
        return heavy_tails(evidence.squared())
    heavy = evidence.heavy is not None and tail_ratio(evidence.pooled) > evidence.heavy
    copies = len(evidence.pooled) / evidence.n  # with repeats, the same rows carry the loss again
    few = evidence.carriers is not None and carriers(evidence.pooled) < copies * evidence.carriers
    if not (heavy or few):
        return None
    rows, everything = rows_with_half(evidence.pooled), len(evidence.pooled)
    what = HEAVY_TAILS if heavy else FEW_CARRIERS
    return f"{what}, {rows} of {everything} held-out losses make up half of the risk"
