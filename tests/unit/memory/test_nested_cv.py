"""`heldout.NestedCV` has scikit-learn's habits, and the numbers of `heldout.evaluate`."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from heldout import HeldoutError, NestedCV, evaluate

QUICK: dict[str, Any] = {"kfold": {"k": 3}, "estimators": ["kfold", "nested_cv"]}
EXPECTED_FAILURES: dict[str, str] = {}
"""Checks of scikit-learn that do not apply, and why: there are none."""


@parametrize_with_checks(
    [
        NestedCV(DecisionTreeClassifier(max_depth=3), **QUICK),
        NestedCV(DecisionTreeRegressor(max_depth=3), **QUICK),
    ],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore")  # the checks give data that deserve warnings
def test_checks_of_scikit_learn(estimator: NestedCV, check: Any) -> None:
    check(estimator)


def iris(names: bool = False) -> tuple[pd.DataFrame, np.ndarray]:
    data = load_iris(as_frame=True)
    codes = data.target.to_numpy()
    return data.data, np.array(["setosa", "c", "b"])[codes] if names else codes


def test_numbers_are_those_of_evaluate() -> None:
    X, y = iris(names=True)
    grid = {"max_depth": [1, 2, 3]}
    model = NestedCV(DecisionTreeClassifier(), grid=grid, **QUICK).fit(X, y)
    block = {"estimator": DecisionTreeClassifier(), "grid": grid}
    result = evaluate(X.assign(target=y), "target", block, loss="zero_one", **QUICK)
    pd.testing.assert_frame_equal(model.results_.estimates, result.estimates)
    row = result.estimates.query("learner == 'all' and estimator == 'nested_cv' and recommended")
    assert model.risk_ == row["risk"].item()
    assert model.interval_ == (row["ci_low"].item(), row["ci_high"].item())
    assert model.best_params_ == result.selection["theta"]
    assert model.best_learner_ == "decisiontreeclassifier"
    assert (model.best_estimator_.predict(X) == model.predict(X)).all()
    assert model.feature_names_in_.tolist() == list(X.columns)


@pytest.mark.parametrize(
    "labels", [[2, 10, 1], ["b", "a", "c"], [True, False, True], [2.0, -1.0, 7.0]]
)
def test_classes_are_as_scikit_learn_sorts_them(labels: list[Any]) -> None:
    """Labels, and the columns of probabilities and decision values, are those of the estimator itself."""
    frame, codes = iris()
    X, y = frame.to_numpy(), np.array(labels)[codes]
    plain = LogisticRegression(max_iter=2000).fit(X, y)
    block = {"estimator": LogisticRegression(max_iter=2000), "scale": False}
    model = NestedCV(block, **QUICK).fit(X, y)
    assert model.classes_.tolist() == plain.classes_.tolist()
    assert model.predict(X).tolist() == plain.predict(X).tolist()
    assert model.predict(X).dtype == y.dtype
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-4)
    np.testing.assert_allclose(
        model.decision_function(X), plain.decision_function(X), rtol=1e-4, atol=1e-6
    )


def test_it_works_inside_the_tools_of_scikit_learn() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = NestedCV(["tree", "majority"], loss="zero_one", **QUICK)
    assert is_classifier(model)
    scores = cross_val_score(model, X[:200], y[:200], cv=3, error_score="raise")
    assert scores.min() > 0.8
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X[:200], y[:200])
    assert pipeline.score(X, y) > 0.85
    nested = NestedCV(SVC(), grid={"C": [1, 2]}).set_params(learners__C=7, kfold={"k": 3})
    assert nested.get_params()["learners__C"] == 7
    assert not hasattr(NestedCV(SVC()), "predict_proba")


def test_what_it_is_follows_from_task_loss_and_learners() -> None:
    assert is_regressor(NestedCV(Ridge()))
    assert is_regressor(NestedCV(["knn", "ridge"], loss="absolute"))
    assert is_regressor(NestedCV({"a": {"estimator": Ridge()}, "b": "knn"}))
    assert is_classifier(NestedCV("knn", task="classification"))
    assert is_classifier(NestedCV("logistic"))
    unknown = NestedCV("knn")
    assert not is_classifier(unknown)
    assert not is_regressor(unknown)
    X, y = iris(names=True)
    assert hasattr(unknown.set_params(**QUICK).fit(X, y), "classes_")
    assert not hasattr(unknown.fit(X, np.arange(150.0)), "classes_")


def test_groups_and_weights_of_rows() -> None:
    X, y = iris()
    groups, weights = np.arange(150) % 30, np.linspace(1, 3, 150)
    model = NestedCV(DecisionTreeClassifier(max_depth=2), **QUICK).fit(X, y, groups, weights)
    held = model.results_.out_of_fold().sort_values("row")
    assert held.assign(group=groups).groupby("group")["fold"].nunique().max() == 1
    assert model.results_.loss_table.table.weights.tolist() == weights.tolist()
    even = NestedCV(DecisionTreeClassifier(max_depth=2), **QUICK).fit(X, y, groups)
    assert even.risk_ != model.risk_


def test_frames_may_hold_categories_and_missing_values() -> None:
    X, y = iris()
    X = X.assign(colour=np.where(y == 2, "red", "blue"))
    X.iloc[::11, 0] = np.nan
    model = NestedCV("tree", task="classification", **QUICK).fit(X, y)
    assert model.score(X, y) > 0.9
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[X.columns[::-1]])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NestedCV(["knn", "tree"], grid={"a": [1]}), "is for a single learner"),
        (NestedCV("knn", task="classify"), "expected one of classification, regression"),
        (NestedCV("knnn", task="classification"), "did you mean 'knn'"),
        (NestedCV("knn", options={"kfolds": 3}), "did you mean 'kfold'"),
        (NestedCV(Ridge(), loss="zero_one"), "Ridge is a regressor"),
    ],
)
def test_errors_are_those_of_heldout_and_of_scikit_learn(model: NestedCV, message: str) -> None:
    X, y = iris()
    for kind in (HeldoutError, ValueError):
        with pytest.raises(kind, match=message):
            model.fit(X, y)
