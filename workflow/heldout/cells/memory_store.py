"""Cells that are kept in memory, for an evaluation that leaves no files."""

from pathlib import Path
from typing import TYPE_CHECKING

from heldout.cells.key import Keys
from heldout.cells.model_file import PickledModel
from heldout.cells.plan import Plan
from heldout.cells.store import Cell, Record, Store
from heldout.learners.learner import Learner
from heldout.names import Theta, canonical
from heldout.predictions import Predictions
from heldout.resampling.split import Resample

if TYPE_CHECKING:
    from heldout.numerics.problem import Outcome

NO_KEYS = Keys("", "")
"""In memory all cells are of one run, so that none has to be told from that of another."""
DIGITS = 6
"""Of the seconds of a fit, as in the files of a store."""


class MemoryStore(Store):
    """Predictions by learner, θ and held-out set. It keeps no models.

    Examples
    --------
    >>> store = MemoryStore()
    >>> store.find(Cell("knn", {"n_neighbors": 5}, "full"), "", with_model=False) is None
    True
    """

    def __init__(self) -> None:
        super().__init__(Path())
        self._kept: dict[tuple[str, str, str], Predictions] = {}

    def find(
        self, cell: Cell, key: str, with_model: bool, needs: str | None = None
    ) -> Record | None:
        """Each cell is asked for once, before it is fitted."""
        return None

    def fitted_model(self, cell: Cell, keys: Keys) -> None:
        """No model is kept."""

    def write(
        self,
        cell: Cell,
        keys: Keys,
        sets: dict[str, int],
        outcome: "Outcome",
        model: PickledModel | None,
    ) -> Record:
        """Keep the predictions."""
        assert outcome.predictions is not None
        self._kept[_place(cell)] = outcome.predictions
        seconds = round(outcome.seconds, DIGITS)
        return Record("", "", None, outcome.engine, seconds, outcome.warnings)

    def predictions(self, cell: Cell, expected: str) -> Predictions:
        """The predictions of all held-out rows."""
        return self._kept[_place(cell)]

    def add(self, other: "MemoryStore") -> None:
        """Take the cells of another store, which another process has filled."""
        self._kept.update(other._kept)

    def read(self, cell: Cell) -> None:
        """No file is kept."""


class KeylessPlan(Plan):
    """A plan whose cells need no keys: of what the user's own objects do there is no digest."""

    def keys(self, learner: Learner, resample: Resample, thetas: list[Theta]) -> list[Keys]:
        """The same for every θ."""
        return [NO_KEYS] * len(thetas)


def _place(cell: Cell) -> tuple[str, str, str]:
    return cell.learner, canonical(cell.theta), cell.held_out
