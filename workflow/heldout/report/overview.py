"""The index page: every task with its main results."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from heldout.measures.registry import named_loss
from heldout.measures.spec import LossSpec
from heldout.report import answer
from heldout.report.page import render
from heldout.results import headline
from heldout.results.display import theta_text
from heldout.results.scale import scale_of
from heldout.results.scores import as_read
from heldout.results.tables import Table
from heldout.results.task import TaskResults


def index_page(
    folder: Path, losses: dict[str, LossSpec | None], audits: Collection[str] = ()
) -> str:
    """Render the index of all tasks.

    Parameters
    ----------
    folder
        The folder of results.
    losses
        The tasks in order, each with the loss that the config names.
    audits
        The tasks that have an audit.

    Returns
    -------
    str
        A self-contained HTML page.
    """
    tasks = [line(folder / name, losses[name]) | {"audit": name in audits} for name in losses]
    return render("index.html", None, tasks=tasks)


def line(folder: Path, spec: LossSpec | None) -> dict[str, Any]:
    """One task: what was selected, what to expect of it and the test."""
    results = TaskResults(folder)
    facts, selection, estimates = results.facts, results.selection, results.estimates
    loss = as_read(named_loss(spec, results.classification), estimates)
    scale = scale_of(loss, estimates)
    expected = headline.headline_row(estimates, pooled=loss.pooled)
    test = headline.test_row(estimates)
    return {
        "name": results.name,
        "link": f"{results.name}/report.html",
        "rows": facts["n"] + facts["sealed"],
        "learner": selection["learner"],
        "theta": theta_text(selection["theta"]),
        "measure": scale.label,
        "direction": scale.direction,
        "expected": expected and answer.figure(expected, scale),
        "test": test and answer.figure(test, scale),
        "warnings": warnings(results.table("checks"), selection),
    }


def warnings(checks: Table, selection: dict[str, Any]) -> int:
    """The number of failed checks other than notes; without checks, of warnings of the selection."""
    if not checks.columns:
        return len(selection["warnings"])
    return len([check for check in checks.where(status="fail") if check["severity"] != "note"])
