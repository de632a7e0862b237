"""A loss of the user's own: a function of targets and predictions.

It returns a number for each example, or, where `per: set` is declared, one for the whole set. Classes are given to it as the labels of the table, probabilities as a matrix with a column for each
class in the order of `classes`.
"""

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import HeldoutError
from heldout.measures.jackknife import alone_in_class, deleted_one_by_one, jackknife_influence
from heldout.measures.loss import Loss
from heldout.measures.registry import CARRIERS
from heldout.measures.set_losses import labels_of
from heldout.predictions import Predictions

DECLARED = ("per", "needs", "bound", "greater_is_better", "optimum")
"""What the config, or an attribute of the function, says about it."""
PER = ("example", "set")
NEEDS = {True: ("label", "proba"), False: ("value",)}
"""What it may need, for classes and for numbers; the first is the default."""


def bind(
    loss: Loss, settings: dict[str, Any], classes: Sequence[Any] | None, positive: int | None = None
) -> Loss:
    """Import the user's function, and take what is declared about it.

    Parameters
    ----------
    loss
        Its name is the import path.
    settings
        What the config declares. Otherwise the attributes of the function count.
    classes
        The labels; None if targets are numbers.
    positive
        The position of the positive class, which the function is not told.

    Returns
    -------
    Loss
        Calls the function.

    Raises
    ------
    HeldoutError
        If there is no such function, or it needs what there is not.

    Examples
    --------
    >>> from heldout.measures.registry import USERS
    >>> bind(replace(USERS, name="numpy.subtract"), {}, None).needs
    'value'
    """
    function = _imported(loss.name)
    given = {name: settings.get(name, getattr(function, name, None)) for name in DECLARED}
    allowed = NEEDS[classes is not None]
    needs = given["needs"] or allowed[0]
    if needs not in allowed:
        kind = "numbers" if classes is None else "classes"
        raise HeldoutError(
            f"loss: {loss.name} needs '{needs}', and the target has {kind}: use {' or '.join(allowed)}"
        )
    per = given["per"] or PER[0]
    if per not in PER:
        raise HeldoutError(f"loss: {loss.name} says per: {per!r}; use {' or '.join(PER)}")
    about = {"function": function, "path": loss.name, "classes": classes, "bound": given["bound"]}
    greater = bool(given["greater_is_better"])
    bind_as = _bind_set if per == "set" else _bind_example
    return bind_as(replace(loss, needs=needs), about, greater, given["optimum"])


def _bind_example(loss: Loss, about: dict[str, Any], greater: bool, optimum: Any) -> Loss:
    bound = about["bound"]
    return replace(
        loss,
        bound=None if bound is None else float(bound),
        negative=bound is None,
        carriers=None if bound is None else CARRIERS,
        greater=greater,
        settings={**about, "greater": greater},
    )


def _bind_set(loss: Loss, about: dict[str, Any], greater: bool, optimum: Any) -> Loss:
    """Where no optimum is declared, the risk of what is better when greater is −score."""
    bound = about["bound"]
    best = float(optimum or 0.0)
    return replace(
        loss,
        function="",
        bound=None if bound is None else float(bound),
        negative=bound is None,
        optimum=best,
        greater=greater,
        family="unstudied",
        formula="what the function returns for a set",
        value="heldout.measures.users:set_risk",
        influence="heldout.measures.users:set_influence",
        settings={**about, "needs": loss.needs, "greater": greater, "optimum": best},
    )


