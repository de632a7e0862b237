"""The specs of pages and figures."""

from dataclasses import dataclass

from heldout.estimates.spec import LossTableSpec
from heldout.measures.spec import LossSpec
from heldout.report.spec import ReportSpec


@dataclass(frozen=True)
class RenderReport:
    """Everything about a task → report.html."""

    page: ReportSpec
    assets: str
    """Digest of templates, styles and scripts."""


@dataclass(frozen=True)
class RenderIndex:
    """All tasks → index.html."""

    losses: dict[str, LossSpec | None]
    """The loss of each task."""
    audits: list[str]
    """The tasks that have an audit."""
    assets: str
    """Digest of templates, styles and scripts."""


@dataclass(frozen=True)
class DrawFigures:
    """Results of a task → figures."""

    cells: LossTableSpec
    level: float
