"""What a split file depends on besides the rows.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Holdout:
    """One development set: a share of the rows or groups."""

    fraction: float


@dataclass(frozen=True)
class KFold:
    """Partitions into K folds; `column` names the user's own folds."""

    k: int
    repeats: int
    column: str | None


@dataclass(frozen=True)
class LeaveOneOut:
    """Every row or group by itself: nothing is drawn."""


@dataclass(frozen=True)
class MonteCarlo:
    """Random hold-outs."""

    rounds: int
    fraction: float


@dataclass(frozen=True)
class Halvings:
    """Random hold-outs inside disjoint halves."""

    rounds: int
    fraction: float
    halvings: int


@dataclass(frozen=True)
class Bootstrap:
    """Bags drawn with replacement."""

    bags: int


@dataclass(frozen=True)
class Rolling:
    """Blocks in time order; `window` and `gap` as the config spells them."""

    blocks: int = 10
    window: int | str | None = None
    gap: int | str = 0


@dataclass(frozen=True)
class Latest:
    """One development set: the latest share of the rows."""

    fraction: float
    rolling: Rolling


SplitSettings = Holdout | KFold | LeaveOneOut | MonteCarlo | Halvings | Bootstrap | Rolling | Latest


@dataclass(frozen=True)
class SplitSpec:
    """One split file. Its seeds derive from the root seed and the names of the task and the file."""

    task: str
    seed: int
    split: str
    settings: SplitSettings
    stratify: bool
