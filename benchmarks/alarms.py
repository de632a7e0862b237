"""The study of checks: which of them ring on tables with a known fault, and which on ordinary ones?

``python benchmarks/alarms.py`` writes each table of alarm_tables.py as a csv file, lets `heldout init` write its config,
makes the user's edits, gives all of them the same three learners, and runs the workflow (`snakemake --cores 2`, in
benchmarks/out/alarms, from the start). Then it writes docs/alarms.csv and docs/alarms.md. It ends with an error where a fault is missed, or where a check of severity warning or error
fails for no stated reason.

``--quick``: the tables marked `short`; ``--only NAME``: one table (may be repeated). The tables of such a run go to
the study's folder, not to docs/.
"""

import argparse
import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from alarm_tables import BY_NAME, TABLES, AlarmTable
from alarms_page import page

from heldout.checks.check import CheckRow
from heldout.cli.init import config_text
from heldout.data.survey import survey
from heldout.estimates.rows import read_rows, write_rows

ROOT = Path(__file__).parents[1]
OUT = Path(__file__).parent / "out" / "alarms"
LEARNERS: dict[str, Any] = {
    "majority": {"estimator": "majority"},
    "mean": {"estimator": "mean"},
    "logistic": {
        "estimator": "logistic",
        "grid": {"C": {"logspace": [-3, 3, 7]}},
        "simpler": {"C": "smaller"},
    },
    "ridge": {
        "estimator": "ridge",
        "grid": {"alpha": {"logspace": [-3, 4, 8]}},
        "simpler": {"alpha": "larger"},
    },
    "tree": {
        "estimator": "tree",
        "grid": {"max_depth": [1, 2, 3, 4, 6, 8]},
        "simpler": {"max_depth": "smaller"},
    },
}


@dataclass(frozen=True)
class AlarmRow:
    """A check of a table; a row of docs/alarms.csv."""

    table: str
    code: str
    severity: str
    status: str
    message: str


def main() -> None:
    given = arguments()
    tables = [BY_NAME[name] for name in given.only] or [
        table for table in TABLES if table.short or not given.quick
    ]
    folder = given.out or OUT
    run_study(tables, folder)
    rows = rows_of(tables, folder)
    whole = len(tables) == len(TABLES)
    docs = ROOT / "docs" if whole and given.out is None else folder
    write_rows(docs / "alarms.csv", AlarmRow, rows)
    (docs / "alarms.md").write_text(page(tables, rows), encoding="utf-8")
    wrong = faults(tables, rows)
    print(*wrong, sep="\n")
    print(f"{len(tables)} tables, {len(wrong)} unexpected; {docs / 'alarms.md'}")
    sys.exit(bool(wrong))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="the tables marked short")
    parser.add_argument("--only", action="append", default=[], choices=sorted(BY_NAME))
    parser.add_argument("--out", type=Path, help="the folder of the study")
    return parser.parse_args()


def run_study(tables: Sequence[AlarmTable], folder: Path) -> None:
    """All tables as the tasks of one config, from init to checks.csv."""
    for earlier in ("results", ".heldout"):  # other grids are no second look at these tables
        shutil.rmtree(folder / earlier, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    os.chdir(folder)  # init looks at tables by their names in the config
    tasks = {table.name: task_of(table, folder) for table in tables}
    used = {name for task in tasks.values() for name in task["learners"]}
    learners = {name: block for name, block in LEARNERS.items() if name in used}
    text = yaml.safe_dump({"models": "none", "tasks": tasks, "learners": learners})
    Path("config.yaml").write_text(text, encoding="utf-8")
    wanted = [f"results/{table.name}/checks.csv" for table in tables]
    command = ["snakemake", "--snakefile", str(ROOT / "Snakefile"), "--configfile", "config.yaml"]
    with Path("snakemake.log").open("w", encoding="utf-8") as log:
        done = subprocess.run([*command, "--cores", "2", *wanted], stderr=log, stdout=log)
    if done.returncode:
        sys.exit(f"snakemake failed: {folder / 'snakemake.log'}")


def task_of(table: AlarmTable, folder: Path) -> dict[str, Any]:
    """What init writes, with the user's edits and learners that every table shares."""
    data = table.written(folder)
    config = yaml.safe_load(config_text(survey(data, table.target, None)))
    [task] = config["tasks"].values()
    model, baseline = ("logistic", "majority") if task["loss"] == "zero_one" else ("ridge", "mean")
    task["learners"] = [baseline, model, "tree"]
    if table.test is not None:
        task["test"] = table.sealed
    return {**task, **table.edit}


def rows_of(tables: Sequence[AlarmTable], folder: Path) -> list[AlarmRow]:
    found = []
    for table in tables:
        checks: list[CheckRow] = read_rows(folder / f"results/{table.name}/checks.csv", CheckRow)
        found += [AlarmRow(table.name, c.code, c.severity, c.status, c.message) for c in checks]
    return found


def faults(tables: Sequence[AlarmTable], rows: Sequence[AlarmRow]) -> list[str]:
    """Faults that no check found, and alarms that no reason is given for."""
    found = []
    for table in tables:
        mine = [row for row in rows if row.table == table.name and row.status == "fail"]
        rang = {row.code for row in mine}
        found += [f"{table.name}: {code} does not ring: {table.fault}" for code in table.must if code not in rang]  # fmt: skip
        found += [
            f"{table.name}: {row.code} ({row.severity}) rings: {row.message}"
            for row in mine
            if row.severity != "note" and row.code not in {*table.must, *table.reasons}
        ]
        found += [f"{table.name}: {code} no longer rings; its reason can go" for code in table.reasons if code not in rang]  # fmt: skip
    return found


if __name__ == "__main__":
    csv.field_size_limit(2**24)
    main()
