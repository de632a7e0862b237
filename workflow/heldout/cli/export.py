"""``heldout export``: what a paper needs of a task, written into a folder."""

import argparse
from pathlib import Path

from heldout.export.write import write_export
from heldout.results.study import open_study

FOLDER = Path("export")


def run(arguments: argparse.Namespace) -> int:
    """Write the files and name them."""
    task = open_study(arguments.results)[arguments.task]
    folder = arguments.output or FOLDER / arguments.task
    for path in write_export(task, folder):
        print(path)
    return 0
