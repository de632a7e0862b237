"""What the cells of a task depend on, besides its table and its splits.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass

from heldout.learners.learner import Learner


@dataclass(frozen=True)
class CellsSpec:
    """Which cells a task has, and what their keys depend on.

    Parameters
    ----------
    task
        The name of the task.
    seed
        The root seed.
    kinds
        The kinds of held-out sets.
    learners
        The learners of the task.
    numeric_code
        The digest of the code of each engine.
    versions
        The versions of the numeric libraries, as JSON.
    """

    task: str
    seed: int
    kinds: list[str]
    learners: list[Learner]
    numeric_code: dict[str, str]
    versions: str
