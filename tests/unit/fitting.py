"""Short ways to builders and fits, for tests of the numeric code."""

from collections.abc import Sequence
from typing import Any

from heldout.cells.plan import columns_of
from heldout.data.prepared import Prepared
from heldout.names import Theta
from heldout.numerics import run
from heldout.numerics.engines.registry import by_engine
from heldout.numerics.pipeline import Builder, Columns
from heldout.numerics.problem import Outcome, Problem


def numbers(count: int, classes: list[Any] | None) -> Columns:
    """So many columns of numbers."""
    return Columns([f"x{i}" for i in range(count)], frozenset(range(count)), classes)


def builder_for(learner: Any, table: Prepared) -> Builder:
    """The builder of a learner for a prepared table."""
    return Builder(learner, columns_of(table))


def fit(problem: Problem, thetas: Sequence[Theta]) -> list[Outcome]:
    """Fit each θ with its own engine."""
    builder = problem.builder
    return list(run.fit(problem, by_engine(builder.definition, builder.classification, thetas)))
