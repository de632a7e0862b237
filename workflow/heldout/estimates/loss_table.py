"""The loss table: per-example losses of every cell, read from the store and computed on demand."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from heldout.cells.manifest import Index, manifest_paths, read_manifests, record_of
from heldout.cells.plan import read_splits
from heldout.cells.store import Cell, Store
from heldout.data.prepared import Prepared, open_prepared
from heldout.estimates.spec import LossTableSpec
from heldout.learners.definition import Definition
from heldout.measures.losses import Loss, loss_for
from heldout.names import Theta, canonical
from heldout.predictions import Predictions
from heldout.resampling.split import Partition, Resample, Split, partitions, resamples


@dataclass(frozen=True)
class LossTable:
    """Losses by learner, θ and resample; `resamples` holds the resamples of each kind by name."""

    table: Prepared
    loss: Loss
    thetas: dict[str, list[Theta]]
    splits: dict[str, Split]
    resamples: dict[str, dict[str, Resample]]
    store: Store
    index: Index

    def has(self, kind: str) -> bool:
        """Whether the cells of a kind were fitted."""
        return kind in self.resamples

    @property
    def partitions(self) -> list[Partition]:
        """The partitions of K-fold cross-validation."""
        return partitions(self.splits["kfold"])

    def resample(self, name: str) -> Resample:
        """A resample by its name, of whatever kind."""
        return next(named[name] for named in self.resamples.values() if name in named)

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> dict[str, Predictions]:
        """What a cell's model said about each of its held-out sets."""
        record = record_of(self.index, learner, theta, resample.name)
        return self.store.scores(Cell(learner, theta, resample.name), record.score)

    def losses(self, learner: str, theta: Theta, resample: Resample) -> dict[str, np.ndarray]:
        """The losses of a cell on each of its held-out sets."""
        record = record_of(self.index, learner, theta, resample.name)
        said, _ = self.store.score(Cell(learner, theta, resample.name), record.score)
        rows = np.concatenate(list(resample.held.values()))
        losses = self.loss(self.table.target[rows], said)
        ends = itertools.accumulate(map(len, resample.held.values()))
        return {
            name: losses[end - len(rows) : end]
            for (name, rows), end in zip(resample.held.items(), ends, strict=True)
        }

    def units(self, rows: np.ndarray) -> np.ndarray:
        """The group (or the row itself) of each row."""
        return self._units[rows]

    @cached_property
    def _units(self) -> np.ndarray:
        return np.array(self.table.rows["unit"])


def make_loss_table(
    table: Prepared,
    loss: Loss,
    thetas: dict[str, list[Theta]],
    splits: dict[str, Split],
    kinds: Sequence[str],
    store: Store,
    index: Index,
) -> LossTable:
    """A loss_table over the given kinds of cells."""
    named = {kind: {r.name: r for r in resamples(kind, table.n, splits)} for kind in kinds}
    return LossTable(table, loss, thetas, splits, named, store, index)


def open_loss_table(folder: Path, spec: LossTableSpec, batches: int) -> LossTable:
    """The loss table of a task folder whose cells were fitted in so many batches."""
    table = open_prepared(folder / "data")
    index = read_manifests(manifest_paths(folder, batches))
    return make_loss_table(
        table,
        loss_for(spec.loss, table.classification),
        {learner.name: _thetas(learner, spec.seed, index) for learner in spec.learners},
        read_splits(folder, spec.kinds),
        spec.kinds,
        Store(folder / "cells"),
        index,
    )


def _thetas(learner: Definition, seed: int, index: Index) -> list[Theta]:
    """The grid; of an endless one, what the scan has fitted."""
    if not learner.endless:
        return learner.thetas(seed)
    fitted = {theta for name, theta, _ in index if name == learner.name}
    return [theta for theta in learner.first_thetas(len(fitted)) if canonical(theta) in fitted]
