"""Forests: several threads grow the trees, one predicts, and no bit depends on how many there are."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from engine_tables import table
from joblib import effective_n_jobs
from sklearn.ensemble import RandomForestClassifier

from heldout.learners.grid import expand
from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.builders import builder_of
from heldout.numerics.engines.registry import by_engine
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.threads import growing

GRID = {"n_estimators": [7, 40], "max_depth": [3, None]}
EXTRA = "sklearn.ensemble.ExtraTrees"
CASES: dict[str, tuple[dict[str, Any], bool, bool, str]] = {
    "forest": ({"estimator": "forest"}, True, False, "forest"),
    "numbers": ({"estimator": "forest"}, False, False, "forest"),
    "extra trees": (
        {"estimator": f"{EXTRA}Classifier", "params": {"bootstrap": True}}, True, False, "forest",
    ),
    "weights": ({"estimator": f"{EXTRA}Regressor"}, False, True, "generic"),
    "out of bag": ({"estimator": "forest", "params": {"oob_score": True}}, True, False, "generic"),
    "steps": ({"steps": ["impute", "forest"]}, True, True, "steps"),
    "target": ({"estimator": "forest", "target": "log"}, False, False, "steps"),
}  # fmt: skip
"""The learner, whether it predicts classes, whether rows have weights, and the engine."""


def outcomes(case: str, threads: int) -> list[Outcome]:
    block, classes, weighted, engine = CASES[case]
    data = table(classes)
    learner = define("mine", {**block, "grid": GRID, "threads": threads})
    builder = builder_of(learner, data.columns)
    rows: Any = data.features
    if builder.takes_frame:
        import pandas

        rows = pandas.DataFrame(rows, columns=data.columns.names)
    weights = np.linspace(0.5, 2.0, 60) if weighted else None
    target = data.target[:60] - (0 if classes else data.target.min() - 1)
    problem = Problem(builder, rows[:60], target, rows[60:], 3, weights=weights)
    engines = by_engine(learner, classes, expand(GRID, 0, "grid"), weighted)
    assert list(engines) == [engine]
    return list(run.fit(problem, engines))


def bits(outcome: Outcome) -> tuple[Any, ...]:
    """Of the predictions and the stored model; the warnings too."""
    assert outcome.error is None
    assert outcome.predictions is not None
    kinds = {kind: values.tobytes() for kind, values in outcome.predictions.arrays().items()}
    return outcome.theta, kinds, outcome.warnings, pickle.dumps(outcome.model[-1])


@pytest.mark.parametrize("case", CASES)
def test_any_number_of_threads_gives_the_same_bits(case: str) -> None:
    alone = [bits(outcome) for outcome in outcomes(case, 1)]
    for threads in (2, 4):
        assert [bits(outcome) for outcome in outcomes(case, threads)] == alone


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("case", ["forest", "out of bag", "steps"])
def test_several_threads_fit_and_one_predicts(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, set[int]] = {"fit": set(), "predict_proba": set()}
    for name in seen:
        original = getattr(RandomForestClassifier, name)

        def noted(
            self: Any, *args: Any, name: str = name, original: Any = original, **more: Any
        ) -> Any:
            seen[name].add(effective_n_jobs(self.n_jobs))
            return original(self, *args, **more)

        monkeypatch.setattr(RandomForestClassifier, name, noted)
    found = outcomes(case, 2)
    assert seen["fit"] == {2}
    assert seen["predict_proba"] <= {1}
    for outcome in found:
        outcome.model[-1].predict_proba(np.zeros((1, 4)))
    assert seen["predict_proba"] == {1}


def test_other_learners_are_not_fitted_by_more_threads() -> None:
    data = table(True)
    for block in ({"estimator": "knn"}, {"estimator": "lightgbm", "threads": 3}):
        builder = builder_of(define("mine", block), data.columns)
        with growing(builder):
            assert effective_n_jobs(None) == 1
    forest = define("mine", {"estimator": "forest", "threads": 3})
    with growing(builder_of(replace(forest, threads=1), data.columns)):
        assert effective_n_jobs(None) == 1
