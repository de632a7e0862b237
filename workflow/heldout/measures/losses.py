"""The functions of the losses: (targets, predictions, settings) → the loss of each example."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import HeldoutError, did_you_mean
from heldout.measures.loss import Loss
from heldout.measures.positive import YAML
from heldout.measures.registry import CLIP


def zero_one(target: np.ndarray, label: np.ndarray) -> np.ndarray:
    """1 where the label is wrong, else 0."""
    return (np.asarray(target) != label).astype(np.float64)


def cross_entropy(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """−ln of the predicted probability of the true class, clipped to [CLIP, 1]."""
    return -np.log(np.clip(_probability_of(np.asarray(target), proba), CLIP, 1.0))


def brier(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Σ_c (p_c − 1{y=c})², between 0 and 2; for two classes twice scikit-learn's Brier score."""
    return (proba**2).sum(axis=1) - 2 * _probability_of(np.asarray(target), proba) + 1


def brier_score(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """As scikit-learn scales it: half of `brier` for two classes, so that it lies between 0 and 1."""
    return brier(target, proba) / (2 if proba.shape[1] == 2 else 1)


def bind_brier_score(
    loss: Loss, _: dict[str, Any], classes: Sequence[Any], __: int | None = None
) -> Loss:
    """The bound is 1 for two classes, where the score is half of the sum."""
    return replace(loss, bound=1.0 if len(classes) == 2 else loss.bound)


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


def costs(target: np.ndarray, label: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """The cost of each predicted class, given the true one; of an unknown true class, the largest."""
    known = np.vstack([matrix, np.full(len(matrix), matrix.max())])
    return np.asarray(known[np.minimum(target, len(matrix)), label])


def bind_costs(
    loss: Loss, settings: dict[str, Any], classes: Sequence[Any], positive: int | None = None
) -> Loss:
    """Fit the costs of the config to the classes of the table.

    Parameters
    ----------
    loss
        The entry of the registry.
    settings
        `costs`: true class → predicted class → cost. What is not there on the diagonal costs 0.
    classes
        The labels.
    positive
        Not used: costs say themselves which error is the worse one.

    Returns
    -------
    Loss
        With a matrix of costs, a row for each true class. Costs of 0 and 1 only are counts of errors.

    Raises
    ------
    HeldoutError
        If a class is unknown, or the cost of an error is missing.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> given = {"costs": {"no": {"yes": 1}, "yes": {"no": 5}}}
    >>> bind_costs(LOSSES["costs"], given, ["no", "yes"]).settings["matrix"].tolist()
    [[0.0, 1.0], [5.0, 0.0]]
    """
    given = settings["costs"]
    names = [str(label) for label in classes]
    given = _as_written(given, names)
    unknown = {one for row in given.values() for one in row} | given.keys()
    for one in sorted(unknown - set(names)):
        raise HeldoutError(f"loss.costs: the target has no class '{one}'{did_you_mean(one, names)}")
    matrix = np.zeros((len(names), len(names)))
    for i, true in enumerate(names):
        for j, predicted in enumerate(names):
            matrix[i, j] = given.get(true, {}).get(predicted, 0.0 if i == j else np.nan)
    missing = np.argwhere(np.isnan(matrix))
    if len(missing):
        true, predicted = (names[place] for place in missing[0])
        raise HeldoutError(
            f"loss.costs: no cost for predicting '{predicted}' where '{true}' is true"
        )
    binary = bool(np.isin(matrix, (0.0, 1.0)).all())
    return replace(
        loss,
        bound=float(matrix.max()),
        binary=binary,
        carriers=None if binary else loss.carriers,
        settings={"matrix": matrix},
    )


def _as_written(given: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Costs by the labels of the table: YAML reads `true` and `yes` alike."""
    label = {
        one: next((other for other in others if other in names), one)
        for one, others in YAML.items()
        if one not in names
    }
    return {
        label.get(true, true): {label.get(one, one): cost for one, cost in row.items()}
        for true, row in given.items()
    }


def pinball(target: np.ndarray, value: np.ndarray, quantile: float) -> np.ndarray:
    """q·(y − ŷ) where y > ŷ, else (1 − q)·(ŷ − y)."""
    gap = np.asarray(target) - value
    return np.maximum(quantile * gap, (quantile - 1) * gap)


def bind_quantile(
    loss: Loss, settings: dict[str, Any], _: Sequence[Any] | None, __: int | None = None
) -> Loss:
    """The pinball loss of a quantile."""
    quantile = settings["quantile"]
    return replace(
        loss, title=f"pinball loss of the {quantile:g}-quantile", settings={"quantile": quantile}
    )
