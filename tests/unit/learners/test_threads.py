"""The number of threads: only where no number depends on it, and in no key."""

from dataclasses import replace

import pytest

from heldout.cells.key import family
from heldout.errors import HeldoutError
from heldout.execution.forkserver import client
from heldout.execution.study import Study
from heldout.learners.definition import FORESTS
from heldout.learners.learner import define
from heldout.learners.threads import GRANTED, PARAMETERS, threaded


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (
            {"estimator": "knn"},
            "only fits of catboost, lightgbm and scikit-learn's forests are known",
        ),
        ({"estimator": "boosting"}, "fits run side by side"),
        ({"estimator": "lightgbm", "params": {"n_jobs": 2}}, "'n_jobs' says the number of threads"),
        ({"estimator": "lightgbm", "grid": {"num_threads": [1, 2]}}, "'num_threads' says"),
        ({"estimator": "lightgbm", "params": {"deterministic": False}}, "deterministic: true"),
        ({"estimator": "forest", "params": {"n_jobs": 2}}, "'n_jobs' says the number of threads"),
        (
            {"estimator": "forest", "params": {"model__n_jobs": 2}},
            "'model__n_jobs' says the number",
        ),
        ({"estimator": "forest", "calibrate": "sigmoid"}, "threads: not with calibrate"),
        ({"steps": ["scale", "ridge"]}, "learners.mine.threads: only fits of"),
    ],
)
def test_refused(block: dict, said: str) -> None:
    with pytest.raises(HeldoutError, match=said):
        define("mine", {**block, "threads": 2})
    assert define("mine", {**block, "threads": 1}).threads == 1


def test_no_key_depends_on_it() -> None:
    one, two = (define("mine", {"estimator": "lightgbm", "threads": n}) for n in (1, 2))
    assert family(one, True) == family(two, True)
    assert replace(two, threads=1) == one


def test_no_more_than_the_job_was_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = define("mine", {"estimator": "lightgbm", "threads": 3})
    monkeypatch.delenv(GRANTED, raising=False)
    assert threaded(learner).params["n_jobs"] == 3
    for granted, expected in (("2", 2), ("8", 3), ("1", 1)):
        monkeypatch.setenv(GRANTED, granted)
        assert threaded(learner).params["n_jobs"] == expected
    assert learner.params["n_jobs"] == 1
    assert client.GRANTED == GRANTED


def test_a_forest_keeps_its_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = define("mine", {"estimator": "sklearn.ensemble:ExtraTreesRegressor", "threads": 3})
    assert learner.regressor in FORESTS
    monkeypatch.setenv(GRANTED, "2")
    assert (threaded(learner).threads, threaded(learner).params) == (2, learner.params)


def test_steps_too() -> None:
    learner = define("mine", {"steps": ["scale", "lightgbm"], "threads": 2})
    assert threaded(learner).params["n_jobs"] == 2
    assert list(PARAMETERS) == ["lightgbm", "catboost"]


def test_snakemake_is_told_the_most_that_a_learner_of_the_task_uses() -> None:
    task = {"data": "sklearn:iris", "target": "target"}
    learners = {"lgb": {"estimator": "lightgbm", "threads": 3}}
    tasks = {"one": {**task, "learners": ["knn", "lgb"]}, "two": {**task, "learners": ["knn"]}}
    study = Study({"tasks": tasks, "learners": learners})
    assert (study.threads("one"), study.threads("two")) == (3, 1)
