"""The index: every task with its headline."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from heldout.files import read_json
from heldout.measures.losses import loss_for
from heldout.report import answer
from heldout.report.display import format_for, theta_text
from heldout.report.page import render
from heldout.report.task import typical_risks
from heldout.results.tables import Table, read_table


def index_page(folder: Path, losses: dict[str, str | None], audits: Collection[str] = ()) -> str:
    """The whole page; `audits` are the tasks that have an audit."""
    tasks = [line(folder / name, losses[name]) | {"audit": name in audits} for name in losses]
    return render("index.html", None, tasks=tasks)


def line(folder: Path, loss_name: str | None) -> dict[str, Any]:
    """One task."""
    selection = read_json(folder / "selection.json")
    facts = read_json(folder / "data" / "table.json")
    estimates = read_table(folder / "estimates.csv") or Table([], [])
    loss = loss_for(loss_name, facts["schema"]["target"]["classes"] is not None)
    show = format_for(loss.name, typical_risks(estimates))
    expected, test = answer.headline_row(estimates), answer.test_row(estimates)
    return {
        "name": folder.name,
        "link": f"{folder.name}/report.html",
        "rows": facts["n"] + facts["sealed"],
        "learner": selection["learner"],
        "theta": theta_text(selection["theta"]),
        "loss": loss.title.split(" (")[0],
        "expected": expected and answer.figure(expected, show),
        "test": test and answer.figure(test, show),
        "warnings": warnings(folder, selection),
    }


def warnings(folder: Path, selection: dict[str, Any]) -> int:
    """How many checks failed, notes aside; without checks, how often the selection warns."""
    checks = read_table(folder / "checks.csv")
    if checks is None:
        return len(selection["warnings"])
    return len([check for check in checks.where(status="fail") if check["severity"] != "note"])
