"""Tasks of one config that share a table and a target."""

import copy
from pathlib import Path
from typing import Any

import pytest

from heldout.config.load import validate
from heldout.data.witness import remember
from heldout.execution.sharing import opening_tasks, sealing_notes, sharing_digest, sharing_tasks
from heldout.execution.study import Study

TASK = {"data": "t.csv", "target": "y", "loss": "zero_one", "learners": ["knn"]}


def config(**changed: dict[str, Any]) -> dict[str, Any]:
    others = {"b": {}, "c": {"data": "./t.csv"}, "d": {"target": "z"}, "e": {"data": "u.csv"}}
    tasks = {"a": TASK} | {name: TASK | one for name, one in others.items()}
    tasks |= {name: tasks.get(name, TASK) | one for name, one in changed.items()}
    return {"tasks": copy.deepcopy(tasks), "learners": {"knn": {"estimator": "knn"}}}


def test_tasks_share_by_table_and_target() -> None:
    study = validate(config())
    assert sharing_tasks(study, "b") == ["a", "b", "c"]
    assert sharing_tasks(study, "d") == ["d"]
    assert sharing_tasks(study, "e") == ["e"]


def test_only_tasks_with_a_test_open_the_rows() -> None:
    study = validate(config(a={"test": 0}, b={"estimators": ["kfold"]}))
    assert opening_tasks(study, "c") == ["c"]
    spec = Study(config(a={"test": 0})).request("open_test", "c")
    assert spec["spec"]["before"] == 1


def digest_of(raw: dict[str, Any]) -> str:
    study = validate(raw)
    return sharing_digest(study, opening_tasks(study, "a"))


SAME = {
    "another table": config(e={"kfold": {"k": 3}}),
    "metrics": config(a={"metrics": ["accuracy"]}),
    "level": config() | {"level": 0.9},
    "open again": config() | {"open_again": True},
    "an unused learner": config() | {"learners": {"knn": {"estimator": "knn"}, "tree": {"estimator": "tree"}}},
}  # fmt: skip
OTHER = {
    "seed": config() | {"seed": 5},
    "another grid": config() | {"learners": {"knn": {"estimator": "knn", "grid": {"n_neighbors": [2]}}}},
    "folds of another task": config(b={"kfold": {"k": 3}}),
    "one task more": config(f={}),
}  # fmt: skip


@pytest.mark.parametrize("raw", SAME.values(), ids=SAME)
def test_what_changes_no_selection_does_not_count(raw: dict[str, Any]) -> None:
    assert digest_of(raw) == digest_of(config())


@pytest.mark.parametrize("raw", OTHER.values(), ids=OTHER)
def test_what_changes_a_selection_counts(raw: dict[str, Any]) -> None:
    assert digest_of(raw) != digest_of(config())


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"test": 0.3}, "test"),
        ({"test": 0}, "test"),
        ({"groups": "site"}, "groups"),
        ({"kfold": {"stratify": False}}, "kfold.stratify"),
        ({"loss": "squared"}, "loss"),
    ],
)
def test_tasks_that_seal_other_rows_are_named(change: dict[str, Any], key: str) -> None:
    [note] = sealing_notes(validate(config(b=change)))
    assert "tasks 'a' and 'b' share a table and a target" in note
    assert f"({key} differ)" in note


def test_tasks_that_seal_the_same_rows_need_no_word() -> None:
    assert sealing_notes(validate(config(b={"loss": "brier", "kfold": {"k": 3}}))) == []


def test_a_damaged_ledger_is_a_note_and_makes_the_opening_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = Study(config())
    before = study.request("open_test", "a")
    assert study.notes == []
    remember(Path("results", "gone"), {1: "digest"}, [])
    assert study.notes == ["the ledger of openings is damaged: opening 1 is missing"]
    assert study.request("open_test", "a") != before
    assert study.request("score_test", "a") == Study(config()).request("score_test", "a")
