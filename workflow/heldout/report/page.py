"""Renders the page of a task, and the index of all tasks."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from heldout.files import read_json
from heldout.losses import loss_for
from heldout.names import canonical
from heldout.report import answer, assets, display, glossary, grids
from heldout.report.provenance import provenance
from heldout.report.tables import Table, read_table

EXTRA = ("metrics", "folds", "comparisons", "checks")
"""Tables that are shown if the task has them."""


def environment() -> Environment:
    """Templates with escaping on; a missing value is an error."""
    templates = Environment(
        loader=FileSystemLoader(assets.HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["significant"] = display.significant
    templates.filters["theta"] = display.theta_text
    return templates


def report_page(folder: Path, spec: dict[str, Any]) -> str:
    """The report of one task."""
    source = provenance(folder, spec)
    classes = source["data"]["schema"]["target"]["classes"]
    loss = loss_for(spec["loss"], classes is not None)
    tables = read_tables(folder)
    selection = read_json(folder / "selection.json")
    show = display.format_for(loss.name, _risks(tables["estimates"]))
    names = glossary.in_order(
        {row["estimator"] for name in ("estimates", "risks") for row in tables[name].rows}
    )
    words = glossary.as_json(names, _intervals(tables))
    payload = {
        "task": spec["task"],
        "loss": {"name": loss.name, "title": loss.title},
        "level": spec["level"],
        "format": vars(show),
        "selection": selection,
        "estimators": names,
        "words": words,
        "grids": grids.describe_grids(
            tables["risks"].rows, {k: v["theta"] for k, v in selection["learners"].items()}
        ),
        "tables": {name: table.packed() for name, table in tables.items()},
    }
    return _render(
        "report.html",
        payload,
        task=spec["task"],
        loss=loss,
        selection=selection,
        answer=answers(tables["estimates"], spec, loss.name, show, source["ledger"]),
        matrix=matrix(tables["estimates"], names),
        metrics=metric_table(tables.get("metrics", Table([], [])), selection["learners"]),
        failed=tables["checks"].where(status="fail") if "checks" in tables else [],
        show=show,
        tables=tables,
        words=words,
        source=source,
    )


def answers(
    estimates: Table, spec: dict[str, Any], loss: str, show: display.Format, ledger: list[Any]
) -> dict[str, Any]:
    """The figures and sentences at the top of the page."""
    found: dict[str, Any] = {"expected": None, "test": None, "baseline": None, "sentences": []}
    expected, test = answer.headline_row(estimates), answer.test_row(estimates)
    if expected is not None:
        found["expected"] = answer.figure(expected, show)
        count = len(spec["learners"])
        found["sentences"].append(answer.expected_sentence(expected, loss, count, show))
        baseline = answer.baseline_row(estimates, spec["learners"], expected)
        found["baseline"] = baseline and answer.figure(baseline, show) | {"of": baseline["learner"]}
    if test is not None:
        found["test"] = answer.figure(test, show)
        openings = ledger[-1]["selections_so_far"] if ledger else 0
        found["sentences"].append(answer.test_sentence(test, loss, openings, show))
    return found


def matrix(estimates: Table, names: list[str]) -> dict[str, Any]:
    """Learners by estimators, with the recommended interval of each estimate."""
    cells: dict[str, dict[str, Any]] = {}
    for row in estimates.rows:
        cells.setdefault(row["learner"], {}).setdefault(row["estimator"], row)
    used = {name for row in cells.values() for name in row}
    return {"columns": [name for name in names if name in used], "rows": cells}


def read_tables(folder: Path) -> dict[str, Table]:
    """The csv files of a task that are there."""
    found = {name: read_table(folder / f"{name}.csv") for name in ("estimates", "risks", *EXTRA)}
    return {name: table for name, table in found.items() if table is not None}


def metric_table(metrics: Table, selected: dict[str, Any]) -> dict[str, Any]:
    """The metrics of each learner at its selected θ."""
    rows: dict[str, dict[str, Any]] = {}
    for row in metrics.rows:
        theta = selected[row["learner"]]["theta"]
        if row["theta"] == canonical(theta):
            blank = {"learner": row["learner"], "theta": theta, "metrics": {}}
            rows.setdefault(row["learner"], blank)["metrics"][row["metric"]] = row
    names = list(dict.fromkeys(row["metric"] for row in metrics.rows))
    return {"names": names, "rows": list(rows.values())}


def index_page(folder: Path, losses: dict[str, str | None]) -> str:
    """The index of all tasks."""
    return _render(
        "index.html", None, tasks=[headline(folder / name, loss) for name, loss in losses.items()]
    )


def headline(folder: Path, loss: str | None) -> dict[str, Any]:
    """A task's line in the index."""
    selection = read_json(folder / "selection.json")
    facts = read_json(folder / "data" / "table.json")
    estimates = read_table(folder / "estimates.csv") or Table([], [])
    known = loss_for(loss, facts["schema"]["target"]["classes"] is not None)
    show = display.format_for(known.name, _risks(estimates))
    expected, test = answer.headline_row(estimates), answer.test_row(estimates)
    return {
        "name": folder.name,
        "link": f"{folder.name}/report.html",
        "rows": facts["n"] + facts["sealed"],
        "learner": selection["learner"],
        "theta": display.theta_text(selection["theta"]),
        "loss": known.title,
        "expected": expected and answer.figure(expected, show),
        "test": test and answer.figure(test, show),
        "warnings": len(selection["warnings"]),
    }


def _render(template: str, payload: dict[str, Any] | None, **context: Any) -> str:
    libraries = assets.libraries() if payload is not None else []
    scripts = [*libraries, assets.script()]
    return (
        environment()
        .get_template(template)
        .render(
            style=assets.style(),
            scripts=scripts,
            policy=assets.policy(scripts),
            payload=assets.json_text(payload),
            **context,
        )
    )


def _risks(estimates: Table) -> list[float | None]:
    return [row["risk"] for row in estimates.rows if row["estimator"] != "training"]


def _intervals(tables: dict[str, Table]) -> list[str]:
    rows = [*tables["estimates"].rows, *tables["risks"].rows]
    return list(dict.fromkeys(row["interval"] for row in rows if row["interval"]))
