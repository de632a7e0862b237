"""What the cells of a task depend on besides its table and its splits.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass

from heldout.learners.learner import Learner


@dataclass(frozen=True)
class CellsSpec:
    """Which cells there are, and what their keys are made of."""

    task: str
    seed: int
    kinds: list[str]
    learners: list[Learner]
    numeric_code: dict[str, str]
    """The digest of the code of each engine."""
    versions: str
    """The versions of the libraries that change numbers, as JSON."""
