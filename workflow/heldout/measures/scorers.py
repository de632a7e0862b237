"""scikit-learn's scorers, computed from stored predictions instead of a fitted model."""

import warnings
from typing import Any

import numpy as np

from heldout.errors import HeldoutError
from heldout.measures.jackknife import alone_in_class, deleted_one_by_one, jackknife_influence
from heldout.measures.score_registry import OTHERS
from heldout.measures.set_losses import labels_of
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


def scorer_risk(
    target: np.ndarray,
    said: Predictions,
    weights: np.ndarray | None,
    name: str,
    optimum: float,
    classes: list[Any] | None,
    positive: int | None,
) -> float:
    """Compute optimum − score, the score by scikit-learn.

    Parameters
    ----------
    target, said, weights
        Of a held-out set.
    name
        The scorer's name.
    optimum
        The best score; 0 for negative errors and for scores without one.
    classes
        The labels; None for regression.
    positive
        The position of the positive class of two; scikit-learn is told that it is class 1.

    Returns
    -------
    float
        The risk of the set.

    Raises
    ------
    HeldoutError
        If the scorer needs predictions that the learner does not give, or is not finite.

    Examples
    --------
    >>> said = Predictions(value=np.array([1.0, 2.0, 6.0]))
    >>> scorer_risk(np.array([1.0, 2.0, 3.0]), said, None, "neg_median_absolute_error", 0, None, None)
    0.0
    """
    from sklearn.metrics import get_scorer

    rows = np.zeros((len(target), 1))
    target, said = _positive_last(np.asarray(target), said, classes, positive)
    more = {} if weights is None else {"sample_weight": weights}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = float(get_scorer(name)(StoredPredictions(said, classes), rows, target, **more))
    except (ValueError, AttributeError, TypeError) as error:
        raise HeldoutError(f"'{name}' cannot be computed: {error}") from None
    if not np.isfinite(value):
        raise HeldoutError(f"'{name}' is not defined on a set of {len(target)} rows")
    return optimum - value


def _positive_last(
    target: np.ndarray, said: Predictions, classes: list[Any] | None, positive: int | None
) -> tuple[np.ndarray, Predictions]:
    """Two classes in the order that makes the positive one class 1."""
    if classes is None or len(classes) != 2 or positive != 0:
        return target, said
    return 1 - target, Predictions(
        label=None if said.label is None else 1 - said.label,
        proba=None if said.proba is None else said.proba[:, ::-1],
        decision=None if said.decision is None else -said.decision,
    )


def scorer_influence(
    target: np.ndarray, said: Predictions, weights: np.ndarray | None, **settings: Any
) -> np.ndarray:
    """The delete-one jackknife; rows with the same classes are left out once."""
    kinds = np.arange(len(target))
    if OTHERS[settings["name"]][1] == "label" and weights is None:
        label = labels_of(said)
        kinds = np.asarray(target) * (int(label.max()) + 1) + label

    def risk(rows: np.ndarray) -> float:
        weight = None if weights is None else weights[rows]
        return scorer_risk(target[rows], said.take(rows), weight, **settings)

    alone = alone_in_class(np.asarray(target), settings["classes"])
    return jackknife_influence(deleted_one_by_one(risk, kinds, alone))
