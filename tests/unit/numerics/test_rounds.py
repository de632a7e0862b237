"""Fewer rounds are cut from the longest run, and are what a fit of their own gives, to the last bit.

What is not installed is left out, but not in CI.
"""

import importlib
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from installed_libraries import INSTALLED
from mixed_table import SEED, outcomes_of, problem_of, table_for
from tables import prepared

from heldout.data.prepared import Prepared
from heldout.learners.learner import define
from heldout.learners.threads import PARAMETERS
from heldout.numerics import run
from heldout.numerics.engines import rounds
from heldout.numerics.engines.registry import ROUNDS, STEPS, by_engine, engine_of
from heldout.numerics.problem import Outcome
from heldout.numerics.steps import first_rounds

MODELS = {
    "lightgbm": ("LGBMRegressor", "LGBMClassifier"),
    "catboost": ("CatBoostRegressor", "CatBoostClassifier"),
}
COUNTS = [3, 7, 1, 5]
Case = tuple[str, str, dict[str, Any]]
BY_LIBRARY: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "lightgbm": [
        ("rare", {}),
        ("score", {"min_child_samples": 3, "objective": "l1"}),
        ("label", {"subsample": 0.6, "subsample_freq": 2, "colsample_bytree": 0.5}),
        ("label", {"data_sample_strategy": "goss", "learning_rate": 0.5}),
        ("rare", {"extra_trees": True, "min_data_in_leaf": 2, "is_unbalance": True}),
    ],
    "xgboost": [
        ("rare", {}),
        ("label", {"subsample": 0.6, "colsample_bynode": 0.5}),
        ("score", {"objective": "reg:absoluteerror", "grow_policy": "lossguide", "max_leaves": 4}),
        ("score", {"tree_method": "approx", "num_parallel_tree": 2, "subsample": 0.5}),
    ],
    "catboost": [
        ("rare", {"boosting_type": "Ordered"}),
        ("label", {"bootstrap_type": "Bayesian", "random_strength": 3}),
        ("score", {"bootstrap_type": "Bernoulli", "subsample": 0.6, "rsm": 0.5}),
        ("score", {"bootstrap_type": "MVS", "loss_function": "MAE"}),
    ],
}
BY_ROUNDS = ("leaf_estimation_iterations", "max_ctr_complexity")
"""Parameters whose defaults CatBoost chooses by the number of rounds, besides the learning rate."""
NAMES = [name for name in BY_LIBRARY if name in INSTALLED]
needs_catboost = pytest.mark.skipif(
    "catboost" not in NAMES, reason="no CatBoost here (in CI this would fail)"
)
CASES: list[Case] = [(name, *case) for name in NAMES for case in BY_LIBRARY[name]]


def block_of(name: str, params: dict[str, Any], counts: list[int] = COUNTS) -> dict[str, Any]:
    """A learner whose grid is numbers of rounds."""
    parameter = "iterations" if name == "catboost" else "n_estimators"
    rate = {"learning_rate": 0.3} if name == "catboost" else {}
    return {"estimator": name, "params": {**rate, **params}, "grid": {parameter: counts}}


def by_count(found: list[Outcome]) -> dict[int, Outcome]:
    return {next(iter(outcome.theta.values())): outcome for outcome in found}


def separate(table: Prepared, block: dict[str, Any]) -> dict[int, Outcome]:
    """A fit for each θ, on a problem of its own."""
    thetas = define("mine", block).thetas(SEED)
    return by_count(
        [one for t in thetas for one in run.fit(problem_of(table, block), {STEPS: [t]})]
    )


def trees_of(model: Any) -> Any:
    """All that a model has learned."""
    if hasattr(model, "booster_"):
        return model.booster_.model_to_string(), model.booster_.params
    if hasattr(model, "get_booster"):
        booster = model.get_booster()
        return bytes(booster.save_raw()), booster.save_config()
    return model.get_all_params()["learning_rate"], model._object


