"""Whatever a held-out row holds, the fit and the other predictions do not change by a bit."""

import numpy as np
import pytest
from tables import prepared

from heldout.engines import generic
from heldout.engines.problem import Problem
from heldout.learners.build import Builder
from heldout.learners.definition import Definition, define

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


@pytest.mark.parametrize("learner", ["knn", "ridge", "logistic", "polynomial", "svm"])
@pytest.mark.parametrize("hostile", [1e12, np.nan])
def test_held_out_values_teach_nothing(tmp_path, learner, hostile):
    """An extreme, missing or new value in one held-out row leaves the fit and the others alone."""
    definition = define(learner, None)
    table = prepared(tmp_path, COLUMNS | (NUMBERS if definition.classifier is None else LABELS))
    train, held = np.array(table.features[:50]), np.array(table.features[50:])
    before = _fit(definition, table, train, held)
    held[3] = [hostile, -hostile, 3.0, hostile]
    after = _fit(definition, table, train, held)
    others = [0, 1, 2, 4, 5, 6, 7, 8, 9]
    for one, other in zip(before, after, strict=True):
        assert (one.label_or_value[others] == other.label_or_value[others]).all()
        assert one.learned == other.learned


class _Result:
    def __init__(self, outcome):
        assert outcome.error is None
        said = outcome.predictions
        self.label_or_value = said.label if said.value is None else said.value
        step = outcome.model[0]
        self.learned = [
            step.medians_.tobytes(),
            step.incomplete_.tobytes(),
            step.means_.tobytes(),
            step.scales_.tobytes(),
            *(levels.tobytes() for levels in step.levels_),
        ]


def _fit(definition: Definition, table, train, held):
    problem = Problem(Builder(definition, table), train, np.array(table.target[:50]), held, 3)
    return [_Result(outcome) for outcome in generic.run(problem, definition.thetas(0))]
