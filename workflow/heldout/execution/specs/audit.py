"""The specs of audits."""

from dataclasses import dataclass
from typing import Any

from heldout.audit.spec import AuditPageSpec
from heldout.cells.spec import CellsSpec
from heldout.estimates.spec import RuleSpec
from heldout.learners.learner import Learner
from heldout.measures.spec import LossSpec
from heldout.resampling.spec import SplitSettings


@dataclass(frozen=True)
class AuditBatch:
    """One batch of replicates: `count` of them, from number `first` on."""

    cells: CellsSpec
    data: str
    oracle: dict[str, Any]
    """The parameters of the oracle; empty where the draws come from a table."""
    loss: LossSpec | None
    level: float
    estimators: list[str]
    settings: dict[str, SplitSettings]
    stratify: bool
    by: str
    rule: RuleSpec
    test: float
    """The share of rows that a replicate seals."""
    truth: int
    """Rows that a true risk is computed on where it has no closed form."""
    m: int
    batch: str
    first: int
    count: int


@dataclass(frozen=True)
class SummariseAudit:
    """All batches of an audit → audit.csv."""

    seed: int
    level: float
    m: list[int]
    batches: int
    learners: list[Learner]
    by: str


@dataclass(frozen=True)
class RenderAudit:
    """audit.csv → audit.html."""

    page: AuditPageSpec
    assets: str
    """Digest of templates, styles and scripts."""
