"""The first significant local minimum: the rule, and the scan of an endless grid."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inprocess import Run, run_task

from heldout.errors import HeldoutError
from heldout.estimates.rules import Curve, Rule, Scan, first_local_min
from heldout.execution.study import Study


@pytest.mark.parametrize(
    ("risks", "errors", "patience", "expected"),
    [
        ([3, 2, 1, 2, 2], [0.5] * 5, 2, Scan(2, 0)),
        ([3, 2, 1, 1.4, 2], [0.5] * 5, 2, Scan(2, 1)),
        ([3, 2, 1, 2, 0.5, 2, 2], [0.5] * 7, 2, Scan(4, 0)),
        ([3, 2, 1, 2, 2, 0.1], [0.5] * 6, 2, Scan(2, 0)),
        ([1, 1, 1], [0.0] * 3, 1, Scan(0, 1)),
        ([5], [None], 3, Scan(0, 3)),
    ],
)
def test_rule(risks: Any, errors: Any, patience: int, expected: Scan) -> None:
    assert first_local_min(risks, errors, patience) == expected


def test_rule_ignores_what_lies_behind_the_stop() -> None:
    curve = Curve("a", [{"d": i} for i in range(6)], [3, 1, 2, 2, 2, 0], [0.1] * 6)
    assert Rule("first_local_min", patience=3).pick(curve) == 1
    assert Rule("min").pick(curve) == 5


def polynomial_config(path: Path, **select: Any) -> dict[str, Any]:
    """A cubic with noise."""
    generator = np.random.default_rng(0)
    x = generator.uniform(-1, 1, size=60)
    y = 1 - 3 * x + 12 * x**3 + generator.normal(scale=0.4, size=60)
    path.write_text(
        "x,y\n" + "\n".join(f"{a:.6f},{b:.6f}" for a, b in zip(x, y, strict=True)) + "\n"
    )
    task = {
        "data": str(path),
        "target": "y",
        "test": 0,
        "kfold": {"k": 5},
        "estimators": ["training", "holdout", "kfold", "min_cv", "nested_cv", "nested_dev"],
        "select": {"by": "kfold", "rule": "first_local_min", "patience": 2, **select},
        "learners": ["polynomial"],
    }
    grid = {"poly__degree": {"from": 1}}
    return {
        "tasks": {"curve": task},
        "learners": {"polynomial": {"estimator": "polynomial", "grid": grid}},
    }


def degrees(run: Run) -> list[int]:
    rows = [row for row in run.risks if row.estimator == "kfold"]
    return [json.loads(row.theta)["poly__degree"] for row in rows]


def test_the_scan_finds_the_cubic_and_fits_no_more_than_it_must(tmp_path: Path) -> None:
    run = run_task(polynomial_config(tmp_path / "curve.csv"), tmp_path / "run")
    rows = [row for row in run.risks if row.estimator == "kfold"]
    risks, errors = [row.risk for row in rows], [row.se or 0.0 for row in rows]
    chosen = run.selection["theta"]["poly__degree"]
    assert 3 <= chosen <= 5, "a cubic: lower degrees underfit"
    assert risks[chosen - 1] == min(risks[: chosen + 1])
    assert sum(risk > risks[chosen - 1] + errors[chosen - 1] for risk in risks[chosen:]) >= 2
    fitted = degrees(run)
    assert fitted == list(range(1, len(fitted) + 1))
    assert 5 <= len(fitted) < 30, "most of the range is never fitted"
    manifest = json.loads((run.folder / "cells/manifests/1-of-1.json").read_text())
    assert manifest["fitted"] == len(fitted) * (1 + 1 + 5 + 10)
    rows = [row for row in run.folds if row.estimator == "nested_cv" and row.learner == "all"]
    assert len(rows) == 5
    assert run.check("H013").status == "pass"


def test_a_scan_that_never_rises_stops_at_the_stated_maximum(tmp_path: Path) -> None:
    config = polynomial_config(tmp_path / "curve.csv", maximum=4, patience=50)
    run = run_task(config, tmp_path / "run")
    assert degrees(run) == [1, 2, 3, 4]
    assert run.check("H013").status == "fail"
    assert "stated maximum of 4" in run.check("H013").message


def test_an_endless_grid_needs_the_rule(tmp_path: Path) -> None:
    config = polynomial_config(tmp_path / "curve.csv")
    config["tasks"]["curve"]["select"] = {"rule": "min"}
    with pytest.raises(HeldoutError, match=r"endless grid needs .*first_local_min"):
        Study(config)


def test_the_rule_needs_one_ordered_hyper_parameter(tmp_path: Path) -> None:
    config = polynomial_config(tmp_path / "curve.csv")
    grid = {"poly__degree": [1, 2], "fit_intercept": [True, False]}
    config["learners"]["polynomial"]["grid"] = grid
    with pytest.raises(
        HeldoutError, match="one ordered hyper-parameter; learner 'polynomial' has 2"
    ):
        Study(config)
