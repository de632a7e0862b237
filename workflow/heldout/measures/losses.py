"""Losses: per-example, computed from stored predictions, so that a new loss needs no new fit.

To add a loss, add one entry to `LOSSES`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from heldout.predictions import Predictions

CLIP = float(np.finfo(np.float64).eps)
"""Cross-entropy clips probabilities to [CLIP, 1], as scikit-learn's log_loss does."""


@dataclass(frozen=True)
class Loss:
    """ℓ(y, prediction) per example. `bound`: the losses lie in [0, bound], None if unbounded."""

    name: str
    title: str
    classification: bool
    needs: str
    bound: float | None
    per_example: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def __call__(self, target: np.ndarray, predictions: Predictions) -> np.ndarray:
        """The loss of each example."""
        predicted = getattr(predictions, self.needs)
        if predicted is None:
            raise ValueError(
                f"loss {self.name} needs {self.needs}, which the learner does not give"
            )
        return self.per_example(np.asarray(target), predicted)


def _zero_one(target: np.ndarray, label: np.ndarray) -> np.ndarray:
    return (target != label).astype(np.float64)


def _cross_entropy(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    return -np.log(np.clip(_probability_of(target, proba), CLIP, 1.0))


def _brier(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Σ_c (p_c − 1{y=c})²: 0 to 2, for two classes twice the one-column Brier score."""
    return (proba**2).sum(axis=1) - 2 * _probability_of(target, proba) + 1


def _probability_of(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """The probability given to the true class; 0 for a class that training never saw."""
    padded = np.hstack([proba, np.zeros((len(proba), 1))])
    return padded[np.arange(len(proba)), np.minimum(target, proba.shape[1])]


def _squared(target: np.ndarray, value: np.ndarray) -> np.ndarray:
    return (target - value) ** 2


def _absolute(target: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.abs(target - value)


LOSSES = {
    loss.name: loss
    for loss in (
        Loss("zero_one", "zero-one loss (share of errors)", True, "label", 1.0, _zero_one),
        Loss(
            "cross_entropy",
            f"cross-entropy (natural log; probabilities clipped at {CLIP:.1e})",
            True,
            "proba",
            None,
            _cross_entropy,
        ),
        Loss("brier", "Brier score (sum over classes, 0 to 2)", True, "proba", 2.0, _brier),
        Loss("squared", "squared error", False, "value", None, _squared),
        Loss("absolute", "absolute error", False, "value", None, _absolute),
    )
}


def loss_for(name: str | None, classification: bool) -> Loss:
    """The configured loss, or the default for this kind of target."""
    return LOSSES[name or ("zero_one" if classification else "squared")]
