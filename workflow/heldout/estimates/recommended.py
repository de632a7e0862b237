"""Which interval is recommended, in one place.

An estimator lists its intervals in order. The first that is valid is recommended if it stands here,
and none of the reasons below is against it. What stands here has been seen to cover at least 90 % for
a nominal 95 %: by theorem, or in every problem of docs/coverage.md without heavy tails, from 30 to
1,000 rows, rows and groups. A test compares this table with docs/coverage.csv. For more rows, central limit
theorems say that these intervals hold (Bayle et al. 2020).

Leave-one-out is not there: of a majority rule on balanced classes it is wrong on every row (check H001).
"""

from heldout.estimates.evidence import Evidence
from heldout.estimates.interval_registry import INTERVALS, MEAN
from heldout.estimates.intervals import reason_against as reason_invalid
from heldout.estimates.intervals import valid_intervals
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.tails import carriers, rows_with_half, tail_ratio

BY_THEOREM = "exact for independent rows"
BY_STUDY = "simulation, docs/coverage.md"
IN_TIME = "simulation, docs/time.md"
AS_HOLDOUT = "as on a development set: the losses of independent rows under one model"

NONE_HOLDS = "no interval holds"
HEAVY_TAILS = "heavy tails"
FEW_CARRIERS = "few rows carry the loss"

HOLDS = {
    ("bootstrap_632plus", "bootstrap_se"): BY_STUDY,
    ("holdout", "clopper_pearson"): BY_THEOREM,
    ("holdout", "cosine_t"): IN_TIME,
    ("holdout", "betting"): BY_THEOREM,
    ("holdout", "wilson"): BY_STUDY,
    ("holdout", "skewed_t"): BY_STUDY,
    ("kfold", "tuned_jackknife"): BY_STUDY,
    ("montecarlo", "tuned_jackknife"): BY_STUDY,
    ("nested_cv", "tuned_jackknife"): BY_STUDY,
    ("nested_dev", "tuned_jackknife"): BY_STUDY,
    ("nested_rolling", "cosine_t"): IN_TIME,
    ("rolling", "cosine_t"): IN_TIME,
    ("test", "clopper_pearson"): BY_THEOREM,
    ("test", "cosine_t"): IN_TIME,
    ("test", "betting"): BY_THEOREM,
    ("test", "wilson"): AS_HOLDOUT,
    ("test", "skewed_t"): AS_HOLDOUT,
}
"""(estimator, interval) → the evidence."""

OF_SCORES = {
    **{
        (family, estimator, "tuned_jackknife"): BY_STUDY
        for family in ("auc", "class_means", "other")
        for estimator in ("kfold", "nested_cv")
    },
    **{
        (family, estimator, "tuned_jackknife"): BY_STUDY
        for family in ("ratio", "r2", "root")
        for estimator in ("kfold_pooled", "nested_cv_pooled")
    },
    **{
        (family, "test", "influence"): BY_STUDY
        for family in ("auc", "class_means", "ratio", "other")
    },
    **{(family, "test", "bca"): BY_STUDY for family in ("r2", "root")},
    ("auc", "holdout", "influence"): BY_STUDY,
    ("auc", "nested_dev", "tuned_jackknife"): BY_STUDY,
}
"""(family, estimator, interval) → the evidence, for scores of whole sets."""

WITH_WEIGHTS = {
    *((family, "tuned_jackknife") for family in (MEAN, "auc", "class_means", "r2")),
    *((MEAN, interval) for interval in ("skewed_t", "wilson")),
    *((family, "influence") for family in ("auc", "class_means", "ratio")),
}
"""(family, interval) that were seen to hold for rows with weights (tests/statistics/test_weighted_coverage.py)."""

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
