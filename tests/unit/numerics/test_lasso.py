"""The path of the lasso: every penalty solved exactly, or else by coordinate descent."""

import warnings
from typing import Any

import numpy as np
import pytest
from fitting import fit, numbers
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, Lasso

from heldout.learners.learner import define
from heldout.numerics.engines import active_set, lasso
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


def test_an_exact_solution_needs_no_iterations() -> None:
    """So `max_iter` ends nothing, where coordinate descent would stop too early."""
    given = problem("lasso", FEATURES, SCORE, max_iter=1)
    outcomes = fit(given, [{"alpha": alpha} for alpha in (1.0, 0.3, 1e-3)])
    assert not any(outcome.warnings for outcome in outcomes)


@pytest.mark.parametrize("share", [0.0, 1e-300], ids=["ridge", "nearly_ridge"])
def test_a_share_of_nearly_no_lasso(share: float) -> None:
    theta = {"alpha": 0.1, "l1_ratio": share}
    [outcome] = fit(
        problem("sklearn.linear_model.ElasticNet", FEATURES, SCORE, tol=1e-9, max_iter=10**5),
        [theta],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = ElasticNet(tol=1e-9, max_iter=10**5, **theta).fit(FEATURES[:50], SCORE[:50])
    np.testing.assert_allclose(outcome.model[-1].coef_, own.coef_, rtol=0, atol=1e-5)


class Refused:
    """An exact path that finds nothing."""

    def __init__(self, *_: Any):
        pass

    def coefficients(self, alphas: list[float]) -> list[None]:
        return [None] * len(alphas)


def test_without_an_exact_solution_each_penalty_is_a_cold_fit_of_scikit_learns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lasso, "ActiveSets", Refused)
    thetas = [{"alpha": alpha} for alpha in (0.03, 1.0, 0.1)]
    for outcome in fit(problem("lasso", FEATURES, SCORE), thetas):
        own = Lasso(tol=1e-8, max_iter=100_000, **outcome.theta).fit(FEATURES[:50], SCORE[:50])
        np.testing.assert_allclose(outcome.model[-1].coef_, own.coef_, rtol=0, atol=1e-12)
        assert not outcome.warnings


def test_only_penalties_without_an_exact_solution_are_left_to_coordinate_descent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here because more than ten columns are too many."""
    monkeypatch.setattr(active_set, "MOST", 10)
    descended = []
    own = lasso._descended
    monkeypatch.setattr(lasso, "_descended", lambda *given: descended.append(given) or own(*given))
    thetas = [{"alpha": alpha} for alpha in (0.5, 1e-2)]
    for outcome in fit(problem("lasso", FEATURES, SCORE), thetas):
        separate = Lasso(tol=1e-8, max_iter=100_000, **outcome.theta)
        expected = separate.fit(FEATURES[:50], SCORE[:50]).coef_
        np.testing.assert_allclose(outcome.model[-1].coef_, expected, rtol=0, atol=1e-6)
    assert [model.alpha for *_, model in descended] == [1e-2]


@pytest.mark.parametrize("shift", [0.0, 1e4])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_coordinate_descent_warns_if_scikit_learns_own_fit_warns(
    scale: float, shift: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the size of the target: the allowed gap is a share of its variance."""
    monkeypatch.setattr(lasso, "ActiveSets", Refused)
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
    found = fit(given, thetas)
    assert [bool(outcome.warnings) for outcome in found] == warned
    assert [one.category for one in found[-1].warnings] == [ConvergenceWarning.__name__]


def test_coordinate_descent_warns_after_as_few_iterations_as_scikit_learns_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So the allowed gap is the same; the last fits converge."""
    monkeypatch.setattr(lasso, "ActiveSets", Refused)
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
