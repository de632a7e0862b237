"""``heldout check``: config and data before anything is fitted, results against their digests."""

import argparse
import sys
from pathlib import Path

from heldout.cells.integrity import Findings, inspect, remove, remove_leftovers
from heldout.cli import CONFIG
from heldout.config.files import read_config
from heldout.errors import HeldoutError, counted
from heldout.execution.rehearse import Rehearsal, rehearse
from heldout.execution.study import Study

SHOWN = 20
"""How many damaged cells are named."""


def run(arguments: argparse.Namespace) -> int:
    """Check everything, and remove what is damaged so that the next run makes it again."""
    study = Study(read_config(arguments.config))
    print(f"{arguments.config}: valid, {counted(len(study.tasks), 'task')}")
    ready = [_check_data(study, task) for task in study.tasks]
    whole = [_check_results(study, task, arguments) for task in study.tasks]
    if not arguments.dry_run:
        removed = remove_leftovers(arguments.results)
        if removed:
            print(
                f"{arguments.results}: removed {counted(removed, 'unfinished file')} of earlier runs"
            )
    return 0 if all(ready) and all(whole) else 1


def _check_data(study: Study, task: str) -> bool:
    try:
        found = rehearse(study, task)
    except HeldoutError as error:
        print(f"heldout: task '{task}': {error}", file=sys.stderr)
        return False
    print(f"{task}: {_summary(found)}")
    for note in found.facts["notes"]:
        print(f"  note: {note}")
    return True


def _summary(found: Rehearsal) -> str:
    facts, target = found.facts, found.facts["schema"]["target"]
    kind = f"{len(target['classes'])} classes" if target["classes"] else "numbers"
    features = counted(len(facts["schema"]["columns"]), "feature")
    return (
        f"{facts['n']} rows to learn from, {facts['sealed']} sealed, {features}, target "
        f"'{target['name']}' ({kind}), loss {found.loss}, {counted(found.learners, 'learner')}: ready"
    )


def _check_results(study: Study, task: str, arguments: argparse.Namespace) -> bool:
    folder = arguments.results / task
    findings = inspect(folder, models_expected=study.config.models == "all")
    if not findings.cells and not findings.faults:
        print(f"{task}: no results to check in {folder}")
        return True
    if not findings.faults:
        print(f"{task}: {counted(findings.cells, 'cell')} in {folder} are whole")
        return True
    _report(task, findings)
    if not arguments.dry_run:
        removed = remove(folder, findings)
        print(
            f"  removed {counted(removed, 'file')}: these, and what was computed from them. Nothing else is "
            f"fitted again by: {_command(arguments.config)}"
        )
    return False


def _report(task: str, findings: Findings) -> None:
    faults = findings.faults
    print(f"{task}: {counted(len(faults), 'fault')} in {counted(findings.cells, 'cell')}")
    for fault in faults[:SHOWN]:
        print(f"  {fault.what}: {fault.why}")
    if len(faults) > SHOWN:
        print(f"  … and {len(faults) - SHOWN} more")


def _command(config: Path) -> str:
    return "snakemake --cores all" + ("" if config == CONFIG else f" --configfile {config}")
