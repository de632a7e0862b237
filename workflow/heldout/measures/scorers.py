"""scikit-learn's scorers on stored predictions: no model is needed, and none is fitted again."""

from typing import Any

import numpy as np

from heldout.errors import HeldoutError, did_you_mean
from heldout.predictions import Predictions


class StoredPredictions:
    """Stored predictions in the shape of a fitted estimator, as scorers want one.

    Has just the methods that it has predictions for; scorers look at their names.
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
        """Nothing to fit."""
        return self

    def predict(self, _: Any) -> np.ndarray:
        """The stored labels or values."""
        stored = self._predictions
        predicted = stored.label if stored.label is not None else stored.value
        assert predicted is not None
        return predicted


def scorer_named(name: str) -> Any:
    """scikit-learn's scorer of this name."""
    from sklearn.metrics import get_scorer, get_scorer_names

    if name not in get_scorer_names():
        raise HeldoutError(
            f"metrics: unknown scorer '{name}'{did_you_mean(name, get_scorer_names())}"
        )
    return get_scorer(name)


def score(
    name: str, scorer: Any, stored: StoredPredictions, target: np.ndarray, learner: str
) -> float:
    """What a scorer says of stored predictions; a number, or an error that names the learner."""
    try:
        value = float(scorer(stored, np.zeros((len(target), 1)), target))
    except (ValueError, AttributeError, TypeError) as error:
        raise HeldoutError(
            f"metrics: '{name}' cannot be computed for '{learner}': {error}"
        ) from None
    if not np.isfinite(value):
        raise HeldoutError(f"metrics: '{name}' is not defined on a fold for learner '{learner}'")
    return value
