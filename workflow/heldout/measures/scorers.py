"""scikit-learn's scorers, computed from stored predictions instead of a fitted model."""

from typing import Any

import numpy as np

from heldout.errors import HeldoutError, did_you_mean
from heldout.predictions import Predictions


class StoredPredictions:
    """Stored predictions with the interface of a fitted estimator, which scorers require.

    `predict_proba` and `decision_function` exist only where such predictions are stored, because
    scorers choose by the methods that they find.

    Parameters
    ----------
    predictions
        Predictions for the rows that are scored.
    classes
        The labels; None for regression.
    """

    def __init__(self, predictions: Predictions, classes: list[Any] | None):
        self._predictions = predictions
        if classes is not None:
            self._estimator_type = "classifier"
            self.classes_ = np.arange(len(classes))
        else:
            self._estimator_type = "regressor"
        if predictions.proba is not None:

            def predict_proba(_: Any) -> np.ndarray | None:
                return predictions.proba

            self.predict_proba = predict_proba
        if predictions.decision is not None:

            def decision_function(_: Any) -> np.ndarray | None:
                return predictions.decision

            self.decision_function = decision_function

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        classifier = self._estimator_type == "classifier"
        return Tags(
            estimator_type=self._estimator_type,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if classifier else None,
            regressor_tags=None if classifier else RegressorTags(),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, *_: Any) -> "StoredPredictions":
        """Return the object itself: there is nothing to fit."""
        return self

    def predict(self, _: Any) -> np.ndarray:
        """The stored labels or values."""
        stored = self._predictions
        predicted = stored.label if stored.label is not None else stored.value
        assert predicted is not None
        return predicted


def scorer_named(name: str) -> Any:
    """Get scikit-learn's scorer of a name.

    Parameters
    ----------
    name
        One of `sklearn.metrics.get_scorer_names()`.

    Returns
    -------
    scorer
        A callable of (estimator, features, target).

    Raises
    ------
    HeldoutError
        If there is no such scorer; the message suggests a similar name.

    Examples
    --------
    >>> scorer_named("accuracy")
    make_scorer(accuracy_score, response_method='predict')
    """
    from sklearn.metrics import get_scorer, get_scorer_names

    if name not in get_scorer_names():
        raise HeldoutError(
            f"metrics: unknown scorer '{name}'{did_you_mean(name, get_scorer_names())}"
        )
    return get_scorer(name)


def score(
    name: str, scorer: Any, stored: StoredPredictions, target: np.ndarray, learner: str
) -> float:
    """Compute a scorer from stored predictions.

    Parameters
    ----------
    name
        The scorer's name, for error messages.
    scorer
        What `scorer_named` returns.
    stored
        Predictions for the rows that are scored.
    target
        Their true values, or positions of their classes.
    learner
        The learner's name, for error messages.

    Returns
    -------
    float
        The score.

    Raises
    ------
    HeldoutError
        If the scorer needs predictions that the learner does not give, or is not finite.

    Examples
    --------
    >>> stored = StoredPredictions(Predictions(label=np.array([0, 1, 1, 1])), ["no", "yes"])
    >>> score("accuracy", scorer_named("accuracy"), stored, np.array([0, 1, 1, 0]), "knn")
    0.75
    """
    try:
        value = float(scorer(stored, np.zeros((len(target), 1)), target))
    except (ValueError, AttributeError, TypeError) as error:
        raise HeldoutError(
            f"metrics: '{name}' cannot be computed for '{learner}': {error}"
        ) from None
    if not np.isfinite(value):
        raise HeldoutError(f"metrics: '{name}' is not defined on a fold for learner '{learner}'")
    return value
