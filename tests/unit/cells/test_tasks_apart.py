"""The tasks of one config do not disturb each other."""

import copy
from typing import Any

import pytest
import small_study

from heldout.execution.study import Study

STEPS = (
    *(step for step in small_study.STEPS if step not in ("draw_splits", "fit_cells")),
    "run_checks",
    "render_report",
)


def config() -> dict[str, Any]:
    task = {"data": "t.csv", "target": "y", "loss": "zero_one", "test": 0.2}
    tasks = {
        "a": {**task, "learners": ["knn"]},
        "b": {**task, "learners": ["tree"], "data": "other.csv"},
        "c": {**task, "learners": ["tree"]},
    }
    grids = {"knn": {"n_neighbors": [1, 5]}, "tree": {"max_depth": [1, 2]}}
    learners = {name: {"estimator": name, "grid": grid} for name, grid in grids.items()}
    return {"tasks": tasks, "learners": learners}


def change_loss(given: dict[str, Any]) -> None:
    given["tasks"]["a"]["loss"] = "brier"


def change_grid(given: dict[str, Any]) -> None:
    given["learners"]["knn"]["grid"]["n_neighbors"].append(9)


def requests(given: dict[str, Any], task: str) -> list[dict[str, Any]]:
    study = Study(given, cores=2)
    return [study.request(step, task) for step in STEPS]


@pytest.mark.parametrize("change", [change_loss, change_grid])
def test_a_change_of_one_task_reruns_nothing_of_another(change: Any) -> None:
    changed = copy.deepcopy(config())
    change(changed)
    assert requests(changed, "a") != requests(config(), "a")
    assert requests(changed, "b") == requests(config(), "b")


@pytest.mark.parametrize("change", [change_loss, change_grid])
def test_tasks_with_one_sealed_set_have_their_openings_in_common(change: Any) -> None:
    """Which tasks may open it in one run is part of what the ledger records."""
    changed = copy.deepcopy(config())
    change(changed)
    both = zip(STEPS, requests(changed, "c"), requests(config(), "c"), strict=True)
    assert [step for step, now, before in both if now != before] == ["open_test"]
