"""The path of the lasso: intercepts, single penalties, and fits that do not converge."""

import warnings
from typing import Any

import numpy as np
import pytest
from fitting import fit, numbers
from sklearn.linear_model import ElasticNet, Lasso

from heldout.learners.learner import define
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Problem

GENERATOR = np.random.default_rng(0)
FEATURES = GENERATOR.normal(size=(60, 80))
SCORE = FEATURES[:, 0] + GENERATOR.normal(size=60)
MEANS = np.linspace(-5, 20, 80)


def problem(estimator: str, features: np.ndarray, target: np.ndarray, **params: Any) -> Problem:
    block = {"estimator": estimator, "scale": False, "grid": {}, "params": params}
    builder = Builder(define("l", block), numbers(features.shape[1], None))
    return Problem(builder, features[:50], target[:50], features[50:], 1)


@pytest.mark.parametrize("alphas", [[0.1], [0.03, 1.0, 0.1]], ids=["one", "several"])
@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_rows_that_are_not_centred(kind: Any, alphas: list[float]) -> None:
    features, target = FEATURES[:, :8] + MEANS[-8:], SCORE + 1e5
    path = f"sklearn.linear_model.{kind.__name__}"
    given = problem(path, features, target, tol=1e-9, max_iter=100_000)
    outcomes = fit(given, [{"alpha": alpha} for alpha in alphas])
    assert [outcome.theta["alpha"] for outcome in outcomes] == alphas
    for outcome in outcomes:
        own = kind(tol=1e-9, max_iter=100_000, **outcome.theta).fit(features[:50], target[:50])
        model = outcome.model[-1]
        assert outcome.engine == "lasso"
        assert outcome.predictions is not None
        np.testing.assert_allclose(model.coef_, own.coef_, rtol=0, atol=1e-6)
        np.testing.assert_allclose(model.intercept_, own.intercept_, rtol=0, atol=1e-5)
        expected = own.predict(features[50:])
        np.testing.assert_allclose(outcome.predictions.value, expected, rtol=0, atol=1e-6)
        np.testing.assert_allclose(model.predict(features[50:]), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("shift", [0.0, 1e4])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_fit_warns_if_scikit_learns_own_fit_warns(scale: float, shift: float) -> None:
    """Whatever the size of the target: the allowed gap is a share of its variance."""
    target = SCORE * scale + shift
    thetas = [{"alpha": alpha * scale} for alpha in (1.0, 0.3, 1e-3)]
    warned = []
    for theta in thetas:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Lasso(tol=1e-8, max_iter=60, **theta).fit(FEATURES[:50], target[:50])
        warned.append(bool(caught))
    assert warned == [False, False, True]
    given = problem("lasso", FEATURES, target, max_iter=60)
    assert [bool(outcome.warnings) for outcome in fit(given, thetas)] == warned


def test_a_single_fit_warns_after_as_few_iterations_as_scikit_learns_own() -> None:
    """So the allowed gap is the same; the last fits converge."""
    iterations, theta = range(20, 300, 10), {"alpha": 0.1}
    own, ours = [], []
    for max_iter in iterations:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Lasso(tol=1e-8, max_iter=max_iter, **theta).fit(FEATURES[:50], SCORE[:50])
        own.append(bool(caught))
        [outcome] = fit(problem("lasso", FEATURES, SCORE, max_iter=max_iter), [theta])
        ours.append(bool(outcome.warnings))
    assert ours == own
    assert own[0]
    assert not own[-1]
