"""The generic engine gives what a Pipeline fitted by hand gives, to the last bit."""

import numpy as np
import pytest
from fitting import builder_for
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tables import prepared

from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.engines import generic
from heldout.numerics.problem import Problem

N, TRAIN, SEED = 90, 60, 17


def columns():
    """Numbers, a category and a boolean, with values missing."""
    generator = np.random.default_rng(21)
    length = generator.normal(5, 2, size=N)
    width = np.where(generator.random(N) < 0.1, np.nan, generator.normal(size=N))
    colour = generator.choice(["red", "green", "blue", None], size=N)
    score = length - 2 * np.nan_to_num(width) + 2 * (colour == "red") + generator.normal(size=N)
    return {
        "length": length.tolist(),
        "width": [None if np.isnan(value) else value for value in width],
        "colour": colour.tolist(),
        "flag": (generator.random(N) < 0.5).tolist(),
        "score": score.tolist(),
        "label": np.array(["low", "mid", "high"])[np.digitize(score, [3.5, 6])].tolist(),
    }


@pytest.fixture
def tables(tmp_path):
    data = columns()
    for name in ("labels", "numbers"):
        (tmp_path / name).mkdir()
    return {
        True: prepared(tmp_path / "labels", data, target="label", drop=["score"]),
        False: prepared(tmp_path / "numbers", data, target="score", drop=["label"]),
    }


def by_hand(table, model, scale, poly=None):
    """Columns 0, 1 and 3 are numbers, column 2 is a category."""
    assert table.names == ["length", "width", "colour", "flag"]
    numbers = [SimpleImputer(add_indicator=True, strategy="median")]
    numbers += [StandardScaler()] if scale else []
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    step = ColumnTransformer([("n", make_pipeline(*numbers), [0, 1, 3]), ("c", one_hot, [2])])
    return make_pipeline(step, *([poly] if poly else []), clone(model))


def outcomes(table, learner, thetas, rows=slice(0, TRAIN), held=slice(TRAIN, N)):
    problem = Problem(
        builder_for(define("l", learner), table),
        np.array(table.features[rows]),
        np.array(table.target[rows]),
        np.array(table.features[held]),
        SEED,
    )
    return list(generic.run(problem, thetas))


CASES = {
    "knn": ("knn", {"n_neighbors": 7}, KNeighborsClassifier(7), True),
    "tree": (
        "tree",
        {"max_depth": 4},
        DecisionTreeClassifier(max_depth=4, random_state=SEED),
        False,
    ),
    "forest": (
        "forest",
        {"n_estimators": 9},
        RandomForestClassifier(9, random_state=SEED),
        False,
    ),
    "logistic": (
        "sklearn.linear_model.LogisticRegression",
        {"C": 0.5},
        LogisticRegression(C=0.5, random_state=SEED),
        True,
    ),
    "ridge": ("ridge", {"alpha": 2.0}, RidgeClassifier(alpha=2.0, random_state=SEED), True),
    "svm": ("svm", {"C": 3.0}, SVC(C=3.0, random_state=SEED), True),
    "majority": ("majority", {}, DummyClassifier(strategy="prior", random_state=SEED), False),
}


@pytest.mark.parametrize("name", CASES)
def test_classes(tables, name):
    estimator, theta, model, scale = CASES[name]
    [outcome] = outcomes(tables[True], {"estimator": estimator}, [theta])
    assert outcome.error is None
    expected = by_hand(tables[True], model, scale)
    features, target = np.array(tables[True].features), np.array(tables[True].target)
    expected.fit(features[:TRAIN], target[:TRAIN])
    held = features[TRAIN:]
    assert outcome.predictions.label.tolist() == expected.predict(held).tolist()
    for name, array in (("predict_proba", "proba"), ("decision_function", "decision")):
        found = getattr(outcome.predictions, array)
        if hasattr(expected, name):
            assert found.tobytes() == np.ascontiguousarray(getattr(expected, name)(held)).tobytes()
        else:
            assert found is None


