"""The result of an evaluation: tables, selection, final model, and an answer in a few lines."""

import math
from collections.abc import Iterable
from dataclasses import asdict, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout.checks.check import FAIL, CheckRow
from heldout.errors import HeldoutError, did_you_mean
from heldout.estimates.comparisons import Comparison
from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.loss_table import LossTable
from heldout.estimates.metrics import MetricRow
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import EstimateRow, FoldRow, RiskRow
from heldout.measures.loss import Loss
from heldout.memory.held_out import out_of_fold
from heldout.memory.tables import Tables
from heldout.names import Theta, canonical
from heldout.results.tables import TEXT, Row, Table
from heldout.results.task import ALL
from heldout.selection.final import Predictor
from heldout.selection.why import theta_text

if TYPE_CHECKING:
    import pandas as pd

NO_TEST = "none: nothing is sealed in memory (test=0)"


class Evaluation:
    """What `heldout.evaluate` returns. It is printed as an answer in a few lines.

    Parameters
    ----------
    name
        The name of the task.
    level
        The confidence level.
    tables
        What was computed.

    Attributes
    ----------
    estimates, risks, folds, comparisons, metrics, checks, confidence_set
        DataFrames, with the columns of the files of these names.
    selection
        The selected learner and θ, and why.
    model
        The selected model, fitted to all rows: `predict` and `predict_proba` take a DataFrame.
    """

    def __init__(self, name: str, level: float, tables: Tables):
        self.name, self.level, self._tables = name, level, tables

    @property
    def loss(self) -> Loss:
        """The loss, as it was chosen or found."""
        return self.loss_table.loss

    @property
    def loss_table(self) -> LossTable:
        """The losses of every cell."""
        return self._tables.loss_table

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the table: the kinds of its columns, notes."""
        return self.loss_table.table.facts

    @property
    def classes(self) -> list[Any] | None:
        """The labels, or None for regression."""
        return self.loss_table.table.classes

    @property
    def selection(self) -> dict[str, Any]:
        """What was selected, and why."""
        return self._tables.selection

    @property
    def model(self) -> Predictor:
        """The selected model, fitted to all rows."""
        return self._tables.model

    @cached_property
    def splits(self) -> "dict[str, pd.DataFrame]":
        """Every split by name, by the number of the row."""
        import pandas as pd

        return {name: pd.DataFrame(split) for name, split in self.loss_table.splits.items()}

    # --- tables -------------------------------------------------------------------------------

    @cached_property
    def estimates(self) -> "pd.DataFrame":
        """What can be said about the tuned learners, and about choosing between them (`all`)."""
        return frame_of_rows(EstimateRow, self._tables.estimates)

    @cached_property
    def risks(self) -> "pd.DataFrame":
        """The risk of each (learner, θ) by each estimator."""
        return frame_of_rows(RiskRow, self._tables.risks)

    @cached_property
    def folds(self) -> "pd.DataFrame":
        """Nested CV, fold by fold."""
        return frame_of_rows(FoldRow, self._tables.folds)

    @cached_property
    def comparisons(self) -> "pd.DataFrame":
        """Learners compared pair by pair."""
        return frame_of_rows(Comparison, self._tables.comparisons)

    @cached_property
    def metrics(self) -> "pd.DataFrame":
        """Further measures of the same procedures."""
        return frame_of_rows(MetricRow, self._tables.metrics)

    @cached_property
    def checks(self) -> "pd.DataFrame":
        """What must be known before a number is trusted."""
        return frame_of_rows(CheckRow, self._tables.checks)

    @cached_property
    def confidence_set(self) -> "pd.DataFrame":
        """Which θ cannot be told from the best one."""
        return frame_of_rows(ConfidenceRow, self._tables.confidence_set)

    def out_of_fold(self, learner: str | None = None, theta: Theta | None = None) -> "pd.DataFrame":
        """What was predicted for each row by the models that had not seen it.

        Parameters
        ----------
        learner
            A learner; None: the selected one.
        theta
            One of its θ; None: its selected one.

        Returns
        -------
        pandas.DataFrame
            See `heldout.memory.held_out.out_of_fold`.
        """
        name = learner or self.selection["learner"]
        if name not in self.selection["learners"]:
            known = list(self.selection["learners"])
            raise HeldoutError(f"no learner '{name}'{did_you_mean(name, known)}")
        wanted = self.selection["learners"][name]["theta"] if theta is None else theta
        grid = {canonical(one): one for one in self.loss_table.thetas[name]}
        if canonical(wanted) not in grid:
            raise HeldoutError(f"learner '{name}' has no θ = {canonical(wanted)} in its grid")
        return out_of_fold(self.loss_table, name, grid[canonical(wanted)])

    # --- the answer ---------------------------------------------------------------------------

    @property
    def headline(self) -> Row | None:
        """The estimate to expect of new data, with its recommended interval where there is one."""
        rows = {name: row for (who, name), row in self._table.recommended().items() if who == ALL}
        ranks = {name: ESTIMATORS[name].headline for name in rows if ESTIMATORS[name].headline}
        return rows[min(ranks, key=lambda name: ranks[name] or 0)] if ranks else None

    @cached_property
    def _table(self) -> Table:
        rows = [asdict(row) for row in self._tables.estimates]
        return Table([one.name for one in fields(EstimateRow)], rows)

    def __repr__(self) -> str:
        """The answer."""
        lines = [self._about(), *(f"  {title:<18}{text}" for title, text in self._lines())]
        return "\n".join(lines)

    def _about(self) -> str:
        table = self.loss_table.table
        target = self.facts["schema"]["target"]["name"]
        return f"{self.name}   {target} from {len(table.names)} columns; {table.n:,} rows to learn from"

    def _lines(self) -> Iterable[tuple[str, str]]:
        tried = sum(entry["thetas"] for entry in self.selection["learners"].values())
        chosen = theta_text(self.selection["theta"])
        yield (
            "selected",
            f"{self.selection['learner']}{', ' if chosen else ''}{chosen}   ({tried} θ tried)",
        )
        row = self.headline
        if row is not None:
            yield f"expected {self.loss.label}"[:17], _figure(row)
        yield "sealed test", NO_TEST
        failed = [one.code for one in self._tables.checks if one.status == FAIL]
        passed = sum(one.status == "pass" for one in self._tables.checks)
        yield "checks", f"{passed} passed" + (f", failed: {', '.join(failed)}" if failed else "")


def _figure(row: Row) -> str:
    value = f"{row['score']:.4g}"
    if row["score_low"] is None:
        return f"{value}   {row['estimator']}; no interval: {row['note']}"
    ends = f"{row['score_low']:.4g} to {row['score_high']:.4g}"
    return f"{value}   {ends}   {row['estimator']}; {row['level']:.0%}"


def frame_of_rows(kind: type, rows: Iterable[Any]) -> "pd.DataFrame":
    """Rows as a DataFrame.

    Parameters
    ----------
    kind
        Their dataclass; its fields are the columns.
    rows
        The rows.

    Returns
    -------
    pandas.DataFrame
        With NaN where a number is missing, and None where a text is.

    Examples
    --------
    >>> frame_of_rows(FoldRow, []).columns[0]
    'learner'
    """
    import pandas as pd

    given, names = list(rows), [one.name for one in fields(kind)]
    columns = {name: [getattr(row, name) for row in given] for name in names}
    return pd.DataFrame({name: _column(name, values) for name, values in columns.items()})


def _column(name: str, values: list[Any]) -> list[Any]:
    """Missing numbers as NaN, also where all are missing."""
    numbers = name not in TEXT and all(isinstance(one, int | float | None) for one in values)
    return [math.nan if one is None else one for one in values] if numbers else values
