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
        return Predictions(value=values.reshape(features.shape[0]))
    proba = decision = None
    if hasattr(model, "predict_proba"):
        proba = aligned(np.asarray(model.predict_proba(features)), model.classes_, len(classes))
    if hasattr(model, "decision_function"):
        decision = np.asarray(model.decision_function(features), np.float64)
    label = _label(model, features, proba, decision, len(classes))
    if decision is not None and len(model.classes_) < len(classes):
        decision = None
    return Predictions(label=as_codes(label, classes), proba=proba, decision=decision)


def _label(
    model: Any,
    features: np.ndarray,
    proba: np.ndarray | None,
    decision: np.ndarray | None,
    count: int,
) -> np.ndarray:
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    if proba is not None and kind in LABEL_IS_ARGMAX:
        return proba.argmax(axis=1)
    if decision is not None and decision.ndim == 1 and kind in LABEL_IS_SIGN:
        return np.asarray(model.classes_[(decision >= 0).astype(int)])
    return checked_codes(np.asarray(model.predict(features)), model, count)


def checked_codes(label: np.ndarray, model: Any, count: int) -> np.ndarray:
    """Labels in one dimension; an error if they are no codes of classes.

    Parameters
    ----------
    label
        What the model predicts: perhaps a column, or numbers of another type.
    model
        A fitted classifier; for the message.
    count
        The number of classes of the task.

    Returns
    -------
    numpy.ndarray
        Whole numbers.

    Raises
    ------
    ValueError
        If a label is none of the codes.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> checked_codes(np.array([[1.0], [0.0]]), DummyClassifier(), 2)
    array([1, 0])
    """
    if label.dtype.kind in "iu" and label.ndim == 1:
        codes = label
    else:
        try:
            codes = label.reshape(len(label)).astype(np.float64).astype(np.int64)
            whole = bool((codes == label.reshape(len(label)).astype(np.float64)).all())
        except (TypeError, ValueError):
            whole = False
        if not whole:
            raise ValueError(_no_codes(model, label))
    if len(codes) and not 0 <= codes.min() <= codes.max() < count:
        raise ValueError(_no_codes(model, label))
    return codes


def _no_codes(model: Any, label: np.ndarray) -> str:
    kind, shown = type(model).__name__, label.reshape(-1)[:1].tolist()
    return (
        f"{kind}.predict returns {label.dtype} values of shape {label.shape}, such as {shown}; expected "
        f"one of the labels that fit was given for each row"
    )


def remember_classes(model: Any, target: np.ndarray) -> None:
    """Note the classes of a classifier that does not note them itself.

    Parameters
    ----------
    model
        A fitted estimator.
    target
        The codes of classes that it was fitted to.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace()
    >>> remember_classes(model, np.array([2, 0, 2]))
    >>> model.classes_
    array([0, 2])
    """
    if not hasattr(model, "classes_"):
        model.classes_ = np.unique(target)


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
    if proba.shape[1] != len(classes):
        raise ValueError(
            f"predict_proba gives {proba.shape[1]} columns for {len(classes)} classes of the training rows"
        )
    every_class = np.zeros((len(proba), count))
    every_class[:, np.asarray(classes, int)] = proba
    return every_class
