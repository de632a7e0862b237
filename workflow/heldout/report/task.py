"""The report of one task: reads its files, renders its page."""

from pathlib import Path
from typing import Any

from heldout.data.prepared import Prepared, open_prepared
from heldout.measures.loss import Loss
from heldout.measures.registry import loss_for
from heldout.report import answer, confidence_set, metrics, uncertainty
from heldout.report.fits import fits_by_estimate
from heldout.report.page import render
from heldout.report.provenance import provenance, read_manifest_files
from heldout.report.spec import ReportSpec
from heldout.results import calibration, compared, glossary, grids, headline
from heldout.results.answer import answer_of, check_counts, failed_checks
from heldout.results.display import heads
from heldout.results.held_out_sets import counted_sets
from heldout.results.over_time import over_time
from heldout.results.predictions import diagnostics
from heldout.results.scale import Scale, scale_of
from heldout.results.scores import about_the_risk
from heldout.results.tables import Row, Table
from heldout.results.task import TaskResults, facts_of

REQUIRED = ("estimates", "risks")
EXTRA = ("metrics", "folds", "comparisons", "confidence_set", "checks")
"""Tables that are shown if the task has them, and rows in them."""


def report_page(folder: Path, spec: ReportSpec, batches: int) -> str:
    """Render the report of a task.

    Parameters
    ----------
    folder
        `results/TASK`.
    spec
        What the report shows besides the files of the task.
    batches
        The number of batches that the cells were fitted in.

    Returns
    -------
    str
        A self-contained HTML page.
    """
    results = TaskResults(folder)
    selection, source = results.selection, provenance(results, spec, batches)
    tables = shown_tables(results, bool(spec.metrics))
    table = open_prepared(folder / "data")
    loss = loss_for(spec.cells.loss, table.classes, table.class_counts)
    further = metrics.losses_of(spec.metrics, table.classes, table.class_counts)
    scale = scale_of(loss, tables["estimates"])
    names = glossary.in_order(estimator_names(tables))
    chosen = selection["learner"], selection["theta"]
    held_out = diagnostics(folder, spec.cells, batches, *chosen, spec.level)
    in_time = over_time(folder, spec.cells, batches, selection, tables.get("folds"))
    words = glossary.as_json(names, interval_names(tables))
    manifests = read_manifest_files(folder, batches)
    sets = counted_sets(name for one in manifests for cell in one["cells"] for name in cell["sets"])
    learners = [learner.as_spec() for learner in spec.cells.learners]
    payload = {
        **payload_of(spec, scale, selection, tables),
        "metrics": metrics.payload(tables.get("metrics"), further),
        "estimators": names,
        "fits": fits_by_estimate(manifests, names, source["data"]["n"]),
        "words": words,
        "predictions": held_out,
        "over_time": in_time,
    }
    return render(
        "report.html",
        payload,
        task=spec.task,
        audited=spec.config.get("audit") is not None,
        loss=loss,
        selection=selection,
        scale=scale,
        answer=answer_of(facts_of(results, scale, learners, sets)),
        sentences=sentences(tables["estimates"], scale, len(learners), results.test),
        caveat=caveat(tables["estimates"], scale),
        positive=positive(spec, [loss, *further.values()], table),
        risk_is=about_the_risk(loss),
        matrix=matrix(tables["estimates"], names, selection["learner"]),
        uncertainty=uncertainty.parts_table(tables["estimates"]),
        parts=uncertainty.PARTS,
        alike=compared.group_sentence(tables.get("comparisons"), tables["estimates"], scale),
        kept=confidence_set.sentences(selection),
        metrics=metrics.table_of(tables.get("metrics"), further),
        failed=failed_checks(tables.get("checks")),
        checked=check_counts(tables["checks"]) if "checks" in tables else "",
        show=scale.show,
        span=headline.span,
        tables=tables,
        words=words,
        source=source,
        held_out=held_out,
        over_time=in_time is not None,
        probabilities=calibration.glossary_entries(held_out),
    )


