"""Integer weights are repeated rows: the same risks, choices, nested CV, min-CV and sealed test.

Rows that are repeated stay together as groups, in the same folds. A weighted fit of ridge, logistic regression
and trees is that of the repeated rows.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inprocess import Run, run_task

N, FOLDS = 90, 3
CLASSES = {
    "zero_one": ["logistic", "tree"],
    "cross_entropy": ["logistic"],
    "roc_auc": ["logistic", "tree"],
    "f1": ["logistic", "tree"],
    "average_precision": ["logistic"],
}
NUMBERS = {"squared": ["ridge"], "r2": ["ridge"], "neg_root_mean_squared_error": ["ridge"]}
LEARNERS = {
    "logistic": {"estimator": "logistic", "grid": {"C": [0.01, 1.0]}},
    "tree": {"estimator": "tree", "grid": {"max_depth": [1, 3]}},
    "ridge": {"estimator": "ridge", "grid": {"alpha": [1.0, 100.0]}},
}
EQUAL = (
    "training",
    "kfold",
    "kfold_pooled",
    "min_cv",
    "min_cv_tt",
    "nested_cv",
    "nested_cv_pooled",
)
"""The estimators whose sets are the user's own folds, or everything; others draw rows."""


def table_of(classes: bool) -> tuple[list[list[Any]], np.ndarray]:
    """Rows x1, x2, x3, y, w, fold, id; and the weights."""
    generator = np.random.default_rng(8)
    x = generator.normal(size=(N, 3)).round(3)
    y = x @ [1.0, 0.5, 0.0] + generator.normal(size=N)
    target = np.where(y > 0.4, "yes", "no") if classes else y.round(3)
    weights = generator.integers(1, 4, size=N)
    fold = np.empty(N, int)
    fold[np.argsort(target, kind="stable")] = np.arange(N) % FOLDS
    rows = [[*x[i], target[i], weights[i], f"f{fold[i]}", f"r{i}"] for i in range(N)]
    return rows, weights


def run(folder: Path, rows: list[list[Any]], task: dict[str, Any], learners: list[str]) -> Run:
    folder.mkdir()
    lines = ["x1,x2,x3,y,w,fold,id", *(",".join(map(str, row)) for row in rows)]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    config = {
        "tasks": {
            "t": {
                "data": str(folder / "table.csv"),
                "target": "y",
                "test": 0,
                "estimators": ["training", "kfold", "min_cv", "nested_cv"],
                "kfold": {"column": "fold"},
                "learners": learners,
                **task,
            }
        },
        "learners": LEARNERS,
    }
    return run_task(config, folder / "results")


def both(tmp_path: Path, loss: str, learners: list[str]) -> tuple[Run, Run]:
    rows, weights = table_of(loss in CLASSES)
    weighted = {"loss": loss, "weights": "w", "drop": ["id"]}
    repeated = {"loss": loss, "groups": "id", "drop": ["w"]}
    if loss in CLASSES:
        weighted["positive"] = repeated["positive"] = "yes"
    many = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    return (
        run(tmp_path / "weighted", rows, weighted, learners),
        run(tmp_path / "repeated", many, repeated, learners),
    )


@pytest.mark.parametrize(("loss", "learners"), [*CLASSES.items(), *NUMBERS.items()])
def test_risks_choices_and_estimates_are_those_of_repeated_rows(
    tmp_path: Path, loss: str, learners: list[str]
) -> None:
    weighted, repeated = both(tmp_path, loss, learners)
    for one, other in zip(weighted.risks, repeated.risks, strict=True):
        assert (one.learner, one.theta, one.estimator) == (
            other.learner,
            other.theta,
            other.estimator,
        )
        assert one.risk == pytest.approx(other.risk, abs=1e-8)
    assert weighted.selection["theta"] == repeated.selection["theta"]
    assert [f.theta for f in weighted.folds] == [f.theta for f in repeated.folds]
    found = {(r.learner, r.estimator): r for r in weighted.estimates}
    for row in repeated.estimates:
        if row.estimator in EQUAL:
            mine = found[row.learner, row.estimator]
            assert mine.risk == pytest.approx(row.risk, abs=1e-8), row.estimator
            assert mine.score == pytest.approx(row.score, abs=1e-8)


@pytest.mark.parametrize("loss", ["squared", "roc_auc"])
def test_standard_errors_are_nearly_those_of_groups(tmp_path: Path, loss: str) -> None:
    """Not exactly: groups count G/(G−1) times, and folds of other risk by their size."""
    learners = {**CLASSES, **NUMBERS}[loss][:1]
    weighted, repeated = both(tmp_path, loss, learners)
    one, other = (each.estimate(learners[0], "nested_cv") for each in (weighted, repeated))
    assert one.interval == other.interval == "tuned_jackknife"
    assert one.se == pytest.approx(other.se, rel=0.06)
