"""From the audit.csv of a cell to the rows of coverage.csv."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from coverage_problems import Cell

from heldout.audit.findings import headline
from heldout.audit.summary import AuditRow
from heldout.estimates import targets
from heldout.estimates.rows import read_rows

REFERENCE = "bayle_all_pairs"
"""The interval that widths are compared with."""
EXPECTED = (targets.TUNED, targets.THIS_ALGORITHM)
"""The expected risk at size n: of a tuned procedure, and of an algorithm with its θ."""


@dataclass(frozen=True)
class CoverageRow:
    """An interval of an estimator against one target, over all draws of a cell.

    `width` is the mean width divided by that of bayle_all_pairs of the same estimator; empty where
    the estimator has no such interval.
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
    draws: int
    coverage: float
    coverage_se: float
    width: float | None


def rows_of(cell: Cell, folder: Path) -> Iterator[CoverageRow]:
    """The intervals of a cell, for the choice between learners where there are several."""
    audited: list[AuditRow] = read_rows(folder / "audit.csv", AuditRow)
    mine = [row for row in audited if row.learner == headline(audited) and row.interval]
    reference = {row.estimator: row.width for row in mine if row.interval == REFERENCE}
    for row in mine:
        if row.target in (targets.THIS_PREDICTOR, *EXPECTED):
            yield _row(cell, row, reference.get(row.estimator))


def _row(cell: Cell, row: AuditRow, reference: float | None) -> CoverageRow:
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
        draws=row.replicates,
        coverage=row.coverage,
        coverage_se=row.coverage_se,
        width=row.width / reference if reference else None,
    )
