"""``heldout run``: the workflow, in any folder that has a config. The answer at the end is on standard output.

Exit code 0: all is done. 130: ended by Ctrl-C. Else that of Snakemake.
"""

import argparse
import os
import sys
from pathlib import Path

from heldout.errors import HeldoutError
from heldout.execution.launch import INTERRUPTED, Launch, RunError, dry_run, run_workflow, unlock
from heldout.execution.run_lines import on_screen
from heldout.results.answer_text import answer_text
from heldout.results.task import open_task

RESULTS = Path("results")
DRY = {"-n", "--dry-run", "--dryrun"}
"""Snakemake's own words for a dry run, after `--`."""


def run(arguments: argparse.Namespace) -> int:
    """Run the workflow, then print what came out."""
    launch = _launch(arguments)
    os.chdir(arguments.directory)
    try:
        if arguments.unlock:
            unlock(launch)
        elif arguments.dry_run or DRY.intersection(arguments.more):
            print(dry_run(launch))
        else:
            tasks = run_workflow(launch, on_screen())
            brief = len(tasks) > 1
            print("\n\n".join(answer_text(open_task(RESULTS, task), brief) for task in tasks))
    except RunError as error:
        print(f"heldout: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print(
            "heldout: ended; what was done is kept, and the same command goes on", file=sys.stderr
        )
        return INTERRUPTED
    return 0


def _launch(arguments: argparse.Namespace) -> Launch:
    """A config is looked for from here, not from `--directory`, as Snakemake does it."""
    for word in arguments.more[:1]:
        if word.endswith((".yaml", ".yml")):
            raise HeldoutError(f"to run another config: heldout run --config {word}")
    here = arguments.directory == Path()
    config = arguments.config if here or arguments.config is None else arguments.config.absolute()
    return Launch(
        config=config,
        cores=arguments.cores,
        profile=arguments.profile,
        more=arguments.more,
    )
