"""Planted forests: bit for bit, attribute by attribute, those of scikit-learn's own fits."""

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from forests import (
    CLASSIFIERS,
    KINDS,
    OF_CLASSES,
    OF_NUMBERS,
    REGRESSORS,
    SHAPES,
    Rows,
    assert_exact,
    assert_same,
    parameters,
    plain,
    table,
)
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from heldout.learners.definition import define
from heldout.learners.grid import expand
from heldout.numerics import run as numeric_run
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.sklearn_internals import forest_builder, forest_nodes
from heldout.numerics.sklearn_internals.forest_builder import Nursery


@pytest.fixture(autouse=True)
def _sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the safety net: a wrong forest is seen, and not replaced."""
    monkeypatch.setattr(forest_builder, "_exact", {})
    monkeypatch.setattr(forest_builder, "_agrees", lambda *_: True)


def assert_exact_alone(make: Any, rows: Rows, **given: Any) -> Any:
    model = make(**{"random_state": 3, "n_estimators": 4, **given})
    return assert_exact(model, rows, Nursery(*rows), {})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", CLASSIFIERS + REGRESSORS)
@pytest.mark.filterwarnings("ignore:Using the fractional value max_samples")
def test_any_parameters_on_any_table(make: Any, kind: Any) -> None:
    classification = make in CLASSIFIERS
    for seed in range(25):
        rows = table(kind, seed, classification)
        assert_exact_alone(make, rows, **parameters(seed, classification))


EACH = [
    (make, {name: value})
    for makes, choices in ((CLASSIFIERS, SHAPES | OF_CLASSES), (REGRESSORS, SHAPES | OF_NUMBERS))
    for make in makes
    for name, values in choices.items()
    for value in values
] + [
    (make, {"bootstrap": bootstrap, "max_samples": 0.4 if bootstrap else None, **weights})
    for make in CLASSIFIERS
    for bootstrap in (True, False)
    for weights in ({}, {"class_weight": "balanced"}, {"class_weight": "balanced_subsample"})
]


@pytest.mark.parametrize(("make", "given"), EACH, ids=lambda one: getattr(one, "__name__", None))
def test_each_parameter_alone(make: Any, given: dict[str, Any]) -> None:
    assert_exact_alone(make, plain(make in CLASSIFIERS), **given)


@pytest.mark.parametrize("make", CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize(
    ("features", "target"),
    [
        (np.ones((6, 2)), np.array([0, 1, 0, 1, 1, 1])),
        (np.arange(6.0)[:, None], np.ones(6, int)),
        (np.zeros((1, 1)), np.ones(1, int)),
        (np.arange(12.0).reshape(6, 2)[::-1], np.array([5, 5, 1, 1, 9, 9], np.uint8)),
        (np.arange(12).reshape(6, 2, order="F"), np.array([2.0, 0.0, 0.0, 2.0, 1.0, 1.0])),
    ],
    ids=["constant", "one class", "one row", "small codes", "whole numbers"],
)
def test_odd_tables(make: Any, features: np.ndarray, target: np.ndarray) -> None:
    assert_exact_alone(make, (features, target))


def test_a_planted_forest_is_an_ordinary_forest() -> None:
    """It is pickled without a trace of how it came about, and does what its twin does."""
    features, target = plain(True)
    ours = assert_exact_alone(RandomForestClassifier, (features, target), n_estimators=9)
    written = pickle.dumps(ours)
    assert b"heldout" not in written
    again = pickle.loads(written)
    own = RandomForestClassifier(n_estimators=9, random_state=3).fit(features, target)
    assert_same(again, own)
    for ask in ("predict", "predict_proba", "apply"):
        np.testing.assert_array_equal(getattr(again, ask)(features), getattr(own, ask)(features))
    assert_same(again.feature_importances_, own.feature_importances_)
    assert_same(again.estimators_samples_, own.estimators_samples_)
    larger = again.set_params(warm_start=True, n_estimators=12).fit(features, target)
    whole = RandomForestClassifier(n_estimators=12, random_state=3).fit(features, target)
    assert_same(larger.estimators_, whole.estimators_)


# --- forests of one training set share what they can --------------------------------------------


@pytest.mark.parametrize("leaves", [None, 12])
@pytest.mark.parametrize(
    "limits", [[2, 7, 10, 13, None], [None, 13, 10, 7, 2], [10, None, 2, 13, 7]]
)
def test_depths_share_trees_that_no_limit_touched(
    limits: list[int | None], leaves: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = []
    grow = forest_nodes.Soil.grow
    monkeypatch.setattr(forest_nodes.Soil, "grow", lambda *a: grown.append(1) or grow(*a))
    rows = plain(True)
    nursery, whole = Nursery(*rows), {}
    for limit in limits:
        given = {"max_depth": limit, "max_leaf_nodes": leaves, "random_state": 0}
        assert_exact(RandomForestClassifier(20, **given), rows, nursery, whole)
    assert 20 < len(grown) < 20 * len(limits), "some are grown again, and some are not"


def test_a_tree_that_just_reaches_a_limit_is_grown_again() -> None:
    """At its limit a node looks for no split, and the nodes after it draw other features."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, size=(60, 4)).astype(float), rng.integers(0, 2, 60)
    nursery, whole = Nursery(*rows), {}
    for limit in (None, 3, 4, 5):
        model = RandomForestClassifier(40, max_depth=limit, random_state=0)
        forest = assert_exact(model, rows, nursery, whole)
        depths = {tree.tree_.max_depth for tree in forest.estimators_}
        assert depths <= {3, 4}, "otherwise this tests little"


