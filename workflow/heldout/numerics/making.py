"""Making an estimator from its import path and parameters, also where it follows conventions loosely."""

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, StratifiedKFold

from heldout.learners.definition import MAKE, TAKE
from heldout.numerics import errors
from heldout.numerics.errors import LearnerError

SEEDS = ("random_state", "random_seed", "seed")
"""What libraries call the parameter that takes a seed."""


def import_estimator(path: str) -> Any:
    """The class or factory behind an import path.

    Parameters
    ----------
    path
        `package.module.Name` or `package.module:Name`.

    Returns
    -------
    Any
        What has this name in the module, which is imported.

    Raises
    ------
    LearnerError
        If there is no such module, or no such name in it.

    Examples
    --------
    >>> import_estimator("sklearn.svm:SVC")()
    SVC()
    """
    module_name, _, name = path.replace(":", ".").rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise LearnerError(errors.CANNOT_IMPORT, module=module_name, error=error) from None
    if not hasattr(module, name):
        public = [n for n in dir(module) if not n.startswith("_")]
        raise LearnerError(errors.NO_SUCH_NAME, module=module_name, name=name, known=public)
    return getattr(module, name)


def new_estimator(factory: Callable[..., Any], params: Mapping[str, Any]) -> BaseEstimator:
    """An estimator with these parameters.

    It is made without arguments and gets its parameters afterwards, as `set_params` words errors
    well; one that needs some arguments gets them all at once.

    Parameters
    ----------
    factory
        A class, or a function that makes an estimator.
    params
        Its parameters.

    Returns
    -------
    BaseEstimator
        Unfitted.

    Raises
    ------
    LearnerError
        If it cannot be made, or has no such parameter.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> new_estimator(SVC, {"C": 2})
    SVC(C=2)
    """
    try:
        return set_params(factory(), params, "params")
    except TypeError as error:
        required = required_arguments(factory)
        if not required or not required <= set(params):
            raise LearnerError(errors.CANNOT_BE_MADE, error=error) from None
    first = {name: params[name] for name in required}
    rest = {name: value for name, value in params.items() if name not in required}
    return set_params(factory(**first), rest, "params")


def required_arguments(factory: Callable[..., Any]) -> set[str]:
    """The arguments without which it cannot be made.

    Parameters
    ----------
    factory
        A class or function.

    Returns
    -------
    set of str
        Their names.

    Examples
    --------
    >>> from sklearn.ensemble import VotingClassifier
    >>> required_arguments(VotingClassifier)
    {'estimators'}
    """
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        name
        for name, one in _signature(factory).items()
        if one.default is inspect.Parameter.empty and one.kind in kinds
    }


def _signature(factory: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return {}


def set_params(estimator: BaseEstimator, params: Mapping[str, Any], key: str) -> BaseEstimator:
    """`set_params`; the error has the wrong name and the key of the config that contains it."""
    if not params:
        return estimator
    known, open_ended = known_params(estimator)
    for name in params:
        owner, _, rest = name.partition("__")
        if name in known or (owner in known and rest) or (open_ended and not rest):
            continue
        raise LearnerError(
            errors.UNKNOWN_PARAMETER,
            key=key,
            owner=type(estimator).__name__,
            name=name,
            known=sorted(known),
        )
    try:
        return estimator.set_params(**with_tuples(params, estimator.get_params()))
    except (ValueError, AttributeError, TypeError) as error:
        raise LearnerError(errors.REFUSED_PARAMETER, key=key, error=error) from None


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
    signature = _signature(type(estimator))
    named = {name for name, one in signature.items() if one.kind is not one.VAR_KEYWORD}
    known = set(estimator.get_params()) | named
    open_ended = any(one.kind is one.VAR_KEYWORD for one in signature.values())
    if open_ended and type(estimator).__module__.startswith("lightgbm."):
        aliases = _lightgbm_names()
        return known | aliases, not aliases
    return known, open_ended


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
        named = _signature(type(estimator))
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


def with_made(value: Any, classification: bool) -> Any:
    """A parameter with the objects that its canonical form describes (`learners.nested`).

    Parameters
    ----------
    value
        A parameter, or a mapping of several.
    classification
        Whether the target is one of several classes.

    Returns
    -------
    Any
        The same, with an estimator or a function in place of each description.

    Examples
    --------
    >>> tree = "sklearn.tree.DecisionTreeClassifier", "sklearn.tree.DecisionTreeRegressor"
    >>> with_made({"estimator": {MAKE: [*tree], "params": {"max_depth": 2}}}, classification=False)
    {'estimator': DecisionTreeRegressor(max_depth=2)}
    """
    if isinstance(value, list):
        return [with_made(inner, classification) for inner in value]
    if not isinstance(value, dict):
        return value
    if TAKE in value:
        taken = value[TAKE]
        return import_estimator(
            taken if isinstance(taken, str) else taken[0 if classification else 1]
        )
    if MAKE in value:
        path = value[MAKE][0 if classification else 1]
        if path is None:
            raise LearnerError(errors.NOT_FOR_TARGET, classification=classification)
        return new_estimator(import_estimator(path), with_made(value["params"], classification))
    return {key: with_made(inner, classification) for key, inner in value.items()}
