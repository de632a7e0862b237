"""The same numbers as R's boot::cv.glm and ipred::errorest, on the same folds and bags.

`reference/reference.R` says how the numbers were made, `reference/reference.json` holds them.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from inprocess import run_task

REFERENCE = Path(__file__).parent / "reference"
NUMBERS = json.loads((REFERENCE / "reference.json").read_text())
TOLERANCE = 1e-9
"""Relative; R solves the least squares problems by another algorithm."""


def test_kfold_adjusted_kfold_and_leave_one_out(tmp_path: Path) -> None:
    task = {
        "data": str(REFERENCE / "cars.csv"),
        "target": "mpg",
        "loss": "squared",
        "test": 0,
        "kfold": {"column": "fold"},
        "estimators": ["training", "kfold", "kfold_adjusted", "loo"],
        "learners": ["linear"],
    }
    run = run_task({"tasks": {"cars": task}}, tmp_path)
    found = {name: run.risk("linear", {}, name) for name in ("kfold", "kfold_adjusted", "loo")}
    expected = {name: NUMBERS["cars"][name] for name in found}
    assert found == pytest.approx(expected, rel=TOLERANCE)


def test_632plus(tmp_path: Path) -> None:
    drawn = np.loadtxt(REFERENCE / "bags.csv", delimiter=",", skiprows=1, dtype=int)
    bags = []
    for bag in np.unique(drawn[:, 0]):
        rows, counts = np.unique(drawn[drawn[:, 0] == bag, 1], return_counts=True)
        bags += [(80, bag, row, count) for row, count in zip(rows, counts, strict=True)]
    split = dict(zip(("n", "bag", "row", "count"), np.array(bags).T, strict=True))
    task = {
        "data": str(REFERENCE / "points.csv"),
        "target": "y",
        "loss": "zero_one",
        "test": 0,
        "bootstrap": {"bags": 25},
        "estimators": ["training", "bootstrap"],
        "learners": ["logistic"],
    }
    exact = {"C": 1e12, "tol": 1e-10, "max_iter": 10_000}
    logistic = {"estimator": "logistic", "grid": {}, "params": exact}
    config = {"tasks": {"points": task}, "learners": {"logistic": logistic}}
    run = run_task(config, tmp_path, splits={"bootstrap": split})
    plus = run.risk("logistic", {}, "bootstrap_632plus")
    point = run.risk("logistic", {}, "bootstrap_632")
    training = run.risk("logistic", {}, "training")
    expected = NUMBERS["points"]
    assert plus == pytest.approx(expected["bootstrap_632plus"], rel=TOLERANCE)
    assert (point - 0.368 * training) / 0.632 == pytest.approx(
        expected["bootstrap_per_row"], rel=TOLERANCE
    )
