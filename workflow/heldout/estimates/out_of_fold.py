"""Out-of-fold losses: the loss of each row by the model that was trained without its fold, for each θ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from heldout.estimates.lookup import available_kind
from heldout.estimates.loss_table import LossTable
from heldout.estimates.noise import HeldOut
from heldout.estimates.rules import smallest
from heldout.estimates.tuned_se import is_near
from heldout.resampling.kinds import FOLDS
from heldout.resampling.split import Partition

BLOCK = 2_000_000
"""Differences between losses are computed for about this many numbers at a time."""


@dataclass(frozen=True)
class OutOfFold:
    """The out-of-fold losses of a task, each matrix read when it is first asked for.

    A matrix has a row per θ and a column per row of the table. Columns are sorted by fold.
    """

    loss_table: LossTable
    _found: dict[tuple[str, int], np.ndarray] = field(default_factory=dict)
    _held: dict[int, HeldOut] = field(default_factory=dict)

    @cached_property
    def repeats(self) -> Sequence[Partition]:
        """The partitions."""
        return self.loss_table.partitions

    def order(self, partition: Partition) -> np.ndarray:
        """The row of each column."""
        return np.argsort(partition.fold, kind="stable")

    def held(self, partition: Partition) -> HeldOut:
        """The folds of a partition, and the unit of each column."""
        if partition.repeat not in self._held:
            sizes = tuple(np.bincount(partition.fold, minlength=partition.k).tolist())
            units = self.loss_table.units(self.order(partition))
            self._held[partition.repeat] = HeldOut(sizes, units)
        return self._held[partition.repeat]

    def losses(self, learner: str, partition: Partition) -> np.ndarray:
        """The matrix of a learner and a partition."""
        place = learner, partition.repeat
        if place not in self._found:
            self._found[place] = self._read(learner, partition)
        return self._found[place]

    def _read(self, learner: str, partition: Partition) -> np.ndarray:
        table = self.loss_table
        kind = available_kind(FOLDS, table.resamples)
        assert kind is not None
        thetas, columns = table.thetas[learner], self.held(partition).sizes
        found = np.empty((len(thetas), sum(columns)))
        end = 0
        for fold, size in enumerate(columns):
            resample = table.resamples[kind][partition.set_name(fold)]
            start, end = end, end + size
            for i, theta in enumerate(thetas):
                found[i, start:end] = table.losses(learner, theta, resample)[resample.name]
        return found

    def fold_means(self, learner: str, partition: Partition) -> np.ndarray:
        """The mean loss of each fold (rows) for each θ (columns)."""
        losses, ends = self.losses(learner, partition), np.cumsum(self.held(partition).sizes)
        parts = np.split(losses, ends[:-1], axis=1)
        return np.stack([np.ascontiguousarray(part).mean(axis=1) for part in parts])

    def by_row(self, learner: str) -> np.ndarray:
        """For each row of the table (rows) and θ (columns) the loss, averaged over partitions."""
        return self._averaged([(p, self.losses(learner, p)) for p in self.repeats])

    def centred_by_row(self, learner: str) -> np.ndarray:
        """As `by_row`, for losses minus the mean of their fold."""
        return self._averaged([(p, self._centred(learner, p)) for p in self.repeats])

    def _centred(self, learner: str, partition: Partition) -> np.ndarray:
        means = self.fold_means(learner, partition).T
        sizes = self.held(partition).sizes
        return self.losses(learner, partition) - np.repeat(means, sizes, axis=1)

    def _averaged(self, matrices: Sequence[tuple[Partition, np.ndarray]]) -> np.ndarray:
        """Matrices of partitions, their columns put into the order of the table, as its rows."""
        total = np.zeros(matrices[0][1].shape[::-1])
        for partition, matrix in matrices:
            total[self.order(partition)] += matrix.T
        return total / len(matrices)

    def selection_noise(self, learners: Sequence[str], judged: "OutOfFold | None" = None) -> float:
        """Compute Q of the choice among all θ of some learners, averaged over partitions.

        Parameters
        ----------
        learners
            Their names.
        judged
            The losses whose noise counts, where they are not those that θ is chosen by.

        Returns
        -------
        float
            The mean noise of the difference to the best θ, over the θ that are near it.

        Examples
        --------
        >>> round(OutOfFold(loss_table).selection_noise(["mean"]), 4)
        8.536
        """
        parts = [self._noise_of(learners, partition, judged) for partition in self.repeats]
        return float(np.mean(parts))

    def _noise_of(
        self, learners: Sequence[str], partition: Partition, judged: "OutOfFold | None"
    ) -> float:
        matrices = [self.losses(name, partition) for name in learners]
        held = self.held(partition)
        best = smallest(np.concatenate([held.centres(matrix) for matrix in matrices]))
        gaps, variances = self.differences(learners, partition, best)
        near = is_near(gaps, variances)
        if judged is not None:
            _, variances = judged.differences(learners, partition, best)
        return float(variances[near].mean())

    def differences(
        self, learners: Sequence[str], partition: Partition, best: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The risk of each θ minus that of the best one, and the test noise of that difference."""
        matrices, held = [self.losses(name, partition) for name in learners], self.held(partition)
        reference = _row(matrices, best)
        gaps, variances = list[np.ndarray](), list[np.ndarray]()
        for block in _blocks(matrices):
            gap = block - reference
            gaps.append(held.centres(gap))
            variances.append(held.noise(gap))
        return np.concatenate(gaps), np.concatenate(variances)


def _row(matrices: Sequence[np.ndarray], place: int) -> np.ndarray:
    """Row `place` of the matrices, one below the other."""
    for matrix in matrices:
        if place < len(matrix):
            return matrix[place]
        place -= len(matrix)
    raise IndexError(place)


def _blocks(matrices: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Parts of the matrices, so that no copy of a whole one is needed."""
    for matrix in matrices:
        step = max(1, BLOCK // matrix.shape[1])
        for start in range(0, len(matrix), step):
            yield matrix[start : start + step]
