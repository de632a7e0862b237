"""H030: measures and imbalance. H022: folds and groups."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from finished import classes, finish, numbers

from heldout.checks.balance import measure_fits_imbalance
from heldout.measures.registry import LOSSES


def judged(counts: list[int], loss: str = "zero_one", weights: Any = None) -> Any:
    target = np.repeat(np.arange(len(counts)), counts)
    table = SimpleNamespace(
        classification=True,
        classes=list("abcd")[: len(counts)],
        target=target,
        weights=None if weights is None else np.asarray(weights, float)[target],
        weighted=weights is not None,
    )
    context: Any = SimpleNamespace(loss_table=SimpleNamespace(table=table, loss=LOSSES[loss]))
    return measure_fits_imbalance(context)


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        ([95, 5], "fail"),
        ([5, 95], "fail"),
        ([94, 6], "pass"),
        ([50, 50], "pass"),
        ([96, 2, 2], "fail"),
        ([90, 8, 2], "pass"),
        ([48, 48, 4], "pass"),
    ],
)
def test_h030(counts: list[int], status: str) -> None:
    assert judged(counts).status == status
    assert judged(counts, "brier").status == "na"


def test_h030_counts_weights() -> None:
    assert judged([98, 2], weights=[1, 40]).status == "pass"
    assert judged([80, 20], weights=[10, 1]).status == "fail"


def test_h030_says_what_to_use(tmp_path: Path) -> None:
    rare = classes(200, rare=0.04)
    row = finish(tmp_path, rare, "logistic", loss="accuracy").check("H030")
    assert (row.status, row.severity) == ("fail", "warning")
    for word in ("96.0% of the rows", "roc_auc", "average_precision", "threshold: tune", "costs"):
        assert word in row.message
    assert "roc_auc" not in judged([96, 2, 2]).message, "it is for two classes"
    assert finish(tmp_path, rare, "logistic", loss="roc_auc").check("H030").status == "na"
    assert finish(tmp_path, numbers(), "ridge").check("H030").status == "na"


def grouped(count: int, rows: int = 120) -> dict[str, Any]:
    return classes(rows) | {"who": [f"p{i % count}" for i in range(rows)]}


@pytest.mark.parametrize(
    ("columns", "task", "word"),
    [
        (classes(40), {}, ""),
        (classes(10), {"kfold": {"k": 4, "stratify": False}}, "has 2 rows"),
        (classes(16), {"kfold": {"k": 4}}, ""),
        (grouped(12), {"groups": "who"}, ""),
        (grouped(9), {"groups": "who"}, "9 groups in 4 folds: intervals rest on groups"),
        (grouped(13), {"groups": "who", "kfold": {"k": 7}}, "13 groups in 7 folds"),
        (grouped(14), {"groups": "who", "kfold": {"k": 7}}, ""),
    ],
)
def test_h022(tmp_path: Path, columns: dict[str, Any], task: dict[str, Any], word: str) -> None:
    row = finish(tmp_path, columns, "tree", **task).check("H022")
    assert (row.status, row.severity) == ("fail" if word else "pass", "warning"), row.message
    assert word in row.message


def test_h022_folds_of_one_class(tmp_path: Path) -> None:
    columns = classes(60, signal=1)
    columns["fold"] = np.where(columns["y"] == "a", np.arange(60) % 2, 2 + np.arange(60) % 2)
    row = finish(tmp_path, columns, "tree", kfold={"column": "fold"}).check("H022")
    assert row.status == "fail"
    assert "every fold has rows of one class only" in row.message
    columns["fold"][0] = 3 - columns["fold"][0]
    row = finish(tmp_path, columns, "tree", kfold={"column": "fold"}).check("H022")
    assert row.status == "pass", "one fold has both"


@pytest.mark.parametrize(("blocks", "status"), [(6, "fail"), (8, "pass")])
def test_h022_blocks_of_time(tmp_path: Path, blocks: int, status: str) -> None:
    more = {"time": "when", "rolling": {"blocks": blocks}, "estimators": ["rolling"]}
    columns = classes(120) | {"when": list(range(120))}
    row = finish(tmp_path, columns, "tree", **more).check("H022")
    assert row.status == status, row.message


def test_h022_without_folds(tmp_path: Path) -> None:
    more = {"estimators": ["holdout"], "select": {"by": "holdout"}}
    assert finish(tmp_path, classes(), "tree", **more).check("H022").status == "na"
