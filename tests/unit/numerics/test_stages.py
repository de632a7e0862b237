"""Predictions after several numbers of rounds from one pass: they are made, and are the model's own to the last bit."""

import sys
from typing import Any

import numpy as np
import pytest
from lightgbm import LGBMClassifier, LGBMRegressor

from heldout.numerics.steps import stages as module
from heldout.numerics.steps.stages import same_exp, stages

COUNTS = [1, 4, 9]
QUIET = {"n_estimators": 9, "n_jobs": 1, "verbose": -1, "deterministic": True, "random_state": 0}
METHODS = ("predict", "predict_proba", "decision_function")


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_known", {})


def fitted(classes: int, **more: Any) -> tuple[Any, np.ndarray]:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(1700, 5))
    score = features[:, 0] + generator.normal(size=1700)
    if not classes:
        return LGBMRegressor(**QUIET, **more).fit(features, np.exp(score)), features
    target = np.argsort(np.argsort(score)) * classes // 1700
    return LGBMClassifier(**QUIET, **more).fit(features, target), features


@pytest.mark.parametrize("at_once", [9, 2**22], ids=["row by row", "at once"])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_they_are_those_of_the_first_rounds(
    classes: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    model, rows = fitted(classes)
    rows = rows[:60] if at_once == 9 else rows
    found = stages(model, rows, COUNTS)
    assert sorted(found) == (COUNTS if not classes or same_exp() else [])
    for count, said in found.items():
        for name in METHODS:
            if hasattr(said, name):
                own = getattr(model, name)(rows, num_iteration=count)
                np.testing.assert_array_equal(getattr(said, name)(rows), own)


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere LightGBM may have a function of its own"
)
def test_the_exponential_function_is_that_of_the_c_library() -> None:
    assert same_exp()


def test_a_model_that_makes_something_else_of_its_sums_predicts_itself() -> None:
    model, rows = fitted(0, objective="poisson")
    assert stages(model, rows, COUNTS) == {}
    assert list(module._known.values()) == [False]


def test_another_exponential_function_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = module._exp
    monkeypatch.setattr(module, "_exp", lambda values: np.nextafter(exact(values), np.inf))
    same_exp.cache_clear()
    try:
        assert not same_exp()
        model, rows = fitted(2)
        assert stages(model, rows, COUNTS) == {}
    finally:
        monkeypatch.undo()
        same_exp.cache_clear()


def test_one_number_of_rounds_or_too_many_sums_are_left_to_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, rows = fitted(0)
    assert stages(model, rows, [9, 9]) == {}
    monkeypatch.setattr(module, "LARGEST", len(rows) * len(COUNTS) - 1)
    assert stages(model, rows, COUNTS) == {}
    monkeypatch.setattr(module, "LARGEST", len(rows) * len(COUNTS))
    assert sorted(stages(model, rows, COUNTS)) == COUNTS
