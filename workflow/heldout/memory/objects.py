"""The user's own estimators as learners: scikit-learn objects, Pipelines among them, fitted as they are."""

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sklearn.utils import get_tags

from heldout.learners.learner import Learner, define
from heldout.learners.libraries import LIBRARIES
from heldout.numerics.parameters import signature_of

PLAIN = "sklearn.pipeline.Pipeline"
"""An import path with no defaults of its own."""
MODEL_NAME = "pipeline"
"""What the user's Pipeline is called inside the Pipeline that holds it."""
BY_PATH = ("lightgbm", "xgboost", "catboost")
"""Libraries whose estimators are made anew from their parameters, so that they get columns as they take them."""


def is_estimator(value: Any) -> bool:
    """Whether a value is an estimator, and not its class.

    Parameters
    ----------
    value
        Anything.

    Returns
    -------
    bool
        Whether it can be fitted, can predict and tells its parameters.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> is_estimator(SVC()), is_estimator(SVC), is_estimator("svm")
    (True, False, False)
    """
    methods = ("fit", "get_params", "set_params")
    return not isinstance(value, type) and all(hasattr(value, one) for one in methods)


def import_path_of(made: Any) -> str:
    """The import path of an estimator's class; of scikit-learn's own, the public one.

    Parameters
    ----------
    made
        An estimator.

    Returns
    -------
    str
        `package.module.Name`.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> import_path_of(SVC())
    'sklearn.svm.SVC'
    """
    kind = type(made)
    module = kind.__module__.partition("._")[0]
    if module != kind.__module__ or module.partition(".")[0] in LIBRARIES:
        for shorter in (module.partition(".")[0], module):
            if getattr(importlib.import_module(shorter), kind.__name__, None) is kind:
                return f"{shorter}.{kind.__name__}"
    return f"{kind.__module__}.{kind.__qualname__}"


def learner_of(name: str, block: Mapping[str, Any], made: Any) -> Learner:
    """The learner of a user's own estimator.

    Parameters
    ----------
    name
        The learner's name.
    block
        The other keys of its block, such as `grid`.
    made
        The estimator.

    Returns
    -------
    Learner
        Every fit gets a clone. A Pipeline gets rows as a DataFrame with the columns of the table; another
        estimator gets what heldout makes of them, as learners with an import path do.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> learner = learner_of("mine", {"grid": {"C": [1, 10]}}, SVC(kernel="linear"))
    >>> learner.thetas(seed=1), learner.scale
    ([{'C': 1}, {'C': 10}], True)
    """
    path = import_path_of(made)
    if path.partition(".")[0] in BY_PATH:
        params = {**_changed(made), **block.get("params", {})}
        return define(name, {**block, "estimator": path, "params": params})
    known = path if path.startswith("sklearn.") else PLAIN
    found = define(name, {**block, "estimator": known})
    kind, text = (
        _kind(made),
        f"{path} object",
    )  # the text is no path, so that no other engine takes it
    return replace(
        found,
        classifier=None if kind == "regressor" else text,
        regressor=None if kind == "classifier" else text,
        made=made,
        steps=[{"name": _free_name(made)}] if hasattr(made, "steps") else [],
        instead=f"{type(made).__name__} is a {kind}",
    )


def _kind(made: Any) -> str | None:
    """`classifier` or `regressor`; None where the estimator does not say."""
    if not hasattr(made, "__sklearn_tags__"):
        return getattr(made, "_estimator_type", None)
    found = get_tags(made).estimator_type
    return found if found in ("classifier", "regressor") else None


def _free_name(made: Any) -> str:
    """A name that no step of the user's Pipeline has: a grid reaches into these by theirs."""
    name = MODEL_NAME
    while name in made.named_steps:
        name += "_"
    return name


def _changed(made: Any) -> dict[str, Any]:
    """The parameters that are not as they are by default."""
    defaults = {name: one.default for name, one in signature_of(type(made)).items()}
    return {
        name: value
        for name, value in made.get_params(deep=False).items()
        if value is not None and (name not in defaults or value != defaults[name])
    }
