"""The losses of the registry, computed per example: (targets, predictions) → losses."""

import numpy as np

from heldout.measures.registry import CLIP, LOSSES, Loss, loss_for

__all__ = ["CLIP", "LOSSES", "Loss", "loss_for"]


def zero_one(target: np.ndarray, label: np.ndarray) -> np.ndarray:
    """1 where the label is wrong."""
    return (np.asarray(target) != label).astype(np.float64)


def cross_entropy(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """−ln of the probability given to the true class, clipped."""
    return -np.log(np.clip(_probability_of(np.asarray(target), proba), CLIP, 1.0))


def brier(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Σ_c (p_c − 1{y=c})²: 0 to 2, for two classes twice the one-column Brier score."""
    return (proba**2).sum(axis=1) - 2 * _probability_of(np.asarray(target), proba) + 1


def squared(target: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The square of the residual."""
    return (np.asarray(target) - value) ** 2


def absolute(target: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The size of the residual."""
    return np.abs(np.asarray(target) - value)


def _probability_of(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """The probability given to the true class; 0 for a class that training never saw."""
    padded = np.hstack([proba, np.zeros((len(proba), 1))])
    return padded[np.arange(len(proba)), np.minimum(target, proba.shape[1])]
