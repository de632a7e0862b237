"""The functions of losses of sets: the risk of a set, and the influence of each row on it.

Each takes targets, predictions, weights (None: all 1) and its settings. Influences add up to 0. Their sum of
squares, over the squared number of rows, is the variance of the risk.
"""

from typing import Any

import numpy as np

from heldout.measures import confusion as of_matrix
from heldout.measures.auc import shares
from heldout.measures.jackknife import jackknife_influence
from heldout.measures.weighted import effective
from heldout.predictions import Predictions

Weights = np.ndarray | None


# --- scores of the confusion matrix ----------------------------------------------------------------


def label_risk(
    target: np.ndarray,
    said: Predictions,
    weights: Weights,
    score: str,
    classes: int,
    optimum: float,
    within_class: bool = False,
    **settings: Any,
) -> float:
    """optimum − score of the confusion matrix."""
    matrix = of_matrix.confusion(np.asarray(target), labels_of(said), weights, classes)
    return float(optimum - getattr(of_matrix, score)(matrix, **settings))


def label_influence(
    target: np.ndarray,
    said: Predictions,
    weights: Weights,
    score: str,
    classes: int,
    optimum: float,
    within_class: bool = False,
    **settings: Any,
) -> np.ndarray:
    """−n·w_x·(the derivative of the score by the entry of the matrix where row x is).

    `within_class`: the score is a mean over classes, and as a variance within a class its influence gets
    the factor n_c/(n_c − 1).
    """
    target, label = np.asarray(target), labels_of(said)
    matrix = of_matrix.confusion(target, label, weights, classes)

    def scores(matrices: np.ndarray) -> np.ndarray:
        return np.asarray(getattr(of_matrix, score)(matrices, **settings))

    slopes = of_matrix.gradient(scores, matrix)[target, label]
    found = -len(target) * (slopes if weights is None else weights * slopes)
    return found * _class_factors(target, weights) if within_class else found


def labels_of(said: Predictions) -> np.ndarray:
    """The predicted classes, which must be there."""
    assert said.label is not None
    return said.label


def _class_factors(target: np.ndarray, weights: Weights) -> np.ndarray:
    """√(n_c/(n_c − 1)) for each row, n_c the number of rows of its class; 1 for a class with one row."""
    factors = np.ones(len(target))
    for one in np.unique(target):
        inside = target == one
        count = float(inside.sum()) if weights is None else effective(weights[inside])
        if count > 1:
            factors[inside] = np.sqrt(count / (count - 1))
    return factors


# --- measures of the order of rows ---------------------------------------------------------------------


def ranking(said: Predictions, positive: int) -> np.ndarray:
    """The decision value of each row, or its probability of the positive class.

    Parameters
    ----------
    said
        The predictions of a model for two classes.
    positive
        The position of the positive class.

    Returns
    -------
    numpy.ndarray
        A number for each row: the greater, the more positive.

    Examples
    --------
    >>> ranking(Predictions(decision=np.array([0.5, -1.0])), positive=0)
    array([-0.5,  1. ])
    """
    if said.decision is not None:
        return said.decision if positive == 1 else -said.decision
    assert said.proba is not None
    return said.proba[:, positive]


def auc_risk(target: np.ndarray, said: Predictions, weights: Weights, positive: int) -> float:
    """1 − the area under the ROC curve."""
    inside = np.asarray(target) == positive
    lost = 1 - shares(inside, ranking(said, positive), weights)[inside]
    return float(np.average(lost, weights=None if weights is None else weights[inside]))


def auc_influence(
    target: np.ndarray, said: Predictions, weights: Weights, positive: int
) -> np.ndarray:
    """−n·w_x/W_c·(h_x − A), h_x the share of the other class that row x beats, W_c the weight of its class."""
    inside = np.asarray(target) == positive
    found = shares(inside, ranking(said, positive), weights)
    share = np.ones(len(found)) if weights is None else weights
    influence = np.empty(len(found))
    for of_class in (inside, ~inside):
        own = share[of_class] / share[of_class].sum()
        influence[of_class] = -len(found) * own * (found[of_class] - own @ found[of_class])
    return influence * _class_factors(inside, weights)


def precision_risk(target: np.ndarray, said: Predictions, weights: Weights, positive: int) -> float:
    """1 − the average precision: the precision at each threshold, weighed by the rise of the recall."""
    steps = _Steps.of(target, said, weights, positive)
    return 1 - float((steps.gained * steps.precision).sum() / steps.gained.sum())


