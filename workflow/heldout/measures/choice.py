"""From the key `loss` of a config to the spec of a loss.

Standard library only: the workflow imports this while it is parsed.
"""

from typing import Any

from heldout.errors import HeldoutError, did_you_mean
from heldout.measures.registry import LOSSES, plain_names
from heldout.measures.scorer_names import SCORERS
from heldout.measures.spec import LossSpec
from heldout.user_code.source import estimator_source

SAME = {
    "accuracy": "zero_one",
    "neg_log_loss": "cross_entropy",
    "neg_brier_score": "brier",
    "neg_mean_squared_error": "squared",
    "neg_root_mean_squared_error": "squared",
    "neg_mean_absolute_error": "absolute",
}
"""Scorers of scikit-learn that rank models as a loss does."""
FUNCTION = ["function", "needs", "bound", "greater_is_better"]
"""The keys that a function of the user's own may have."""


def loss_spec(given: Any, where: str) -> LossSpec | None:
    """Read the key `loss`.

    Parameters
    ----------
    given
        The name of a loss, the import path of a function, or a mapping: `costs`, `quantile`, or
        `function` with what it needs.
    where
        The key of the config that an error message names.

    Returns
    -------
    LossSpec or None
        None where the config names no loss.

    Raises
    ------
    HeldoutError
        If there is no such loss, or its settings are not right.

    Examples
    --------
    >>> loss_spec("squared", "tasks.t.loss")
    LossSpec(name='squared', settings={}, source='')
    >>> loss_spec({"quantile": 0.9}, "tasks.t.loss").settings
    {'quantile': 0.9}
    >>> loss_spec("sqared", "tasks.t.loss")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: tasks.t.loss: unknown loss 'sqared'; did you mean 'squared'?
    """
    if given is None:
        return None
    if isinstance(given, str):
        return _named(given, where)
    if not isinstance(given, dict) or not given:
        raise HeldoutError(f"{where}: should be a name or a mapping, found {given!r}")
    if "function" in given:
        return _function(given, where)
    [(kind, value), *more] = given.items()
    if more or kind not in _readers():
        known = [*_readers(), "function"]
        wrong = next((key for key in given if key not in _readers()), more[0][0] if more else kind)
        raise HeldoutError(f"{where}: unknown key '{wrong}'{did_you_mean(str(wrong), known)}")
    return LossSpec(kind, {kind: _readers()[kind](value, f"{where}.{kind}")})


def classification_of(given: Any) -> bool | None:
    """Say what kind of target the key `loss` asks for.

    Parameters
    ----------
    given
        The key `loss` of a task, which was read without an error before.

    Returns
    -------
    bool or None
        True for classes, False for numbers, None if the target decides.

    Examples
    --------
    >>> classification_of("brier"), classification_of({"quantile": 0.5}), classification_of(None)
    (True, False, None)
    """
    name = next(iter(given)) if isinstance(given, dict) else given
    if name in LOSSES:
        return LOSSES[name].classification
    needs = given.get("needs") if isinstance(given, dict) else None
    return {"label": True, "proba": True, "value": False}.get(needs or "")


def _readers() -> dict[str, Any]:
    return {"costs": _costs, "quantile": _quantile}


def _named(name: str, where: str) -> LossSpec:
    if name in plain_names():
        return LossSpec(name)
    if name in LOSSES:
        raise HeldoutError(f"{where}: '{name}' needs its numbers: {LOSSES[name].formula}")
    if name in SAME:
        raise HeldoutError(f"{where}: '{name}' is a scorer; the loss of this kind is {SAME[name]}")
    if name in SCORERS:
        raise HeldoutError(
            f"{where}: '{name}' is no mean over examples, and nothing can be selected by it; "
            f"list it under metrics, and choose one of {', '.join(plain_names())}"
        )
    if "." in name:
        return LossSpec(name, {}, estimator_source(name, where))
    raise HeldoutError(f"{where}: unknown loss '{name}'{did_you_mean(name, plain_names())}")


def _function(given: dict[str, Any], where: str) -> LossSpec:
    for key in given:
        if key not in FUNCTION:
            raise HeldoutError(f"{where}: unknown key '{key}'{did_you_mean(key, FUNCTION)}")
    path = given["function"]
    if not isinstance(path, str) or "." not in path:
        raise HeldoutError(f"{where}.function: should be an import path, found {path!r}")
    if given.get("needs") not in (None, "label", "proba", "value"):
        raise HeldoutError(
            f"{where}.needs: should be label, proba or value, found {given['needs']!r}"
        )
    if given.get("bound") is not None:
        _number(given["bound"], f"{where}.bound", positive=True)
    if not isinstance(given.get("greater_is_better", False), bool):
        raise HeldoutError(f"{where}.greater_is_better: should be true or false")
    settings = {key: value for key, value in given.items() if key != "function"}
    return LossSpec(path, settings, estimator_source(path, f"{where}.function"))


def _costs(given: Any, where: str) -> dict[str, dict[str, float]]:
    if not isinstance(given, dict) or not all(isinstance(row, dict) for row in given.values()):
        raise HeldoutError(
            f"{where}: should be true class: {{predicted class: cost}}, found {given!r}"
        )
    found = {
        true: {label: _number(cost, f"{where}.{true}.{label}") for label, cost in row.items()}
        for true, row in given.items()
    }
    if not any(cost for row in found.values() for cost in row.values()):
        raise HeldoutError(f"{where}: no error costs anything")
    return found


def _quantile(given: Any, where: str) -> float:
    found = _number(given, where)
    if not 0 < found < 1:
        raise HeldoutError(f"{where}: should be between 0 and 1, found {given!r}")
    return found


def _number(given: Any, where: str, positive: bool = False) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise HeldoutError(f"{where}: should be a number, found {given!r}")
    if not 0 <= given < float("inf") or (positive and given == 0):
        raise HeldoutError(
            f"{where}: should be {'above' if positive else 'at least'} 0, found {given!r}"
        )
    return float(given)
