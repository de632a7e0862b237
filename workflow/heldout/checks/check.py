"""Running the checks of the registry: their input, and their three possible outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heldout.cells.manifest import CellWarnings
from heldout.checks.entry import Check
from heldout.checks.registry import CHECKS
from heldout.data.sealed_facts import SealedFacts
from heldout.estimates.comparisons import Comparison
from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.loss_table import LossTable
from heldout.estimates.rows import EstimateRow, FoldRow
from heldout.registries import resolve

PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "na"
DOCS = "docs/checks.md"


@dataclass(frozen=True)
class Context:
    """The input of every check."""

    loss_table: LossTable
    estimators: Sequence[str]
    selection: dict[str, Any]
    estimates: Sequence[EstimateRow]
    folds: Sequence[FoldRow]
    level: float
    kept: Sequence[ConfidenceRow] = ()
    """The confidence set of θ."""
    warnings: Sequence[CellWarnings] = ()
    """The cells whose fits gave warnings."""
    fits: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """How many cells each learner and θ (as canonical text) has."""
    comparisons: Sequence[Comparison] = ()
    """The learners pair by pair."""
    baselines: Sequence[str] = ()
    """The learners that look at no feature."""
    sealed: SealedFacts | None = None
    """How many sealed rows there are; None without a test."""


@dataclass(frozen=True)
class Outcome:
    """Pass, fail or not applicable, and one sentence with the reason."""

    status: str
    message: str


@dataclass(frozen=True)
class CheckRow:
    """A row of checks.csv."""

    code: str
    title: str
    status: str
    severity: str
    message: str
    docs: str


def passed(message: str) -> Outcome:
    """The outcome of a check that passes."""
    return Outcome(PASS, message)


def failed(message: str) -> Outcome:
    """The outcome of a check that fails."""
    return Outcome(FAIL, message)


def not_applicable(message: str) -> Outcome:
    """The outcome of a check that does not apply to this run."""
    return Outcome(NOT_APPLICABLE, message)


def run_checks(context: Context) -> list[CheckRow]:
    """Run every check of the registry.

    Parameters
    ----------
    context
        The results of a task.

    Returns
    -------
    list of CheckRow
        The rows of checks.csv, in the order of the registry.
    """
    return [_row(check, context) for check in CHECKS.values()]


def _row(check: Check, context: Context) -> CheckRow:
    outcome: Outcome = resolve(check.function)(context)
    link = f"{DOCS}#{check.code.lower()}"
    return CheckRow(check.code, check.title, outcome.status, check.severity, outcome.message, link)
