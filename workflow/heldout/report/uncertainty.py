"""What the standard error of an estimate is made of, and what would make each part smaller."""

from dataclasses import dataclass
from typing import Any

from heldout.results import glossary, headline
from heldout.results.display import ROUNDING_ERROR
from heldout.results.tables import ALL, Row, Table

ESTIMATORS = ("nested_cv", "nested_cv_pooled", "kfold", "kfold_pooled")
"""The estimators whose standard error has parts, the one to show first."""


@dataclass(frozen=True)
class Part:
    """A part of se²: its column in estimates.csv, and what is said about it."""

    column: str
    title: str
    text: str

    @property
    def head(self) -> tuple[str, str]:
        """The head of its column, as the templates take it."""
        return self.title, "number"


PARTS = (
    Part(
        column="se_noise",
        title="Test noise",
        text="The held-out rows are a sample, and their losses differ. More rows reduce it.",
    ),
    Part(
        column="se_training",
        title="Training variability",
        text="Other training rows would give other models. A steadier learner reduces it, or more rows. Where no "
        "model was trained without two folds it is 0, and the test noise counts twice instead.",
    ),
    Part(
        column="se_selection",
        title="Selection",
        text="Other rows would choose another θ. A smaller grid reduces it, or a simpler rule such as one_se.",
    ),
)


def parts_table(estimates: Table) -> list[dict[str, Any]]:
    """For all learners together and for each, the shares of the parts in se².

    Only of recommended intervals: the parts of a standard error that does not hold explain nothing.
    """
    rows = estimates.recommended()
    learners = sorted({name: None for name, _ in rows}, key=lambda name: name != ALL)
    found = [_row_of(rows, name) for name in learners]
    return [_shares(row) for row in found if row is not None]


def _row_of(rows: dict[tuple[str, str], Row], learner: str) -> Row | None:
    """The first of the estimators whose standard error is known in parts."""
    found = [rows.get((learner, name)) for name in ESTIMATORS]
    return next((row for row in found if row and _known(row["se"]) and _variances(row)), None)


def _known(se: float | None) -> bool:
    """Whether there is a standard error that is more than rounding."""
    return se is not None and se > ROUNDING_ERROR


def _variances(row: Row) -> list[float]:
    """The parts of se²; empty if one is not known or all are 0."""
    values = [row.get(part.column) for part in PARTS]
    squares = [value**2 for value in values if value is not None]
    return squares if len(squares) == len(PARTS) and sum(squares) > 0 else []


def _shares(row: Row) -> dict[str, Any]:
    squares = _variances(row)
    shares = [square / sum(squares) for square in squares]
    return {
        "learner": headline.learner_title(row["learner"]),
        "estimator": glossary.estimator(row["estimator"]).title,
        "se": row["se"],
        "shares": shares,
        "starts": [sum(shares[:i]) for i in range(len(shares))],
    }
