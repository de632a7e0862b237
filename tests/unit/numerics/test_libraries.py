"""Boosting libraries give what their own `fit` and `predict` give on the same rows.

What is not installed is left out, but not in CI.
"""

import importlib
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
from installed_libraries import INSTALLED
from mixed_table import SEED, outcomes_of, predictions_of, problem_of, split, table_for
from sklearn.base import clone

from heldout.errors import HeldoutError
from heldout.learners import libraries
from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.errors import LearnerError
from heldout.numerics.steps.native import NativeColumns

ROUNDS = {"lightgbm": "n_estimators", "xgboost": "n_estimators", "catboost": "iterations"}
MODULE_NAMES = {
    "lightgbm": "LGBMClassifier",
    "xgboost": "XGBClassifier",
    "catboost": "CatBoostClassifier",
}
NAMES = [name for name in ROUNDS if name in INSTALLED]


def by_lightgbm(classes: bool) -> Any:
    kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
    return kind(
        n_estimators=6,
        n_jobs=1,
        verbose=-1,
        random_state=SEED,
        deterministic=True,
        force_col_wise=True,
    )


def by_xgboost(classes: bool) -> Any:
    import xgboost

    kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
    return kind(n_estimators=6, n_jobs=1, random_state=SEED, enable_categorical=True)


def by_catboost(classes: bool) -> Any:
    import catboost

    kind = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
    return kind(
        iterations=6,
        thread_count=1,
        random_seed=SEED,
        verbose=False,
        allow_writing_files=False,
        cat_features=["colour", "size"],
    )


MAKERS: dict[str, Callable[[bool], Any]] = {
    "lightgbm": by_lightgbm,
    "xgboost": by_xgboost,
    "catboost": by_catboost,
}


def their_frame(rows: pd.DataFrame, train: pd.DataFrame, name: str) -> pd.DataFrame:
    """By hand what the step `native` does."""
    found = rows.copy()
    for column in ("colour", "size"):
        levels = sorted(train[column].dropna().unique(), key=str)
        if column == "size":
            levels = [level for level in ("small", "big", "huge") if level in levels]
        if name == "catboost":
            found[column] = (
                found[column].astype(object).where(found[column].isin(levels), "missing")
            )
        else:
            words = found[column].astype(object).where(found[column].isin(levels))
            found[column] = pd.Categorical(words, levels, ordered=column == "size")
    place = list(found.columns).index("when")
    when = found.pop("when")
    days = (when - pd.Timestamp(0)) / pd.Timedelta(days=1)
    calendar = when.dt
    parts = [days, calendar.year, calendar.month, calendar.day, calendar.day_of_week]
    for i, part in enumerate([*parts, calendar.day_of_year]):
        found.insert(place + i, f"when_{i}", part.astype(float))
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", ["label", "score"])
def test_a_library_gets_the_columns_as_they_are(tmp_path: Path, name: str, target: str) -> None:
    table = table_for(tmp_path, target)
    [outcome] = outcomes_of(table, {"estimator": name, "grid": {ROUNDS[name]: [6]}})
    train, codes, held = split(table)
    model = MAKERS[name](target == "label").fit(their_frame(train, train, name), codes)
    rows = their_frame(held, train, name)
    said = outcome.predictions
    if target == "label":
        np.testing.assert_array_equal(said.proba, model.predict_proba(rows))
        np.testing.assert_array_equal(said.label, np.ravel(model.predict(rows)))
    else:
        np.testing.assert_array_equal(said.value, model.predict(rows))
    read = pickle.loads(pickle.dumps(outcome.model))
    features = read[:-1].transform(held)
    again = read[-1].predict_proba(features) if target == "label" else read[-1].predict(features)
    np.testing.assert_array_equal(again, said.proba if target == "label" else said.value)


@pytest.mark.parametrize("name", NAMES)
def test_weights_texts_calibration_and_steps(tmp_path: Path, name: str) -> None:
    grid = {ROUNDS[name]: [3]}
    weighted = table_for(tmp_path / "w", "rare", weights="weight")
    plain = table_for(tmp_path / "p", "rare")
    with_weights = predictions_of(weighted, {"estimator": name, "grid": grid}).proba
    without = predictions_of(plain, {"estimator": name, "grid": grid}).proba
    assert not np.array_equal(with_weights, without)
    texts = table_for(tmp_path / "t", "rare", texts=True)
    [outcome] = outcomes_of(texts, {"estimator": name, "grid": grid})
    assert outcome.model[-1].n_features_in_ == 5 + 6 + 256
    calibrated = {"estimator": name, "grid": grid, "calibrate": "sigmoid"}
    assert predictions_of(plain, calibrated).proba.shape == (30, 2)
    rest = {"columns": {"numbers": "impute"}, "rest": "passthrough"}
    assert predictions_of(plain, {"steps": [rest, name], "grid": grid}).proba.shape == (30, 2)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lacking", [0, 1, 2])
