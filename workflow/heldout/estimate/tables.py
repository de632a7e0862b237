"""Rows of estimates.csv from evidence: one per interval that is valid, the recommended first."""

from collections.abc import Iterator

from heldout.estimate.evidence import Evidence
from heldout.estimate.intervals import intervals_for
from heldout.estimate.rows import EstimateRow
from heldout.names import Theta, canonical


def estimate_rows(
    learner: str,
    estimator: str,
    target: str,
    theta: Theta,
    evidence: Evidence,
    level: float,
    chosen: str,
) -> Iterator[EstimateRow]:
    """The rows of one estimate; one without interval where none is valid."""
    found = intervals_for(evidence, level)
    for name, _, (se, low, high) in found:
        yield EstimateRow(
            learner, estimator, target, canonical(theta), evidence.risk, se, low, high, name, level,
            evidence.n, chosen,
        )  # fmt: skip
    if not found:
        yield bare_row(learner, estimator, target, theta, evidence.risk, evidence.n, chosen)


def bare_row(
    learner: str, estimator: str, target: str, theta: Theta, risk: float, n: int, chosen: str
) -> EstimateRow:
    """An estimate for which no interval is valid."""
    return EstimateRow(
        learner, estimator, target, canonical(theta), risk, None, None, None, None, None, n, chosen
    )
