"""From the audit.csv of a cell to the rows of coverage.csv."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from coverage_problems import Cell

from heldout.audit.findings import headline
from heldout.audit.summary import AuditRow
from heldout.estimates import targets
from heldout.estimates.interval_registry import INTERVALS, MEAN
from heldout.estimates.recommended import reason_against
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import read_rows
from heldout.measures.registry import family_of
from heldout.resampling.kinds import DEV

REFERENCE = "bayle_all_pairs"
"""The interval that widths are compared with; scores have none."""
HELD_OUT = 0.2
"""The share of a development set: heldout's default."""
EXPECTED = (targets.TUNED, targets.THIS_ALGORITHM)
"""The expected risk at size n: of a tuned procedure, and of an algorithm with its θ."""


@dataclass(frozen=True)
class CoverageRow:
    """An interval of an estimator against one target, over all draws of a cell.

    `recommended`: whether heldout recommends it there, heavy tails aside. `width` is the mean width
    divided by that of bayle_all_pairs of the same estimator; empty where the estimator has no such
    interval.
    """

    problem: str
    origin: str
    n: int
    learners: str
    loss: str
    K: int
    repeats: int
    estimator: str
    interval: str
    target: str
    recommended: bool
    draws: int
    coverage: float
    coverage_se: float
    width: float | None


def rows_of(cell: Cell, folder: Path) -> Iterator[CoverageRow]:
    """The intervals of a cell, for the choice between learners where there are several."""
    audited: list[AuditRow] = read_rows(folder / "audit.csv", AuditRow)
    mine = [row for row in audited if row.learner == headline(audited) and row.interval]
    reference = {row.estimator: row.width for row in mine if row.interval == REFERENCE}
    valid = {(row.estimator, row.interval) for row in mine}
    for row in mine:
        if row.target in judged(row.estimator, row.interval):
            yield _row(cell, row, reference.get(row.estimator), valid)


def judged(estimator: str, interval: str) -> tuple[str, ...]:
    """What people take an interval for: the final model and the expected risk; of one sample, its model."""
    if ESTIMATORS[estimator].judges == DEV:
        return INTERVALS[interval].derived_for[estimator]
    return (targets.THIS_PREDICTOR, *EXPECTED)


def recommended(
    cell: Cell, estimator: str, interval: str, target: str, valid: Collection[tuple[str, str]]
) -> bool:
    """Whether heldout recommends one of the valid intervals in a cell for a target, heavy tails aside."""
    problem, entry = cell.problem, ESTIMATORS[estimator]
    family = family_of(problem.task["loss"])
    if family != MEAN and target not in INTERVALS[interval].targets(estimator, family):
        return False
    if interval != next(name for name in entry.intervals if (estimator, name) in valid):
        return False
    units = cell.n // problem.group_size
    if entry.judges == DEV:
        units = round(HELD_OUT * units)
    if estimator == "test":
        share = problem.task["test"]
        units = round(cell.n * share / (1 - share)) // problem.group_size
    allowed_for = entry.judges == DEV or entry.role == "honest"
    candidates = 1 if allowed_for else problem.candidates
    return reason_against(estimator, interval, units, problem.grouped, candidates, family) is None


def _row(
    cell: Cell, row: AuditRow, reference: float | None, valid: Collection[tuple[str, str]]
) -> CoverageRow:
    assert row.coverage is not None
    assert row.coverage_se is not None
    assert row.width is not None
    problem = cell.problem
    return CoverageRow(
        problem=problem.name,
        origin=problem.origin,
        n=cell.n,
        learners="+".join(problem.learners),
        loss=str(problem.task["loss"]),
        K=problem.folds,
        repeats=problem.repeats,
        estimator=row.estimator,
        interval=row.interval,
        target=row.target,
        recommended=recommended(cell, row.estimator, row.interval, row.target, valid),
        draws=row.replicates,
        coverage=row.coverage,
        coverage_se=row.coverage_se,
        width=row.width / reference if reference else None,
    )
