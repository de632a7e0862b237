"""``heldout show``: the answer for a task, all its tables, or the header of one cell."""

import argparse
from pathlib import Path
from typing import Any

from heldout.cells.model_file import SHARED
from heldout.cells.packs import PACKS, Packs
from heldout.cells.score_file import ENDING, ScoreFile
from heldout.cells.store import read_score
from heldout.checks.check import FAIL
from heldout.checks.entry import SEVERITIES
from heldout.cli.columns import aligned
from heldout.errors import HeldoutError, did_you_mean
from heldout.estimates.rows import EstimateRow
from heldout.measures.loss import Loss
from heldout.names import canonical
from heldout.results.answer_text import answer_text
from heldout.results.scores import in_words
from heldout.results.tables import ALL, Row
from heldout.results.task import TaskResults, open_task, task_names

RISK = "risk"
"""The title of the column of values, where the measure is not known."""
COLUMNS = ["learner", "estimator", RISK, "interval", "by", "n", "θ"]
NUMBERS = [COLUMNS.index(RISK), COLUMNS.index("n")]
METRIC_COLUMNS = ["metric", "learner", "estimator", "value", "interval", "by"]
LABELS = {"min_cv": "min_cv (optimistic)"}
"""Estimators that are never shown by their name alone."""
SHOWN = SEVERITIES[: SEVERITIES.index("warning") + 1]
"""The severities of failed checks that are worth a line in the terminal."""


def run(arguments: argparse.Namespace) -> int:
    """Print what is asked for."""
    results = arguments.results
    if arguments.cell is not None:
        print(cell_text(open_task(results, arguments.task).folder, arguments.cell))
        return 0
    names = [arguments.task] if arguments.task else task_names(results, "estimates.csv")
    if not names:
        raise HeldoutError(f"no estimates in '{results}'; run: heldout run")
    text = tables_text if arguments.all else answer_text
    print("\n\n".join(text(open_task(results, name)) for name in names))
    return 0


def tables_text(task: TaskResults) -> str:
    """The tables of estimates and metrics, what intervals are for, what was selected, and failed checks."""
    rows = task.estimate_rows()
    titles = [_measure(task) if title == RISK else title for title in COLUMNS]
    parts = [
        aligned([titles, *(_cells(row) for row in rows)], right=NUMBERS),
        "\n".join(_words(rows, task.loss)),
        _metrics_text(task),
        "\n".join([_selection_text(task), *_check_lines(task)]),
    ]
    return "\n\n".join([task.name, *(part for part in parts if part)])


def _words(rows: list[EstimateRow], loss: Loss | None) -> list[str]:
    """What the intervals shown are for, and why others are not there: once each."""
    targets: dict[str, list[str]] = {}
    notes: dict[str, list[str]] = {}
    for row in rows:
        if row.interval_target:
            targets.setdefault(row.interval_target, []).append(f"{row.estimator} {row.interval}")
        if row.note:
            notes.setdefault(row.note, []).append(f"{row.learner} {row.estimator}")
    return [
        *(
            f"interval for {in_words(text, loss)} ({_listed(names)})"
            for text, names in targets.items()
        ),
        *(f"note: {text} ({_listed(names)})" for text, names in notes.items()),
    ]


def _measure(task: TaskResults) -> str:
    """What the values are called."""
    return task.loss.label if task.loss else RISK


def _metrics_text(task: TaskResults) -> str:
    """The metrics of all learners, with every interval."""
    lines = [_metric_cells(row) for row in task.table("metrics").rows]
    return aligned([METRIC_COLUMNS, *lines], right=[3]) if lines else ""


def _metric_cells(row: Row) -> list[str]:
    """A line of metrics; where there is no interval to show, the note says why."""
    value = "" if row["value"] is None else f"{row['value']:.4g}"
    interval = by = ""
    if row["interval"]:
        interval = f"{row['ci_low']:.4g} … {row['ci_high']:.4g}"
        by = f"{row['interval']} {row['level']:.0%}"
    elif row["note"]:
        by = row["note"]
    return [row["metric"], row["learner"], row["estimator"], value, interval, by]


