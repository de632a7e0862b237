"""heldout's side of the comparison, timed as a whole on two cores, and whether the other side agrees."""

import atexit
import copy
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from peers import CORES, Found
from watch import peak_of
from workloads import Workload, write_table

REPO = Path(__file__).parents[1]
PRINTED = "printed.txt"
Process = subprocess.Popen[str]


def config(workloads: list[Workload], n: int, folder: Path, **task: Any) -> dict[str, Any]:
    """One task per workload; the table is shared by those with the same kind of target."""
    for classification in {w.classification for w in workloads}:
        write_table(folder / f"table-{classification}.parquet", n, classification)
    given = {
        "target": "y",
        "test": 0,
        "estimators": ["kfold", "nested_cv"],
        "kfold": {"k": 10},
    }
    tasks = {
        w.name: {
            **given,
            "data": f"table-{w.classification}.parquet",
            "loss": "zero_one" if w.classification else "squared",
            "learners": [w.name],
            **task,
        }
        for w in workloads
    }
    return {"tasks": tasks, "learners": {w.name: copy.deepcopy(w.block) for w in workloads}}


def run_workflow(folder: Path, given: dict[str, Any], *more: str) -> float:
    """The seconds of a whole `snakemake --cores 2`."""
    started = time.perf_counter()
    _wait(_start(folder, given, *more), folder)
    return time.perf_counter() - started


def peak_of_workflow(folder: Path, given: dict[str, Any]) -> float:
    """The peak of the same in MB: the largest sum of its processes' memory. Watching takes time of its own."""
    process = _start(folder, given, HELDOUT_BENCHMARK=str(folder))
    peak = peak_of(process, f"HELDOUT_BENCHMARK={folder}")
    _wait(process, folder)
    return peak


def _start(folder: Path, given: dict[str, Any], *more: str, **environment: str) -> Process:
    (folder / "config.yaml").write_text(json.dumps(given))
    command = [
        sys.executable, "-m", "snakemake", "--snakefile", str(REPO / "Snakefile"), "--directory",
        str(folder), "--configfile", str(folder / "config.yaml"), "--cores", str(CORES), "--quiet",
        "all", *more,
    ]  # fmt: skip
    known = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | environment
    with (folder / PRINTED).open("w") as out:
        return subprocess.Popen(command, cwd=folder, env=known, stdout=out, stderr=out, text=True)


def _wait(process: Process, folder: Path) -> None:
    """Until it has ended; where it failed, the error says what it printed."""
    if process.wait():
        raise RuntimeError((folder / PRINTED).read_text())


def fresh_folder() -> Path:
    """A new project folder, removed when the process ends.

    It is not removed earlier because ext4 avoids the inodes of recently deleted files, so that new
    files would take longer to make.
    """
    folder = Path(tempfile.mkdtemp(prefix="heldout-benchmark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def folds_of(folder: Path, task: str) -> np.ndarray:
    """The folds that the workflow drew."""
    split = np.loadtxt(
        folder / "results" / task / "splits" / "kfold.csv", delimiter=",", skiprows=1, dtype=int
    )
    fold = np.empty(len(split), int)
    fold[split[:, 1]] = split[:, 2] - 1
    return fold


def agreement(folder: Path, task: str, found: Found) -> dict[str, Any]:
    """In how many outer folds both chose the same θ, and the largest relative difference of errors there."""
    with (folder / "results" / task / "folds.csv").open() as file:
        rows = [
            r for r in csv.DictReader(file) if (r["learner"], r["estimator"]) == (task, "nested_cv")
        ]
    ours = {int(row["fold"]) - 1: row for row in rows}
    same, apart = 0, 0.0
    for fold, (theta, error) in enumerate(zip(found.chosen, found.errors, strict=True)):
        if not _equal(json.loads(ours[fold]["theta"]), theta):
            continue
        same += 1
        risk = float(ours[fold]["risk"])
        apart = max(apart, abs(risk - error) / max(abs(risk), 1e-3))
    return {"outer folds": len(found.errors), "same θ": same, "largest difference": apart}


def _equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.isclose(one[k], other[k], rtol=1e-9) for k in one)


def on_disk(folder: Path) -> tuple[int, float]:
    """The number of files of the results, and the MB that they take in blocks."""
    files = [path.lstat() for path in (folder / "results").rglob("*") if path.is_file()]
    return len(files), sum(one.st_blocks * 512 for one in files) / 1e6