def precision_influence(
    target: np.ndarray, said: Predictions, weights: Weights, positive: int
) -> np.ndarray:
    """The delete-one jackknife, all rows in one pass over the thresholds."""
    steps = _Steps.of(target, said, weights, positive)
    return jackknife_influence(1 - steps.without_each())


class _Steps:
    """The thresholds of a ranking, the highest first.

    gained, hits: the weight of positives at a threshold, and down to it; reached: of all rows down to it.
    """

    def __init__(self, step: np.ndarray, positive: np.ndarray, weight: np.ndarray):
        self.step, self.positive, self.weight = step, positive, weight
        self.gained = np.bincount(step, weights=weight * positive)
        self.hits = np.cumsum(self.gained)
        self.reached = np.cumsum(np.bincount(step, weights=weight))

    @staticmethod
    def of(target: np.ndarray, said: Predictions, weights: Weights, positive: int) -> "_Steps":
        _, step = np.unique(-ranking(said, positive), return_inverse=True)
        weight = np.ones(len(step)) if weights is None else weights
        return _Steps(step, np.asarray(target) == positive, weight)

    @property
    def precision(self) -> np.ndarray:
        return _divided(self.hits, self.reached)

    def without_each(self) -> np.ndarray:
        """The average precision without each row; without the only positive row it is 0."""
        place, weight = self.step, self.weight
        own = weight * self.positive
        above = np.concatenate([[0.0], np.cumsum(self.gained * self.precision)])[place]
        here = (self.gained[place] - own) * _divided(
            self.hits[place] - own, self.reached[place] - weight
        )
        below = np.empty(len(place))
        for key in np.unique(
            np.stack([weight, own]), axis=1
        ).T:  # rows of the same weight and class
            rows = (weight == key[0]) & (own == key[1])
            after = self.gained * _divided(self.hits - key[1], self.reached - key[0])
            below[rows] = (after.sum() - np.cumsum(after))[place[rows]]
        return _divided(above + here + below, self.gained.sum() - own)


def _divided(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """above/below, and 0 where below is 0 up to rounding."""
    empty = np.abs(below) < 1e-12
    return np.where(empty, 0.0, above / np.where(empty, 1.0, below))


# --- numbers -------------------------------------------------------------------------------------------


def r2_risk(target: np.ndarray, said: Predictions, weights: Weights) -> float:
    """1 − R² = Σw(y − ŷ)²/Σw(y − ȳ)²; of targets that do not vary, 1 unless there is no error."""
    errors, spread = _squares(target, said, weights)
    above, below = (
        float(np.average(errors, weights=weights)),
        float(np.average(spread, weights=weights)),
    )
    return above / below if below > 0 else float(above > 0)


def r2_influence(target: np.ndarray, said: Predictions, weights: Weights) -> np.ndarray:
    """n·w_x/Σw·((y − ŷ)² − (1 − R²)·(y − ȳ)²) over the mean of (y − ȳ)²."""
    errors, spread = _squares(target, said, weights)
    below = float(np.average(spread, weights=weights))
    if below == 0:
        return np.zeros(len(errors))
    risk = r2_risk(target, said, weights)
    return _scaled(errors - risk * spread, weights) / below


def root_risk(target: np.ndarray, said: Predictions, weights: Weights) -> float:
    """The root of the mean squared error."""
    return float(np.sqrt(np.average(_squares(target, said, weights)[0], weights=weights)))


def root_influence(target: np.ndarray, said: Predictions, weights: Weights) -> np.ndarray:
    """((y − ŷ)² − MSE)/(2·RMSE)."""
    errors = _squares(target, said, weights)[0]
    mean = float(np.average(errors, weights=weights))
    if mean == 0:
        return np.zeros(len(errors))
    return _scaled(errors - mean, weights) / (2 * np.sqrt(mean))


def _squares(
    target: np.ndarray, said: Predictions, weights: Weights
) -> tuple[np.ndarray, np.ndarray]:
    """The squared error of each row, and its squared distance to the mean."""
    y = np.asarray(target)
    return (y - said.value) ** 2, (y - np.average(y, weights=weights)) ** 2


def _scaled(values: np.ndarray, weights: Weights) -> np.ndarray:
    """n·w_x/Σw times the value of each row."""
    return values if weights is None else len(values) * weights / weights.sum() * values
