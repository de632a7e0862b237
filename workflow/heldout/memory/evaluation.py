"""The result of an evaluation: tables, selection, final model, and an answer in a few lines."""

import math
from collections.abc import Iterable
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout.estimates.loss_table import LossTable
from heldout.learners.learner import Learner
from heldout.measures.loss import Loss
from heldout.memory.opened import KINDS, MemoryCells, MemoryPlots, MemoryResults
from heldout.memory.tables import Tables
from heldout.names import Theta
from heldout.results.answer import Answer
from heldout.results.answer_text import as_html, as_text
from heldout.results.headline import headline_row
from heldout.results.out_of_fold import out_of_fold
from heldout.results.tables import TEXT, Row
from heldout.selection.final import Predictor

if TYPE_CHECKING:
    import pandas as pd


class Evaluation:
    """What `heldout.evaluate` returns: what `heldout.open(...)[task]` gives, without files.

    Printed, and in a notebook, it says the answer.

    Parameters
    ----------
    name
        The name of the task.
    learners
        Its learners.
    found
        What was computed.

    Attributes
    ----------
    estimates, risks, folds, comparisons, metrics, checks, confidence_set
        DataFrames, with the columns of the files of these names.
    """

    estimates: "pd.DataFrame"
    risks: "pd.DataFrame"
    folds: "pd.DataFrame"
    comparisons: "pd.DataFrame"
    metrics: "pd.DataFrame"
    checks: "pd.DataFrame"
    confidence_set: "pd.DataFrame"

    def __init__(self, name: str, learners: list[Learner], found: Tables):
        self.name = name
        self._found = found
        self._results = MemoryResults(name, learners, found)
        for table, kind in KINDS.items():
            setattr(self, table, frame_of_rows(kind, getattr(found, table)))

    @property
    def selection(self) -> dict[str, Any]:
        """What was selected, and why."""
        return self._found.selection

    @property
    def model(self) -> Predictor:
        """The selected model, fitted to all rows: `predict` and `predict_proba` take a DataFrame."""
        return self._found.model

    @property
    def loss(self) -> Loss:
        """The loss, as it was chosen or found."""
        return self.loss_table.loss

    @property
    def loss_table(self) -> LossTable:
        """The losses of every cell."""
        return self._found.loss_table

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the table: the kinds of its columns, notes."""
        return self._results.facts

    @property
    def classes(self) -> list[Any] | None:
        """The labels, or None for regression."""
        return self._results.classes

    @cached_property
    def splits(self) -> "dict[str, pd.DataFrame]":
        """Every split by name, by the number of the row."""
        import pandas as pd

        return {name: pd.DataFrame(split) for name, split in self.loss_table.splits.items()}

    @property
    def plot(self) -> MemoryPlots:
        """The figures: `estimates()`, `tuning("knn")`."""
        return MemoryPlots(self._cells)

    def out_of_fold(self, learner: str | None = None, theta: Theta | None = None) -> "pd.DataFrame":
        """Collect the predictions of every row by models that have not seen it.

        Parameters
        ----------
        learner
            The name of a learner; the selected one by default.
        theta
            The values of its hyper-parameters; the selected ones by default.

        Returns
        -------
        pandas.DataFrame
            `row` (as in the splits), `source_row` (the position in the table as it was given), `target`, `prediction`,
            probabilities, `loss`, `set`, `repeat`, `fold`.
        """
        return out_of_fold(self._cells, learner or self.selection["learner"], theta)

    @property
    def answer(self) -> Answer:
        """What is said of the task, line by line."""
        return self._results.answer()

    @property
    def headline(self) -> Row | None:
        """The row of the estimates to expect of new data, with its recommended interval where there is one."""
        return headline_row(self._results.estimates, pooled=self.loss.pooled)

    @cached_property
    def _cells(self) -> MemoryCells:
        return MemoryCells(self._results)

    def __repr__(self) -> str:
        return as_text(self.answer)

    def _repr_html_(self) -> str:
        return as_html(self.answer)


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
    >>> from heldout.estimates.rows import FoldRow
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