NUMBERS = {
    "knn": ("knn", {"n_neighbors": 7}, KNeighborsRegressor(7), True, None),
    "tree": (
        "tree",
        {"max_depth": 4},
        DecisionTreeRegressor(max_depth=4, random_state=SEED),
        False,
        None,
    ),
    "ridge": ("ridge", {"alpha": 2.0}, Ridge(alpha=2.0, random_state=SEED), True, None),
    "linear": ("linear", {}, LinearRegression(), False, None),
    "polynomial": (
        "polynomial",
        {"poly__degree": 2},
        LinearRegression(),
        True,
        PolynomialFeatures(2, include_bias=False),
    ),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(tables, name):
    estimator, theta, model, scale, poly = NUMBERS[name]
    [outcome] = outcomes(tables[False], {"estimator": estimator}, [theta])
    assert outcome.error is None
    expected = by_hand(tables[False], model, scale, poly)
    features, target = np.array(tables[False].features), np.array(tables[False].target)
    expected.fit(features[:TRAIN], target[:TRAIN])
    assert outcome.predictions.value.tobytes() == expected.predict(features[TRAIN:]).tobytes()


def test_the_model_is_a_pipeline_with_the_same_predictions(tables):
    [outcome] = outcomes(tables[True], {"estimator": "knn"}, [{"n_neighbors": 3}])
    held = np.array(tables[True].features[TRAIN:])
    assert outcome.model.predict(held).tolist() == outcome.predictions.label.tolist()
    assert list(outcome.model.named_steps) == ["prepare", "model"]
    assert outcome.shared == [outcome.model["prepare"]]


def test_preprocessing_is_fitted_once_for_all_theta_that_share_it(tables):
    thetas = [{"n_neighbors": k} for k in (1, 3)] + [{"n_neighbors": 3, "features": ["length"]}]
    one, other, third = outcomes(tables[True], {"estimator": "knn"}, thetas)
    assert one.model[0] is other.model[0]
    assert third.model[0] is not one.model[0]


def test_a_class_that_training_lacks_gets_no_probability(tables):
    table = tables[True]
    rows = np.flatnonzero(np.asarray(table.target) != 1)
    [outcome] = outcomes(table, {"estimator": "knn"}, [{"n_neighbors": 3}], rows=rows)
    assert outcome.predictions.proba.shape == (N - TRAIN, 3)
    assert not outcome.predictions.proba[:, 1].any()
    assert set(outcome.predictions.label) <= {0, 2}


def test_an_error_ends_its_theta_only(tables):
    thetas = [{"n_neighbors": 3}, {"n_neighbors": 1000}, {"n_neighbors": 5}]
    good, bad, also_good = outcomes(
        tables[True], {"estimator": "sklearn.neighbors.KNeighborsClassifier"}, thetas
    )
    assert good.error is None
    assert also_good.error is None
    assert isinstance(bad.error, ValueError)
    assert bad.predictions is None


def test_a_stored_model_predicts_the_same_again(tables):
    table = tables[True]
    [outcome] = outcomes(table, {"estimator": "tree"}, [{"max_depth": 3}])
    problem = Problem(
        builder_for(define("l", {"estimator": "tree"}), table),
        np.array(table.features[:TRAIN]),
        np.array(table.target[:TRAIN]),
        np.array(table.features[TRAIN:]),
        SEED,
    )
    again = run.predict_again(problem, {"max_depth": 3}, outcome.model)
    assert again.predictions.proba.tobytes() == outcome.predictions.proba.tobytes()


def test_labels_need_no_more_bytes_than_there_are_classes(tables):
    [outcome] = outcomes(tables[True], {"estimator": "knn"}, [{"n_neighbors": 3}])
    assert outcome.predictions.label.dtype == np.uint8


def test_ties_go_to_the_first_class_as_in_scikit_learn(tables):
    """Labels are the largest probability where that is what the classifier predicts."""
    features, target = np.array(tables[True].features), np.array(tables[True].target)
    for k in (2, 4, 6):
        [outcome] = outcomes(tables[True], {"estimator": "knn"}, [{"n_neighbors": k}])
        expected = by_hand(tables[True], KNeighborsClassifier(k), True)
        expected.fit(features[:TRAIN], target[:TRAIN])
        assert outcome.predictions.label.tolist() == expected.predict(features[TRAIN:]).tolist()
