"""What estimates depend on besides the cells.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass, field

from heldout.learners.learner import Learner
from heldout.measures.spec import LossSpec


@dataclass(frozen=True)
class LossTableSpec:
    """Which cells are read, and the loss that is computed from them."""

    seed: int
    loss: LossSpec | None
    """None: zero-one for classes, squared for numbers."""
    kinds: list[str]
    learners: list[Learner]
    thresholds: list[float] = field(default_factory=list)
    """The decision thresholds that are tried with each θ; none where labels are the learners' own."""


@dataclass(frozen=True)
class RuleSpec:
    """How θ is chosen; `simpler` says for each learner which direction is the simpler one."""

    name: str
    patience: int
    simpler: dict[str, dict[str, str]]
    level: float
    """The level of the confidence set."""
    seed: int
