"""``heldout check``: config and data before anything is fitted, results against their digests.

Exit code 0: all is well, or only out of date. 1: something would stop the workflow, or a file is
damaged, missing or foreign. With ``--repair``, 0 unless something would stop the workflow.
"""

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from textwrap import indent
from typing import Any

from heldout.cli import commands
from heldout.cli.columns import aligned
from heldout.cli.price import print_price
from heldout.cli.waiting import waiting
from heldout.config.files import read_config
from heldout.data.description import chosen, described
from heldout.data.ledger import FOLDER, ledger_faults
from heldout.data.reading import in_words
from heldout.data.witness import task_folders
from heldout.errors import HeldoutError, counted
from heldout.execution.rehearse import Rehearsal, rehearse
from heldout.execution.resources import own_cores
from heldout.execution.study import Study
from heldout.execution.upkeep.inspect import Findings, Inspection
from heldout.execution.upkeep.lock import is_locked, refuse_during_a_run
from heldout.execution.upkeep.repair import repair
from heldout.faults import BY_HAND, DAMAGED, FOREIGN, MISSING, REPAIR, STALE, Fault

COLUMNS_SHOWN = 40
WIDEST = 40
"""Characters of an entry in the table of columns."""


def run(arguments: argparse.Namespace) -> int:
    """Check everything; change nothing, unless asked to repair."""
    cores = arguments.cores or own_cores()
    study = Study(read_config(arguments.config), cores=cores)
    if arguments.repair:
        refuse_during_a_run(commands.heldout(arguments.config, "run", "--unlock"))
    print(f"{arguments.config}: valid, {counted(len(study.tasks), 'task')}")
    ready = [_check_data(study, task, arguments.learners) for task in study.tasks]
    if arguments.price:
        ready += [print_price(study, task, arguments) for task in _those(study, ready)]
    if is_locked():
        print("note: a workflow runs here, or was killed: what its jobs are at is named as missing")
    faults = _check_results(study, arguments)
    whole = _check_ledger(arguments.results)
    if arguments.repair:
        _repair(faults, arguments.config)
        return 0 if all(ready) else 1
    return 0 if all(ready) and whole and not any(fault.harms for fault in faults) else 1


def _those(study: Study, ready: list[bool]) -> list[str]:
    return [task for task, one in zip(study.tasks, ready, strict=True) if one]


# --- config and data -----------------------------------------------------------------------------


def _check_data(study: Study, task: str, users_code: bool) -> bool:
    try:
        with _no_bytecode():
            found = rehearse(study, task, users_code)
    except HeldoutError as error:
        print(f"heldout: task '{task}': {error}", file=sys.stderr)
        return False
    print(f"{task}: {_summary(found)}")
    print(f"  {_table_read(found)}")
    _print_columns(found.facts)
    for note in found.facts["notes"]:
        print(f"  note: {note}")
    for name, path in found.unbuilt.items():
        print(f"  note: learner '{name}' ({path}) was not built: --learners does")
    return True


def _print_columns(facts: dict[str, Any]) -> None:
    """What was found out about the columns of the table."""
    some, more = chosen(described(facts), COLUMNS_SHOWN)
    heads = ("column", "kind", "spelled", "missing", "levels")
    rows = [heads, *([_short(text) for text in astuple(one)] for one in some)]
    used = [i for i, texts in enumerate(zip(*rows, strict=True)) if i < 2 or any(texts[1:])]
    print(indent(aligned([[row[i] for i in used] for row in rows]), "  "))
    if more:
        print(f"  {more}")


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Change nothing, not even beside the user's own modules."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _summary(found: Rehearsal) -> str:
    facts, target = found.facts, found.facts["schema"]["target"]
    kind = f"{len(target['classes'])} classes" if target["classes"] else "numbers"
    features = counted(len(facts["schema"]["columns"]), "feature")
    return (
        f"{facts['n']} rows to learn from, {facts['sealed']} sealed, {features}, target "
        f"'{target['name']}' ({kind}), loss {found.loss}, {counted(found.learners, 'learner')}: ready"
    )


def _table_read(found: Rehearsal) -> str:
    """How the table was read, and how many rows of it are used."""
    facts = found.facts["reading"]
    words = in_words(facts, facts["rows"], facts["columns"])
    absent = facts["without_target"]
    left_out = f"; {counted(absent, 'row')} without a target left out" if absent else ""
    return f"{found.facts['source']}: {words}{left_out}"


# --- results -------------------------------------------------------------------------------------


def _check_results(study: Study, arguments: argparse.Namespace) -> list[Fault]:
    """Print what is found, folder by folder."""
    faults: list[Fault] = []
    with waiting() as line:
        for found in Inspection(study, arguments.results, line.say).findings():
            line.wipe()
            _report(found, arguments.config)
            faults += found.faults
    return faults


def _check_ledger(results: Path) -> bool:
    """Whether the ledger of openings is whole. What was lost of it cannot be made again."""
    try:
        faults = ledger_faults(FOLDER, task_folders(results))
    except HeldoutError as error:
        faults = [str(error)]
    for fault in faults:
        print(f"ledger: {fault}; if you have a copy of {FOLDER}: restore it")
    return not faults


def _report(found: Findings, config: Path) -> None:
    name = found.task or "all tasks"
    if not (found.cells or found.files or found.faults or found.notes):
        if found.task:
            print(f"{name}: no results to check in {found.folder}")
        return
    print(f"{name}: {_verdict(found)}")
    for fault in found.faults:
        print(f"  {fault.kind:7}  {fault.what}: {fault.why}; {_mending(fault, config)}")
    for note in found.notes:
        print(f"  note: {note}")


def _verdict(found: Findings) -> str:
    parts = [counted(found.cells, "cell")] if found.task else []
    inspected = " and ".join([*parts, counted(found.files, "file")])
    kinds = Counter(fault.kind for fault in found.faults)
    counts = [f"{kinds[kind]} {kind}" for kind in (DAMAGED, MISSING, FOREIGN, STALE) if kinds[kind]]
    return f"{inspected} in {found.folder}: {', '.join(counts) or 'all whole'}"


def _mending(fault: Fault, config: Path) -> str:
    """The command that mends a fault."""
    next_run = commands.heldout(config, "run")
    if fault.kind == STALE:
        return f"made anew by: {next_run}"
    if fault.mend == BY_HAND:
        return f"if you do not need it: rm {shlex.quote(fault.what)}"
    if fault.mend == REPAIR:
        mend = commands.heldout(config, "check", "--repair")
        return f"mend it by: {mend}" + ("" if fault.kind == FOREIGN else f", then {next_run}")
    return f"mend it by: {next_run}"


# --- repair --------------------------------------------------------------------------------------


def _repair(faults: list[Fault], config: Path) -> None:
    refuse_during_a_run(commands.heldout(config, "run", "--unlock"))  # one may have begun meanwhile
    removed, jobs = repair(faults)
    print(f"repair: removed {counted(removed, 'file')} and the receipts of {counted(jobs, 'job')}")
    if any(fault.kind in (DAMAGED, MISSING) for fault in faults):
        print(
            f"what is damaged or missing, and nothing else, is made anew by: {commands.heldout(config, 'run')}"
        )
