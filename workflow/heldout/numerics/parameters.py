"""What parameters an estimator has, also one that does not say so by `get_params`; and its seeds."""

import functools
import importlib
import inspect
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, StratifiedKFold

SEEDS = ("random_state", "random_seed", "seed")
"""What libraries call the parameter that takes a seed."""


def with_tuples(params: Mapping[str, Any], present: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as tuples, which YAML does not have, where a parameter is a tuple now.

    Parameters
    ----------
    params
        New values by name.
    present
        The present values.

    Returns
    -------
    dict
        The new values.

    Examples
    --------
    >>> with_tuples({"feature_range": [0, 2], "labels": [1]}, {"feature_range": (0, 1)})
    {'feature_range': (0, 2), 'labels': [1]}
    """
    return {
        name: tuple(value)
        if isinstance(value, list) and isinstance(present.get(name), tuple)
        else value
        for name, value in params.items()
    }


def known_params(estimator: Any) -> tuple[set[str], bool]:
    """The names of an estimator's parameters, and whether it takes others too.

    CatBoost's `get_params` gives those that are set only; LightGBM and XGBoost take any name. The
    names that LightGBM knows can be asked for.

    Parameters
    ----------
    estimator
        Any estimator.

    Returns
    -------
    tuple
        The names, and whether there may be others.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> names, open_ended = known_params(DummyRegressor())
    >>> sorted(names), open_ended
    (['constant', 'quantile', 'strategy'], False)
    """
    signature = _signature_of(estimator)
    named = {name for name, one in signature.items() if one.kind is not one.VAR_KEYWORD}
    known = set(estimator.get_params()) | named
    open_ended = any(one.kind is one.VAR_KEYWORD for one in signature.values())
    if open_ended and type(estimator).__module__.startswith("lightgbm."):
        aliases = _lightgbm_names()
        return known | aliases, not aliases
    return known, open_ended


@functools.cache
def _lightgbm_names() -> set[str]:
    """All parameters that LightGBM knows, with their aliases; none if it does not say."""
    try:
        basic = importlib.import_module("lightgbm.basic")
        basic._ConfigAliases.get("num_threads")
        found = basic._ConfigAliases.aliases
        return {alias for name, aliases in found.items() for alias in (name, *aliases)}
    except (ImportError, AttributeError, TypeError):
        return set()


def unset_seeds(estimator: BaseEstimator) -> list[str]:
    """The names of the parameters that take a seed and have none yet.

    Parameters
    ----------
    estimator
        Any estimator.

    Returns
    -------
    list of str
        Also of estimators inside it.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> sorted(unset_seeds(BaggingClassifier(DecisionTreeClassifier())))
    ['estimator__random_state', 'random_state']
    """
    given = estimator.get_params()
    own = [name for name in SEEDS if given.get(name) is not None]
    nested = [
        name
        for name, value in given.items()
        if name.split("__")[-1] == "random_state" and value is None
    ]
    if own:
        return [name for name in nested if "__" in name]
    if not nested and not hasattr(type(estimator), "_get_param_names"):
        named = _signature_of(estimator)
        return [name for name in SEEDS if name in named][-1:]
    return nested


def seeded_folds(pipeline: BaseEstimator, seed: int, classification: bool) -> dict[str, Any]:
    """The folds of steps that shuffle rows without a parameter for the seed: TargetEncoder, since 1.9.

    Parameters
    ----------
    pipeline
        A Pipeline.
    seed
        The seed of the folds.
    classification
        Whether they are stratified.

    Returns
    -------
    dict
        Parameters by name.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> seeded_folds(Ridge(), 7, classification=False)
    {}
    """
    given, splitter = pipeline.get_params(), StratifiedKFold if classification else KFold
    found = [
        name.removesuffix("random_state")
        for name, value in given.items()
        if name.endswith("random_state") and isinstance(value, str) and value == "deprecated"
    ]
    return {
        f"{owner}cv": splitter(given[f"{owner}cv"], shuffle=True, random_state=seed)
        for owner in found
        if isinstance(given.get(f"{owner}cv"), int)
    }


def signature_of(factory: Any) -> Mapping[str, inspect.Parameter]:
    """The arguments of a class or function; none if it does not tell.

    Parameters
    ----------
    factory
        Anything that can be called.

    Returns
    -------
    mapping
        The arguments by name.

    Examples
    --------
    >>> list(signature_of(with_tuples))
    ['params', 'present']
    """
    try:
        return inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return {}


def _signature_of(estimator: Any) -> Mapping[str, inspect.Parameter]:
    kind: Any = type(estimator)
    found: Mapping[str, inspect.Parameter] = _signature_of_class(kind)
    return found


@functools.cache
def _signature_of_class(kind: Any) -> Mapping[str, inspect.Parameter]:
    """Finding it out takes half a millisecond for the estimators of boosting libraries."""
    return signature_of(kind)
