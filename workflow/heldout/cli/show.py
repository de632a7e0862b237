"""``heldout show``: a task's estimates and selection, or the header of one cell."""

import argparse
from pathlib import Path
from typing import Any

from heldout.cells.model_file import SHARED
from heldout.cells.score_file import ENDING
from heldout.cells.store import read_score
from heldout.cli.columns import aligned
from heldout.errors import HeldoutError, did_you_mean
from heldout.estimates.rows import EstimateRow
from heldout.names import canonical
from heldout.results.tables import first_of_each
from heldout.results.task import ALL, TaskResults, open_task, task_names

COLUMNS = ["learner", "estimator", "risk", "interval", "by", "n", "θ"]
NUMBERS = [COLUMNS.index("risk"), COLUMNS.index("n")]


def run(arguments: argparse.Namespace) -> int:
    """Print what is asked for."""
    results = arguments.results
    if arguments.cell is not None:
        print(cell_text(open_task(results, arguments.task).folder, arguments.cell))
        return 0
    names = [arguments.task] if arguments.task else task_names(results, "estimates.csv")
    if not names:
        raise HeldoutError(f"no estimates in '{results}'; run: snakemake --cores all")
    print("\n\n".join(task_text(open_task(results, name), arguments.all) for name in names))
    return 0


def task_text(task: TaskResults, every_interval: bool) -> str:
    """The table of estimates, and what was selected."""
    rows = task.estimate_rows()
    shown = rows if every_interval else _recommended(rows)
    table = aligned([COLUMNS, *(_cells(row) for row in shown)], right=NUMBERS)
    hidden = len(rows) - len(shown)
    more = f"\n({hidden} more rows, of other intervals: --all)" if hidden else ""
    return f"{task.name}\n\n{table}{more}\n\n{_selection_text(task)}"


def _recommended(rows: list[EstimateRow]) -> list[EstimateRow]:
    return list(first_of_each(rows, lambda row: (row.learner, row.estimator)).values())


def _cells(row: EstimateRow) -> list[str]:
    learner = f"{row.learner} ({row.chosen})" if row.learner == ALL else row.learner
    interval = level = ""
    if row.ci_low is not None and row.ci_high is not None and row.level is not None:
        interval = f"{row.ci_low:.4g} … {row.ci_high:.4g}"
        level = f"{row.interval} {row.level:.0%}"
    return [learner, row.estimator, f"{row.risk:.4g}", interval, level, str(row.n), row.theta]


def _selection_text(task: TaskResults) -> str:
    if not task.has_selection:
        return "nothing selected yet"
    selection = task.selection
    lines = [
        f"selected: {selection['learner']}, θ = {canonical(selection['theta'])}",
        f"why: {selection['why']}",
        *(f"warning: {text}" for text in selection["warnings"]),
        *_test_lines(task.test),
    ]
    return "\n".join(lines)


def _test_lines(test: dict[str, Any] | None) -> list[str]:
    """What must be known of the sealed test: that it was refused or counted, or its ledger damaged."""
    if test is None:
        return []
    faults = [f"the ledger of openings is damaged: {fault}" for fault in test["ledger"]]
    return [
        f"test: {text}" for text in (*([test["message"]] if test["count"] > 1 else []), *faults)
    ]


def cell_text(folder: Path, cell: str) -> str:
    """What the score file of a cell says about it."""
    path = _score_path(folder / "cells", cell)
    found = read_score(path)
    if found is None:
        raise HeldoutError(f"'{path}' is damaged; run: heldout check --repair")
    arrays = {n: [str(a.dtype), *a.shape] for n, a in found.predictions.arrays().items()}
    rows = [
        *found.identity.metadata().items(),
        *found.circumstances.metadata().items(),
        ("arrays", canonical(arrays)),
        ("model file", _model_state(path)),
        ("seal", found.seal),
    ]
    return f"{path}\n{aligned(rows)}"


def _model_state(path: Path) -> str:
    model = path.with_name(f"{path.name.removesuffix(ENDING)}model")
    return f"{model.stat().st_size} bytes" if model.is_file() else "none"


def _score_path(cells: Path, cell: str) -> Path:
    """A cell may be named by its path, whole or inside cells/, with or without the ending."""
    bare = cell.removesuffix(f".{ENDING}").removesuffix(".model")
    for path in (cells / f"{bare}.{ENDING}", Path(f"{bare}.{ENDING}")):
        if path.is_file():
            return path
    known = [path.relative_to(cells) for path in sorted(cells.glob(f"*/*/*.{ENDING}"))]
    names = [str(path).removesuffix(f".{ENDING}") for path in known if path.parts[0] != SHARED]
    hint = did_you_mean(bare, names)
    raise HeldoutError(f"no cell '{bare}' in '{cells}'{hint if 'did you mean' in hint else ''}")