def said_of(model: Any) -> str:
    """The parameters; as text, because one is NaN."""
    return str(sorted(model.get_params().items()))


def assert_same(ours: dict[int, Outcome], theirs: dict[int, Outcome]) -> None:
    """The same bits: predictions, trees, parameters and importances; also after a pickle."""
    assert set(ours) == set(theirs)
    for count, outcome in ours.items():
        other = theirs[count]
        assert outcome.error is None, outcome.error
        assert other.error is None, other.error
        arrays, expected = outcome.predictions.arrays(), other.predictions.arrays()
        assert set(arrays) == set(expected)
        assert all(np.array_equal(arrays[name], expected[name]) for name in expected)
        for model in (outcome.model[-1], pickle.loads(pickle.dumps(outcome.model[-1]))):
            assert trees_of(model) == trees_of(other.model[-1])
            assert said_of(model) == said_of(other.model[-1])
            assert set(vars(model)) == set(vars(other.model[-1]))
            np.testing.assert_array_equal(
                model.feature_importances_, other.model[-1].feature_importances_
            )


@pytest.mark.parametrize(("name", "target", "params"), CASES)
def test_fewer_rounds_are_what_a_fit_of_their_own_gives(
    tmp_path: Path, name: str, target: str, params: dict[str, Any]
) -> None:
    table, block = table_for(tmp_path, target), block_of(name, params)
    found = outcomes_of(table, block)
    assert {outcome.engine for outcome in found} == {ROUNDS}
    assert_same(by_count(found), separate(table, block))


@pytest.mark.parametrize("name", NAMES)
def test_weights_texts_and_steps(tmp_path: Path, name: str) -> None:
    block = block_of(name, {})
    grid = {f"{name}__{key}": axis for key, axis in block["grid"].items()}
    by_steps = {"steps": ["prepare", name], "params": block["params"], "grid": grid}
    for i, (given, request) in enumerate(
        [(block, {"weights": "weight"}), (block, {"texts": True}), (by_steps, {})]
    ):
        table = table_for(tmp_path / str(i), "rare", **request)
        found = outcomes_of(table, given)
        assert {outcome.engine for outcome in found} == {ROUNDS}
        assert_same(by_count(found), separate(table, given))


