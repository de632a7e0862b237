"""Products of centred rows, and what is made of them on wide tables that are not scaled."""

from typing import Any

import numpy as np
import pytest
from fitting import fit
from sklearn.linear_model import LogisticRegression, Ridge

from heldout.learners.learner import define
from heldout.numerics.combination import Combination, combined
from heldout.numerics.pipeline import Builder, Columns
from heldout.numerics.problem import Problem
from heldout.numerics.products import products


def rows(n: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.7, 1.0, size=(n, 90))


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("centre", [True, False])
def test_they_are_those_of_rows_without_their_means(scaled: bool, centre: bool) -> None:
    train, held = rows(20), rows(7, 4)
    before = train.copy(), held.copy()
    means = train.mean(axis=0) if centre else np.zeros(90)
    found = products(train, held, centre, scaled)
    np.testing.assert_allclose(found.gram, (train - means) @ (train - means).T, atol=1e-12)
    np.testing.assert_allclose(found.held, (held - means) @ (train - means).T, atol=1e-12)
    np.testing.assert_allclose(found.means, (train - means) @ means, atol=1e-12)
    assert np.array_equal(train, before[0])
    assert np.array_equal(held, before[1])


def test_rows_far_from_zero_that_are_not_scaled_lose_no_digits() -> None:
    train = rows(20)
    far = products(train + 1e8, train + 1e8, scaled=False)
    np.testing.assert_allclose(far.gram, products(train, train).gram, atol=1e-4)


def test_a_combination_is_a_product_with_the_rows() -> None:
    train, weights = rows(20), np.random.default_rng(5).normal(size=(20, 3))
    np.testing.assert_allclose(combined(train, weights), weights.T @ train, atol=1e-12)
    one = Combination(train, weights).column(1).array()
    assert one.tobytes() == combined(train, weights)[1].tobytes()


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("place", [0.7, 1e3])
def test_ridge_equals_separate_fits(scale: bool, intercept: bool, place: float) -> None:
    block = {"estimator": "ridge", "scale": scale, "params": {"fit_intercept": intercept}}
    given = problem(block, None, place)
    for outcome in fit(given, [{"alpha": 0.1}, {"alpha": 30.0}]):
        assert outcome.engine == "ridge"
        steps, model = outcome.model[:-1], outcome.model[-1]
        train, held = steps.transform(given.train_features), steps.transform(given.held_features)
        own = Ridge(alpha=model.alpha, fit_intercept=intercept, solver="svd")
        own.fit(train, given.train_target)
        assert outcome.predictions is not None
        np.testing.assert_allclose(outcome.predictions.value, own.predict(held), atol=1e-7)
        np.testing.assert_allclose(model.predict(held), own.predict(held), atol=1e-7)
        np.testing.assert_allclose(model.coef_, own.coef_, atol=1e-9)


@pytest.mark.parametrize("classes", [["a", "b"], ["a", "b", "c"]], ids=len)
@pytest.mark.parametrize("place", [0.7, 1e3])
def test_logistic_equals_separate_fits_where_nothing_is_scaled(
    classes: list[str], place: float
) -> None:
    given = problem({"estimator": "logistic", "scale": False}, classes, place)
    for outcome in fit(given, [{"C": 0.01}, {"C": 10.0}]):
        assert (outcome.engine, outcome.warnings) == ("logistic", ())
        model = outcome.model[-1]
        centred = given.train_features - place, given.held_features - place
        own = LogisticRegression(C=model.C, solver="newton-cholesky", tol=1e-12, max_iter=1000)
        expected = own.fit(centred[0], given.train_target).predict_proba(centred[1])
        held = outcome.model[:-1].transform(given.held_features)
        assert outcome.predictions is not None
        np.testing.assert_allclose(outcome.predictions.proba, expected, rtol=0, atol=1e-7)
        np.testing.assert_allclose(model.predict_proba(held), expected, rtol=0, atol=1e-7)


def problem(block: dict[str, Any], classes: list[str] | None, place: float) -> Problem:
    values = rows(30) + place
    score = values[:, 0] - values[:, 1] + np.random.default_rng(6).normal(size=30)
    target: np.ndarray = score
    if classes is not None:
        target = np.argsort(np.argsort(score)) * len(classes) // 30
    columns = Columns([f"x{i}" for i in range(90)], frozenset(range(90)), classes)
    builder = Builder(define("l", {"grid": {}, **block}), columns)
    return Problem(builder, values[:22], target[:22], values[22:], 1)
