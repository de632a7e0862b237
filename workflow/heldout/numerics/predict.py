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
    "lightgbm.sklearn.LGBMClassifier",
    "heldout.numerics.steps.xgboost_models.XGBClassifier",
    "heldout.numerics.steps.xgboost_models.XGBRFClassifier",
}
"""Classifiers whose label is the first class of highest probability: `predict` need not be called."""
LABEL_IS_SIGN = {"sklearn.svm._classes.SVC", "sklearn.svm._classes.NuSVC"}
"""Classifiers that choose the second of two classes where the decision function is not negative."""
SUMS_WITHIN = 1e-4
"""How far the sum of a row's probabilities may be from 1: libraries count with 32 bits, too."""


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
        training lacked a class, or the model has the classes in another order, because their columns
        would belong to other classes.

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
        if values.shape not in ((features.shape[0],), (features.shape[0], 1)):
            raise ValueError(
                f"{type(model).__name__}.predict returns values of shape {values.shape}; expected a number for "
                f"each of {features.shape[0]} rows"
            )
        return Predictions(value=values.reshape(features.shape[0]))
    proba = decision = None
    if hasattr(model, "predict_proba"):
        given = checked_shares(model.predict_proba(features), model, features.shape[0])
        proba = aligned(given, checked_classes(model, len(classes)), len(classes))
    if hasattr(model, "decision_function"):
        decision = np.asarray(model.decision_function(features), np.float64)
    label = _label(model, features, proba, decision, len(classes))
    if decision is not None and not np.array_equal(model.classes_, np.arange(len(classes))):
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
    found = np.asarray(model.predict(features))
    if found.ndim == 0 or len(found) != features.shape[0]:
        raise ValueError(
            f"{type(model).__name__}.predict returns values of shape {found.shape} for {features.shape[0]} rows"
        )
    return checked_codes(found, model, count)


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


def checked_shares(given: Any, model: Any, rows: int) -> np.ndarray:
    """Probabilities as float64; an error if they are none, for losses would take them for some.

    Parameters
    ----------
    given
        What the model predicts.
    model
        A fitted classifier; for the message.
    rows
        How many rows were predicted.

    Returns
    -------
    numpy.ndarray
        A row for each, which sums to 1.

    Raises
    ------
    ValueError
        If the shape is another one, or a row has values outside 0 to 1 or another sum.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> checked_shares(np.array([[0.5, 0.5]], np.float32), DummyClassifier(), 1)
    array([[0.5, 0.5]])
    """
    kind, shares = type(model).__name__, np.asarray(given, np.float64)
    if shares.ndim != 2 or len(shares) != rows:
        raise ValueError(
            f"{kind}.predict_proba returns values of shape {shares.shape}; expected {rows} rows with a "
            f"probability for each class"
        )
    sums = shares.sum(axis=1)
    wrong = (np.abs(sums - 1) > SUMS_WITHIN) | (shares < -SUMS_WITHIN).any(axis=1)
    if wrong.any():
        shown = [float(value) for value in shares[wrong.argmax()]]
        raise ValueError(
            f"{kind}.predict_proba returns no probabilities: a row is {shown}; expected values from 0 to 1 "
            f"whose sum is 1"
        )
    return shares


def checked_classes(model: Any, count: int) -> np.ndarray:
    """The model's classes as codes, in the order of its columns; an error if they are none.

    Parameters
    ----------
    model
        A fitted classifier.
    count
        The number of classes of the task.

    Returns
    -------
    numpy.ndarray
        Whole numbers, each once.

    Raises
    ------
    ValueError
        If they are not labels that `fit` was given.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> checked_classes(DummyClassifier().fit([[0], [0]], [2, 0]), 3)
    array([0, 2])
    """
    given = np.asarray(model.classes_)
    codes = given.tolist()
    if len(set(codes)) < len(codes) or not set(codes) <= set(range(count)):
        raise ValueError(
            f"{type(model).__name__}.classes_ is {codes}; expected the labels that fit was given"
        )
    return given.astype(np.int64)


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
    if proba.shape[1] == count and bool((np.diff(classes) > 0).all()):
        return proba
    if proba.shape[1] != len(classes):
        raise ValueError(
            f"predict_proba gives {proba.shape[1]} columns for {len(classes)} classes of the training rows"
        )
    every_class = np.zeros((len(proba), count))
    every_class[:, np.asarray(classes, int)] = proba
    return every_class
