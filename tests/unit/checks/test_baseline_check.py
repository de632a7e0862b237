"""H026: whether the selected model is better than a baseline, or than the best constant prediction."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from finished import classes, finish, numbers

from heldout.measures.registry import LOSSES

GROUPS = {"who": [f"p{i // 4}" for i in range(120)]}
TIME = {"when": list(range(120))}
SHORT: dict[str, Any] = {"time": "when", "rolling": {"blocks": 10}, "estimators": ["rolling"]}


@pytest.mark.parametrize("more", [{}, {"estimators": ["kfold", "nested_cv"]}, {"loss": "roc_auc"}])
def test_against_a_baseline_among_the_learners(tmp_path: Path, more: dict[str, Any]) -> None:
    good = finish(tmp_path, classes(signal=3), "knn", "majority", **more).check("H026")
    assert (good.status, good.severity) == ("pass", "warning")
    assert "of majority" in good.message
    bad = finish(tmp_path, classes(signal=0.0, seed=6), "knn", "majority", **more)
    assert bad.check("H026").status == "fail"


def test_the_order_of_learners_does_not_matter(tmp_path: Path) -> None:
    rows = [
        finish(tmp_path, classes(signal=3), *names).check("H026")
        for names in (("knn", "majority"), ("majority", "knn"))
    ]
    assert rows[0] == rows[1]
    assert rows[0].status == "pass"


def test_scores_are_shown_as_people_read_them(tmp_path: Path) -> None:
    row = finish(tmp_path, classes(signal=3), "knn", "majority", loss="accuracy").check("H026")
    assert row.message.startswith("accuracy of knn 0.9")
    assert "difference 0.4" in row.message


def test_a_selected_baseline(tmp_path: Path) -> None:
    rare = classes(signal=0.0, rare=0.2)
    found = finish(tmp_path, rare, "majority", "tree")
    assert found.selection["learner"] == "majority"
    row = found.check("H026")
    assert row.status == "fail"
    assert "though tree were tried" in row.message or "though tree was tried" in row.message
    assert finish(tmp_path, rare, "majority").check("H026").status == "na"


CONSTANT = {
    "folds": ({}, {}),
    "repeats": ({}, {"kfold": {"k": 4, "repeats": 2}}),
    "groups": (GROUPS, {"groups": "who"}),
    "time order": (TIME, SHORT),
    "probabilities": ({}, {"loss": "brier"}),
    "costs": ({}, {"loss": {"costs": {"a": {"b": 1}, "b": {"a": 2}}}}),
    "weights": ({"w": np.tile([1.0, 2.0, 3.0], 40)}, {"weights": "w"}),
    "hold-out": ({}, {"estimators": ["holdout"], "select": {"by": "holdout"}}),
    "thresholds": ({}, {"threshold": [0.3, 0.5, 0.7]}),
}


@pytest.mark.parametrize("case", CONSTANT)
def test_against_the_best_constant(tmp_path: Path, case: str) -> None:
    columns, task = CONSTANT[case]
    good = finish(tmp_path, classes(signal=4) | columns, "logistic", **task).check("H026")
    assert good.status == "pass", good.message
    assert "the best constant prediction" in good.message
    bad = finish(tmp_path, classes(signal=0.0, seed=6) | columns, "logistic", **task).check("H026")
    assert bad.status == "fail", bad.message


@pytest.mark.parametrize("loss", ["squared", "absolute", {"quantile": 0.8}])
def test_against_the_best_constant_number(tmp_path: Path, loss: Any) -> None:
    good = finish(tmp_path, numbers(signal=3), "ridge", loss=loss).check("H026")
    assert good.status == "pass" or "quantile" in str(loss), good.message
    bad = finish(tmp_path, numbers(signal=0.0), "ridge", loss=loss).check("H026")
    assert bad.status == "fail", bad.message


def test_the_best_constant_is_the_baseline(tmp_path: Path) -> None:
    """Where the baseline is a learner, comparisons.csv has the same difference."""
    columns = numbers(signal=0.3)
    alone = finish(tmp_path, columns, "ridge").check("H026").message
    both = finish(tmp_path, columns, "ridge", "mean")
    [row] = [one for one in both.estimates if (one.learner, one.estimator) == ("mean", "kfold")][:1]
    assert f"the best constant prediction {row.risk:.4g}" in alone
    part = alone.partition("; difference ")[2].partition(":")[0]
    assert part in both.check("H026").message


def test_scores_of_sets_without_a_baseline_do_not_apply(tmp_path: Path) -> None:
    row = finish(tmp_path, classes(signal=3), "knn", loss="roc_auc").check("H026")
    assert row.status == "na"
    assert LOSSES["zero_one"].label not in row.message