@pytest.mark.parametrize("name", NAMES)
def test_one_fit_for_each_of_the_other_parameters(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any θ alone, and all of them in another order, give the same bits."""
    fits: list[Any] = []
    original = rounds.steps.fit

    def counted(recipe: Any, model: Any, *others: Any) -> Any:
        fits.append(recipe)
        return original(recipe, model, *others)

    monkeypatch.setattr(rounds.steps, "fit", counted)
    table, block = table_for(tmp_path, "rare"), block_of(name, {})
    block["grid"] |= {"max_depth": [2, 3]}
    thetas = define("mine", block).thetas(SEED)
    together = {str(one.theta): one for one in run.fit(problem_of(table, block), {ROUNDS: thetas})}
    assert len(together) == 8
    assert len(fits) == 2
    for order in ([thetas[2], thetas[0]], [thetas[5]], thetas[::-1]):
        for one in run.fit(problem_of(table, block), {ROUNDS: order}):
            expected = together[str(one.theta)].predictions.proba
            np.testing.assert_array_equal(one.predictions.proba, expected)


@needs_catboost
@pytest.mark.parametrize(("target", "given"), [("rare", {}), ("label", {}), ("rare", {"both": 1})])
def test_short_runs_of_catboost_have_other_defaults(
    tmp_path: Path, target: str, given: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So they are not the first rounds of a longer run, unless these parameters are given."""
    fits: list[Any] = []
    original = rounds.steps.fit
    params = dict.fromkeys(BY_ROUNDS, 2) if given else {}
    table = table_for(tmp_path, target)
    block = block_of("catboost", {"depth": 3, **params}, [150, 199, 200, 230])
    theirs = separate(table, block)

    def counted(recipe: Any, model: Any, *others: Any) -> Any:
        fits.append(recipe)
        return original(recipe, model, *others)

    monkeypatch.setattr(rounds.steps, "fit", counted)
    assert_same(by_count(outcomes_of(table, block)), theirs)
    assert len(fits) == (1 if given else 2)


@needs_catboost
def test_many_columns_of_numbers_have_the_same_defaults_in_short_runs(tmp_path: Path) -> None:
    generator = np.random.default_rng(2)
    features = generator.normal(size=(90, first_rounds.FEW))
    columns = {f"x{i}": column.tolist() for i, column in enumerate(features.T)}
    target = np.where(features[:, 0] + generator.normal(size=90) > 0, "yes", "no")
    table = prepared(tmp_path, {**columns, "y": target.tolist()})
    block = block_of("catboost", {"depth": 2}, [199, 200])
    assert_same(by_count(outcomes_of(table, block)), separate(table, block))
    model = importlib.import_module("catboost").CatBoostClassifier()
    few = features[:, 1:]
    found = [first_rounds.same_defaults(model, rows, 200, 199) for rows in (features, few)]
    assert found == [True, False]
    assert first_rounds.same_defaults(model, few, 199, 1)


@needs_catboost
@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("target", ["two", "three", "number"])
def test_nothing_else_of_catboost_depends_on_the_number_of_rounds(target: str, words: bool) -> None:
    generator = np.random.default_rng(1)
    numbers = generator.normal(size=(60, 2))
    score = numbers[:, 0] + generator.normal(size=60)
    features = pd.DataFrame(numbers, columns=["a", "b"])
    if words:
        features["c"] = generator.choice(list("uvwxyz"), size=60)
    values = {"two": score > 0, "three": np.digitize(score, [-0.5, 0.5]), "number": score}
    kind = importlib.import_module("catboost").__dict__[MODELS["catboost"][target != "number"]]
    common = {"learning_rate": 0.1, "depth": 2, "thread_count": 1, "verbose": False}
    found = []
    for count in (1, 50, 199, 200, 500, 1001):
        model = kind(iterations=count, allow_writing_files=False, **common)
        model.fit(features, values[target], cat_features=["c"] if words else None)
        others = (*first_rounds.PARAMETERS, *BY_ROUNDS)
        found.append({k: v for k, v in model.get_all_params().items() if k not in others})
    assert all(one == found[0] for one in found)


def test_rounds_without_a_split_are_fitted_one_by_one(tmp_path: Path) -> None:
    """LightGBM drops such a round, and later ones take its place; so the first ones are not a shorter run's."""
    generator = np.random.default_rng(7)
    features = generator.normal(size=(60, 4))
    target = (features[:, 0] + generator.normal(size=60) > 1).astype(int)
    columns = {f"x{i}": np.append(features[:, i], features[:30, i]).tolist() for i in range(4)}
    words = np.array(["no", "yes"])[np.append(target, target[:30])].tolist()
    table = prepared(tmp_path, {**columns, "y": words})
    bags = {"subsample": 0.5, "subsample_freq": 1, "num_leaves": 3, "min_child_samples": 10}
    block = block_of("lightgbm", {**bags, "learning_rate": 1.0}, [4, 8, 30])
    theirs = separate(table, block)
    kept = {count: one.model[-1].booster_.current_iteration() for count, one in theirs.items()}
    assert kept == {4: 4, 8: 7, 30: 8}
    native = theirs[8].model[:-1].transform(table.frame)
    cut = theirs[30].model[-1].predict_proba(native, num_iteration=8)
    assert not np.array_equal(cut, theirs[8].model[-1].predict_proba(native))
    assert_same(by_count(outcomes_of(table, block)), theirs)


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("lightgbm", {"boosting_type": "dart"}),
    ("lightgbm", {"boosting_type": "rf", "subsample": 0.5, "subsample_freq": 1}),
    ("lightgbm", {"early_stopping_round": 3}),
    ("lightgbm", {"linear_tree": True}),
    ("lightgbm", {"num_iterations": 8}),
    ("lightgbm", {"objective": {"function": "numpy.exp"}}),
    ("xgboost", {"booster": "dart"}),
    ("xgboost", {"booster": "gblinear"}),
    ("xgboost", {"early_stopping_rounds": 3}),
    ("catboost", {"learning_rate": None}),
    ("catboost", {"grow_policy": "Lossguide"}),
    ("catboost", {"od_type": "Iter"}),
    ("catboost", {"use_best_model": True}),
    ("catboost", {"langevin": True}),
    ("catboost", {"n_estimators": 9}),
]


