"""Further measures of the procedures that the loss chose: the rows of metrics.csv.

They are computed from stored predictions, and nothing is selected by them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from heldout.errors import HeldoutError
from heldout.estimates.procedures import Procedures
from heldout.estimates.rows import EstimateRow
from heldout.measures.loss import Loss
from heldout.names import Theta, canonical

JUDGES = ("kfold", "nested_cv", "rolling", "nested_rolling")
"""The estimators of metrics: at the selected θ, and of the tuned procedure; the same in time order."""
POOLED = {"kfold": "kfold_pooled", "nested_cv": "nested_cv_pooled"}
"""Where the value of a score that is pooled is."""


@dataclass(frozen=True)
class MetricRow:
    """One measure of one procedure by one estimator, as people read it, with one interval or none.

    `value` is empty where the measure is not defined; `note` says why it or its interval is missing.
    """

    learner: str
    metric: str
    estimator: str
    theta: str
    value: float | None
    ci_low: float | None
    ci_high: float | None
    interval: str | None
    interval_target: str | None
    recommended: bool
    level: float | None
    n: int
    chosen: str
    note: str | None


def metric_rows(procedures: Procedures, metrics: Mapping[str, Loss]) -> Iterator[MetricRow]:
    """Judge each procedure by each metric.

    Parameters
    ----------
    procedures
        The procedures of a task, as the loss chose.
    metrics
        Measures by name.

    Returns
    -------
    iterator of MetricRow
        Metric by metric; a row for each interval, the recommended one first.

    Examples
    --------
    >>> from heldout.estimates.rules import Rule
    >>> from heldout.measures.registry import LOSSES
    >>> chosen = {"mean": ("mean", {"shrink": 0.0})}
    >>> procedures = Procedures(loss_table, chosen, ["kfold"], Rule(), 0.95, seed=1)
    >>> row = next(metric_rows(procedures, {"absolute": LOSSES["absolute"]}))
    >>> row.learner, row.estimator, row.value
    ('mean', 'kfold', 2.25)
    """
    for name, loss in metrics.items():
        judged = replace(procedures, metric=loss)
        for procedure in procedures.selected:
            for estimator in JUDGES:
                yield from _rows(judged, name, procedure, estimator)


def _rows(
    procedures: Procedures, metric: str, procedure: str, estimator: str
) -> Iterator[MetricRow]:
    """The rows of one procedure and estimator; where the measure is not defined, one that says so."""
    assert procedures.metric is not None
    name = POOLED.get(estimator, estimator) if procedures.metric.pooled else estimator
    try:
        found = list(procedures.rows(only={name}, of=procedure))
    except (HeldoutError, ValueError) as error:
        chosen, n = procedures.selected[procedure], procedures.loss_table.table.n
        yield undefined(metric, name, procedure, *chosen, n, str(error))
        return
    yield from as_metric(found, metric)


def undefined(
    metric: str, estimator: str, procedure: str, chosen: str, theta: Theta, n: int, reason: str
) -> MetricRow:
    """Make the row of a measure that is not defined on the rows of an estimate.

    Parameters
    ----------
    metric, estimator
        Their names.
    procedure
        A learner, or `all`.
    chosen, theta
        The learner and θ that the procedure chose.
    n
        The number of rows.
    reason
        Why it is not defined.

    Returns
    -------
    MetricRow
        A row without a value.

    Examples
    --------
    >>> row = undefined("roc_auc", "test", "all", "knn", {"k": 3}, 9, "all rows are positive")
    >>> row.value is None, row.note
    (True, 'all rows are positive')
    """
    return MetricRow(
        learner=procedure,
        metric=metric,
        estimator=estimator,
        theta=canonical(theta),
        value=None,
        ci_low=None,
        ci_high=None,
        interval=None,
        interval_target=None,
        recommended=False,
        level=None,
        n=n,
        chosen=chosen,
        note=reason,
    )


def as_metric(rows: Iterable[EstimateRow], metric: str) -> Iterator[MetricRow]:
    """Make rows of metrics.csv of rows of estimates, as people read them.

    Parameters
    ----------
    rows
        Estimates by the metric.
    metric
        Its name.

    Returns
    -------
    iterator of MetricRow
        The same rows.

    Examples
    --------
    >>> row = EstimateRow("knn", "test", "", "{}", 0.25, *[None] * 5, False, None, 9, score=0.75)
    >>> [(one.metric, one.value) for one in as_metric([row], "accuracy")]
    [('accuracy', 0.75)]
    """
    for row in rows:
        yield MetricRow(
            learner=row.learner,
            metric=metric,
            estimator=row.estimator,
            theta=row.theta,
            value=row.score,
            ci_low=row.score_low,
            ci_high=row.score_high,
            interval=row.interval,
            interval_target=row.interval_target,
            recommended=row.recommended,
            level=row.level,
            n=row.n,
            chosen=row.chosen,
            note=row.note,
        )
