"""Rows of estimates.csv: one per valid interval, the recommended one first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from heldout.estimates.cv_intervals import jackknife_parts
from heldout.estimates.evidence import Estimate, Evidence
from heldout.estimates.holds import BY_THEOREM, HOLDS
from heldout.estimates.interval_registry import INTERVALS
from heldout.estimates.intervals import bounds_of, remark_on, valid_intervals
from heldout.estimates.recommended import HEAVY_TAILS, NONE_HOLDS, reason_for_none
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import EstimateRow
from heldout.measures.loss import Loss
from heldout.names import Theta, canonical


def estimate_rows(
    name: str,
    estimator: str,
    theta: Theta,
    evidence: Evidence,
    level: float,
    chosen: str,
    loss: Loss,
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
    loss
        Says how people read a risk.

    Returns
    -------
    iterator of EstimateRow
        One row per valid interval, the recommended one first.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> losses, loss = [np.array([1.0, 0.0, 0.0, 0.0])], LOSSES["zero_one"]
    >>> evidence = Evidence("test", losses, [np.arange(4)], bound=1.0, binary=True)
    >>> rows = list(estimate_rows("all", "test", {"k": 3}, evidence, 0.95, "knn", loss))
    >>> rows[0].interval, rows[0].risk, round(rows[0].ci_high, 3)
    ('clopper_pearson', 0.25, 0.806)
    """
    yield from rows_of(name, estimator, Estimate.of(evidence, (chosen, theta)), level, loss)


def rows_of(
    name: str, estimator: str, estimate: Estimate, level: float, loss: Loss
) -> Iterator[EstimateRow]:
    """The rows of one estimate; a single row without interval if none is valid."""
    for row in _rows(name, estimator, estimate, level):
        score, low, high = scores_of(row.risk, row.ci_low, row.ci_high, loss)
        yield replace(row, score=score, score_low=low, score_high=high)


def scores_of(
    risk: float, low: float | None, high: float | None, loss: Loss
) -> tuple[float, float | None, float | None]:
    """Write a risk and its interval as people read them.

    Parameters
    ----------
    risk
        A risk.
    low, high
        The ends of its interval, if there is one.
    loss
        Says what people read.

    Returns
    -------
    tuple
        The score, and the ends of its interval.

    Examples
    --------
    >>> from heldout.measures.score_registry import SCORES
    >>> scores_of(0.25, 0.125, 0.5, SCORES["roc_auc"])
    (0.75, 0.5, 0.875)
    """
    ends = [None if end is None else loss.score(end) for end in (low, high)]
    if loss.greater:
        ends.reverse()
    return loss.score(risk), ends[0], ends[1]


def _rows(name: str, estimator: str, estimate: Estimate, level: float) -> Iterator[EstimateRow]:
    bare, evidence = _bare(name, estimator, estimate), estimate.evidence
    if evidence is None:
        yield bare
        return
    note, first = reason_for_none(evidence), True
    for interval in valid_intervals(evidence):
        row = _with_interval(bare, interval, evidence, level)
        remark = note if first and note else remark_on(interval, evidence)
        yield replace(row, recommended=first and note is None, note=remark)
        first = False
    if first:
        yield replace(bare, note=note)


def _bare(name: str, estimator: str, estimate: Estimate) -> EstimateRow:
    """The row of an estimate without its interval."""
    assert estimate.chosen is not None
    chosen, theta = estimate.chosen
    return EstimateRow(
        learner=name,
        estimator=estimator,
        target=ESTIMATORS[estimator].target,
        theta=canonical(theta),
        risk=estimate.risk,
        se=None,
        ci_low=None,
        ci_high=None,
        interval=None,
        interval_target=None,
        recommended=False,
        level=None,
        n=estimate.n,
        chosen=chosen,
    )


def _with_interval(
    row: EstimateRow, interval: str, evidence: Evidence, level: float
) -> EstimateRow:
    se, low, high = bounds_of(interval, evidence, level)
    found = replace(
        row,
        se=se,
        ci_low=low,
        ci_high=high,
        interval=interval,
        interval_target=INTERVALS[interval].target(evidence.estimator, evidence.family),
        level=level,
    )
    if interval != "tuned_jackknife":
        return found
    noise, training, selection = np.sqrt(jackknife_parts(evidence)).tolist()
    return replace(found, se_noise=noise, se_training=training, se_selection=selection)


def with_tails(rows: Iterable[EstimateRow]) -> list[EstimateRow]:
    """Let all estimates of a learner know of its heavy tails.

    A small development or test set seldom shows them. Where the held-out losses of another estimate do, no
    interval that they could break is recommended.

    Parameters
    ----------
    rows
        All rows of a task.

    Returns
    -------
    list of EstimateRow
        The same rows, some of them no longer recommended.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> losses = [np.linspace(1, 2, 9), np.array([1.0] * 8 + [99.0])]
    >>> found = [Evidence("test", [one], [np.arange(9)], heavy=4.0) for one in losses]
    >>> [row, *_], [heavy, *_] = (
    ...     list(estimate_rows("knn", "test", {}, one, 0.95, "knn", LOSSES["squared"]))
    ...     for one in found
    ... )
    >>> row.recommended, [one.recommended for one in with_tails([row, heavy])]
    (True, [False, False])
    """
    given = list(rows)
    start = f"{NONE_HOLDS}: {HEAVY_TAILS}"
    heavy = {row.learner for row in given if row.note and row.note.startswith(start)}
    return [
        replace(row, recommended=False, note=f"{start} in other held-out losses of this learner")
        if row.recommended and row.learner in heavy and _may_break(row)
        else row
        for row in given
    ]


def _may_break(row: EstimateRow) -> bool:
    return HOLDS.get((row.estimator, row.interval or "")) != BY_THEOREM


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
    >>> from dataclasses import replace
    >>> from heldout.measures.registry import LOSSES
    >>> evidence = Evidence("test", [np.zeros(4)], [np.arange(4)], bound=1.0, binary=True)
    >>> row = next(estimate_rows("all", "test", {}, evidence, 0.95, "knn", LOSSES["zero_one"]))
    >>> [one.learner for one in by_learner([row, replace(row, learner="knn")], ["knn"])]
    ['knn', 'all']
    """
    order = {name: place for place, name in enumerate([*learners, "all"])}
    return sorted(rows, key=lambda row: order[row.learner])
