"""What the page of an audit shows besides its tables.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass
from typing import Any

from heldout.measures.spec import LossSpec


@dataclass(frozen=True)
class AuditPageSpec:
    """One audit's page."""

    task: str
    level: float
    loss: LossSpec | None
    data: str
    oracle: dict[str, Any]
    """The parameters of the oracle; empty where the draws come from a table."""
    folds: int | None
    """K, unless the user's own folds say it."""
    truth: int
    """Rows that a true risk is computed on where it has no closed form."""
