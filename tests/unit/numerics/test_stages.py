"""Predictions of shorter models of LightGBM, from one pass over the longest, are their own to the last bit."""

from collections.abc import Iterator
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest

from heldout.numerics.steps import stages as stages_module
from heldout.numerics.steps.first_rounds import first_rounds
from heldout.numerics.steps.stages import same_exp, stages

QUIET = {"n_jobs": 1, "verbose": -1, "min_child_samples": 5}
COUNTS = [9, 2, 20, 7]
METHODS = ("predict", "predict_proba", "decision_function")
CASES = {
    "two classes": ("two", {}),
    "few rows a leaf": ("two", {"num_leaves": 63, "min_child_samples": 1, "learning_rate": 0.9}),
    "rows left out": ("two", {"subsample": 0.5, "subsample_freq": 1, "is_unbalance": True}),
    "three classes": ("three", {}),
    "a number": ("number", {}),
    "absolute errors": ("number", {"objective": "l1", "extra_trees": True}),
    "a quantile": ("number", {"objective": "quantile"}),
}


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Every test checks anew."""
    forget_all()
    yield
    forget_all()


def forget_all() -> None:
    stages_module._known.clear()
    same_exp.cache_clear()


def rows(n: int, seed: int) -> pd.DataFrame:
    """Numbers of very different sizes, some of them missing, and categories."""
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(n, 4)) * [1, 1e6, 1e-6, 1]
    features[generator.random((n, 4)) < 0.1] = np.nan
    frame = pd.DataFrame(features, columns=list("abcd"))
    return frame.assign(e=pd.Categorical(generator.choice(["x", "y", "z"], n), ["x", "y", "z"]))


def fitted(target: str, params: dict[str, Any], count: int = max(COUNTS)) -> Any:
    train = rows(900, 1)
    noise = np.random.default_rng(2).normal(size=900)
    score = train["a"].fillna(0) + 1e-6 * train["b"].fillna(2e6) * (train["e"] == "x") + noise
    values = {"two": score > 0.5, "three": np.digitize(score, [-0.5, 1]), "number": 1e3 * score}
    kind = lightgbm.LGBMRegressor if target == "number" else lightgbm.LGBMClassifier
    return kind(n_estimators=count, **{**QUIET, **params}).fit(train, np.asarray(values[target]))


@pytest.mark.parametrize(("target", "params"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("parts", [False, True])
def test_each_number_of_rounds_is_what_its_model_says(
    target: str, params: dict[str, Any], parts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if parts:
        monkeypatch.setattr(stages_module, "AT_ONCE", 1000)
    model, held = fitted(target, params), rows(3001, 3)
    found = stages(model, held, COUNTS)
    assert set(found) == set(COUNTS)
    for count, said in found.items():
        short = first_rounds(
            model, type(model)(**{**model.get_params(), "n_estimators": count}), count
        )
        alone = fitted(target, params, count)
        for name in METHODS:
            assert hasattr(said, name) == hasattr(short, name)
            if hasattr(said, name):
                own = getattr(short, name)(held)
                np.testing.assert_array_equal(getattr(said, name)(held), own)
                np.testing.assert_array_equal(getattr(alone, name)(held), own)


@pytest.mark.parametrize(
    ("target", "params"),
    [("number", {"objective": "poisson"}), ("three", {"objective": "multiclassova"})],
)
def test_what_is_made_of_the_sums_in_another_way_is_left_to_the_models(
    target: str, params: dict[str, Any]
) -> None:
    if params["objective"] == "poisson":
        model = lightgbm.LGBMRegressor(n_estimators=20, **QUIET, **params)
        model.fit(rows(900, 1), np.random.default_rng(2).poisson(3, size=900))
    else:
        model = fitted(target, params)
    assert stages(model, rows(50, 3), COUNTS) == {}
    assert stages(model, rows(50, 3), COUNTS) == {}


def test_one_number_of_rounds_too_many_sums_and_other_models_are_left_to_the_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, held = fitted("two", {}), rows(50, 3)
    assert stages(model, held, [20, 20]) == {}
    assert stages(object(), held, COUNTS) == {}
    assert stages(model, held, COUNTS)
    monkeypatch.setattr(stages_module, "LARGEST", 199)
    assert stages(model, held, COUNTS) == {}


def test_another_exponential_function_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is wrong in the last bit, now and then."""
    right = stages_module._exp

    def nearly(values: np.ndarray) -> np.ndarray:
        found = right(values)
        off = np.arange(found.size).reshape(found.shape) % 100 == 99
        return np.where(off, np.nextafter(found, 2 * found), found)

    assert same_exp()
    same_exp.cache_clear()
    monkeypatch.setattr(stages_module, "_exp", nearly)
    assert not same_exp()
    assert stages(fitted("two", {}), rows(50, 3), COUNTS) == {}


@pytest.mark.parametrize("wrong", ["order", "text"])
def test_other_sums_are_noticed(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, held, summed = fitted("number", {}), rows(500, 3), np.cumsum
    if wrong == "order":  # the last rounds first

        def backwards(values: Any, axis: int = 0) -> np.ndarray:
            return summed(values[:, ::-1] if np.ndim(values) == 3 else values, axis=axis)

        monkeypatch.setattr(np, "cumsum", backwards)
    else:
        monkeypatch.setattr(lightgbm.Booster, "model_to_string", lambda *_, **__: "leaf_value=1 2")
    assert stages(model, held, COUNTS) == {}
