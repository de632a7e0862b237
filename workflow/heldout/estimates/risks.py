"""The risk of each θ, by each estimator of a fixed θ: the rows of risks.csv."""

from collections.abc import Iterator

from heldout.estimates.algorithm import Algorithm
from heldout.estimates.evidence import Estimate, Evidence
from heldout.estimates.intervals import bounds_of, standard_error
from heldout.estimates.lookup import has_cells
from heldout.estimates.loss_table import LossTable
from heldout.estimates.nested import InnerTables
from heldout.estimates.recommended import recommended
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import RiskRow
from heldout.names import canonical
from heldout.registries import resolve
from heldout.resampling.kinds import PAIRS


def risk_rows(loss_table: LossTable, level: float) -> Iterator[RiskRow]:
    """Compute the rows of risks.csv.

    Parameters
    ----------
    loss_table
        The losses of a task.
    level
        The confidence level of intervals.

    Returns
    -------
    iterator of RiskRow
        Learners and θ in order, estimators within.

    Examples
    --------
    >>> rows = list(risk_rows(loss_table, level=0.95))
    >>> [(row.theta, row.estimator, round(row.risk, 3)) for row in rows[:2]]
    [('{"shrink":0.0}', 'training', 6.667), ('{"shrink":0.0}', 'kfold', 9.375)]
    """
    inner = InnerTables(loss_table, errors=False) if loss_table.has(PAIRS) else None
    for learner, thetas in loss_table.thetas.items():
        for theta in thetas:
            yield from _rows_of(Algorithm(loss_table, learner, theta, inner), level)


def _rows_of(algorithm: Algorithm, level: float) -> Iterator[RiskRow]:
    """The rows of one θ: one per estimator whose cells exist."""
    for entry in ESTIMATORS.values():
        if entry.fixed is not None and has_cells(entry, algorithm.loss_table.resamples):
            estimate: Estimate | None = resolve(entry.fixed)(algorithm, entry.name)
            if estimate is not None:
                theta = canonical(algorithm.theta)
                yield _row(algorithm.learner, theta, entry.name, estimate, level)


def _row(learner: str, theta: str, estimator: str, estimate: Estimate, level: float) -> RiskRow:
    risk, n, evidence = estimate.risk, estimate.n, estimate.evidence
    if evidence is None:
        return RiskRow(learner, theta, estimator, risk, None, None, None, None, None, n)
    interval, low, high = _recommended(evidence, level)
    sd = float(evidence.set_means.std(ddof=1)) if len(evidence.losses) > 1 else None
    se = standard_error(evidence)
    return RiskRow(learner, theta, estimator, risk, sd, se, low, high, interval, n)


def _recommended(evidence: Evidence, level: float) -> tuple[str | None, float | None, float | None]:
    """The recommended interval: name and ends; None where none holds."""
    name = recommended(evidence)
    if name is None:
        return None, None, None
    _, low, high = bounds_of(name, evidence, level)
    return name, low, high
