"""Runs the steps of a task in this process: the workflow without Snakemake, for fast tests."""

import json
from pathlib import Path
from typing import Any

from heldout.checks.check import CheckRow
from heldout.estimates.rows import EstimateRow, FoldRow, RiskRow, read_rows
from heldout.execution.jobs import Job
from heldout.execution.steps.run import call_step
from heldout.execution.study import Study
from heldout.resampling.split import Split
from heldout.resampling.split_file import write_split


class Run:
    """A finished task folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.risks: list[RiskRow] = read_rows(folder / "risks.csv", RiskRow)
        self.estimates: list[EstimateRow] = read_rows(folder / "estimates.csv", EstimateRow)
        self.folds: list[FoldRow] = read_rows(folder / "folds.csv", FoldRow)
        self.checks: list[CheckRow] = read_rows(folder / "checks.csv", CheckRow)
        self.selection = json.loads((folder / "selection.json").read_text())

    def risk(self, learner: str, theta: dict[str, Any], estimator: str) -> float:
        text = json.dumps(theta, sort_keys=True, separators=(",", ":"))
        [row] = [
            row
            for row in self.risks
            if (row.learner, row.theta, row.estimator) == (learner, text, estimator)
        ]
        return row.risk

    def check(self, code: str) -> CheckRow:
        [row] = [row for row in self.checks if row.code == code]
        return row

    def estimate(self, learner: str, estimator: str, interval: str | None = None) -> EstimateRow:
        rows = [r for r in self.estimates if (r.learner, r.estimator) == (learner, estimator)]
        return next(r for r in rows if interval in (None, r.interval))


READERS = (
    "estimate_risks",
    "select_model",
    "estimate_procedures",
    "compute_metrics",
    "run_checks",
    "render_report",
    "draw_figures",
)
"""The steps that read the cells of a task, and are told how many batches these were fitted in."""


def run_step(study: Study, folder: Path, step: str, task: str, **wildcards: Any) -> None:
    """What a rule of the workflow does."""
    batches = study.batches(task) if step in READERS else None
    log = str(folder / "logs" / f"{step}.log")
    call_step(Job(study.request(step, task, **wildcards), log, {}, [], batches))


def run_task(
    config: dict[str, Any],
    folder: Path,
    batches: int = 1,
    splits: dict[str, Split] | None = None,
) -> Run:
    """Prepare, split, fit, estimate, select, test: all steps of the only task of a config.

    `folder` is the working folder; the results of the task are in `Run.folder`.

    `splits` replace drawn ones, to compare with programs that draw their own.
    """
    study = Study({**config, "batches": batches})
    [task] = study.tasks
    folder = folder / "results" / task  # the ledger lies beside `results`

    def step(name: str, **wildcards: Any) -> None:
        run_step(study, folder, name, task, **wildcards)

    step("prepare_data")
    for split in study.splits(task):
        step("draw_splits", split=split)
    for name, split in (splits or {}).items():
        write_split(folder / "splits" / f"{name}.csv", split)
    for batch in range(1, batches + 1):
        step("fit_cells", batch=batch, batches=batches)
    step("estimate_risks")
    step("select_model")
    step("estimate_procedures")
    step("train_final")
    if study.has_test(task):
        step("open_test")
        step("score_test")
    if study.refits(task):
        step("train_all")
    step("write_card")
    step("tabulate_estimates")
    step("run_checks")
    return Run(folder)
