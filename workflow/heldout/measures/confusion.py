"""Scores that depend on the confusion matrix only: functions of M[…, true class, predicted class].

`positive` is the position of a class. What scikit-learn calls `zero_division` is 0: a model that predicts
no positive row has no precision, which never makes it better.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Scores = np.ndarray
STEP = 1e-30
"""The imaginary step of a derivative; there is no rounding error, because nothing is subtracted."""
BLOCK = 1_000_000
"""Derivatives are computed for about this many numbers at a time."""


def confusion(
    target: np.ndarray, label: np.ndarray, weights: np.ndarray | None, classes: int
) -> np.ndarray:
    """Count the rows of each true and predicted class.

    Parameters
    ----------
    target, label
        The true and the predicted class of each row, as positions.
    weights
        The weight of each row; None: 1.
    classes
        The number of classes. A true class beyond them, which only sealed rows have, gets a row of its own.

    Returns
    -------
    numpy.ndarray
        A square matrix: true classes down, predicted ones across.

    Examples
    --------
    >>> confusion(np.array([0, 0, 1]), np.array([0, 1, 1]), None, 2)
    array([[1., 1.],
           [0., 1.]])
    """
    size = max(classes, int(target.max(initial=0)) + 1)
    counts = np.bincount(target * size + label, weights=weights, minlength=size * size)
    return counts.astype(float).reshape(size, size)


def gradient(score: Callable[[np.ndarray], Scores], matrix: np.ndarray) -> np.ndarray:
    """Differentiate a score by each entry of the confusion matrix, by complex steps.

    Parameters
    ----------
    score
        A function of confusion matrices.
    matrix
        A confusion matrix.

    Returns
    -------
    numpy.ndarray
        The derivative by each entry that is not 0; elsewhere 0, since no row is there.

    Examples
    --------
    >>> accuracy = lambda m: (m[..., 0, 0] + m[..., 1, 1]) / m.sum(axis=(-2, -1))
    >>> gradient(accuracy, np.array([[3.0, 1.0], [0.0, 4.0]]))
    array([[ 0.015625, -0.109375],
           [ 0.      ,  0.015625]])
    """
    found = np.zeros_like(matrix)
    places = np.argwhere(matrix > 0)
    block = max(1, BLOCK // matrix.size)
    for start in range(0, len(places), block):
        some = places[start : start + block]
        moved = np.broadcast_to(matrix, (len(some), *matrix.shape)).astype(complex)
        moved[np.arange(len(some)), some[:, 0], some[:, 1]] += STEP * 1j
        found[some[:, 0], some[:, 1]] = score(moved).imag / STEP
    return found


# --- two classes -----------------------------------------------------------------------------


def precision(matrix: np.ndarray, positive: int) -> Scores:
    """The share of positive rows among those predicted to be positive."""
    hits, wrong, _ = _counts(matrix, positive)
    return _ratio(hits, hits + wrong)


def recall(matrix: np.ndarray, positive: int) -> Scores:
    """The share of rows predicted to be positive among the positive ones."""
    hits, _, missed = _counts(matrix, positive)
    return _ratio(hits, hits + missed)


def fbeta(matrix: np.ndarray, positive: int, beta: float = 1.0) -> Scores:
    """F_β = (1+β²)·TP/((1+β²)·TP + β²·FN + FP)."""
    hits, wrong, missed = _counts(matrix, positive)
    twice = (1 + beta**2) * hits
    return _ratio(twice, twice + beta**2 * missed + wrong)


def jaccard(matrix: np.ndarray, positive: int) -> Scores:
    """TP/(TP + FP + FN)."""
    hits, wrong, missed = _counts(matrix, positive)
    return _ratio(hits, hits + wrong + missed)


def youden(matrix: np.ndarray, positive: int) -> Scores:
    """Youden's J: the recall of the positive class plus that of the others, minus 1."""
    hits, wrong, missed = _counts(matrix, positive)
    others = matrix.sum(axis=(-2, -1)) - hits - missed
    return _ratio(hits, hits + missed) + _ratio(others - wrong, others) - 1


def precision_at_recall(matrix: np.ndarray, positive: int, least: float) -> Scores:
    """The precision where the recall is at least `least`, else 0."""
    reached = recall(matrix, positive).real >= least
    return np.where(reached, precision(matrix, positive), 0.0)


# --- any number of classes ---------------------------------------------------------------------


def balanced_accuracy(matrix: np.ndarray) -> Scores:
    """The mean over classes of the recall of each; classes without rows do not count."""
    rows = matrix.sum(axis=-1)
    there = rows.real > 0
    recalls = _ratio(np.diagonal(matrix, axis1=-2, axis2=-1), rows)
    return _ratio(np.where(there, recalls, 0).sum(axis=-1), there.sum(axis=-1))


def matthews(matrix: np.ndarray) -> Scores:
    """Matthews' correlation of true and predicted classes; 0 where one of them does not vary."""
    true, predicted = matrix.sum(axis=-1), matrix.sum(axis=-2)
    total = matrix.sum(axis=(-2, -1))
    hits = np.trace(matrix, axis1=-2, axis2=-1)
    both = hits * total - (true * predicted).sum(axis=-1)
    spread = (total**2 - (true**2).sum(axis=-1)) * (total**2 - (predicted**2).sum(axis=-1))
    varies = spread.real > 1e-12 * total.real**4
    return np.where(varies, both / np.sqrt(np.where(varies, spread, 1.0)), 0.0)


def averaged(matrix: np.ndarray, of: str, average: str) -> Scores:
    """A score of two classes, for each class against the others, averaged.

    Parameters
    ----------
    matrix
        Confusion matrices.
    of
        precision, recall, f1 or jaccard.
    average
        macro (classes count alike), weighted (by their rows), or micro (all counts added first). Classes
        that are neither true nor predicted do not count.

    Returns
    -------
    numpy.ndarray
        The score of each matrix.

    Examples
    --------
    >>> averaged(np.array([[3.0, 1.0], [0.0, 4.0]]), "recall", "macro")
    array(0.875)
    """
    hits = np.diagonal(matrix, axis1=-2, axis2=-1)
    true, predicted = matrix.sum(axis=-1), matrix.sum(axis=-2)
    if average == "micro":
        return _score(of, *(part.sum(axis=-1) for part in (hits, true, predicted)))
    scores = _score(of, hits, true, predicted)
    if average == "weighted":
        return _ratio((scores * true).sum(axis=-1), true.sum(axis=-1))
    there = (true + predicted).real > 0
    return _ratio(np.where(there, scores, 0).sum(axis=-1), there.sum(axis=-1))


def _score(of: str, hits: Scores, true: Scores, predicted: Scores) -> Scores:
    if of == "precision":
        return _ratio(hits, predicted)
    if of == "recall":
        return _ratio(hits, true)
    if of == "f1":
        return _ratio(2 * hits, true + predicted)
    return _ratio(hits, true + predicted - hits)


def _counts(matrix: np.ndarray, positive: int) -> tuple[Any, Any, Any]:
    """True positives, false positives, false negatives."""
    hits = matrix[..., positive, positive]
    return (
        hits,
        matrix[..., :, positive].sum(axis=-1) - hits,
        matrix[..., positive, :].sum(axis=-1) - hits,
    )


def _ratio(above: Any, below: Any) -> Scores:
    """above/below, and 0 where below is 0."""
    empty = np.asarray(below).real == 0
    return np.where(empty, 0.0, above / np.where(empty, 1.0, below))
