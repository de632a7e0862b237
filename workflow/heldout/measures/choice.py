"""From the key `loss` of a config to the spec of a loss.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import replace
from typing import Any

from heldout.errors import HeldoutError, did_you_mean
from heldout.measures.registry import LOSSES, plain_names
from heldout.measures.score_registry import OTHERS, SAME, SCORES, WITH_NUMBERS
from heldout.measures.scorer_names import SCORERS
from heldout.measures.spec import LossSpec
from heldout.user_code.source import estimator_source

FUNCTION = ["function", "per", "needs", "bound", "greater_is_better", "optimum"]
"""The keys that a function of the user's own may have."""


def loss_spec(given: Any, where: str, positive: str | None = None) -> LossSpec | None:
    """Read the key `loss`, or an entry of `metrics`.

    Parameters
    ----------
    given
        The name of a loss or score, the import path of a function, or a mapping: `costs`, `quantile`,
        `fbeta`, `precision_at_recall`, or `function` with what it needs.
    where
        The key of the config that an error message names.
    positive
        The class that the config calls the positive one, if any.

    Returns
    -------
    LossSpec or None
        None where the config says nothing.

    Raises
    ------
    HeldoutError
        If there is no such loss, or its settings are not right.

    Examples
    --------
    >>> loss_spec("squared", "tasks.t.loss")
    LossSpec(name='squared', settings={}, source='', positive=None)
    >>> loss_spec({"quantile": 0.9}, "tasks.t.loss").settings
    {'quantile': 0.9}
    >>> loss_spec("sqared", "tasks.t.loss")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: tasks.t.loss: unknown loss 'sqared'; did you mean 'squared'?
    """
    if given is None:
        return None if positive is None else LossSpec("", positive=positive)
    return replace(_spec(given, where), positive=positive)


def _spec(given: Any, where: str) -> LossSpec:
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


def metric_specs(given: list[Any], where: str, positive: str | None) -> dict[str, LossSpec]:
    """Read the key `metrics`.

    Parameters
    ----------
    given
        Measures, each as `loss` takes it.
    where
        The key of the config that an error message names.
    positive
        The class that the config calls the positive one, if any.

    Returns
    -------
    dict
        Their specs by what they are called.

    Raises
    ------
    HeldoutError
        If one is unknown, or listed twice.

    Examples
    --------
    >>> list(metric_specs(["roc_auc", {"fbeta": 2}], "tasks.t.metrics", None))
    ['roc_auc', 'fbeta 2']
    """
    found: dict[str, LossSpec] = {}
    for one in given:
        spec = loss_spec(one, where, positive)
        assert spec is not None
        title = " ".join([spec.name, *(f"{n:g}" for n in spec.settings.values() if _plain(n))])
        if title in found:
            raise HeldoutError(f"{where}: '{title}' is listed twice")
        found[title] = spec
    return found


def _plain(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
    name = SAME.get(name, name)
    if name in OTHERS:
        return OTHERS[name][0]
    known = LOSSES.get(name) or SCORES.get(name)
    if known is not None:
        return known.classification
    needs = given.get("needs") if isinstance(given, dict) else None
    return {"label": True, "proba": True, "value": False}.get(needs or "")


def needs_of(given: Any) -> str | None:
    """Say what kind of prediction the key `loss` is computed from.

    Parameters
    ----------
    given
        The key `loss` of a task, which was read without an error before.

    Returns
    -------
    str or None
        label, proba, value or ranking; None if the target, or the user's function, decides.

    Examples
    --------
    >>> needs_of("f1"), needs_of("neg_log_loss"), needs_of({"quantile": 0.5}), needs_of(None)
    ('label', 'proba', 'value', None)
    """
    name = next(iter(given)) if isinstance(given, dict) else given
    name = SAME.get(name, name)
    if name in OTHERS:
        return OTHERS[name][1]
    known = LOSSES.get(name) or SCORES.get(name)
    if known is not None:
        return known.needs
    return given.get("needs") if isinstance(given, dict) else None


def is_score(given: Any) -> bool:
    """Say whether the key `loss` asks for a number of whole sets.

    Parameters
    ----------
    given
        As for `loss_spec`.

    Returns
    -------
    bool
        False also for a function of the user's own that only its attributes call one of sets.

    Examples
    --------
    >>> is_score("roc_auc"), is_score("accuracy"), is_score({"fbeta": 2})
    (True, False, True)
    """
    if isinstance(given, dict):
        return given.get("per") == "set" or next(iter(given)) in SCORES
    return given in SCORES or given in OTHERS


def _readers() -> dict[str, Any]:
    return {
        "costs": _costs,
        "quantile": _share,
        "fbeta": lambda given, where: _number(given, where, positive=True),
        "precision_at_recall": _share,
    }


def _named(name: str, where: str) -> LossSpec:
    if name in plain_names():
        return LossSpec(name)
    if name in _readers() and name in LOSSES:
        raise HeldoutError(f"{where}: '{name}' needs its numbers: {LOSSES[name].formula}")
    if name in WITH_NUMBERS:
        raise HeldoutError(f"{where}: '{name}' needs its number: {SCORES[name].formula}")
    if name in SAME or name in OTHERS or name in SCORES or name in LOSSES:
        return LossSpec(name)
    if name in SCORERS:
        raise HeldoutError(f"{where}: '{name}' is for targets with several labels at once")
    if "." in name:
        return LossSpec(name, {}, estimator_source(name, where))
    known = [*plain_names(), *SCORERS, *SCORES]
    raise HeldoutError(f"{where}: unknown loss '{name}'{did_you_mean(name, known)}")


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
    if given.get("per") not in (None, "example", "set"):
        raise HeldoutError(f"{where}.per: should be example or set, found {given['per']!r}")
    if given.get("optimum") is not None:
        _any_number(given["optimum"], f"{where}.optimum")
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


def _share(given: Any, where: str) -> float:
    found = _number(given, where)
    if not 0 < found < 1:
        raise HeldoutError(f"{where}: should be between 0 and 1, found {given!r}")
    return found


def _any_number(given: Any, where: str) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise HeldoutError(f"{where}: should be a number, found {given!r}")
    return float(given)


def _number(given: Any, where: str, positive: bool = False) -> float:
    given = _any_number(given, where)
    if not 0 <= given < float("inf") or (positive and given == 0):
        raise HeldoutError(
            f"{where}: should be {'above' if positive else 'at least'} 0, found {given!r}"
        )
    return float(given)