def test_one_stump_serves_all_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = []
    fit = RandomForestClassifier.fit
    monkeypatch.setattr(RandomForestClassifier, "fit", lambda *a: fits.append(1) or fit(*a))
    rows = plain(True)
    nursery = Nursery(*rows)
    shapes = {name: values[-1] for name, values in SHAPES.items()}
    draws = ({"class_weight": "balanced"}, {"bootstrap": False}, {"max_samples": 0.9})
    for given in ({}, *({name: value} for name, value in shapes.items()), *draws):
        assert_exact(RandomForestClassifier(5, random_state=0, **given), rows, nursery, {})
    own = 1 + len(shapes) + len(draws)
    assert len(fits) - own == 1 + len(draws)


def test_draws_are_made_anew_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = plain(True)
    monkeypatch.setattr(forest_nodes, "ROOM", 2 * 8 * len(rows[0]))
    nursery = Nursery(*rows)
    for limit in (2, 5):
        model = RandomForestClassifier(6, max_depth=limit, random_state=0)
        assert_exact(model, rows, nursery, {})
    [soil] = nursery._soils.values()
    assert len(soil._drawn) == 2


# --- by the engine ------------------------------------------------------------------------------


def run(learner: dict[str, Any], rows: Rows, classes: list[str] | None) -> list[Outcome]:
    features, target = rows
    p = features.shape[1]
    data: Any = SimpleNamespace(
        features=features,
        target=target,
        classification=classes is not None,
        classes=classes,
        names=[f"x{i}" for i in range(p)],
        columns_of=lambda kind: list(range(p)) if kind == "number" else [],
    )
    definition = define("forest", {"estimator": "forest", **learner})
    problem = Problem(Builder(definition, data), features, target, features[:9], 7)
    return list(numeric_run.run(problem, expand(definition.grid, 0, "grid")))


def test_all_theta_of_a_grid_are_those_of_separate_fits() -> None:
    """Also with features of their own, and with classes that training lacks."""
    features, target = plain(True)
    grid = {
        "n_estimators": [3, 1, 6],
        "max_depth": [3, None, 20],
        "class_weight": [None, "balanced"],
        "features": [["x0", "x1"], ["x1", "x2", "x3"]],
    }
    found = run({"grid": grid}, (features, target), list("abcde"))
    assert len(found) == 36
    for outcome in found:
        given = {name: value for name, value in outcome.theta.items() if name != "features"}
        used = features[:, [int(name[1]) for name in outcome.theta["features"]]]
        own = RandomForestClassifier(random_state=7, **given).fit(used, target)
        assert_same(outcome.model[-1], own)
        assert outcome.predictions is not None
        said = outcome.predictions.proba
        assert said is not None
        np.testing.assert_array_equal(said[:, [0, 2, 4]], own.predict_proba(used[:9]))
        assert not said[:, [1, 3]].any()


def test_an_error_ends_its_theta_only() -> None:
    features = np.random.default_rng(0).normal(size=(30, 2))
    rows = features, features[:, 0]
    grid = {"criterion": ["poisson", "squared_error"], "max_depth": [2, None], "n_estimators": [5]}
    for outcome in run({"grid": grid}, rows, None):
        if outcome.theta["criterion"] == "poisson":
            assert isinstance(outcome.error, ValueError)
            assert "negative" in str(outcome.error)
        else:
            own = RandomForestRegressor(random_state=7, **outcome.theta).fit(*rows)
            assert_same(outcome.model[-1], own)
