"""How work is divided into jobs, and what the jobs ask for."""

from typing import Any

import pytest

from heldout.execution.study import Study

SETS = 10 + 45
"""Folds and pairs of folds."""


def config(thetas: int, **keys: Any) -> dict[str, Any]:
    grid = {"n_neighbors": {"range": [1, thetas]}}
    task = {
        "data": "x.csv",
        "target": "y",
        "estimators": ["nested_cv"],
        "learners": ["knn", "svm"],
        "kfold": {"k": 10},
    }
    svm = {"estimator": "svm", "grid": {"C": {"logspace": [-3, 3, thetas]}}}
    return {
        "tasks": {"t": task},
        "learners": {"knn": {"estimator": "knn", "grid": grid}, "svm": svm},
        **keys,
    }


def batches(thetas: int, cores: int | None, **keys: Any) -> int:
    return Study(config(thetas, **keys), cores).batches("t")


def test_on_one_machine_there_is_a_job_for_each_core() -> None:
    assert batches(100, cores=4) == 4


def test_on_a_cluster_jobs_have_a_size() -> None:
    cells = 2 * 100 * SETS
    assert batches(100, cores=None) == cells / 500


@pytest.mark.parametrize("cores", [None, 1, 8])
def test_batch_cells_gives_the_same_jobs_everywhere(cores: int | None) -> None:
    """What a cluster's main process plans, a job there and a laptop must plan as well."""
    assert batches(100, cores, batch_cells=1000) == 2 * 100 * SETS / 1000
    assert batches(100, cores, batch_cells=10**9) == 1
    assert batches(100, cores, batch_cells=1000, batches=7) == 7


def test_no_job_stays_without_work() -> None:
    assert batches(100, cores=None, batch_cells=1) == 2 * SETS


def test_a_hundred_thousand_cells_become_hundreds_of_jobs() -> None:
    study = Study(config(910), cores=None)
    assert 2 * 910 * SETS == 100_100
    assert study.batches("t") == 2 * SETS
    assert Study(config(910, batch_cells=2000), cores=None).batches("t") == 51


def test_the_batches_change_no_other_part_of_a_spec() -> None:
    """Else moving to a cluster would open the test set again."""
    here, there = Study(config(3)), Study(config(3, batch_cells=10), cores=None)
    assert here.request("open_test", "t") == there.request("open_test", "t")


def test_memory_grows_with_the_data_and_the_attempt() -> None:
    study = Study(config(3))
    small, large = study.fitting_memory(1, attempt=1), study.fitting_memory(1000, attempt=1)
    assert 1000 < small < 1100
    assert large > 10 * 1000
    assert study.fitting_memory(1000, attempt=3) == 3 * large
    assert study.reading_memory(1, attempt=2) > study.reading_memory(1, attempt=1)


def test_minutes_grow_with_the_cells_and_the_attempt() -> None:
    study = Study(config(100))
    one, ten = study.fitting_minutes("t", "1", attempt=1), study.fitting_minutes("t", "10", 1)
    assert one > 2 * 100 * SETS / 60
    assert ten < one / 5
    assert study.fitting_minutes("t", "10", attempt=2) == 2 * ten
    assert study.reading_minutes("t", attempt=1) < one
