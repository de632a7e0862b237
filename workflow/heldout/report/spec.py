"""What the report of a task shows besides its files.

Standard library only: the workflow imports this while it is parsed.
"""

from dataclasses import dataclass
from typing import Any

from heldout.estimates.spec import LossTableSpec
from heldout.measures.spec import LossSpec


@dataclass(frozen=True)
class ReportSpec:
    """One task's page."""

    task: str
    level: float
    config: dict[str, Any]
    """The task's block of the config, with every default."""
    metrics: dict[str, LossSpec]
    """The further measures, by what they are called."""
    versions: str
    """The versions of the libraries that change numbers, as JSON."""
    cells: LossTableSpec
