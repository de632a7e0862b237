"""The cells of a finished run, read from the store: a source of a loss table."""

from dataclasses import dataclass

from heldout.cells.manifest import Index, record_of
from heldout.cells.store import Cell, Store
from heldout.names import Theta
from heldout.predictions import Predictions
from heldout.resampling.split import Resample


@dataclass(frozen=True)
class StoredCells:
    """The cells of one run.

    Parameters
    ----------
    store
        The store of the task, which may have cells of other runs too.
    index
        The cells of the run, from its manifests.
    """

    store: Store
    index: Index

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        """The predictions of a cell, one held-out set after another."""
        record = record_of(self.index, learner, theta, resample.name)
        return self.store.predictions(Cell(learner, theta, resample.name), record.score)
