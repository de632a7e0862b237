"""If private parts of scikit-learn change, the self-checks notice it and scikit-learn itself fits.

The tests reach inside because they must: each replaces a private part by one that behaves as a later
version of scikit-learn might. (`test_tree_depths` has the same for trees of several depths.)
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.linear_model
import sklearn.svm
import sklearn.tree
from fitting import fit, numbers

from heldout.learners.learner import define
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.sklearn_internals import (
    boosting_stages,
    ridge_classifier,
    svm_kernel,
    tree_pruning,
)
from heldout.numerics.sklearn_internals.selfcheck import once

SEED = 3
GENERATOR = np.random.default_rng(4)
FEATURES = GENERATOR.normal(size=(120, 4))
SCORE = FEATURES[:, 0] - FEATURES[:, 1] ** 2 + GENERATOR.normal(scale=0.5, size=120)
LABELS = np.digitize(SCORE, [-1.0, 0.0])
TRAIN, HELD = slice(0, 80), slice(80, 120)
CHECKS: tuple[Any, ...] = (
    boosting_stages.is_exact,
    ridge_classifier.is_exact,
    svm_kernel.is_exact,
    tree_pruning.is_exact,
)


@pytest.fixture(autouse=True)
def _unchecked() -> Iterator[None]:
    """As in a new process: no self-check has run, and no result outlives the test."""
    for check in CHECKS:
        check.cache_clear()
    yield
    for check in CHECKS:
        check.cache_clear()


def outcomes(path: str, thetas: list[dict[str, Any]], **params: Any) -> list[Outcome]:
    """What the engine of an estimator gives."""
    classes = ["low", "mid", "high"] if is_classifier(path) else None
    block = {"estimator": path, "scale": False, "grid": {}, "params": params}
    builder = Builder(define("l", block), numbers(4, classes))
    problem = Problem(builder, FEATURES[TRAIN], target(path)[TRAIN], FEATURES[HELD], SEED)
    return fit(problem, thetas)


def is_classifier(path: str) -> bool:
    return "Classifier" in path or path.endswith("SVC")


def target(path: str) -> np.ndarray:
    return LABELS if is_classifier(path) else SCORE


def own_predictions(path: str, thetas: list[dict[str, Any]], **params: Any) -> list[Any]:
    """Predictions, decision values or probabilities of scikit-learn's own fits."""
    module, name = path.rsplit(".", 1)
    kind = getattr(getattr(sklearn, module.removeprefix("sklearn.")), name)
    seeded = {"random_state": SEED} if "random_state" in kind().get_params() else {}
    models = [
        kind(**params, **theta, **seeded).fit(FEATURES[TRAIN], target(path)[TRAIN])
        for theta in thetas
    ]
    return [predicted(model) for model in models]


def predicted(model: Any) -> np.ndarray:
    for method in ("decision_function", "predict_proba", "predict"):
        if hasattr(model, method):
            return getattr(model, method)(FEATURES[HELD])
    raise AssertionError(model)


def assert_scikit_learns(path: str, found: list[Outcome], expected: list[np.ndarray]) -> None:
    """Every prediction, to the last bit; also those of the models."""
    for outcome, own in zip(found, expected, strict=True):
        assert outcome.error is None
        assert outcome.predictions is not None
        arrays = outcome.predictions.arrays()
        given = next(arrays[name] for name in ("decision", "proba", "value") if name in arrays)
        np.testing.assert_array_equal(given, own)
        np.testing.assert_array_equal(predicted(outcome.model[-1]), own)


# --- what a later version of scikit-learn might do ------------------------------------------------


def keeps_its_first_value(name: str) -> property:
    """An attribute that is set by the fit and that nobody can replace afterwards."""
    hidden = f"{name}_of_the_fit"

    def get(self: Any) -> Any:
        if hidden not in vars(self):
            raise AttributeError(name)
        return vars(self)[hidden]

    return property(get, lambda self, value: vars(self).setdefault(hidden, value))


BOOSTING = [
    ("HistGradientBoostingClassifier", "max_iter", "_predictors", {"early_stopping": False}),
    ("HistGradientBoostingRegressor", "max_iter", "_predictors", {"early_stopping": False}),
    ("GradientBoostingClassifier", "n_estimators", "estimators_", {}),
    ("GradientBoostingRegressor", "n_estimators", "estimators_", {}),
]


