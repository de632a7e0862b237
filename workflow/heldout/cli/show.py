"""``heldout show``: a task's estimates and selection, or the header of one cell."""

import argparse
from pathlib import Path

from heldout.cells.model_file import SHARED
from heldout.cells.score_file import ENDING
from heldout.cells.store import read_score
from heldout.cli.columns import aligned
from heldout.errors import HeldoutError, did_you_mean
from heldout.estimates.rows import EstimateRow, read_rows
from heldout.files import read_json
from heldout.names import canonical

COLUMNS = ["learner", "estimator", "risk", "interval", "by", "n", "θ"]
NUMBERS = [COLUMNS.index("risk"), COLUMNS.index("n")]


def run(arguments: argparse.Namespace) -> int:
    """Print what is asked for."""
    if arguments.cell is not None:
        print(cell_text(_task_folder(arguments.results, arguments.task), arguments.cell))
        return 0
    tasks = [arguments.task] if arguments.task else _tasks(arguments.results)
    if not tasks:
        raise HeldoutError(f"no estimates in '{arguments.results}'; run: snakemake --cores all")
    print("\n\n".join(task_text(arguments.results, task, arguments.all) for task in tasks))
    return 0


def _tasks(results: Path) -> list[str]:
    return sorted(path.parent.name for path in results.glob("*/estimates.csv"))


def _task_folder(results: Path, task: str) -> Path:
    folder = results / task
    if not folder.is_dir():
        known = sorted(path.parent.name for path in results.glob("*/data"))
        raise HeldoutError(f"no task '{task}' in '{results}'{did_you_mean(task, known)}")
    return folder


def task_text(results: Path, task: str, every_interval: bool) -> str:
    """The table of estimates, and what was selected."""
    path = _task_folder(results, task) / "estimates.csv"
    if not path.is_file():
        raise HeldoutError(f"task '{task}' has no estimates yet; run: snakemake --cores all")
    rows: list[EstimateRow] = read_rows(path, EstimateRow)
    shown = rows if every_interval else _recommended(rows)
    table = aligned([COLUMNS, *(_cells(row) for row in shown)], right=NUMBERS)
    hidden = len(rows) - len(shown)
    more = f"\n({hidden} more rows, of other intervals: --all)" if hidden else ""
    return f"{task}\n\n{table}{more}\n\n{_selection_text(results / task)}"


def _recommended(rows: list[EstimateRow]) -> list[EstimateRow]:
    """The first row of each estimate: the recommended interval."""
    first: dict[tuple[str, str], EstimateRow] = {}
    for row in rows:
        first.setdefault((row.learner, row.estimator), row)
    return list(first.values())


def _cells(row: EstimateRow) -> list[str]:
    learner = f"{row.learner} ({row.chosen})" if row.learner == "all" else row.learner
    interval = level = ""
    if row.ci_low is not None and row.ci_high is not None and row.level is not None:
        interval = f"{row.ci_low:.4g} … {row.ci_high:.4g}"
        level = f"{row.interval} {row.level:.0%}"
    return [learner, row.estimator, f"{row.risk:.4g}", interval, level, str(row.n), row.theta]


def _selection_text(folder: Path) -> str:
    path = folder / "selection.json"
    if not path.is_file():
        return "nothing selected yet"
    selection = read_json(path)
    lines = [
        f"selected: {selection['learner']}, θ = {canonical(selection['theta'])}",
        f"why: {selection['why']}",
        *(f"warning: {text}" for text in selection["warnings"]),
    ]
    return "\n".join(lines)


def cell_text(folder: Path, cell: str) -> str:
    """What the score file of a cell says about it."""
    path = _score_path(folder / "cells", cell)
    found = read_score(path)
    if found is None:
        raise HeldoutError(f"'{path}' is damaged; run: heldout check")
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