@pytest.mark.parametrize(("name", "params"), REFUSED)
def test_other_parameters_are_fitted_one_by_one(
    name: str, params: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldout.learners.learner.source_of", lambda *_: "")
    given = block_of(name, {})
    learner = define("mine", given)
    [theta, *_] = learner.thetas(SEED)
    assert engine_of(learner, True, theta) == ROUNDS
    others = replace(learner, params={**learner.params, **params})
    assert engine_of(others, True, theta) == STEPS
    for more in ({"calibrate": "sigmoid"}, {"target": "log"}):
        assert engine_of(replace(learner, **more), True, theta) == STEPS
    without = {key: value for key, value in learner.params.items() if key != "learning_rate"}
    expected = STEPS if name == "catboost" else ROUNDS
    assert engine_of(replace(learner, params=without), True, theta) == expected
    for count in (0, 2.0, True, "2"):
        assert engine_of(learner, True, dict.fromkeys(theta, count)) == STEPS
    assert engine_of(learner, True, {}) == STEPS


def test_another_library_fits_one_by_one_when_its_models_cannot_be_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The self-check notices, and every θ is right."""
    table, block = table_for(tmp_path, "score"), block_of("lightgbm", {"min_child_samples": 3})
    library = first_rounds.LIBRARIES["lightgbm"]

    def one_too_few(model: Any, own: Any, count: int) -> Any:
        return library.cut(model, own, count - 1)

    monkeypatch.setitem(first_rounds.LIBRARIES, "lightgbm", library._replace(cut=one_too_few))
    first_rounds.is_exact.cache_clear()
    try:
        found = by_count(outcomes_of(table, block))
    finally:
        first_rounds.is_exact.cache_clear()
    assert_same(found, separate(table, block))


def test_an_error_is_in_its_own_theta(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    block = {"estimator": "lightgbm", "grid": {"n_estimators": [2, 3], "num_leaves": [1, 4]}}
    thetas = define("mine", block).thetas(SEED)
    builder = problem_of(table, block).builder
    engines = by_engine(builder.definition, True, thetas)
    found = list(run.fit(problem_of(table, block), engines))
    assert [one.theta["num_leaves"] for one in found if one.error is not None] == [1, 1]
    assert len(found) == 4


@pytest.mark.parametrize("name", [name for name in NAMES if name in PARAMETERS])
@pytest.mark.parametrize("heavy", [False, True])
def test_any_number_of_threads_gives_the_same_bits(name: str, heavy: bool) -> None:
    """Also of sums that no order of adding makes exact: a target and weights of very different sizes."""
    generator = np.random.default_rng(3)
    features = generator.normal(size=(3000, 6))
    score = features[:, 0] + generator.normal(size=3000)
    target, weights = (np.exp(6 * score), np.exp(score)) if heavy else (score > 0, None)
    block = block_of(
        name, {"bagging_fraction": 0.5, "bagging_freq": 1} if name == "lightgbm" else {}
    )
    given = {**block["params"], **define(name, block).params, next(iter(block["grid"])): 12}
    kind = importlib.import_module(name).__dict__[MODELS[name][not heavy]]
    found = []
    for threads in (1, 2, 4):
        model = kind(**{**given, PARAMETERS[name]: threads, "random_state": 1})
        model.fit(features, target, sample_weight=weights)
        found.append(model.predict(features) if heavy else model.predict_proba(features))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