@pytest.mark.parametrize(("name", "parameter", "attribute", "params"), BOOSTING)
def test_rounds_that_cannot_be_cut_off(
    name: str, parameter: str, attribute: str, params: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, thetas = f"sklearn.ensemble.{name}", [{parameter: 2}, {parameter: 5}]
    kind = getattr(sklearn.ensemble, name)
    expected = own_predictions(path, thetas, **params)
    assert boosting_stages.is_exact(kind, parameter) is True
    boosting_stages.is_exact.cache_clear()
    monkeypatch.setattr(kind, attribute, keeps_its_first_value(attribute), raising=False)
    assert boosting_stages.is_exact(kind, parameter) is False
    assert_scikit_learns(path, outcomes(path, thetas, **params), expected)


@pytest.mark.parametrize(("name", "parameter", "attribute", "params"), BOOSTING[::2])
def test_rounds_whose_decision_values_cannot_be_given(
    name: str, parameter: str, attribute: str, params: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later version may ask its trees in another way."""
    path, thetas = f"sklearn.ensemble.{name}", [{parameter: 2}, {parameter: 5}]
    kind = getattr(sklearn.ensemble, name)
    expected = own_predictions(path, thetas, **params)
    original = boosting_stages.with_decision
    monkeypatch.setattr(
        boosting_stages, "with_decision", lambda model, decision: original(model, -decision)
    )
    assert boosting_stages.is_exact(kind, parameter) is False
    assert_scikit_learns(path, outcomes(path, thetas, **params), expected)


@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
def test_trees_that_are_pruned_by_fit_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path, thetas = f"sklearn.tree.{name}", [{"ccp_alpha": 0.0}, {"ccp_alpha": 0.03}]
    kind = getattr(sklearn.tree, name)
    expected = own_predictions(path, thetas)
    assert tree_pruning.is_exact(kind) is True
    tree_pruning.is_exact.cache_clear()
    prune = kind._prune_tree

    def prune_once(self: Any) -> None:
        """Like scikit-learn's, but what was fitted without pruning stays as it is."""
        if self.ccp_alpha == 0.0:
            self.pruned_ = True
        if not vars(self).get("pruned_"):
            prune(self)

    monkeypatch.setattr(kind, "_prune_tree", prune_once)
    assert tree_pruning.is_exact(kind) is False
    assert_scikit_learns(path, outcomes(path, thetas), expected)


def test_a_ridge_classifier_that_needs_another_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    path, thetas = "sklearn.linear_model.RidgeClassifier", [{"alpha": 0.5}, {"alpha": 50.0}]
    expected = own_predictions(path, thetas)
    assert ridge_classifier.is_exact() is True
    ridge_classifier.is_exact.cache_clear()
    kind = sklearn.linear_model.RidgeClassifier
    fit_rows, predict = kind.fit, kind.predict

    def fit_and_mark(self: Any, *rows: Any) -> Any:
        fit_rows(self, *rows)
        self.encoder_ = self.classes_
        return self

    monkeypatch.setattr(kind, "fit", fit_and_mark)
    monkeypatch.setattr(
        kind, "predict", lambda self, rows: self.encoder_ is None or predict(self, rows)
    )
    assert ridge_classifier.is_exact() is False
    assert_scikit_learns(path, outcomes(path, thetas), expected)


def test_a_ridge_classifier_with_other_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its attributes are as before, and mean something else."""
    kind = sklearn.linear_model.RidgeClassifier
    fit_rows, predict = kind.fit, kind.predict

    def fit_and_mark(self: Any, *rows: Any) -> Any:
        fit_rows(self, *rows)
        self.shift_ = 0
        return self

    monkeypatch.setattr(kind, "fit", fit_and_mark)
    monkeypatch.setattr(
        kind, "predict", lambda self, rows: predict(self, rows) + vars(self).get("shift_", 1)
    )
    assert ridge_classifier.is_exact() is False


MACHINES = [
    ("SVC", {"C": 0.5}),
    ("NuSVC", {"nu": 0.3}),
    ("SVR", {"C": 0.5}),
    ("NuSVR", {"nu": 0.3}),
]


@pytest.mark.parametrize(("name", "theta"), MACHINES)
def test_support_vector_machines_whose_kernel_cannot_be_set(
    name: str, theta: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kind = f"sklearn.svm.{name}", getattr(sklearn.svm, name)
    expected = own_predictions(path, [theta])
    assert svm_kernel.is_exact(kind) is True
    svm_kernel.is_exact.cache_clear()
    monkeypatch.setattr(kind, "_gamma", keeps_its_first_value("_gamma"), raising=False)
    assert svm_kernel.is_exact(kind) is False
    assert_scikit_learns(path, outcomes(path, [theta]), expected)


@pytest.mark.parametrize(("name", "theta"), MACHINES[:2])
def test_support_vector_machines_that_vote_in_another_way(
    name: str, theta: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kind = f"sklearn.svm.{name}", getattr(sklearn.svm, name)
    expected = own_predictions(path, [theta])
    original = svm_kernel._ovr_decision_function
    monkeypatch.setattr(
        svm_kernel, "_ovr_decision_function", lambda *given: np.roll(original(*given), 1, axis=1)
    )
    assert svm_kernel.is_exact(kind) is False
    assert_scikit_learns(path, outcomes(path, [theta]), expected)


@pytest.mark.parametrize(("name", "theta"), MACHINES)
def test_support_vector_machines_with_another_offset(
    name: str, theta: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model predicts as before; the decision values that are computed outside it do not."""
    path, kind = f"sklearn.svm.{name}", getattr(sklearn.svm, name)
    expected = own_predictions(path, [theta])
    original = svm_kernel.weights

    def with_another_offset(model: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
        by_row, offset = original(model, count)
        return by_row, offset + 1e-6

    monkeypatch.setattr(svm_kernel, "weights", with_another_offset)
    assert svm_kernel.is_exact(kind) is False
    assert_scikit_learns(path, outcomes(path, [theta]), expected)


def test_other_estimators_are_not_exact() -> None:
    class Mine(sklearn.svm.SVC):
        pass

    assert svm_kernel.is_exact(Mine) is False


# --- how a check runs -----------------------------------------------------------------------------


def test_a_check_runs_once_for_each_argument_and_without_warnings() -> None:
    runs: list[int] = []

    @once
    def is_even(number: int) -> bool:
        runs.append(number)
        warnings.warn("from the check", UserWarning, stacklevel=1)
        return number % 2 == 0

    assert [is_even(number) for number in (2, 3, 2, 3)] == [True, False, True, False]
    assert runs == [2, 3]


def test_a_check_that_raises_an_error_has_failed() -> None:
    @once
    def broken() -> bool:
        raise AttributeError("_private")

    assert broken() is False
