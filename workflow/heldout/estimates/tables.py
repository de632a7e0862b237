"""Rows of estimates.csv: one per valid interval, the recommended one first."""

from collections.abc import Iterable, Iterator, Sequence

from heldout.estimates.evidence import Bounds, Estimate, Evidence
from heldout.estimates.intervals import bounds_of, valid_intervals
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import EstimateRow
from heldout.names import Theta, canonical


def estimate_rows(
    name: str, estimator: str, theta: Theta, evidence: Evidence, level: float, chosen: str
) -> Iterator[EstimateRow]:
    """Make the rows of an estimate that is the mean over held-out sets.

    Parameters
    ----------
    name
        The procedure: a learner, or `all`.
    estimator
        The estimator's name.
    theta
        The θ that the estimate is for.
    evidence
        Its losses.
    level
        The confidence level.
    chosen
        The learner that the estimate is for.

    Returns
    -------
    iterator of EstimateRow
        One row per valid interval, the recommended one first.

    Examples
    --------
    >>> import numpy as np
    >>> losses = [np.array([1.0, 0.0, 0.0, 0.0])]
    >>> evidence = Evidence("test", losses, [np.arange(4)], bound=1.0, binary=True)
    >>> rows = list(estimate_rows("all", "test", {"k": 3}, evidence, 0.95, "knn"))
    >>> rows[0].interval, rows[0].risk, round(rows[0].ci_high, 3)
    ('clopper_pearson', 0.25, 0.806)
    """
    yield from rows_of(name, estimator, Estimate.of(evidence, (chosen, theta)), level)


def rows_of(name: str, estimator: str, estimate: Estimate, level: float) -> Iterator[EstimateRow]:
    """The rows of one estimate; a single row without interval if none is valid."""
    evidence = estimate.evidence
    found = [] if evidence is None else list(valid_intervals(evidence))
    for interval in found:
        assert evidence is not None
        bounds = bounds_of(interval, evidence, level)
        yield _row(name, estimator, estimate, bounds, interval, level)
    if not found:
        yield _row(name, estimator, estimate, (None, None, None), None, None)


def _row(
    name: str,
    estimator: str,
    estimate: Estimate,
    bounds: Bounds | tuple[None, None, None],
    interval: str | None,
    level: float | None,
) -> EstimateRow:
    assert estimate.chosen is not None
    (chosen, theta), (se, low, high) = estimate.chosen, bounds
    return EstimateRow(
        name,
        estimator,
        ESTIMATORS[estimator].target,
        canonical(theta),
        estimate.risk,
        se,
        low,
        high,
        interval,
        level,
        estimate.n,
        chosen,
    )


def by_learner(rows: Iterable[EstimateRow], learners: Sequence[str]) -> list[EstimateRow]:
    """Sort rows by learner, those for the choice between learners last.

    Parameters
    ----------
    rows
        Rows in any order.
    learners
        The learners in order.

    Returns
    -------
    list of EstimateRow
        The rows; those of a learner keep their order.

    Examples
    --------
    >>> row = EstimateRow("all", "test", "", "{}", 0.1, None, None, None, None, None, 9)
    >>> other = EstimateRow("knn", "test", "", "{}", 0.1, None, None, None, None, None, 9)
    >>> [one.learner for one in by_learner([row, other], ["knn"])]
    ['knn', 'all']
    """
    order = {name: place for place, name in enumerate([*learners, "all"])}
    return sorted(rows, key=lambda row: order[row.learner])
