"""All batches of an audit → audit.csv and audit/selection.csv."""

from pathlib import Path

from heldout.audit.batch import Batch, join, read_batch
from heldout.audit.summary import AuditRow, SelectionRow, Summary
from heldout.estimates.rows import write_rows
from heldout.execution.specs.audit import SummariseAudit


def main(folder: Path, spec: SummariseAudit) -> None:
    """Put the replicates of each size together and compare them with the truth."""
    pairs = [(one.name, theta) for one in spec.learners for theta in one.thetas(spec.seed)]
    summaries = [
        Summary(m, _all_batches(folder, m, spec.batches), pairs, spec.by, spec.level)
        for m in spec.m
    ]
    write_rows(folder / "audit.csv", AuditRow, [row for one in summaries for row in one.rows()])
    selections = [row for one in summaries for row in one.selections()]
    write_rows(folder / "audit" / "selection.csv", SelectionRow, selections)


def _all_batches(folder: Path, m: int, count: int) -> Batch:
    paths = [folder / "audit" / f"m{m}" / f"batch-{i:04d}.npz" for i in range(1, count + 1)]
    return join([read_batch(path) for path in paths])