def _listed(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _cells(row: EstimateRow) -> list[str]:
    learner = f"{row.learner} ({row.chosen})" if row.learner == ALL else row.learner
    interval = level = ""
    if row.score_low is not None and row.score_high is not None and row.level is not None:
        interval = f"{row.score_low:.4g} … {row.score_high:.4g}"
        level = f"{row.interval} {row.level:.0%}"
    estimator = LABELS.get(row.estimator, row.estimator)
    return [learner, estimator, f"{row.score:.4g}", interval, level, str(row.n), row.theta]


def _refit_lines(refit: dict[str, Any] | None) -> list[str]:
    return [f"all rows: {refit['note']}"] if refit else []


def _selection_text(task: TaskResults) -> str:
    if not task.has_selection:
        return "nothing selected yet"
    selection = task.selection
    lines = [
        f"selected: {selection['learner']}, θ = {canonical(selection['theta'])}",
        f"why: {selection['why']}",
        *(f"warning: {text}" for text in selection["warnings"]),
        *_test_lines(task.test),
        *_refit_lines(selection.get("refit")),
    ]
    return "\n".join(lines)


def _check_lines(task: TaskResults) -> list[str]:
    """The failed checks, the most severe first, notes aside; none where no checks were run yet."""
    failed = task.table("checks").where(status=FAIL)
    return [
        f"{severity} {row['code']}: {' '.join((row['message'] or row['title']).split())}"
        for severity in SHOWN
        for row in failed
        if row["severity"] == severity
    ]


def _test_lines(test: dict[str, Any] | None) -> list[str]:
    """What must be known of the sealed test: that it was refused or counted, or its ledger damaged."""
    if test is None:
        return []
    faults = [f"the ledger of openings is damaged: {fault}" for fault in test["ledger"]]
    return [
        f"test: {text}" for text in (*([test["message"]] if test["count"] > 1 else []), *faults)
    ]


def cell_text(folder: Path, cell: str) -> str:
    """What the score file of a cell says about it, or the pack that it is in."""
    path, found, model = _stored(folder / "cells", cell)
    if found is None:
        raise HeldoutError(f"'{path}' is damaged; run: heldout check --repair")
    arrays = {n: [str(a.dtype), *a.shape] for n, a in found.predictions.arrays().items()}
    rows = [
        *found.identity.metadata().items(),
        *found.circumstances.metadata().items(),
        ("arrays", canonical(arrays)),
        ("model file", "none" if model is None else f"{model} bytes"),
        ("seal", found.seal),
    ]
    return f"{path}\n{aligned(rows)}"


def _stored(cells: Path, cell: str) -> tuple[Path, ScoreFile | None, int | None]:
    """The file that holds a cell, what it says, and the size of the model.

    A cell may be named by its path, whole or inside cells/, with or without the ending.
    """
    bare = cell.removesuffix(f".{ENDING}").removesuffix(".model")
    for path in (cells / f"{bare}.{ENDING}", Path(f"{bare}.{ENDING}")):
        if path.is_file():
            model = path.with_suffix(".model")
            return path, read_score(path), model.stat().st_size if model.is_file() else None
    names = [path.relative_to(cells).as_posix() for path in cells.glob(f"*/*/*.{ENDING}")]
    names = [name.removesuffix(f".{ENDING}") for name in names if not name.startswith(SHARED)]
    for copy in Packs(cells / PACKS).cells():
        if bare in (copy.name, f"{cells}/{copy.name}"):
            pickled = copy.model()
            return copy.pack, copy.read(), None if pickled is None else len(pickled)
        names.append(copy.name)
    hint = did_you_mean(bare, sorted(names))
    raise HeldoutError(f"no cell '{bare}' in '{cells}'{hint if 'did you mean' in hint else ''}")
