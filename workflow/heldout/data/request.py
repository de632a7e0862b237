"""What the config says about a task's table.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Request:
    """Which table is read, how, and what of it is sealed."""

    task: str
    seed: int
    data: str
    target: str
    drop: Sequence[str] = ()
    groups: str | None = None
    fold_column: str | None = None
    missing: Sequence[str] = ()
    categories: Sequence[str] = ()
    classification: bool | None = None
    test: float | str = 0.2
    stratify: bool = True
    oracle: dict[str, Any] | None = None
    """Parameters of the oracle that the rows are drawn from, and how many."""
