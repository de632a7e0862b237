"""H029: whether few rows decide which learner is best."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from finished import classes, finish, numbers

MORE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({}, {"kfold": {"k": 4, "repeats": 2}}),
    ({"who": [f"p{i // 2}" for i in range(400)]}, {"groups": "who"}),
    ({"w": np.tile([1.0, 2.0], 200)}, {"weights": "w"}),
    (
        {"when": list(range(400))},
        {"time": "when", "rolling": {"blocks": 10}, "estimators": ["rolling"]},
    ),
]


def table(far: float) -> dict[str, Any]:
    """A straight line and noise; one row lies far to the right, and not on the line."""
    columns = numbers(400, signal=1)
    columns["x"][101], columns["y"][101] = far, 0.0
    return columns


@pytest.mark.parametrize("more", MORE)
def test_few_rows_decide(tmp_path: Path, more: tuple[dict[str, Any], dict[str, Any]]) -> None:
    columns, task = more
    found = finish(tmp_path, table(far=26.0) | columns, "linear", "huge", **task)
    row = found.check("H029")
    assert (row.status, row.severity) == ("fail", "note"), row.message
    assert row.message.startswith("huge has the smallest risk on")
    assert "without the 10 rows with the largest losses it is linear" in row.message
    clean = finish(tmp_path, table(far=0.0) | columns, "linear", "huge", **task)
    assert clean.check("H029").message.startswith("linear has the smallest risk with and without")


def test_a_lead_within_noise_is_none(tmp_path: Path) -> None:
    for seed in range(3):
        columns = numbers(100, signal=0.3, seed=seed)
        row = finish(tmp_path, columns, "ridge", "knn", "mean").check("H029")
        assert row.status == "pass", row.message


def test_where_it_does_not_apply(tmp_path: Path) -> None:
    assert finish(tmp_path, classes(), "knn", "tree").check("H029").status == "na"
    assert finish(tmp_path, numbers(), "tree").check("H029").status == "na"
    assert finish(tmp_path, numbers(), "tree", "ridge", loss="r2").check("H029").status == "na"
    few = finish(tmp_path, numbers(16), "linear", "mean").check("H029")
    assert "too few rows" in few.message