def test_training_rows_that_lack_a_class(tmp_path: Path, name: str, lacking: int) -> None:
    table = table_for(tmp_path, "label")
    block = {"estimator": f"{name}:{MODULE_NAMES[name]}", "params": {ROUNDS[name]: 6}}
    problem = problem_of(table, block)
    kept = problem.train_target != lacking
    rows = problem.train_features[kept].reset_index(drop=True)
    problem = replace(problem, train_features=rows, train_target=problem.train_target[kept])
    [outcome] = run.fit(problem, {"steps": [{}]})
    assert outcome.error is None
    train, codes, held = split(table)
    train = train[kept]
    labels, places = np.unique(codes[kept], return_inverse=True)
    model = MAKERS[name](True).fit(their_frame(train, train, name), places)
    expected = model.predict_proba(their_frame(held, train, name))
    np.testing.assert_array_equal(outcome.predictions.proba[:, labels], expected)
    assert (outcome.predictions.proba[:, lacking] == 0).all()
    np.testing.assert_array_equal(outcome.predictions.label, labels[expected.argmax(axis=1)])


def test_names_that_libraries_refuse_and_levels_that_training_lacks() -> None:
    train = pd.DataFrame({"a[1]": [1.0, 2.0], "a_1_": [3.0, 4.0], "c:d": ["x", "y"]}, dtype=object)
    train["a[1]"] = train["a[1]"].astype(float)
    train["a_1_"] = train["a_1_"].astype(float)
    native = NativeColumns().fit(train)
    found = native.transform(train)
    assert list(found.columns) == ["a_1__", "a_1_", "c_d"]
    other = train.assign(**{"c:d": pd.Series(["z", np.nan], dtype=object)})
    assert native.transform(other)["c_d"].isna().all()
    words = NativeColumns(style="words").fit(train)
    assert words.transform(other)["c_d"].tolist() == ["missing", "missing"]


def test_parameters_by_other_names_and_wrong_ones(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    params = {"bagging_fraction": 0.5, "bagging_freq": 1, "num_threads": 2, "verbosity": -1}
    block = {"estimator": "lightgbm", "params": params, "grid": {"min_data_in_leaf": [5]}}
    [outcome] = outcomes_of(table, block)
    given = outcome.model[-1].get_params()
    assert given["num_threads"] == 2
    assert "n_jobs" not in define("mine", block).params
    wrong = {"estimator": "lightgbm", "params": {"bagging_fration": 0.5}}
    with pytest.raises(LearnerError) as raised:
        outcomes_of(table, wrong)
    assert raised.value.facts["name"] == "bagging_fration"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(path: str, where: str) -> str:
        if path.startswith("sklearn."):
            return ""
        raise HeldoutError(f"{where}: no module")

    monkeypatch.setattr(libraries, "estimator_source", absent)
    with pytest.raises(HeldoutError, match=r"pip install 'heldout\[boosting\]'"):
        define("catboost", None)
    with pytest.raises(HeldoutError, match="imbalanced-learn"):
        define("mine", {"steps": ["prepare", "smote", "tree"]})


def test_intelex_by_import_path(tmp_path: Path) -> None:
    """Its own loop after the same preprocessing; scikit-learn itself where it is not installed."""
    package = "sklearnex" if "sklearnex" in INSTALLED else "sklearn"
    path = f"{package}.ensemble.RandomForestClassifier"
    table = table_for(tmp_path, "rare")
    block = {"estimator": path, "params": {"n_estimators": 8}}
    problem = problem_of(table, block)
    [outcome] = outcomes_of(table, block)
    forest = importlib.import_module(f"{package}.ensemble").RandomForestClassifier
    steps = clone(outcome.model[:-1])
    model = forest(n_estimators=8, n_jobs=1, random_state=SEED)
    model.fit(steps.fit_transform(problem.train_features), problem.train_target)
    expected = model.predict_proba(steps.transform(problem.held_features))
    np.testing.assert_allclose(outcome.predictions.proba, expected, rtol=0, atol=1e-12)
    assert type(outcome.model[-1]) is forest
    said = predictions_of(table, block)
    np.testing.assert_array_equal(said.proba, outcome.predictions.proba)


INSIDE = {
    "lightgbm": ({}, {"n_jobs": 1, "verbose": -1}),
    "xgboost": ({}, {"n_jobs": 1}),
    "catboost": ({"logging_level": "Info"}, {"thread_count": 1, "allow_writing_files": False}),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_library_inside_another_estimator_gets_its_parameters_too(name: str) -> None:
    params, expected = INSIDE[name]
    inside = {"estimator": name, "params": params}
    block = {"estimator": "sklearn.ensemble.BaggingClassifier", "params": {"estimator": inside}}
    given = define("mine", block).params["estimator"]["params"]
    assert {key: given[key] for key in expected} == expected
    assert "verbose" not in given or "logging_level" not in given
