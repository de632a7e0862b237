"""Reasons name what a person has changed, in a line."""

from typing import Any

import pytest

from heldout.execution.reasons import differences


def learners(**changes: Any) -> dict[str, Any]:
    knn = {"name": "knn", "grid": {"n_neighbors": [1, 3]}, "source": "a"} | changes
    return {"spec": {"cells": {"learners": [knn, {"name": "tree", "grid": {}}]}}}


@pytest.mark.parametrize(
    ("before", "now", "reasons"),
    [
        ({"spec": {"level": 0.95}}, {"spec": {"level": 0.9}}, ["level 0.95 → 0.9"]),
        (
            {"spec": {"page": {"config": {"kfold": {"k": 5}}}}},
            {"spec": {"page": {"config": {"kfold": {"k": 10}}}}},
            ["kfold.k 5 → 10"],
        ),
        (
            learners(),
            learners(grid={"n_neighbors": [1, 3, 9]}),
            ["learners.knn.grid.n_neighbors: 9 added"],
        ),
        (
            learners(),
            learners(grid={"n_neighbors": [3, 1]}),
            ["learners.knn.grid.n_neighbors: another order"],
        ),
        (learners(), learners(source="b"), ["the code or version of knn's estimator changed"]),
        (
            {"spec": {"versions": '{"numpy":"2.0","scipy":"1.1"}'}},
            {"spec": {"versions": '{"numpy":"2.1","scipy":"1.1"}'}},
            ["numpy 2.0 → 2.1"],
        ),
        (
            {"spec": {"numeric_code": {"knn": "a", "tree": "b"}}},
            {"spec": {"numeric_code": {"knn": "c", "tree": "b"}}},
            ["heldout's numeric code changed (knn)"],
        ),
        ({"code": "a"}, {"code": "b"}, ["heldout's code of this step changed"]),
        (
            {"spec": {"config": "a"}},
            {"spec": {"config": "b"}},
            ["something else of the task changed"],
        ),
        (
            {"spec": {"sharing": "a"}},
            {"spec": {"sharing": "b"}},
            ["something else of the task changed"],
        ),
        ({"spec": {"test": 0.2}}, {"spec": {"test": "t.csv"}}, ["test 0.2 → t.csv"]),
        ({"a": 1}, {"a": 1}, []),
    ],
)
def test_a_change_is_named(before: Any, now: Any, reasons: list[str]) -> None:
    assert differences(before, now) == reasons


def test_a_reason_fits_a_line() -> None:
    [reason] = differences({"grid": [*range(500)]}, {"grid": []})
    assert len(reason) < 100
    [reason] = differences({"text": "a" * 500}, {"text": "b" * 500})
    assert len(reason) < 140