def payload_of(
    spec: ReportSpec, scale: Scale, selection: dict[str, Any], tables: dict[str, Table]
) -> dict[str, Any]:
    """The data that the scripts of the page read."""
    selected = {name: entry["theta"] for name, entry in selection["learners"].items()}
    learners = [learner.as_spec() for learner in spec.cells.learners]
    return {
        "task": spec.task,
        "loss": scale.payload(),
        "level": spec.level,
        "format": vars(scale.show),
        "selection": selection,
        "grids": grids.describe_grids(tables["risks"].rows, selected, selection["by"], learners),
        "baselines": headline.baselines(learners),
        "tables": {name: table.packed() for name, table in tables.items()},
    }


def sentences(
    estimates: Table, scale: Scale, learners: int, sealed: dict[str, Any] | None
) -> list[str]:
    """What to expect of new data, and the sealed test, each in a sentence or two."""
    found = []
    expected = headline.headline_row(estimates, pooled=scale.loss.pooled)
    if expected is not None:
        said = answer.expected_sentence(expected, scale, learners)
        found.append(joined(said, answer.interval_sentence(expected, scale)))
    test = headline.test_row(estimates)
    if test is not None:
        said = answer.test_sentence(test, scale, sealed["count"] if sealed else 0)
        found.append(joined(said, answer.interval_sentence(test, scale)))
    return found


def caveat(estimates: Table, scale: Scale) -> glossary.Entry | None:
    """The estimator of the expected value, if there is something to be said against it."""
    expected = headline.headline_row(estimates, pooled=scale.loss.pooled)
    entry = glossary.estimator(expected["estimator"]) if expected else None
    return entry if entry is not None and entry.caveat else None


def positive(spec: ReportSpec, losses: list[Loss], table: Prepared) -> str:
    """Which class the loss and the metrics are about, where they are about one."""
    named = spec.cells.loss.positive if spec.cells.loss else None
    why = answer.why_positive(named, table.class_counts)
    return answer.positive_sentence(losses, table.classes, why)


def joined(*sentences: str) -> str:
    """Sentences one after the other, without the empty ones."""
    return " ".join(filter(None, sentences))


def matrix(estimates: Table, names: list[str], best: str) -> dict[str, Any]:
    """Learners and estimators, with recommended intervals; the shorter list goes across."""
    cells = estimates.recommended()
    learners = list(dict.fromkeys(learner for learner, _ in cells))
    across: list[dict[str, Any]] = [
        {"title": headline.learner_title(name), "name": name, "marked": name == best}
        for name in learners
    ]
    down: list[dict[str, Any]] = [
        {"title": glossary.estimator(name).title, "name": name, "marked": False}
        for name in names
        if any((learner, name) in cells for learner in learners)
    ]
    turned = len(across) > len(down)
    columns, rows = (down, across) if turned else (across, down)
    return {
        "heads": heads(
            "Learner" if turned else "Estimator", numbers=[one["title"] for one in columns]
        ),
        "columns": columns,
        "rows": [
            row
            | {
                "cells": [
                    cells.get((row["name"], one["name"]) if turned else (one["name"], row["name"]))
                    for one in columns
                ]
            }
            for row in rows
        ],
    }


def shown_tables(results: TaskResults, with_metrics: bool) -> dict[str, Table]:
    """The tables of a task that exist and that the config asks for."""
    wanted = [name for name in (*REQUIRED, *EXTRA) if name != "metrics" or with_metrics]
    found = {name: results.table(name) for name in wanted}
    return {name: table for name, table in found.items() if name in REQUIRED or table.rows}


def estimator_names(tables: dict[str, Table]) -> set[str]:
    """The estimators in the tables."""
    return {row["estimator"] for row in rows_of(tables)}


def interval_names(tables: dict[str, Table]) -> list[str]:
    """The intervals in the tables, in order of appearance."""
    return list(dict.fromkeys(row["interval"] for row in rows_of(tables) if row["interval"]))


def rows_of(tables: dict[str, Table]) -> list[Row]:
    """The rows of all tables of estimates."""
    return [row for name in (*REQUIRED, "metrics") if name in tables for row in tables[name].rows]
