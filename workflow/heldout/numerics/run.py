"""Hands each θ to its engine."""

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from sklearn import config_context

from heldout.names import Theta
from heldout.numerics.engines.registry import engine_of
from heldout.numerics.problem import Outcome, Problem


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit and predict each θ, engine by engine."""
    builder = problem.builder
    groups: dict[str, list[Theta]] = {}
    for theta in thetas:
        engine = engine_of(builder.definition, builder.classification, theta)
        groups.setdefault(engine, []).append(theta)
    for engine, group in groups.items():
        module = importlib.import_module(f"heldout.numerics.engines.{engine}")
        with trusted():
            for outcome in module.run(problem, group):
                yield replace(outcome, engine=engine)


@contextmanager
def trusted() -> Iterator[None]:
    """scikit-learn without its checks of parameters and of finite values, and without warnings.

    Parameters were checked before the first fit, and prepared features are finite; predictions are
    checked before they are stored.
    """
    quiet = warnings.catch_warnings(action="ignore")
    with quiet, config_context(assume_finite=True, skip_parameter_validation=True):
        yield
