"""A row of weight w counts as w equal rows: in the model, and in the scaling before it."""

from typing import Any

import numpy as np
import pytest
from fitting import numbers
from sklearn.preprocessing import StandardScaler

from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.engines.registry import by_engine, engine_of
from heldout.numerics.pipeline import Builder
from heldout.numerics.preprocessing import Preprocessor
from heldout.numerics.problem import Problem, TrainingSet, TrainingSets
from heldout.predictions import Predictions

N = 60
GENERATOR = np.random.default_rng(2)
FEATURES = GENERATOR.normal(size=(N, 3)) * [1, 100, 0.01] + [0, 50, 3]
SCORE = FEATURES[:, 0] + 100 * FEATURES[:, 2] + GENERATOR.normal(size=N) - 300
WEIGHTS = GENERATOR.integers(0, 4, size=N).astype(float)
REPEATED = np.repeat(np.arange(N), WEIGHTS.astype(int))
NEW = GENERATOR.normal(size=(20, 3)) * [1, 100, 0.01] + [0, 50, 3]

LEARNERS: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "ridge": ({"estimator": "ridge", "scale": True}, {"alpha": 3.0}, False),
    "linear": ({"estimator": "linear", "scale": True}, {}, False),
    "lasso": (
        {"estimator": "lasso", "scale": True, "params": {"tol": 1e-12, "max_iter": 10**5}},
        {"alpha": 0.1},
        False,
    ),
    "polynomial": ({"estimator": "polynomial", "scale": True}, {"poly__degree": 2}, False),
    "feature subset": ({"estimator": "ridge", "scale": True}, {"features": ["x0", "x2"]}, False),
    "logistic": (
        {
            "estimator": "logistic",
            "scale": True,
            "params": {"tol": 1e-12, "solver": "newton-cholesky"},
        },
        {"C": 0.5},
        True,
    ),
    "tree": ({"estimator": "tree", "scale": True}, {"max_depth": 3}, True),
    "regression tree": ({"estimator": "tree", "scale": True}, {"max_depth": 3}, False),
    "mean": ({"estimator": "mean"}, {}, False),
    "majority": ({"estimator": "majority"}, {}, True),
}


def fitted(
    block: dict[str, Any], theta: Any, classification: bool, rows: Any, weights: Any
) -> Predictions:
    builder = Builder(define("l", block), numbers(3, ["no", "yes"] if classification else None))
    target = (SCORE > 0).astype(int) if classification else SCORE
    problem = Problem(builder, FEATURES[rows], target[rows], NEW, seed=4, weights=weights)
    engines = by_engine(builder.definition, classification, [theta], weighted=True)
    [outcome] = run.fit(problem, engines)
    assert outcome.predictions is not None, outcome.error
    assert outcome.engine == "generic"
    return outcome.predictions


@pytest.mark.parametrize(("block", "theta", "classification"), LEARNERS.values(), ids=LEARNERS)
def test_a_weight_counts_as_so_many_rows(block: Any, theta: Any, classification: bool) -> None:
    weighted, repeated, plain = (
        fitted(block, theta, classification, rows, weights)
        for rows, weights in ((slice(None), WEIGHTS), (REPEATED, None), (slice(None), None))
    )
    name = "proba" if classification else "value"
    one, other, without = (part.arrays()[name] for part in (weighted, repeated, plain))
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
    assert np.abs(one - without).max() > 1e-4, "the weights change nothing"


@pytest.mark.parametrize("factor", [1.0, 1e-15, 1e15])
def test_scales_are_those_of_repeated_rows_whatever_the_unit_of_weights(factor: float) -> None:
    constant = np.full((N, 1), 0.1)
    features = np.hstack([FEATURES, constant])
    step = Preprocessor(numbers=range(4), scale=True)
    found = step.fit(features, None, factor * WEIGHTS).transform(features)
    expected = StandardScaler().fit(features[REPEATED]).transform(features)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_medians_and_levels_know_no_weights() -> None:
    features = np.array([[1.0, 0.0], [2.0, 1.0], [9.0, 2.0], [np.nan, 3.0]])
    step = Preprocessor(numbers=[0], categories=[1]).fit(features, None, np.array([0, 0, 1, 1.0]))
    assert step.medians_.tolist() == [2.0]
    assert step.levels_[0].tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("learner", ["knn", "ridge", "tree", "polynomial", "forest"])
def test_only_the_generic_engine_knows_weights(learner: str) -> None:
    definition = define(learner, None)
    assert engine_of(definition, False, {}, weighted=False) == learner
    assert engine_of(definition, False, {}, weighted=True) == "generic"


def test_a_row_that_is_drawn_twice_brings_its_weight_twice() -> None:
    builder = Builder(define("mean", None), numbers(3, None))
    sets = TrainingSets(FEATURES, SCORE, weights=WEIGHTS)
    bag = TrainingSet("bag", np.array([5, 2, 2]), [np.array([0])])
    weights = sets.problem(builder, bag, seed=1).weights
    assert weights is not None
    assert weights.tolist() == WEIGHTS[[5, 2, 2]].tolist()
