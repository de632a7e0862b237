"""Making an estimator from its import path and parameters, also where it follows conventions loosely."""

import copy
import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator, clone

from heldout.learners.definition import MAKE, TAKE
from heldout.numerics import errors
from heldout.numerics.errors import LearnerError
from heldout.numerics.parameters import known_params, signature_of, with_tuples

EXPERIMENTAL = {
    "IterativeImputer": "sklearn.experimental.enable_iterative_imputer",
    "HalvingGridSearchCV": "sklearn.experimental.enable_halving_search_cv",
    "HalvingRandomSearchCV": "sklearn.experimental.enable_halving_search_cv",
}
"""Classes of scikit-learn that can be imported after another import only."""


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
        if name in EXPERIMENTAL and module_name.startswith("sklearn."):
            importlib.import_module(EXPERIMENTAL[name])
        module = importlib.import_module(module_name)
        found = hasattr(
            module, name
        )  # scikit-learn's modules import some names when they are asked
    except ImportError as error:
        raise LearnerError(errors.CANNOT_IMPORT, module=module_name, error=error) from None
    if not found:
        public = [n for n in dir(module) if not n.startswith("_")]
        raise LearnerError(errors.NO_SUCH_NAME, module=module_name, name=name, known=public)
    return getattr(module, name)


def factory_of(made: Any, path: str) -> Callable[..., Any]:
    """What makes the estimator of a learner: the class behind its import path, or clones of the user's own.

    Parameters
    ----------
    made
        The user's estimator; None if there is only an import path.
    path
        The import path.

    Returns
    -------
    callable
        Takes no arguments, or the parameters of a class that needs some.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> factory_of(SVC(C=2), "sklearn.svm.SVC")(), factory_of(None, "sklearn.svm.SVC")()
    (SVC(C=2), SVC())
    """
    return import_estimator(path) if made is None else partial(copied, made)


def copied(estimator: BaseEstimator) -> BaseEstimator:
    """A clone; a deep copy of an estimator whose constructor changes what it is given.

    Parameters
    ----------
    estimator
        Any estimator.

    Returns
    -------
    BaseEstimator
        Unfitted, if it could be cloned.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> copied(SVC(C=2))
    SVC(C=2)
    """
    try:
        return clone(estimator)
    except (RuntimeError, TypeError):
        return copy.deepcopy(estimator)


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
        for name, one in signature_of(factory).items()
        if one.default is inspect.Parameter.empty and one.kind in kinds
    }


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
