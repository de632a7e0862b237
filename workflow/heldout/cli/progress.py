"""``heldout progress``: how many cells are done of how many, how fast, and the time left."""

import argparse
import time
from pathlib import Path

from heldout.cells.progress import TaskProgress, task_progress
from heldout.errors import HeldoutError, did_you_mean
from heldout.results.task import task_names


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
    names = task_names(results, "logs/fit_cells.*.log")
    if task is not None and task not in names:
        raise HeldoutError(f"no fitting job of '{task}' in '{results}'{did_you_mean(task, names)}")
    if not names:
        raise HeldoutError(f"no fitting job in '{results}' yet; run: heldout run")
    found = [task_progress(results / name) for name in names if task in (None, name)]
    return [one for one in found if one is not None]


def text_of(tasks: list[TaskProgress]) -> str:
    """A line per task."""
    return "\n".join(task.text() for task in tasks)
