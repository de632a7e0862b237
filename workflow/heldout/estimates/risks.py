"""The risk of each θ, by each estimator of a fixed θ: the rows of risks.csv."""

from collections.abc import Iterator

from heldout.estimates.algorithm import Algorithm
from heldout.estimates.evidence import Estimate, Evidence
from heldout.estimates.intervals import bounds_of, standard_error, valid_intervals
from heldout.estimates.loss_table import LossTable
from heldout.estimates.registry import ESTIMATORS, has_cells
from heldout.estimates.rows import RiskRow
from heldout.names import Theta, canonical
from heldout.registries import resolve


def risk_rows(loss_table: LossTable, level: float) -> Iterator[RiskRow]:
    """All rows: learners and θ in order, estimators within."""
    for learner, thetas in loss_table.thetas.items():
        for theta in thetas:
            yield from rows_of_theta(loss_table, learner, theta, level)


def rows_of_theta(
    loss_table: LossTable, learner: str, theta: Theta, level: float
) -> Iterator[RiskRow]:
    """The rows of one θ: one per estimator whose cells are there."""
    algorithm = Algorithm(loss_table, learner, theta)
    for entry in ESTIMATORS.values():
        if entry.fixed is not None and has_cells(entry, loss_table.resamples):
            estimate: Estimate | None = resolve(entry.fixed)(algorithm, entry.name)
            if estimate is not None:
                yield _row(learner, canonical(theta), entry.name, estimate, level)


def _row(learner: str, theta: str, estimator: str, estimate: Estimate, level: float) -> RiskRow:
    risk, n, evidence = estimate.risk, estimate.n, estimate.evidence
    if evidence is None:
        return RiskRow(learner, theta, estimator, risk, None, None, None, None, None, n)
    interval, low, high = _recommended(evidence, level)
    sd = float(evidence.set_means.std(ddof=1)) if len(evidence.losses) > 1 else None
    se = standard_error(evidence)
    return RiskRow(learner, theta, estimator, risk, sd, se, low, high, interval, n)


def _recommended(evidence: Evidence, level: float) -> tuple[str | None, float | None, float | None]:
    """The first interval that is valid; the others are not computed here."""
    name = next(valid_intervals(evidence), None)
    if name is None:
        return None, None, None
    _, low, high = bounds_of(name, evidence, level)
    return name, low, high
