"""What must be installed where a stored model is loaded."""

import json
import sys
from importlib.metadata import version
from typing import Any

from heldout import __version__
from heldout.user_code.distributions import holders

OURS = {"heldout", "sklearn", "numpy", "scipy"}
"""Packages that every model needs."""


def requirements(pipeline: Any, libraries: str) -> list[str]:
    """List them as pip takes them, with the versions of the training.

    Parameters
    ----------
    pipeline
        A fitted Pipeline.
    libraries
        The versions of the numeric libraries, as JSON.

    Returns
    -------
    list of str
        heldout itself, joblib, which reads the file, the numeric libraries, and those of learners and steps
        that are installed. Modules of the user's own are not installed: they are not listed.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> requirements(LinearRegression(), '{"numpy": "2.4.6"}')[2:]
    ['numpy==2.4.6']
    """
    versions = {"heldout": __version__, "joblib": version("joblib"), **json.loads(libraries)}
    return [f"{name}=={found}" for name, found in (versions | _others(pipeline)).items()]


def _others(pipeline: Any) -> dict[str, str]:
    """The versions of the libraries of estimators inside a Pipeline."""
    parts = [pipeline, *pipeline.get_params(deep=True).values()]
    packages = {type(part).__module__.partition(".")[0] for part in parts}
    packages -= OURS | {*sys.stdlib_module_names}
    names = sorted({name for package in packages for name in holders(package)})
    return {name: version(name) for name in names}
