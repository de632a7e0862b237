"""The loss book: per-example losses of every cell, read from the store and computed on demand."""

from pathlib import Path
from typing import Any

import numpy as np

from heldout.cells import read_splits
from heldout.learners.definition import Definition
from heldout.losses import Loss, Predictions, loss_for
from heldout.manifest import manifest_paths, read_manifests, record_of
from heldout.names import Theta
from heldout.splits import Resample, resamples
from heldout.store import Cell, Store
from heldout.table.prepared import Prepared, open_prepared


class LossBook:
    """Losses by learner, θ and resample."""

    def __init__(self, folder: Path, spec: dict[str, Any]):
        self.table: Prepared = open_prepared(folder / "data")
        self.loss: Loss = loss_for(spec["loss"], self.table.classification)
        self.learners = [Definition(**learner) for learner in spec["learners"]]
        self.thetas: dict[str, list[Theta]] = {
            learner.name: learner.thetas(spec["seed"]) for learner in self.learners
        }
        self.splits = read_splits(folder, spec["kinds"])
        self.resamples: dict[str, list[Resample]] = {
            kind: resamples(kind, self.table.n, self.splits) for kind in spec["kinds"]
        }
        self._store = Store(folder / "cells")
        self._index = read_manifests(manifest_paths(folder, spec["parts"]))
        self._target = np.asarray(self.table.target)

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> dict[str, Predictions]:
        """What a cell's model said about each of its held-out sets."""
        record = record_of(self._index, learner, theta, resample.name)
        return self._store.scores(Cell(learner, theta, resample.name), record.score)

    def losses(self, learner: str, theta: Theta, resample: Resample) -> dict[str, np.ndarray]:
        """The losses of a cell on each of its held-out sets."""
        said = self.predictions(learner, theta, resample)
        return {
            name: self.loss(self._target[rows], said[name]) for name, rows in resample.held.items()
        }

    def units(self, rows: np.ndarray) -> np.ndarray:
        """The group (or the row itself) of each row."""
        return np.asarray(self.table.rows["unit"][rows])
