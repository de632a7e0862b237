"""Hands each θ to its engine."""

import importlib
from collections.abc import Iterator
from dataclasses import replace

from heldout.engines.choice import engine_of
from heldout.engines.problem import Outcome, Problem
from heldout.names import Theta


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit and predict each θ, engine by engine."""
    builder = problem.builder
    groups: dict[str, list[Theta]] = {}
    for theta in thetas:
        engine = engine_of(builder.definition, builder.classification, theta)
        groups.setdefault(engine, []).append(theta)
    for engine, group in groups.items():
        module = importlib.import_module(f"heldout.engines.{engine}")
        for outcome in module.run(problem, group):
            yield replace(outcome, engine=engine)
