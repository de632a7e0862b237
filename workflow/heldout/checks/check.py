"""What a check is: a code, a title, a severity, a documented page, and three possible outcomes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.estimates.loss_table import LossTable
from heldout.estimates.rows import EstimateRow, FoldRow

PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "na"
DOCS = "docs/checks.md"


@dataclass(frozen=True)
class Context:
    """Everything that checks may look at."""

    loss_table: LossTable
    estimators: Sequence[str]
    selection: dict[str, Any]
    estimates: Sequence[EstimateRow]
    folds: Sequence[FoldRow]
    ledger: Sequence[dict[str, Any]]
    level: float


@dataclass(frozen=True)
class Outcome:
    """Pass, fail or not applicable, and one sentence that says why."""

    status: str
    message: str


@dataclass(frozen=True)
class Check:
    """A documented question about a run."""

    code: str
    title: str
    severity: str
    ask: Callable[[Context], Outcome]


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
    """The question has a good answer."""
    return Outcome(PASS, message)


def failed(message: str) -> Outcome:
    """The user must know."""
    return Outcome(FAIL, message)


def not_applicable(message: str) -> Outcome:
    """The question does not arise."""
    return Outcome(NOT_APPLICABLE, message)


def row(check: Check, context: Context) -> CheckRow:
    """Ask, and put the answer in a row."""
    outcome = check.ask(context)
    link = f"{DOCS}#{check.code.lower()}"
    return CheckRow(check.code, check.title, outcome.status, check.severity, outcome.message, link)
