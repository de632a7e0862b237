"""The `heldout` command: runs the study by ``snakemake``, and helps around it.

Only the parser lives here, so that ``heldout --help`` imports neither scikit-learn nor pandas;
each command is a module of its own with a function ``run(arguments) -> exit code``.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from heldout import __version__
from heldout.errors import HeldoutError

CONFIG = Path("config/config.yaml")
RESULTS = Path("results")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; a HeldoutError is printed without a traceback."""
    whole = parser()
    if not (sys.argv[1:] if argv is None else argv):
        whole.print_help(sys.stderr)
        raise SystemExit(2)
    arguments = whole.parse_args(argv)
    try:
        command = importlib.import_module(f"heldout.cli.{arguments.command}")
        return int(command.run(arguments))
    except HeldoutError as error:
        print(f"heldout: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, for instance `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def parser() -> argparse.ArgumentParser:
    """The command line."""
    whole = argparse.ArgumentParser(
        prog="heldout",
        description="Runs the study that a config describes, by `snakemake`, and helps around it.",
        epilog="To begin: heldout init table.csv --target COLUMN, then heldout run.",
    )
    whole.add_argument("--version", action="version", version=f"heldout {__version__}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_init(commands.add_parser("init", help="look at a table and write a config for it"))
    _add_check(
        commands.add_parser(
            "check", help="check config and data, and results against their digests"
        )
    )
    _add_run(commands.add_parser("run", help="run the study, then print the answer of each task"))
    _add_clean(
        commands.add_parser(
            "clean", help="remove cells that the config no longer names, and old files"
        )
    )
    _add_predict(commands.add_parser("predict", help="apply a final model to new rows"))
    _add_show(
        commands.add_parser("show", help="print the answer for a task, its tables, or one cell")
    )
    _add_export(
        commands.add_parser(
            "export", help="write methods, tables, a model card and figures of a task"
        )
    )
    _add_progress(commands.add_parser("progress", help="show how many cells are fitted"))
    return whole


def _add_init(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "table", metavar="TABLE", help="csv, tsv, xlsx, parquet, … or sklearn:NAME"
    )
    command.add_argument("--target", required=True, metavar="COLUMN", help="the column to predict")
    command.add_argument(
        "--groups",
        metavar="COLUMN",
        help="a column whose rows stay together; none: refuse what the table proposes",
    )
    command.add_argument(
        "--time",
        metavar="COLUMN",
        help="a column of dates or numbers that puts the rows in time order",
    )
    command.add_argument("--output", type=Path, default=CONFIG, metavar="FILE", help=_default())
    command.add_argument("--force", action="store_true", help="overwrite an existing file")


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument("--config", type=Path, default=CONFIG, metavar="FILE", help=_default())
    command.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help=_default())
    command.add_argument(
        "--repair",
        action="store_true",
        help="remove what is damaged, so that the next run makes it again; without it nothing is changed",
    )
    command.add_argument(
        "--learners",
        action="store_true",
        help="build learners of your own, too, which calls your code; those of scikit-learn always are",
    )
    command.add_argument(
        "--price",
        action="store_true",
        help="estimate beforehand how long a run takes and what it leaves on disk, by a few fits",
    )
    command.add_argument(
        "--seconds",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="of --price: how long the fits of a learner are timed at most; " + _default(),
    )
    command.add_argument(
        "--cores",
        type=_positive,
        metavar="N",
        help="of --price: the cores of the run; default: all",
    )


def _add_run(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--config", type=Path, metavar="FILE", help=f"default: {CONFIG} in the folder of the study"
    )
    command.add_argument(
        "--directory",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder of the study, where results/ goes; default: this one",
    )
    command.add_argument(
        "--cores", type=_positive, metavar="N", help="default: all, or what the profile says"
    )
    command.add_argument(
        "--profile", metavar="NAME", help="default, slurm, generic, or a folder of your own"
    )
    command.add_argument(
        "-n", "--dry-run", action="store_true", help="say what would run, and why; run nothing"
    )
    command.add_argument(
        "--unlock", action="store_true", help="remove the lock that a killed run has left"
    )
    command.add_argument(
        "more", nargs="*", metavar="-- OPTION …", help="further options, for Snakemake"
    )


def _add_clean(command: argparse.ArgumentParser) -> None:
    command.add_argument("--config", type=Path, default=CONFIG, metavar="FILE", help=_default())
    command.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help=_default())
    command.add_argument("--dry-run", action="store_true", help="say what would go, remove nothing")


def _add_predict(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "model", type=Path, metavar="MODEL", help="final/model.joblib, or a task's results folder"
    )
    command.add_argument(
        "table", metavar="TABLE", help="new rows, with the columns of the old ones"
    )
    command.add_argument("--output", type=Path, metavar="FILE", help="a csv file; default: print")
    command.add_argument(
        "--all",
        action="store_true",
        help="of a task's results folder: the model of all rows (refit: all), which nobody has tested",
    )
    command.add_argument("--proba", action="store_true", help="a column of probabilities per class")


def _add_show(command: argparse.ArgumentParser) -> None:
    command.add_argument("task", nargs="?", metavar="TASK", help="default: all tasks")
    command.add_argument(
        "cell", nargs="?", metavar="CELL", help="a cell such as knn/n_neighbors=5/full"
    )
    command.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help=_default())
    command.add_argument(
        "--all", action="store_true", help="all tables: every estimate with every interval, metrics"
    )


def _add_export(command: argparse.ArgumentParser) -> None:
    command.add_argument("task", metavar="TASK")
    command.add_argument("--output", type=Path, metavar="DIR", help="default: export/TASK")
    command.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help=_default())


def _add_progress(command: argparse.ArgumentParser) -> None:
    command.add_argument("task", nargs="?", metavar="TASK", help="default: all tasks")
    command.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help=_default())
    command.add_argument(
        "--follow", action="store_true", help="print again until all jobs have ended"
    )
    command.add_argument("--every", type=float, default=5.0, metavar="SECONDS", help=_default())


def _positive(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"should be a whole number from 1 (found {word})")
    return int(word)


def _default() -> str:
    return "default: %(default)s"
