"""How many threads a fit uses: a matter of time, not of numbers, so only where the numbers stay the same.

Standard library only: the workflow imports this while it is parsed.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from heldout.errors import HeldoutError
from heldout.learners.definition import FORESTS, Definition

PARAMETERS = {"lightgbm": "n_jobs", "catboost": "thread_count"}
"""By package: the parameter of the libraries that give the same bits with any number of threads."""
ALIASES = ("n_jobs", "num_threads", "num_thread", "nthread", "nthreads", "thread_count")
GRANTED = "HELDOUT_THREADS"
"""The environment variable that says how many cores a job may use."""
AnyDefinition = TypeVar("AnyDefinition", bound=Definition)


def checked_threads(
    block: Mapping[str, Any], path: str, user: Mapping[str, Any], where: str
) -> int:
    """The key `threads` of a learner.

    Parameters
    ----------
    block
        The learner's block of the config.
    path
        The import path of the estimator.
    user
        The parameters that the user sets, by params or grid.
    where
        The learner's key in the config.

    Returns
    -------
    int
        The number of threads.

    Raises
    ------
    HeldoutError
        If the learner's numbers could depend on it, or it is given a second time.

    Examples
    --------
    >>> checked_threads({"threads": 4}, "lightgbm.LGBMClassifier", {}, "learners.lightgbm")
    4
    """
    threads = block.get("threads") or 1
    if threads == 1:
        return 1
    if package_of(path) not in PARAMETERS and path not in FORESTS:
        raise HeldoutError(
            f"{where}.threads: only fits of {', '.join(sorted(PARAMETERS))} and scikit-learn's forests are known to "
            f"give the same numbers with any number of threads; leave it out, and fits run side by side, one on each core"
        )
    if path in FORESTS and block.get("calibrate"):
        raise HeldoutError(
            f"{where}.threads: not with calibrate: inside a fit the forest predicts too, and threads add up its trees "
            f"in any order; leave it out, and fits run side by side, one on each core"
        )
    twice = [name for name in user if name.removeprefix("model__") in ALIASES]
    if twice:
        raise HeldoutError(f"{where}: '{twice[0]}' says the number of threads, too; leave it out")
    if package_of(path) == "lightgbm" and user.get("deterministic", True) is not True:
        raise HeldoutError(f"{where}.threads: goes with 'deterministic: true' only")
    return threads


def package_of(path: str | None) -> str:
    """The package of an import path.

    Parameters
    ----------
    path
        `package.module.Name` or `package.module:Name`; None or empty if there is none.

    Returns
    -------
    str
        Its first name.

    Examples
    --------
    >>> package_of("lightgbm.LGBMClassifier"), package_of(None)
    ('lightgbm', '')
    """
    return (path or "").replace(":", ".").partition(".")[0]


def threaded(learner: AnyDefinition) -> AnyDefinition:
    """The same learner, fitted by as many threads as it may use, but no more than the job was granted.

    Parameters
    ----------
    learner
        A learner. No key of a cell may be made from what is returned.

    Returns
    -------
    Definition
        With the parameter of its library, if it has one.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> threaded(define("mine", {"estimator": "lightgbm", "threads": 2})).params["n_jobs"]
    2
    """
    number = min(learner.threads, int(os.environ.get(GRANTED, learner.threads)))
    name = PARAMETERS.get(package_of(learner.classifier or learner.regressor))
    more = {name: number} if name and number > 1 else {}
    return replace(learner, threads=number, params={**learner.params, **more})
