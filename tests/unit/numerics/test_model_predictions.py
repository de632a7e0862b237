"""Which predictions are taken from a fitted model."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from heldout.numerics.predict import from_shares, predict

ROWS = np.array([[-1.0], [0.2], [1.0]])


class AlwaysSecond(ClassifierMixin, BaseEstimator):
    """A classifier whose label is neither the largest probability nor the sign of its decision."""

    classes_ = np.array([0, 1])

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return np.ones(len(rows), int)

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        return np.repeat([[0.9, 0.1]], len(rows), axis=0)

    def decision_function(self, rows: np.ndarray) -> np.ndarray:
        return np.full(len(rows), -3.0)


class AlwaysSecondWithoutProbabilities(AlwaysSecond):
    predict_proba: Any = property()


@pytest.mark.parametrize("kind", [AlwaysSecond, AlwaysSecondWithoutProbabilities])
def test_labels_are_those_of_the_model_itself(kind: Any) -> None:
    predicted = predict(kind(), ROWS, ["no", "yes"])
    assert predicted.label is not None
    assert predicted.label.tolist() == [1, 1, 1]
    assert predicted.decision is not None
    assert (predicted.proba is None) == (kind is not AlwaysSecond)


@pytest.mark.parametrize("model", [KNeighborsClassifier(1), SVC()])
def test_labels_that_follow_from_other_predictions_are_not_predicted_again(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.fit(ROWS, [0, 1, 1])
    expected = model.predict(ROWS).tolist()
    monkeypatch.setattr(type(model), "predict", None)
    predicted = predict(model, ROWS, ["no", "yes"])
    assert predicted.label is not None
    assert predicted.label.tolist() == expected


def test_decision_values_are_left_out_where_training_lacked_a_class() -> None:
    both = LogisticRegression().fit(ROWS, [0, 1, 1])
    assert predict(both, ROWS, ["a", "b"]).decision is not None
    model = LogisticRegression().fit(ROWS, [0, 2, 2])
    predicted = predict(model, ROWS, ["a", "b", "c"])
    assert predicted.decision is None
    assert predicted.proba is not None
    assert predicted.proba.shape == (3, 3)
    assert not predicted.proba[:, 1].any()


def test_the_largest_share_is_the_label() -> None:
    model = KNeighborsClassifier(1).fit(ROWS, [0, 2, 2])
    predicted = from_shares(np.array([[0.4, 0.6], [0.5, 0.5]]), model, ["a", "b", "c"])
    assert predicted.label is not None
    assert predicted.proba is not None
    assert predicted.label.tolist() == [2, 0]
    assert predicted.proba.tolist() == [[0.4, 0, 0.6], [0.5, 0, 0.5]]
