"""The functions of the losses: (targets, predictions) → the loss of each example."""

import numpy as np

from heldout.measures.registry import CLIP, LOSSES, Loss, loss_for

__all__ = ["CLIP", "LOSSES", "Loss", "loss_for"]


def zero_one(target: np.ndarray, label: np.ndarray) -> np.ndarray:
    """1 where the label is wrong, else 0."""
    return (np.asarray(target) != label).astype(np.float64)


def cross_entropy(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """−ln of the predicted probability of the true class, clipped to [CLIP, 1]."""
    return -np.log(np.clip(_probability_of(np.asarray(target), proba), CLIP, 1.0))


def brier(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Σ_c (p_c − 1{y=c})², between 0 and 2; for two classes twice scikit-learn's Brier score."""
    return (proba**2).sum(axis=1) - 2 * _probability_of(np.asarray(target), proba) + 1


def squared(target: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(y − ŷ)²."""
    return (np.asarray(target) - value) ** 2


def absolute(target: np.ndarray, value: np.ndarray) -> np.ndarray:
    """|y − ŷ|."""
    return np.abs(np.asarray(target) - value)


def _probability_of(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """The predicted probability of the true class; 0 for a class that is not in the training rows."""
    padded = np.hstack([proba, np.zeros((len(proba), 1))])
    return padded[np.arange(len(proba)), np.minimum(target, proba.shape[1])]
