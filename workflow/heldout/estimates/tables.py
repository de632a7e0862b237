"""Rows of estimates.csv: one per interval that is valid, the recommended one first."""

from collections.abc import Iterable, Iterator, Sequence

from heldout.estimates.evidence import Bounds, Estimate, Evidence
from heldout.estimates.intervals import bounds_of, valid_intervals
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import EstimateRow
from heldout.names import Theta, canonical


def estimate_rows(
    name: str, estimator: str, theta: Theta, evidence: Evidence, level: float, chosen: str
) -> Iterator[EstimateRow]:
    """The rows of the mean over held-out sets."""
    yield from rows_of(name, estimator, Estimate.of(evidence, (chosen, theta)), level)


def rows_of(name: str, estimator: str, estimate: Estimate, level: float) -> Iterator[EstimateRow]:
    """The rows of one estimate; one without interval where none is valid."""
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
    """The rows learner by learner, those for the choice between learners last."""
    order = {name: place for place, name in enumerate([*learners, "all"])}
    return sorted(rows, key=lambda row: order[row.learner])
