"""The values of a held-out row change neither the fit nor the predictions of other rows."""

import numpy as np
import pytest
from fitting import builder_for, fit
from tables import prepared

from heldout.learners.catalogue import CATALOG
from heldout.learners.learner import define
from heldout.numerics.engines import generic
from heldout.numerics.problem import Problem

N = 60
GENERATOR = np.random.default_rng(8)
COLUMNS = {
    "a": GENERATOR.normal(size=N).tolist(),
    "b": [None if i % 9 == 0 else value for i, value in enumerate(GENERATOR.normal(size=N))],
    "c": GENERATOR.choice(["u", "v", "w"], size=N).tolist(),
    "d": GENERATOR.choice([True, False], size=N).tolist(),
}
LABELS = {"y": GENERATOR.permutation(["no", "perhaps", "yes"] * 20).tolist()}
NUMBERS = {"y": GENERATOR.normal(size=N).tolist()}
FEWER = {
    "forest": {"estimator": "forest", "grid": {"n_estimators": [3, 5]}},
    "boosting": {"estimator": "boosting", "grid": {"max_iter": [2, 4]}},
}
"""Smaller grids, to save time."""


@pytest.mark.parametrize("fit", [generic.run, fit], ids=["generic", "own engine"])
@pytest.mark.parametrize("learner", CATALOG)
@pytest.mark.parametrize("extreme", [1e12, np.nan])
def test_held_out_values_change_nothing_else(tmp_path, learner, extreme, fit):
    """An extreme, missing or new value in one held-out row."""
    definition = define(learner, FEWER.get(learner))
    table = prepared(tmp_path, COLUMNS | (NUMBERS if definition.classifier is None else LABELS))
    held = np.array(table.features[50:])
    before = _fit(fit, definition, table, held)
    held[3] = [extreme, -extreme, 3.0, extreme]
    after = _fit(fit, definition, table, held)
    assert before == after


def _fit(fit, definition, table, held):
    """What each θ learned, and its predictions for the other held-out rows."""
    train, target = np.array(table.features[:50]), np.array(table.target[:50])
    problem = Problem(builder_for(definition, table), train, target, held, 3)
    outcomes = list(fit(problem, definition.thetas(0)))
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    return [
        (outcome.theta, _learned(outcome.model[0]), _predicted(outcome.predictions))
        for outcome in outcomes
    ]


def _learned(step):
    """Every array of the fitted preparation."""
    return {
        name: [np.asarray(part).tobytes() for part in (value if name == "levels_" else [value])]
        for name, value in vars(step).items()
        if name.endswith("_")
    }


def _predicted(predictions):
    others = [0, 1, 2, 4, 5, 6, 7, 8, 9]
    return {name: array[others].tobytes() for name, array in predictions.arrays().items()}
