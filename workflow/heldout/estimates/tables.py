"""Rows of estimates.csv: one per interval that is valid, the recommended one first."""

from collections.abc import Iterable, Iterator, Sequence

from heldout.estimates.evidence import Evidence
from heldout.estimates.intervals import Bounds, intervals_for
from heldout.estimates.rows import EstimateRow
from heldout.estimates.targets import TARGETS
from heldout.names import Theta, canonical


def estimate_rows(
    name: str, estimator: str, theta: Theta, evidence: Evidence, level: float, chosen: str
) -> Iterator[EstimateRow]:
    """The rows of one estimate; one without interval where none is valid."""
    found = intervals_for(evidence, level)
    for interval, _, bounds in found:
        yield interval_row(
            name, estimator, theta, evidence.risk, bounds, interval, level, evidence.n, chosen
        )
    if not found:
        yield point_row(name, estimator, theta, evidence.risk, evidence.n, chosen)


def interval_row(
    name: str,
    estimator: str,
    theta: Theta,
    risk: float,
    bounds: Bounds,
    interval: str,
    level: float,
    n: int,
    chosen: str,
) -> EstimateRow:
    """An estimate with one of its intervals."""
    se, low, high = bounds
    return EstimateRow(
        name, estimator, TARGETS[estimator], canonical(theta), risk, se, low, high, interval, level,
        n, chosen,
    )  # fmt: skip


def point_row(
    name: str, estimator: str, theta: Theta, risk: float, n: int, chosen: str
) -> EstimateRow:
    """An estimate for which no interval is valid."""
    return EstimateRow(
        name, estimator, TARGETS[estimator], canonical(theta), risk, None, None, None, None, None, n,
        chosen,
    )  # fmt: skip


def by_learner(rows: Iterable[EstimateRow], learners: Sequence[str]) -> list[EstimateRow]:
    """The rows learner by learner, those for the choice between learners last."""
    order = {name: place for place, name in enumerate([*learners, "all"])}
    return sorted(rows, key=lambda row: order[row.learner])
