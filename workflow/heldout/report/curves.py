"""Confusion matrix, ROC and precision–recall curves of held-out predictions."""

from typing import Any

import numpy as np

POINTS = 150
"""A curve is drawn with at most this many of its points."""
CLASSES = 12
"""Curves are drawn for at most this many classes, the most frequent ones."""


def confusion(target: np.ndarray, label: np.ndarray, count: int) -> list[list[int]]:
    """Counts: a row per true class, a column per predicted one."""
    counts = np.zeros((count, count), int)
    np.add.at(counts, (target, label), 1)
    return counts.tolist()


def one_versus_rest(target: np.ndarray, scores: np.ndarray) -> list[dict[str, Any]]:
    """For each class (of two, the second): points of the ROC and precision–recall curves, and areas."""
    wanted = [1] if scores.shape[1] == 2 else frequent(target, scores.shape[1])
    found = []
    for one in wanted:
        positive = target == one
        if positive.any() and not positive.all():
            found.append({"class": one, **corners(positive, scores[:, one])})
    return found


def frequent(target: np.ndarray, count: int) -> list[int]:
    """The most frequent classes, in their own order."""
    sizes = np.bincount(target, minlength=count)
    return sorted(np.argsort(-sizes, kind="stable")[:CLASSES].tolist())


def corners(positive: np.ndarray, score: np.ndarray) -> dict[str, Any]:
    """The curves of one class. Equal scores make one point, because they have no order."""
    order = np.argsort(-score, kind="stable")
    hits = np.cumsum(positive[order])
    last = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    true = np.append(0, hits[last]) / hits[-1]
    false = np.append(0, last + 1 - hits[last]) / (len(score) - hits[-1])
    precision = hits[last] / (last + 1)
    kept = thin(len(true))
    return {
        "false": false[kept].tolist(),
        "true": true[kept].tolist(),
        "precision": np.append(precision[0], precision)[kept].tolist(),
        "auc": float(np.trapezoid(true, false)),
        "ap": float((np.diff(true) * precision).sum()),
        "share": float(positive.mean()),
    }


def thin(count: int) -> np.ndarray:
    """Evenly spaced positions, the first and the last included."""
    return np.unique(np.linspace(0, count - 1, min(count, POINTS)).astype(int))
