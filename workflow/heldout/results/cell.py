"""One cell of a finished task, opened: its model, its predictions, and what is known of its fit."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.cells.manifest import Index, read_manifests
from heldout.cells.store import Cell, Record, Store
from heldout.errors import HeldoutError, did_you_mean
from heldout.estimates.loss_table import LossTable, open_loss_table
from heldout.measures.thresholds import THRESHOLD, without_threshold
from heldout.names import Theta, canonical
from heldout.numerics.fit_warning import FitWarning
from heldout.results.rows_frame import rows_frame
from heldout.results.task import TaskResults
from heldout.user_code.search import look_in_study_folder

if TYPE_CHECKING:
    import pandas as pd

    from heldout.selection.final import Predictor

SHOWN = 8
"""So many known θ are named in an error."""
REPAIR = "run: heldout check --repair, then heldout run"


@dataclass(frozen=True)
class OpenedCell:
    """A fit: a learner, θ, and the held-out set that it has not seen.

    Parameters
    ----------
    cells
        The cells of the task.
    learner, theta, held_out
        The name of the cell.
    """

    cells: "OpenedCells"
    learner: str
    theta: Theta
    held_out: str

    @property
    def _record(self) -> Record:
        return self.cells.index[self.learner, canonical(self._fitted), self.held_out]

    @property
    def _fitted(self) -> Theta:
        return without_threshold(self.theta)

    @property
    def key(self) -> str:
        """The digest of all that its numbers depend on."""
        return self._record.key

    @property
    def engine(self) -> str:
        """What fitted it."""
        return self._record.engine

    @property
    def seconds(self) -> float:
        """The time that the fit took; of a pass that fitted several θ, a share."""
        return self._record.seconds

    @property
    def warnings(self) -> tuple[FitWarning, ...]:
        """The warnings of the fit."""
        return self._record.warnings

    @cached_property
    def model(self) -> "Predictor":
        """The fitted model; it takes rows of the original table, and `pipeline` is the bare Pipeline.

        It is a pickle: open only those of people whom you trust.
        """
        from heldout.selection.final import Predictor

        if self._record.model is None:
            raise HeldoutError(f"no model was kept of {self}; its predictions are there")
        look_in_study_folder()
        cell = Cell(self.learner, self._fitted, self.held_out)
        try:
            pipeline = self.cells.store.open_model(cell, self._record.model)
        except FileNotFoundError:
            raise HeldoutError(
                f"the model of {self} is not there: `models` in the config keeps others, or it was deleted; {REPAIR}"
            ) from None
        threshold = self.theta.get(THRESHOLD)
        positive = None if threshold is None else self.cells.table.loss.positive
        return Predictor(pipeline, self.cells.table.table.facts["schema"], threshold, positive)

    @cached_property
    def predictions(self) -> "pd.DataFrame":
        """The predictions for the rows of its held-out sets (of the full table: for its training rows)."""
        table = self.cells.table
        resample = table.resample(self.held_out)
        said = table.cells.predictions(self.learner, self.theta, resample)
        rows = np.concatenate(list(resample.held.values()))
        sets = [name for name, held in resample.held.items() for _ in range(len(held))]
        return rows_frame(table.table, table.loss, rows, sets, said)

    def __str__(self) -> str:
        return str(Cell(self.learner, self.theta, self.held_out))

    def __repr__(self) -> str:
        return f"<cell of {self}>"


@dataclass(frozen=True)
class OpenedCells:
    """All cells that the numbers of a task come from."""

    task: TaskResults

    @property
    def folder(self) -> Path:
        """The folder of the task."""
        return self.task.folder

    @property
    def store(self) -> Store:
        """Where the cells are."""
        return Store(self.folder / "cells")

    @cached_property
    def index(self) -> Index:
        """The cells, as the manifests list them."""
        missing = [path for path in self.task.manifests if not path.is_file()]
        if missing or not self.task.manifests:
            what = f"'{missing[0]}'" if missing else "the list of its cells"
            raise HeldoutError(f"task '{self.task.name}': {what} is missing; {REPAIR}")
        return read_manifests(self.task.manifests)

    @cached_property
    def table(self) -> LossTable:
        """The losses of all cells, computed when they are asked for."""
        assert self.index
        loss = self.task.cells.loss
        if loss is not None and loss.source:  # a function of the user's own is imported from there
            look_in_study_folder()
        return open_loss_table(self.folder, self.task.cells, self.task.batches)

    def learner(self, name: str) -> str:
        """The name of a learner; an error if there is no such one."""
        known = list(self.table.thetas)
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise HeldoutError(f"task '{self.task.name}' has no learner '{name}'{hint}")
        return name

    def theta(self, learner: str, wanted: Any) -> Theta:
        """One of a learner's θ, given as a dict or as in a column `theta`; None: the selected one."""
        if wanted is None:
            return dict(self.task.selection["learners"][self.learner(learner)]["theta"])
        given = _parsed(wanted)
        known = self.table.thetas[self.learner(learner)]
        for theta in known:
            if theta == given:
                return theta
        raise HeldoutError(
            f"learner '{learner}' of task '{self.task.name}' has no θ = {_shown(given)}{_some(known)}"
        )

    def cell(self, learner: str, theta: Any, held_out: str) -> OpenedCell:
        """A cell by its name; an error that suggests others if there is no such one."""
        found = OpenedCell(self, learner, self.theta(learner, theta), held_out)
        if (learner, canonical(without_threshold(found.theta)), held_out) not in self.index:
            known = sorted({name for who, _, name in self.index if who == learner})
            hint = did_you_mean(str(held_out), known)
            said = hint if "did you mean" in hint else f"; there are {_few(known)}"
            raise HeldoutError(f"task '{self.task.name}' has no held-out set '{held_out}'{said}")
        return found


def _parsed(theta: Any) -> Any:
    """θ as a dict, from a dict or from a text."""
    try:
        return json.loads(theta) if isinstance(theta, str) else dict(theta)
    except (TypeError, ValueError):
        raise HeldoutError(
            f"θ is a dict such as {{'n_neighbors': 5}}, or its text in a column `theta`, and not {theta!r}"
        ) from None


def _shown(theta: Any) -> str:
    return json.dumps(theta, ensure_ascii=False, default=str)


def _some(known: Iterable[Theta]) -> str:
    return f"; there are {_few([_shown(theta) for theta in known])}"


def _few(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
