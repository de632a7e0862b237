"""The loss table: the losses of every cell by example, computed from predictions when needed.

Of a loss of sets these are pseudo-losses, whose mean over a set is its risk (see `measures.loss`).

Predictions come from an object with the protocol `Cells`: the store on disk, or memory.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from heldout.cells.manifest import Index, manifest_paths, read_manifests
from heldout.cells.plan import read_splits
from heldout.cells.store import Store
from heldout.cells.stored import StoredCells
from heldout.data.prepared import Prepared, open_prepared
from heldout.errors import HeldoutError
from heldout.estimates.spec import LossTableSpec
from heldout.estimates.thresholds import ThresholdedCells
from heldout.learners.learner import Learner
from heldout.measures.loss import Loss, by_repetition
from heldout.measures.registry import loss_for
from heldout.measures.thresholds import with_thresholds
from heldout.names import Theta, canonical
from heldout.predictions import Predictions
from heldout.resampling.split import Partition, Resample, Split, partitions, resamples

REMEMBERED = 20_000_000
"""So many losses are kept in memory at most."""


class Cells(Protocol):
    """Gives the predictions of cells."""

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> Predictions:
        """The predictions of a cell for all its held-out sets, one after the other."""


@dataclass(frozen=True)
class LossTable:
    """Losses by learner, θ and resample; `resamples` holds the resamples of each kind by name.

    With `remember`, the losses of a cell are computed once and kept in memory: where that takes long.
    """

    table: Prepared
    loss: Loss
    thetas: dict[str, list[Theta]]
    splits: dict[str, Split]
    resamples: dict[str, dict[str, Resample]]
    cells: Cells
    remember: bool = False
    _remembered: dict[tuple[str, str, str], dict[str, np.ndarray]] = field(default_factory=dict)
    _remembered_risks: dict[tuple[str, str, str], dict[str, float]] = field(default_factory=dict)

    def judged_by(self, loss: Loss) -> "LossTable":
        """The same cells by another loss."""
        remember = self.remember or by_repetition(loss)
        return replace(self, loss=loss, remember=remember, _remembered={}, _remembered_risks={})

    def remembering(self) -> "LossTable":
        """The same cells for who reads them more than once: losses are kept, unless they are very many."""
        held = sum(len(rows) for one in self._by_name.values() for rows in one.held.values())
        many = held * sum(map(len, self.thetas.values())) > REMEMBERED
        return self if many else replace(self, remember=True)

    def has(self, kind: str) -> bool:
        """Whether there are cells of a kind."""
        return kind in self.resamples

    @cached_property
    def partitions(self) -> list[Partition]:
        """The partitions of K-fold cross-validation."""
        return partitions(self.splits["kfold"])

    @cached_property
    def _by_name(self) -> dict[str, Resample]:
        return {name: one for named in self.resamples.values() for name, one in named.items()}

    def resample(self, name: str) -> Resample:
        """A resample by its name, of whatever kind."""
        return self._by_name[name]

    def predictions(self, learner: str, theta: Theta, resample: Resample) -> dict[str, Predictions]:
        """The predictions of a cell for each of its held-out sets."""
        whole = self.cells.predictions(learner, theta, resample)
        return {name: whole.take(part) for name, part in _slices(resample).items()}

    def losses(self, learner: str, theta: Theta, resample: Resample) -> dict[str, np.ndarray]:
        """The losses of a cell on each of its held-out sets."""
        if not self.remember:
            return self._losses(learner, theta, resample)
        place = self._place(learner, theta, resample)
        if place in self._remembered:
            kept = self._remembered[place]
            return {name: losses.astype(np.float64) for name, losses in kept.items()}
        found = self._losses(learner, theta, resample)
        self._remembered[place] = {name: _narrow(losses) for name, losses in found.items()}
        return found

    def risks(self, learner: str, theta: Theta, resample: Resample) -> dict[str, float]:
        """The risk of a cell on each of its held-out sets; cheaper than its pseudo-losses."""
        if self.plain:
            found = self.losses(learner, theta, resample)
            return {name: float(losses.mean()) for name, losses in found.items()}
        place = self._place(learner, theta, resample)
        if place not in self._remembered_risks:
            parts = self.predictions(learner, theta, resample)
            found_risks = {
                name: self._judged(self.loss.risk, learner, theta, resample, rows, parts[name])
                for name, rows in resample.held.items()
            }
            if not self.remember:
                return found_risks
            self._remembered_risks[place] = found_risks
        return self._remembered_risks[place]

    def joint_risk(self, learner: str, theta: Theta, resample: Resample) -> float:
        """The risk of a cell on all its held-out sets together."""
        predictions = self.cells.predictions(learner, theta, resample)
        rows = np.concatenate(list(resample.held.values()))
        return self._judged(self.loss.risk, learner, theta, resample, rows, predictions)

    @property
    def plain(self) -> bool:
        """Whether the risk of a set is the plain mean of the losses of its examples."""
        return self.loss.by_example and self.table.weights is None

    def _place(self, learner: str, theta: Theta, resample: Resample) -> tuple[str, str, str]:
        return learner, self._keys.get(id(theta)) or canonical(theta), resample.name

    def _losses(self, learner: str, theta: Theta, resample: Resample) -> dict[str, np.ndarray]:
        if self.plain:  # all sets of a cell at once
            predictions = self.cells.predictions(learner, theta, resample)
            rows = np.concatenate(list(resample.held.values()))
            losses = self._judged(self.loss, learner, theta, resample, rows, predictions)
            return {name: losses[part] for name, part in _slices(resample).items()}
        parts = self.predictions(learner, theta, resample)
        return {
            name: self._judged(self.loss, learner, theta, resample, rows, parts[name])
            for name, rows in resample.held.items()
        }

    def _judged(
        self,
        judge: Callable[..., Any],
        learner: str,
        theta: Theta,
        resample: Resample,
        rows: np.ndarray,
        predictions: Predictions,
    ) -> Any:
        """Call the loss; an error names the cell."""
        weights = self.table.weights
        try:
            return judge(
                self.table.target[rows], predictions, None if weights is None else weights[rows]
            )
        except HeldoutError as error:
            place = f"learner '{learner}' with {canonical(theta)}, {resample.name}"
            raise HeldoutError(f"loss: {error} ({place})") from error

    @cached_property
    def _keys(self) -> dict[int, str]:
        """The canonical text of each θ of the grids, by its `id`: faster than making the text again."""
        return {id(theta): canonical(theta) for grid in self.thetas.values() for theta in grid}

    def units(self, rows: np.ndarray) -> np.ndarray:
        """The group (or the row itself) of each row."""
        return self._units[rows]

    @cached_property
    def _units(self) -> np.ndarray:
        return np.array(self.table.rows["unit"])


def _narrow(losses: np.ndarray) -> np.ndarray:
    """The same numbers, in a byte each where they are whole and small, as those of zero-one loss."""
    if (
        losses.dtype != np.float64
        or not len(losses)
        or not (losses.min() >= 0 and losses.max() <= 1)
    ):
        return losses
    narrow = losses.astype(np.uint8)
    return narrow if np.array_equal(narrow, losses) else losses


def _slices(resample: Resample) -> dict[str, slice]:
    """The position of each held-out set among all held-out rows of a cell."""
    ends = itertools.accumulate(map(len, resample.held.values()))
    return {
        name: slice(end - len(rows), end)
        for (name, rows), end in zip(resample.held.items(), ends, strict=True)
    }


def named_resamples(
    kinds: Sequence[str], n: int, splits: dict[str, Split]
) -> dict[str, dict[str, Resample]]:
    """Expand splits into the resamples of each kind.

    Parameters
    ----------
    kinds
        Kinds of held-out sets.
    n
        The number of rows.
    splits
        The splits that these kinds need, by name.

    Returns
    -------
    dict
        For each kind, its resamples by name.

    Examples
    --------
    >>> split = {"repeat": np.ones(4, int), "row": np.arange(4), "fold": np.array([1, 2, 1, 2])}
    >>> folds = named_resamples(["folds"], 4, {"kfold": split})["folds"]
    >>> {name: resample.train.tolist() for name, resample in folds.items()}
    {'k2.r1.f01': [1, 3], 'k2.r1.f02': [0, 2]}
    """
    return {kind: {r.name: r for r in resamples(kind, n, splits)} for kind in kinds}


def open_loss_table(folder: Path, spec: LossTableSpec, batches: int) -> LossTable:
    """Open the loss table of a finished task.

    Parameters
    ----------
    folder
        `results/TASK`.
    spec
        Which cells are read, and the loss.
    batches
        The number of batches that the cells were fitted in, which names the manifests.

    Returns
    -------
    LossTable
        Reads the predictions of a cell when they are needed.
    """
    table = open_prepared(folder / "data")
    index = read_manifests(manifest_paths(folder, batches))
    splits = read_splits(folder, spec.kinds)
    return loss_table_of(table, splits, StoredCells(Store(folder / "cells"), index), spec)


def loss_table_of(
    table: Prepared, splits: dict[str, Split], stored: StoredCells, spec: LossTableSpec
) -> LossTable:
    """The loss table of cells that have been fitted.

    Parameters
    ----------
    table
        The rows to learn from.
    splits
        The splits that the kinds of cells need, by name.
    stored
        The cells, in a folder or in memory.
    spec
        Which of them are read, and the loss.

    Returns
    -------
    LossTable
        Asks for the predictions of a cell when they are needed.
    """
    loss = loss_for(spec.loss, table.classes, table.class_counts)
    thetas = {learner.name: _thetas(learner, spec.seed, stored.index) for learner in spec.learners}
    return LossTable(
        table,
        loss,
        {name: with_thresholds(grid, spec.thresholds) for name, grid in thetas.items()},
        splits,
        named_resamples(spec.kinds, table.n, splits),
        _cells(stored, spec, loss),
        remember=by_repetition(loss),
    )


def _cells(stored: StoredCells, spec: LossTableSpec, loss: Loss) -> Cells:
    """The stored cells, or, where thresholds are tried, these with labels decided by them."""
    if not spec.thresholds:
        return stored
    assert loss.positive is not None
    return ThresholdedCells(stored, loss.positive)


def _thetas(learner: Learner, seed: int, index: Index) -> list[Theta]:
    """The θ of a learner's grid; of an endless grid, those that the scan has fitted."""
    if not learner.endless:
        return learner.thetas(seed)
    fitted = {theta for name, theta, _ in index if name == learner.name}
    return [theta for theta in learner.first_thetas(len(fitted)) if canonical(theta) in fitted]
