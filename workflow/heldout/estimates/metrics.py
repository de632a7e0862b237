"""Extra scikit-learn metrics from stored predictions: reported, never selected on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.errors import HeldoutError, did_you_mean
from heldout.estimates.loss_table import LossTable
from heldout.names import canonical
from heldout.predictions import Predictions
from heldout.resampling.kinds import FOLDS, FOLDS_WHOLE


@dataclass(frozen=True)
class MetricRow:
    """A scorer's mean and sample standard deviation over the folds."""

    learner: str
    theta: str
    metric: str
    value: float
    sd: float | None
    n: int


class Said:
    """Looks like a fitted estimator to a scorer, and repeats stored predictions.

    Has just the methods that it has predictions for; scorers look at their names.
    """

    def __init__(self, predictions: Predictions, classes: list[Any] | None):
        self._said = predictions
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

    def fit(self, *_: Any) -> "Said":
        """Nothing to fit."""
        return self

    def predict(self, _: Any) -> np.ndarray:
        """The stored labels or values."""
        said = self._said.label if self._said.label is not None else self._said.value
        assert said is not None
        return said


def metric_rows(loss_table: LossTable, names: list[str]) -> Iterator[MetricRow]:
    """Each metric of each θ over the folds."""
    scorers = {name: _scorer(name) for name in names}
    target = np.asarray(loss_table.table.target)
    kind = FOLDS if loss_table.has(FOLDS) else FOLDS_WHOLE
    folds = list(loss_table.resamples[kind].values())
    for learner, thetas in loss_table.thetas.items():
        for theta in thetas:
            scores: dict[str, list[float]] = {name: [] for name in names}
            for fold in folds:
                said = Said(
                    loss_table.predictions(learner, theta, fold)[fold.name],
                    loss_table.table.classes,
                )
                rows = fold.held[fold.name]
                for name, scorer in scorers.items():
                    scores[name].append(_score(scorer, said, target[rows], name, learner))
            for name, values in scores.items():
                sd = float(np.std(values, ddof=1))
                yield MetricRow(
                    learner, canonical(theta), name, float(np.mean(values)), sd, loss_table.table.n
                )


def _scorer(name: str) -> Any:
    from sklearn.metrics import get_scorer, get_scorer_names

    if name not in get_scorer_names():
        raise HeldoutError(
            f"metrics: unknown scorer '{name}'{did_you_mean(name, get_scorer_names())}"
        )
    return get_scorer(name)


def _score(scorer: Any, said: Said, target: np.ndarray, name: str, learner: str) -> float:
    try:
        value = float(scorer(said, np.zeros((len(target), 1)), target))
    except (ValueError, AttributeError, TypeError) as error:
        raise HeldoutError(
            f"metrics: '{name}' cannot be computed for '{learner}': {error}"
        ) from None
    if not np.isfinite(value):
        raise HeldoutError(f"metrics: '{name}' is not defined on a fold for learner '{learner}'")
    return value
