"""The figures of a task as matplotlib axes, for notebooks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heldout.errors import HeldoutError, did_you_mean
from heldout.results import glossary, headline
from heldout.results.cell import OpenedCells
from heldout.results.figures.drawing import (
    STYLE,
    WIDTH,
    estimates_panel,
    find_matplotlib,
    percent_axis,
    short,
)
from heldout.results.over_time import over_time
from heldout.results.predictions import diagnostics
from heldout.results.scale import Scale, scale_of
from heldout.results.scores import scored
from heldout.results.tables import ALL, Table

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plots:
    """The figures of one task; each is drawn when it is called, and returns its axes.

    Parameters
    ----------
    cells
        The cells of the task.
    """

    cells: OpenedCells

    def estimates(self, learner: str = ALL, ax: "Axes | None" = None) -> "Axes":
        """Draw every estimate of a learner with its recommended interval.

        Parameters
        ----------
        learner
            A learner; `all`: choosing among all of them.
        ax
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The most optimistic estimate is at the top.
        """
        table = self._estimates
        known = {name: None for name, _ in table.recommended()}
        if learner not in known:
            raise HeldoutError(f"no estimates of '{learner}'{did_you_mean(learner, list(known))}")
        rows = {kind: row for (who, kind), row in table.recommended().items() if who == learner}
        names = [name for name in glossary.in_order(set(rows)) if name in rows]
        with _style():
            axis = ax or _axes(0.8 + 0.24 * len(names))
            estimates_panel(axis, rows, names, short(headline.learner_title(learner)))
            percent_axis(axis.xaxis, self._scale.show)
            axis.set_xlabel(self._scale.axis)
        return axis

    def tuning(self, learner: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw the risk of each θ of a learner.

        Parameters
        ----------
        learner
            A learner with more than one θ; the selected one by default.
        ax
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            A curve for one hyper-parameter, a map of colours for two.
        """
        find_matplotlib("plots need")
        from heldout.results.figures import tuning
        from heldout.results.grids import describe_grids

        task = self.cells.task
        name = self.cells.learner(task.selection["learner"] if learner is None else learner)
        chosen = {who: one["theta"] for who, one in task.selection["learners"].items()}
        risks = scored(task.table("risks"), self.cells.table.loss)
        grids = describe_grids(
            risks.where(learner=name), chosen, task.selection["by"], task.learners
        )
        if not grids:
            raise HeldoutError(f"learner '{name}' has one θ: there is no tuning to draw")
        with _style():
            axis = ax or _axes(3.2)
            tuning.panel(axis, grids[0], risks.where(learner=name), task.selection["by"], self._scale)
            if grids[0]["kind"] != "heat":
                axis.set_ylabel(self._scale.axis)
                axis.legend()
        return axis

    def predictions(self, learner: str | None = None, theta: Any = None) -> "np.ndarray":
        """Draw predictions of rows that models have not seen: ROC and calibration, or predicted against true.

        Parameters
        ----------
        learner, theta
            Whose; by default the selected learner, at its selected θ.

        Returns
        -------
        numpy.ndarray
            One or two matplotlib axes.
        """
        find_matplotlib("plots need")
        from heldout.results.figures.predictions import predictions_figure

        task = self.cells.task
        name = self.cells.learner(task.selection["learner"] if learner is None else learner)
        found = diagnostics(
            task.folder, task.cells, task.batches, name, self.cells.theta(name, theta), self._level
        )
        with _style():
            return _axes_of(predictions_figure(found))

    def over_time(self) -> "Axes":
        """Draw the risk of each learner block by block, where rows are in time order.

        Returns
        -------
        matplotlib.axes.Axes
            A line from the first to the last time of each block.
        """
        find_matplotlib("plots need")
        from heldout.results.figures.over_time import time_figure

        task = self.cells.task
        folds = task.table("folds")
        found = over_time(task.folder, task.cells, task.batches, task.selection, folds)
        if found is None:
            raise HeldoutError(f"the rows of task '{task.name}' are in no time order")
        with _style():
            axis: Axes = _axes_of(time_figure(found, self._scale))[0]
        return axis

    @property
    def _estimates(self) -> Table:
        return scored(self.cells.task.estimates, self.cells.table.loss)

    @property
    def _scale(self) -> Scale:
        return scale_of(self.cells.table.loss, self._estimates)

    @property
    def _level(self) -> float:
        """The level of the intervals of this task."""
        levels = [row["level"] for row in self.cells.task.estimates.rows if row["level"]]
        return float(max(levels, default=0.95))


@contextmanager
def _style() -> Iterator[None]:
    with find_matplotlib("plots need").rc_context(STYLE):
        yield


def _axes(height: float) -> "Axes":
    """The axes of a new figure."""
    from matplotlib import pyplot as plt

    axis: Axes = plt.subplots(figsize=(WIDTH, height), layout="constrained")[1]
    return axis


def _axes_of(drawn: "Figure") -> "np.ndarray":
    """The axes of a figure that are shown."""
    import numpy as np

    found = np.empty(len(drawn.axes), dtype=object)
    found[:] = drawn.axes
    return found
