"""Whether what an import path names makes an estimator: asked before the first fit.

Here the user's code is imported and called for the first time; whatever it raises is worded.
"""

from collections.abc import Collection
from typing import Any

from heldout.errors import HeldoutError
from heldout.numerics.errors import LearnerError
from heldout.numerics.making import import_estimator, required_arguments

NEEDED = ("fit", "predict", "get_params", "set_params")
"""The methods of an estimator that heldout calls."""


def check_estimator(path: str, where: str, params: Collection[str] = ()) -> None:
    """Make an estimator from an import path, and see whether it has all methods.

    Parameters
    ----------
    path
        The import path of a class or factory.
    where
        The key of the config that an error message names.
    params
        The names of the parameters that the config gives, among them arguments that it cannot be made
        without.

    Raises
    ------
    HeldoutError
        If it is no estimator: one line that says what is missing.
    LearnerError
        If there is no such module, or no such name in it.

    Examples
    --------
    >>> check_estimator("sklearn.svm.SVC", "learners.svm.estimator")
    >>> check_estimator("builtins.dict", "learners.mine.estimator")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: learners.mine.estimator: builtins.dict is no estimator: it has no fit, predict, get_params, set_params
    """
    factory = _imported(path, where)
    if not callable(factory):
        kind = type(factory).__name__
        raise HeldoutError(
            f"{where}: {path} is an object of the class {kind}; name a class, or a function that "
            "makes an estimator"
        )
    needed = required_arguments(factory)
    made = factory if needed and needed <= set(params) else _made(factory, path, where)
    if made is None:
        raise HeldoutError(f"{where}: {path} returns None, not an estimator")
    missing = [name for name in NEEDED if not _has(made, name)]
    if missing:
        told = "" if "fit" in missing else "; sklearn.base.BaseEstimator gives the last two"
        names = ", ".join(missing)
        raise HeldoutError(f"{where}: {path} is no estimator: it has no {names}{told}")


def _has(made: Any, name: str) -> bool:
    """Whether there is such a method; that of a class may depend on parameters that are not set yet."""
    return hasattr(type(made), name) or hasattr(made, name)


def _imported(path: str, where: str) -> Any:
    try:
        return import_estimator(path)
    except LearnerError:
        raise
    except (Exception, SystemExit) as error:
        module = path.replace(":", ".").rpartition(".")[0]
        raise HeldoutError(f"{where}: cannot import '{module}': {in_one_line(error)}") from None


def _made(factory: Any, path: str, where: str) -> Any:
    try:
        return factory()
    except (Exception, SystemExit) as error:
        raise HeldoutError(
            f"{where}: cannot be made: {path}() gives {in_one_line(error)}; an estimator is made "
            "without arguments, and gets its parameters afterwards"
        ) from None


def in_one_line(error: BaseException) -> str:
    """The class of an exception and the first line of its text."""
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
