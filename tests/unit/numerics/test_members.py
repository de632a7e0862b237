"""Many small training sets, as in leave-one-out: their predictions are joined for each θ."""

from typing import Any

import numpy as np
from fitting import numbers

from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.engines.registry import by_engine
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Outcome, Problem

GENERATOR = np.random.default_rng(6)
FEATURES = GENERATOR.normal(size=(30, 2))
TARGET = np.repeat([0, 1, 2], 10)
LOGISTIC = {"estimator": "sklearn.linear_model.LogisticRegression", "grid": {}}


def problem(train: Any, held: Any, block: dict[str, Any]) -> Problem:
    builder = Builder(define("l", block), numbers(2, ["a", "b", "c"]))
    return Problem(builder, FEATURES[train], TARGET[train], FEATURES[held], 5)


def joined(members: list[tuple[Any, Any]], block: dict[str, Any], thetas: Any) -> list[Outcome]:
    problems = [problem(train, held, block) for train, held in members]
    return list(run.fit_members(problems, by_engine(define("l", block), True, thetas)))


def test_predictions_follow_one_another_and_no_model_is_kept() -> None:
    members = [(np.arange(3, 30), [0, 1]), (np.arange(28), [29])]
    thetas = [{"C": 1.0}, {"C": 0.1}]
    found = joined(members, LOGISTIC, thetas)
    assert [outcome.theta for outcome in found] == thetas
    for outcome in found:
        alone = [joined([member], LOGISTIC, [outcome.theta])[0] for member in members]
        assert outcome.error is None
        assert outcome.model is None
        assert outcome.engine == "generic"
        assert outcome.predictions is not None
        for name, array in outcome.predictions.arrays().items():
            parts = [one.predictions.arrays()[name] for one in alone if one.predictions]
            assert array.tolist() == np.concatenate(parts).tolist()
        assert sorted(outcome.predictions.arrays()) == ["decision", "label", "proba"]


def test_a_kind_of_prediction_that_one_model_lacks_is_left_out() -> None:
    """The second training set lacks a class, so its decision values have other columns."""
    whole, lacking = (np.arange(30), [0, 15]), (np.arange(20), [25])
    for members in ([whole, lacking], [lacking, whole]):
        [outcome] = joined(members, LOGISTIC, [{}])
        assert outcome.predictions is not None
        assert sorted(outcome.predictions.arrays()) == ["label", "proba"]
        assert outcome.predictions.proba is not None
        assert outcome.predictions.proba.shape == (3, 3)


def test_the_first_error_of_a_theta_is_its_error() -> None:
    members = [(np.arange(30), [0]), (np.arange(4), [5]), (np.arange(3), [5])]
    block = {"estimator": "sklearn.neighbors.KNeighborsClassifier", "grid": {}}
    thetas = [{"n_neighbors": 2, "weights": "distance"}, {"n_neighbors": 9, "weights": "distance"}]
    good, bad = joined(members, block, thetas)
    assert good.error is None
    assert good.predictions is not None
    assert bad.predictions is None
    assert "n_samples_fit = 4" in str(bad.error)


def test_a_stored_model_predicts_other_rows() -> None:
    first = problem(np.arange(20), [20], LOGISTIC)
    [outcome] = run.fit(first, {"generic": [{"C": 2.0}]})
    second = problem(np.arange(20), [21, 22], LOGISTIC)
    again = run.predict_again(second, {"C": 2.0}, outcome.model)
    [expected] = run.fit(second, {"generic": [{"C": 2.0}]})
    assert again.predictions is not None
    assert expected.predictions is not None
    assert again.predictions.proba is not None
    assert again.predictions.proba.tolist() == expected.predictions.proba.tolist()
    assert again.model is outcome.model
    assert list(again.shared) == [outcome.model["prepare"]]
