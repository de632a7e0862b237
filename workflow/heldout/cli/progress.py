"""``heldout progress``: how many cells are done of how many, how fast, and the time left."""

import argparse
import time
from pathlib import Path

from heldout.cells.progress import TaskProgress, task_progress
from heldout.errors import HeldoutError, did_you_mean


def run(arguments: argparse.Namespace) -> int:
    """Print a line per task, once or until all jobs have ended."""
    found = read_all(arguments.results, arguments.task)
    print(text_of(found), flush=True)
    while arguments.follow and not all(task.ended for task in found):
        time.sleep(arguments.every)
        found = read_all(arguments.results, arguments.task)
        print(text_of(found), flush=True)
    return 0


def read_all(results: Path, task: str | None) -> list[TaskProgress]:
    """The progress of one task, or of all."""
    folders = sorted({log.parents[1] for log in results.glob("*/logs/fit_cells.*.log")})
    names = [folder.name for folder in folders]
    if task is not None and task not in names:
        raise HeldoutError(f"no fitting job of '{task}' in '{results}'{did_you_mean(task, names)}")
    if not folders:
        raise HeldoutError(f"no fitting job in '{results}' yet; run: snakemake --cores all")
    found = [task_progress(folder) for folder in folders if task in (None, folder.name)]
    return [one for one in found if one is not None]


def text_of(tasks: list[TaskProgress]) -> str:
    """A line per task."""
    return "\n".join(task.text() for task in tasks)
