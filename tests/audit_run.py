"""Runs an audit's steps in this process: the workflow without Snakemake."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inprocess import run_step

from heldout.audit.replicate import Auditor
from heldout.audit.summary import AuditRow, SelectionRow
from heldout.estimates.rows import read_rows
from heldout.execution.specs import build
from heldout.execution.steps.audit_batch import setup_of
from heldout.execution.study import Study


def auditor_of(config: dict[str, Any], folder: Path, m: int) -> Auditor:
    study = Study(config)
    [task] = study.tasks
    return Auditor(setup_of(folder, build.audit_batch(study.task(task), str(m), "0001")))


class Audit:
    """A finished audit."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.rows: list[AuditRow] = read_rows(folder / "audit.csv", AuditRow)
        path = folder / "audit" / "selection.csv"
        self.selections: list[SelectionRow] = read_rows(path, SelectionRow)

    def row(
        self, estimator: str, target: str, interval: str | None = None, m: int | None = None
    ) -> AuditRow:
        """The first row of the last learner (`all`, if there are several)."""
        last = self.rows[-1].learner
        return next(
            row
            for row in self.rows
            if (row.learner, row.estimator, row.target) == (last, estimator, target)
            and interval in (None, row.interval)
            and m in (None, row.m)
        )


def run_audit(config: dict[str, Any], folder: Path, steps: Sequence[str] = ()) -> Audit:
    """Batches that are not there yet, then the summary and, on request, further steps."""
    study = Study(config)
    [task] = study.tasks

    def step(name: str, **wildcards: Any) -> None:
        run_step(study, folder, name, task, **wildcards)

    if not study.is_oracle(task):
        step("prepare_data")
    for path in map(Path, study.audit_batches(task)):
        if not (folder / "audit" / path.parent.name / path.name).exists():
            step("audit_batch", m=path.parent.name[1:], batch=path.stem.removeprefix("batch-"))
    for name in ("summarise_audit", *steps):
        step(name)
    return Audit(folder)
