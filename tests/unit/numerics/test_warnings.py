"""The warnings of a fit belong to its θ, in every engine."""

import warnings
from typing import Any

import numpy as np
import pytest
from fitting import fit, numbers
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.engines import active_set
from heldout.numerics.engines.registry import by_engine
from heldout.numerics.logistic.by_columns import ByColumns
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Problem

GENERATOR = np.random.default_rng(0)
FEATURES = GENERATOR.normal(size=(60, 80))
SCORE = FEATURES[:, 0] + GENERATOR.normal(size=60)


def problem(block: dict[str, Any], classification: bool) -> Problem:
    target = (SCORE > 0).astype(int) if classification else SCORE
    columns = numbers(80, ["no", "yes"] if classification else None)
    builder = Builder(define("l", {"grid": {}, **block}), columns)
    return Problem(builder, FEATURES[:50], target[:50], FEATURES[50:], 1)


@pytest.mark.parametrize(
    ("engine", "block", "classification", "thetas", "warned"),
    [
        ("svm", {"estimator": "svm"}, True, [{"max_iter": 2}, {"max_iter": -1}], 0),
        ("lasso", {"estimator": "lasso", "params": {"max_iter": 60}}, False,
         [{"alpha": 1.0}, {"alpha": 1e-3}], 1),
        ("generic", {"estimator": "sklearn.linear_model.LogisticRegression"}, True,
         [{"max_iter": 1000}, {"max_iter": 2}], 1),
        ("generic", {"estimator": "sklearn.neural_network.MLPRegressor",
                     "params": {"hidden_layer_sizes": [2]}}, False, [{"max_iter": 2}], 0),
    ],
)  # fmt: skip
def test_a_fit_that_does_not_converge_has_a_warning(
    engine: str,
    block: dict[str, Any],
    classification: bool,
    thetas: list[Any],
    warned: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(active_set, "MOST", 0)  # so the lasso falls back to coordinate descent
    found = fit(problem(block, classification), thetas)
    assert [outcome.theta for outcome in found] == thetas
    for i, outcome in enumerate(found):
        assert outcome.error is None
        assert outcome.engine == engine
        categories = [warning.category for warning in outcome.warnings]
        assert categories == (["ConvergenceWarning"] if i == warned else [])


@pytest.mark.parametrize(
    ("params", "warned"), [({}, 0), ({"max_iter": 1}, 1), ({"class_weight": "balanced"}, 0)]
)
def test_a_search_that_ends_at_the_optimum_has_converged(
    params: dict[str, Any], warned: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """scikit-learn's line search warns where rounding errors leave nothing to find."""
    monkeypatch.setattr(ByColumns, "solve", lambda self, cs, *given: [None] * len(cs))
    original = LogisticRegression.fit

    def warn(self: LogisticRegression, *rows: Any) -> Any:
        warnings.warn("Line search did not converge", ConvergenceWarning, stacklevel=1)
        with warnings.catch_warnings(action="ignore"):
            return original(self, *rows)

    monkeypatch.setattr(LogisticRegression, "fit", warn)
    builder = Builder(
        define("l", {"estimator": "logistic", "params": params, "grid": {}}),
        numbers(4, ["a", "b", "c"]),
    )
    target = np.digitize(SCORE, [-0.5, 0.5])
    given = Problem(builder, FEATURES[:50, :4], target[:50], FEATURES[50:, :4], 1)
    [outcome] = fit(given, [{"C": 0.01}])
    assert outcome.error is None
    assert outcome.engine == "logistic"
    assert len(outcome.warnings) == warned


def test_equal_warnings_are_counted_and_added_over_members(monkeypatch: Any) -> None:
    given = problem({"estimator": "tree"}, True)
    original = type(given.builder).estimator

    def noisy(self: Builder, recipe: Any, seed: int) -> Any:
        for _ in range(2):
            warnings.warn("first line\nsecond line", UserWarning, stacklevel=1)
        return original(self, recipe, seed)

    monkeypatch.setattr(Builder, "estimator", noisy)
    engines = by_engine(given.builder.definition, True, [{"ccp_alpha": 0.0}])
    [outcome] = run.fit_members([given, given, given], engines)
    assert [tuple(warning) for warning in outcome.warnings] == [("UserWarning", "first line", 6)]


def test_warnings_of_the_caller_are_left_alone() -> None:
    outcomes = run.fit(problem({"estimator": "tree"}, True), {"tree": [{"max_depth": 1}, {}]})
    next(outcomes)
    with pytest.warns(UserWarning, match="mine"):
        warnings.warn("mine", UserWarning, stacklevel=1)
    [last] = outcomes
    assert last.warnings == ()
