"""What the checks cost: `python benchmarks/checks.py` runs workloads and times every check of the finished tasks.

For each run: the seconds of `snakemake --cores 2`, the CPU seconds of all checks, their share, and the dearest ones.
The goals: at most 5 % of a run of the benchmark's own workloads, and at most 2 s for 10,000 rows of 200 columns.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from pyarrow import parquet  # noqa: E402
from timing import config, fresh_folder, run_workflow  # noqa: E402
from workloads import FOUR, WORKLOADS  # noqa: E402

from heldout.checks.registry import CHECKS  # noqa: E402
from heldout.execution.specs import build  # noqa: E402
from heldout.execution.steps.run_checks import context_of  # noqa: E402
from heldout.execution.study import Study  # noqa: E402
from heldout.registries import resolve  # noqa: E402

SHAPES = {"10,000 x 200": (10_000, 200), "120 x 20,000": (120, 20_000), "200,000 x 20": (200_000, 20)}  # fmt: skip
SHOWN = 4


def main() -> None:
    """Run, time, print."""
    print("| run | seconds | CPU s of all checks | share | the dearest |\n|---|---|---|---|---|")
    for n in (600, 3000):
        folder = fresh_folder()
        given = config([WORKLOADS[name] for name in FOUR], n, folder)
        report(f"four workloads, n = {n}", folder, given)
    for title, (rows, columns) in SHAPES.items():
        folder = fresh_folder()
        report(title, folder, one_table(folder, rows, columns))


def one_table(folder: Path, rows: int, columns: int) -> dict[str, Any]:
    """Two classes, baseline and a linear model, a sealed test."""
    generator = np.random.default_rng(0)
    features = generator.normal(size=(rows, columns)).astype(np.float32)
    target = features[:, :5].sum(axis=1) + 2 * generator.normal(size=rows) > 0
    table = {f"x{i}": features[:, i] for i in range(columns)} | {"y": np.where(target, "b", "a")}
    parquet.write_table(pa.table(table), folder / "table.parquet")
    task = {
        "data": "table.parquet",
        "target": "y",
        "estimators": ["kfold", "nested_cv", "test"] if rows < 100_000 else ["kfold", "test"],
        "learners": ["majority", "linear"],
    }
    learners = {"majority": {"estimator": "majority"}, "linear": linear(wide=columns > rows)}
    return {"models": "none", "tasks": {"one": task}, "learners": learners}


def linear(wide: bool) -> dict[str, Any]:
    """Of wide tables k-NN takes its place, which is fitted in no time: checks are what is timed."""
    if wide:
        return {"estimator": "knn", "grid": {"n_neighbors": [3, 9]}}
    return {"estimator": "logistic", "grid": {"C": [0.001, 0.1]}}


def report(title: str, folder: Path, given: dict[str, Any]) -> None:
    """A line of the table."""
    whole = run_workflow(folder, given)
    spent: dict[str, float] = {}
    for task in given["tasks"]:
        for code, seconds in seconds_by_check(folder, given, task).items():
            spent[code] = spent.get(code, 0.0) + seconds
    total = sum(spent.values())
    dearest = sorted(spent, key=lambda code: -spent[code])[:SHOWN]
    shown = ", ".join(f"{code} {spent[code]:.2f}" for code in dearest)
    print(f"| {title} | {whole:.1f} | {total:.2f} | {total / whole:.1%} | {shown} |", flush=True)


def seconds_by_check(folder: Path, given: dict[str, Any], task: str) -> dict[str, float]:
    """The CPU seconds of each check of a finished task."""
    os.chdir(folder)
    spec = build.run_checks(Study(json.loads(json.dumps(given))).task(task))
    batches = len(list(Path("results", task, "cells", "manifests").glob("*.json")))
    context = context_of(Path("results", task), spec, batches)
    found = {}
    for code, check in CHECKS.items():
        function = resolve(check.function)
        started = time.process_time()
        function(context)
        found[code] = time.process_time() - started
    return found


if __name__ == "__main__":
    main()