def _imported(path: str) -> Any:
    module, _, name = path.replace(":", ".").rpartition(".")
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as error:
        raise HeldoutError(
            f"loss: {path} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not callable(function):
        raise HeldoutError(f"loss: {path} is no function")
    return function


def losses(
    target: np.ndarray,
    predicted: np.ndarray,
    function: Any,
    path: str,
    classes: Sequence[Any] | None,
    bound: float | None,
    greater: bool,
) -> np.ndarray:
    """Call the user's function, and check what it returns.

    Parameters
    ----------
    target, predicted
        Of a held-out set; classes as positions in `classes`.
    function, path
        The function and its import path.
    classes
        The labels; None if targets are numbers.
    bound
        Losses must lie in [0, bound], if it is given.
    greater
        Whether greater values are better; then the loss is the negative of the value.

    Returns
    -------
    numpy.ndarray
        A loss for each example.

    Raises
    ------
    HeldoutError
        If the function raises, or returns something else than a finite number for each example.

    Examples
    --------
    >>> def miss(target, label):
    ...     return [float(one != other) for one, other in zip(target, label)]
    >>> labels = np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> losses(*labels, miss, "mine.miss", ["no", "yes"], None, greater=False).tolist()
    [0.0, 1.0, 0.0]
    """
    try:
        given = function(_labels(target, classes), _labels(predicted, classes))
        found = np.asarray(given, dtype=np.float64)
    except Exception as error:
        raise HeldoutError(f"{path} gives {type(error).__name__}: {error}") from error
    if found.shape != (len(target),):
        raise HeldoutError(
            f"{path} should return a number for each of {len(target)} examples, and returns "
            f"{'one number (declare per: set)' if found.ndim == 0 else f'an array of shape {found.shape}'}"
        )
    if not np.isfinite(found).all():
        place = int(np.flatnonzero(~np.isfinite(found))[0])
        raise HeldoutError(f"{path} returns {found[place]} for an example")
    if bound is not None and not 0 <= found.min() <= found.max() <= bound:
        worst = found.min() if found.min() < 0 else found.max()
        raise HeldoutError(f"{path} returns {worst:g}, and its bound says 0 to {bound:g}")
    return -found if greater else found


def _labels(values: np.ndarray, classes: Sequence[Any] | None) -> np.ndarray:
    """Positions of classes as labels; an unknown class of a sealed row as None. Others as they are."""
    if classes is None or np.ndim(values) != 1:
        return np.asarray(values)
    known = np.array([*classes, None], dtype=object)
    return known[np.minimum(values, len(classes))]


# --- functions of sets -----------------------------------------------------------------------------


def set_risk(
    target: np.ndarray,
    said: Predictions,
    weights: np.ndarray | None,
    function: Any,
    path: str,
    classes: Sequence[Any] | None,
    bound: float | None,
    needs: str,
    greater: bool,
    optimum: float,
) -> float:
    """Call the user's function of sets, and check what it returns.

    Parameters
    ----------
    target, said
        Of a held-out set.
    weights
        Must be None: the function takes none.
    function, path, classes
        As for `losses`.
    bound
        The risk must lie in [0, bound], if it is given.
    needs
        What of the predictions it is given.
    greater, optimum
        Where greater is better, the risk is optimum − value.

    Returns
    -------
    float
        The risk of the set.

    Raises
    ------
    HeldoutError
        If the function raises, or returns something else than a finite number.

    Examples
    --------
    >>> about = dict(path="mine.worst", classes=None, bound=None, needs="value")
    >>> worst = lambda target, value: np.abs(target - value).max()
    >>> said = Predictions(value=np.array([1.0, 4.0]))
    >>> set_risk(np.array([1.0, 2.0]), said, None, worst, greater=False, optimum=0.0, **about)
    2.0
    """
    if weights is not None:
        raise HeldoutError(f"{path} is a function of sets, which takes no weights")
    try:
        given = function(_labels(target, classes), _labels(getattr(said, needs), classes))
        found = np.asarray(given, dtype=np.float64)
    except Exception as error:
        raise HeldoutError(f"{path} gives {type(error).__name__}: {error}") from error
    if found.ndim != 0:
        raise HeldoutError(
            f"{path} should return one number for a set (per: set), and returns an array of shape "
            f"{found.shape}"
        )
    if not np.isfinite(found):
        raise HeldoutError(f"{path} returns {found} for a set of {len(target)} examples")
    risk = optimum - float(found) if greater else float(found)
    if bound is not None and not 0 <= risk <= bound:
        raise HeldoutError(f"{path} gives a risk of {risk:g}, and its bound says 0 to {bound:g}")
    return risk


def set_influence(
    target: np.ndarray, said: Predictions, weights: np.ndarray | None, **settings: Any
) -> np.ndarray:
    """The delete-one jackknife."""
    kinds = np.arange(len(target))
    if settings["needs"] == "label":
        label = labels_of(said)
        kinds = np.asarray(target) * (int(label.max()) + 1) + label

    def risk(rows: np.ndarray) -> float:
        return set_risk(target[rows], said.take(rows), weights, **settings)

    alone = alone_in_class(np.asarray(target), settings["classes"])
    return jackknife_influence(deleted_one_by_one(risk, kinds, alone))
