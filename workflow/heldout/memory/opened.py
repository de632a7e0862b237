"""What an evaluation found, as the room that reads results sees a finished task."""

import os
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.checks.check import CheckRow
from heldout.estimates.comparisons import Comparison
from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.loss_table import LossTable
from heldout.estimates.metrics import MetricRow
from heldout.estimates.rows import EstimateRow, FoldRow, RiskRow
from heldout.learners.learner import Learner
from heldout.measures.loss import Loss
from heldout.memory.tables import Tables
from heldout.results.answer import Answer
from heldout.results.cell import OpenedCells
from heldout.results.held_out_sets import HeldOutSets, counted_sets
from heldout.results.plots import Plots
from heldout.results.tables import Table
from heldout.results.task import TaskResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = {
    "estimates": EstimateRow,
    "risks": RiskRow,
    "folds": FoldRow,
    "comparisons": Comparison,
    "metrics": MetricRow,
    "checks": CheckRow,
    "confidence_set": ConfidenceRow,
}
"""The tables by name, and the dataclasses of their rows."""
NO_TEST = "nothing is sealed in memory (test=0)"


class MemoryResults(TaskResults):
    """The results of one task, none of which is a file.

    Parameters
    ----------
    name
        The name of the task.
    learners
        Its learners.
    found
        What was computed.
    """

    def __init__(self, name: str, learners: list[Learner], found: Tables):
        super().__init__(Path(os.devnull, name))  # where no file can be
        self.__dict__.update(_learners=learners, _found=found)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The facts about the prepared table."""
        return self._tables.loss_table.table.facts

    @cached_property
    def loss(self) -> Loss:
        """The loss."""
        return self._tables.loss_table.loss

    @cached_property
    def selection(self) -> dict[str, Any]:
        """What was selected and why."""
        return self._tables.selection

    @property
    def learners(self) -> list[dict[str, Any]]:
        """The learners as the workflow knows them."""
        return [replace(one, made=None).as_spec() for one in self.__dict__["_learners"]]

    @cached_property
    def sets(self) -> HeldOutSets:
        """How many held-out sets there are."""
        named = self._tables.loss_table.resamples.values()
        return counted_sets(name for resamples in named for name in resamples)

    def table(self, name: str) -> Table:
        """A table by its name."""
        rows = [asdict(row) for row in getattr(self._tables, name)]
        return Table([one.name for one in fields(KINDS[name])], rows)

    def estimate_rows(self) -> list[EstimateRow]:
        """The rows of the estimates."""
        return self._tables.estimates

    def answer(self) -> Answer:
        """What is said of the task: that nothing is sealed, too."""
        found = super().answer()
        lines = [
            replace(one, notes=(NO_TEST,)) if one.label == "sealed test" else one
            for one in found.lines
        ]
        return replace(found, lines=lines)

    @property
    def _tables(self) -> Tables:
        found: Tables = self.__dict__["_found"]
        return found


class MemoryCells(OpenedCells):
    """All cells of an evaluation."""

    @cached_property
    def table(self) -> LossTable:
        """The losses of all cells."""
        assert isinstance(self.task, MemoryResults)
        return self.task._tables.loss_table


@dataclass(frozen=True)
class MemoryPlots:
    """The figures that need no file; each is drawn when it is called, and returns its axes.

    Parameters
    ----------
    cells
        The cells of the task.
    """

    cells: MemoryCells

    def estimates(self, learner: str = "all", ax: "Axes | None" = None) -> "Axes":
        """Draw every estimate of a learner with its recommended interval, the most optimistic one at the top."""
        return Plots(self.cells).estimates(learner, ax)

    def tuning(self, learner: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw the risk of each θ of a learner; by default, of the selected one."""
        return Plots(self.cells).tuning(learner, ax)
