"""The other goals: fixed cost, no-op, one θ added, slow learners, leave-one-out, planning, growth."""

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import kernels
import numpy as np
from timing import agreement, config, folds_of, fresh_folder, run_workflow
from workloads import FOUR, WORKLOADS, draw

from heldout.cells.manifest import as_record


def fixed_cost(repeats: int) -> dict[str, float]:
    """A run with one trivial cell, and the same again with nothing to do."""
    cold, again = [], []
    for _ in range(repeats):
        folder = fresh_folder()
        given = config(
            [WORKLOADS["knn"]], 60, folder, estimators=["holdout"], select={"by": "holdout"}
        )
        given["learners"]["knn"] = {"estimator": "majority"}
        cold.append(run_workflow(folder, given))
        again.append(run_workflow(folder, given))
    return {"cold": round(median(cold), 2), "no-op": round(median(again), 2)}


def one_theta_added(repeats: int) -> dict[str, float]:
    """n = 3000, all four workloads; then k-NN gets one more k."""
    cold, added = [], []
    for _ in range(repeats):
        folder = fresh_folder()
        given = config([WORKLOADS[name] for name in FOUR], 3000, folder)
        cold.append(run_workflow(folder, given))
        longer = json.loads(json.dumps(given))
        longer["learners"]["knn"]["grid"]["n_neighbors"].append(41)
        added.append(run_workflow(folder, longer))
    seconds = {"cold": median(cold), "added": median(added)}
    return {k: round(v, 2) for k, v in seconds.items()} | {
        "ratio": round(seconds["added"] / seconds["cold"], 3)
    }


def slow_learners(repeats: int) -> dict[str, Any]:
    """An SVM over C, the same by the generic engine, and a random forest over tree depth."""
    found = {}
    for name in ("svm", "svm_generic", "forest"):
        ours, theirs = [], []
        for _ in range(repeats):
            folder = fresh_folder()
            ours.append(run_workflow(folder, config([WORKLOADS[name]], 3000, folder)))
            fold = folds_of(folder, name)
            loop = WORKLOADS[name].loop.run(*draw(3000, True), fold, "zero_one")
            theirs.append(loop.seconds)
        found[name] = {
            "heldout": round(median(ours), 2),
            "scikit-learn": round(median(theirs), 2),
            "ratio": round(median(ours) / median(theirs), 3),
            **agreement(folder, name, loop),
        }
    return found


def leave_one_out(repeats: int, n: int = 2000, timed: int = 40) -> dict[str, float]:
    """Ridge with 50 λ: the whole workflow, and the fits alone, against brute force.

    Brute force refits every λ for `timed` left-out rows; its time is scaled up to all n.
    """
    from sklearn.base import clone

    ridge = WORKLOADS["ridge"]
    features, target = draw(n, False)
    pipeline = ridge.loop.search(ridge.loss).estimator
    started = time.perf_counter()
    for left_out in range(timed):
        train = np.arange(n) != left_out
        for alpha in ridge.loop.grid["alpha"]:
            model = clone(pipeline).set_params(model__alpha=alpha)
            model.fit(features[train], target[train]).predict(features[left_out : left_out + 1])
    brute = (time.perf_counter() - started) * n / timed / 2
    ours, fits = [], []
    for _ in range(repeats):
        folder = fresh_folder()
        given = config([ridge], n, folder, estimators=["loo"], select={"by": "loo"})
        ours.append(run_workflow(folder, given))
        fits.append(_fit_seconds(folder, "ridge"))
    return {
        "brute force on 2 cores (scaled)": round(brute, 1),
        "heldout": round(median(ours), 2),
        "ratio": round(median(ours) / brute, 4),
        "fits alone": round(median(fits), 3),
        "ratio of fits alone": round(median(fits) / brute, 5),
    }


def _fit_seconds(folder: Path, task: str) -> float:
    """The seconds of fitting that the cells of a task recorded."""
    total = 0.0
    for path in (folder / "results" / task / "cells" / "manifests").glob("*.json"):
        for entry in json.loads(path.read_text())["cells"]:
            total += sum(as_record(fields).seconds for fields in entry["sets"].values())
    return total / 2


def planning(repeats: int) -> dict[str, float]:
    """A dry run over 10⁵ cells: seconds and peak memory of Snakemake."""
    folder = fresh_folder()
    given = config([WORKLOADS["knn"]], 100, folder, estimators=["kfold"])
    given["learners"]["knn"]["grid"]["n_neighbors"] = {"range": [1, 10_001]}
    seconds = run_workflow(folder, given, "--dry-run")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"seconds": round(seconds, 2), "peak MB of any child so far": round(peak)}


def over_kernels(repeats: int, n: int = 3000) -> dict[str, Any]:
    """CPU seconds of the fitting jobs and of bare kernels, and the difference per cell."""
    folder = fresh_folder()
    run_workflow(folder, config([WORKLOADS[name] for name in FOUR], n, folder))
    found = {}
    for name in FOUR:
        jobs = _cpu_seconds(folder, name)
        bare = kernels.seconds(name, n, folds_of(folder, name))
        cells = len(kernels.SETS) * len(next(iter(WORKLOADS[name].loop.grid.values())))
        found[name] = {
            "fitting jobs": round(jobs, 2),
            "bare kernel": round(bare, 2),
            "ratio": round(jobs / bare, 2),
            "overhead per cell in ms": round((jobs - bare) / cells * 1000, 2),
        }
    return found


def _cpu_seconds(folder: Path, task: str) -> float:
    """The CPU time that Snakemake measured for the fitting jobs of a task."""
    total = 0.0
    for path in (folder / "results" / task / "logs").glob("fit_cells.*.tsv"):
        names, values = (line.split("\t") for line in path.read_text().splitlines())
        total += float(values[names.index("cpu_time")])
    return total


def growth(repeats: int) -> dict[str, dict[int, float]]:
    """Seconds of a whole k-NN run when one of n, |Θ| and K grows."""
    found: dict[str, dict[int, float]] = {"n": {}, "theta": {}, "k": {}}
    for axis, values in (
        ("n", (1000, 2000, 4000, 8000, 16_000)),
        ("theta", (10, 30, 100, 300)),
        ("k", (5, 10, 20, 30)),
    ):
        for value in values:
            folder = fresh_folder()
            given = config([WORKLOADS["knn"]], value if axis == "n" else 2000, folder)
            ks = list(range(1, 1 + (value if axis == "theta" else 30)))
            given["learners"]["knn"]["grid"]["n_neighbors"] = ks
            given["tasks"]["knn"]["kfold"]["k"] = value if axis == "k" else 10
            found[axis][value] = round(run_workflow(folder, given), 2)
    return found


BARS: dict[str, Callable[[int], Any]] = {
    "fixed-cost": fixed_cost,
    "one-theta-added": one_theta_added,
    "slow-learners": slow_learners,
    "leave-one-out": leave_one_out,
    "planning": planning,
    "over-kernels": over_kernels,
    "growth": growth,
}
"""Each of them by name."""
