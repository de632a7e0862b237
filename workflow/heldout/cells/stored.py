"""The cells of a finished run, read from the store: a source of a loss table."""

from dataclasses import dataclass

from heldout.cells.manifest import Index, record_of
from heldout.cells.store import Cell, Store
from heldout.names import Theta
from heldout.predictions import Predictions
from heldout.resampling.split import Resample


@dataclass(frozen=True)
class StoredCells:
    """A store and the manifests that say which of its cells belong to the run."""

    store: Store
    index: Index

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        """The predictions of a cell, held-out set after held-out set."""
        record = record_of(self.index, learner, theta, resample.name)
        return self.store.predictions(Cell(learner, theta, resample.name), record.score)
