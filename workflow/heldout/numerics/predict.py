"""What a fitted model predicts: labels, probabilities and decision values, or numbers."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.predictions import Predictions

LABEL_IS_ARGMAX = {
    "sklearn.neighbors._classification.KNeighborsClassifier",
    "sklearn.tree._classes.DecisionTreeClassifier",
    "sklearn.ensemble._forest.RandomForestClassifier",
    "sklearn.ensemble._forest.ExtraTreesClassifier",
}
"""Classifiers whose label is the first class of highest probability: `predict` need not be called."""
LABEL_IS_SIGN = {"sklearn.svm._classes.SVC", "sklearn.svm._classes.NuSVC"}
"""Classifiers that choose the second of two classes where the decision function is not negative."""


def predict(model: BaseEstimator, features: np.ndarray, classes: list[Any] | None) -> Predictions:
    """All kinds of predictions that the model gives for the rows.

    Parameters
    ----------
    model
        A fitted estimator; its labels are codes, positions in `classes`.
    features
        Rows as the model takes them, that is, after its preprocessing.
    classes
        The classes of the task, or None for a number to predict.

    Returns
    -------
    Predictions
        `value` for numbers. For classes `label`, and `proba` and `decision` if the model has them.
        Probabilities have a column for every class of the task. Decision values are left out where
        training lacked a class, because their columns would belong to other classes.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit(np.zeros((4, 1)), [0, 2, 2, 2])
    >>> predicted = predict(model, np.zeros((1, 1)), ["no", "perhaps", "yes"])
    >>> predicted.label, predicted.proba
    (array([2], dtype=uint8), array([[0.25, 0.  , 0.75]]))
    """
    if classes is None:
        values = np.asarray(model.predict(features), np.float64)
        return Predictions(value=values.reshape(len(features)))
    proba = decision = None
    if hasattr(model, "predict_proba"):
        proba = aligned(model.predict_proba(features), model.classes_, len(classes))
    if hasattr(model, "decision_function"):
        decision = np.asarray(model.decision_function(features), np.float64)
    label = _label(model, features, proba, decision)
    if decision is not None and len(model.classes_) < len(classes):
        decision = None
    return Predictions(label=as_codes(label, classes), proba=proba, decision=decision)


def _label(
    model: Any, features: np.ndarray, proba: np.ndarray | None, decision: np.ndarray | None
) -> np.ndarray:
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    if proba is not None and kind in LABEL_IS_ARGMAX:
        return proba.argmax(axis=1)
    if decision is not None and decision.ndim == 1 and kind in LABEL_IS_SIGN:
        return np.asarray(model.classes_[(decision >= 0).astype(int)])
    return np.asarray(model.predict(features))


def as_codes(label: np.ndarray, classes: list[Any]) -> np.ndarray:
    """Labels in the smallest type of whole numbers that holds all codes."""
    return np.asarray(label).astype(np.min_scalar_type(len(classes)))


def from_shares(shares: np.ndarray, model: Any, classes: list[Any]) -> Predictions:
    """The predictions of a classifier that predicts the class with the largest share."""
    proba = aligned(shares, model.classes_, len(classes))
    return Predictions(label=as_codes(proba.argmax(axis=1), classes), proba=proba)


def aligned(proba: np.ndarray, classes: np.ndarray, count: int) -> np.ndarray:
    """Probabilities with a column for every class of the task; 0 where training lacked the class.

    Parameters
    ----------
    proba
        Probabilities with a column for every class of the model.
    classes
        The codes of the model's classes.
    count
        The number of classes of the task.
    """
    if proba.shape[1] == count:
        return proba
    every_class = np.zeros((len(proba), count))
    every_class[:, np.asarray(classes, int)] = proba
    return every_class
