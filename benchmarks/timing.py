"""Both sides of the comparison, each timed as a whole on two cores."""

import atexit
import copy
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
from workloads import Workload, draw, write_table

REPO = Path(__file__).parents[1]
CORES = 2
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


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
    (folder / "config.yaml").write_text(json.dumps(given))
    command = [
        sys.executable, "-m", "snakemake", "--snakefile", str(REPO / "Snakefile"), "--directory",
        str(folder), "--configfile", str(folder / "config.yaml"), "--cores", str(CORES), "--quiet",
        "all", *more,
    ]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return time.perf_counter() - started


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


def difference(folder: Path, task: str, errors: list[float]) -> float:
    """The largest difference between the workflow's and scikit-learn's errors of an outer fold."""
    import csv

    with (folder / "results" / task / "folds.csv").open() as file:
        rows = [
            r for r in csv.DictReader(file) if (r["learner"], r["estimator"]) == (task, "nested_cv")
        ]
    ours = {int(row["fold"]): float(row["risk"]) for row in rows}
    return max(abs(ours[fold] - error) for fold, error in enumerate(errors, start=1))


def sklearn_nested(
    workload: Workload, n: int, fold: np.ndarray, outer: list[int]
) -> tuple[float, list[float]]:
    """GridSearchCV inside each outer fold, outer folds side by side on two processes.

    The inner folds are the other outer folds, so that the results can be compared.
    """
    from joblib import Parallel, delayed

    features, target = draw(n, workload.classification)
    started = time.perf_counter()
    errors = Parallel(n_jobs=CORES)(
        delayed(_outer_fold)(workload.name, features, target, fold, i) for i in outer
    )
    return time.perf_counter() - started, list(errors)


def _first_of_equals(found: dict[str, Any]) -> int:
    """The first θ whose mean score is the best up to rounding: heldout's choice among ties."""
    means = found["mean_test_score"]
    return int(np.flatnonzero(means >= means.max() - 1e-12 * max(abs(means.max()), 1e-3))[0])


def _outer_fold(
    name: str, features: np.ndarray, target: np.ndarray, fold: np.ndarray, outer: int
) -> float:
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from workloads import WORKLOADS

    workload = WORKLOADS[name]
    train = fold != outer
    scoring = "accuracy" if workload.classification else "neg_mean_squared_error"
    search = GridSearchCV(
        workload.pipeline(),
        workload.grid,
        cv=PredefinedSplit(fold[train]),
        scoring=scoring,
        refit=_first_of_equals,
    )
    search.fit(features[train], target[train])
    score = search.score(features[~train], target[~train])
    return 1 - score if workload.classification else -score
