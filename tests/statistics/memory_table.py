"""A loss table in memory: heldout's own splits and aggregations over a toy algorithm's losses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from heldout.measures.loss import Loss
from heldout.measures.registry import LOSSES
from heldout.resampling.split import Partition, Resample, Split, partitions, resamples

Losses = Callable[[Any, np.ndarray, np.ndarray], np.ndarray]
"""(θ, training rows, held-out rows) → losses of the model trained on the former on the latter."""


@dataclass
class MemoryTable:
    """Has what aggregations ask a LossTable for."""

    n: int
    losses_of: Losses
    thetas: dict[str, list[dict[str, Any]]]
    splits: dict[str, Split]
    kinds: Sequence[str]
    loss: Loss = LOSSES["zero_one"]
    resamples: dict[str, dict[str, Resample]] = field(init=False)
    table: Any = field(init=False)

    def __post_init__(self) -> None:
        self.resamples = {
            kind: {r.name: r for r in resamples(kind, self.n, self.splits)} for kind in self.kinds
        }
        self.table = SimpleNamespace(
            n=self.n, grouped=False, weights=None, times=None, class_counts=None
        )

    def has(self, kind: str) -> bool:
        return kind in self.resamples

    @property
    def partitions(self) -> list[Partition]:
        return partitions(self.splits["kfold"])

    def resample(self, name: str) -> Resample:
        return next(named[name] for named in self.resamples.values() if name in named)

    def losses(self, _: str, theta: dict[str, Any], resample: Resample) -> dict[str, np.ndarray]:
        if resample.members:
            return {
                name: self.losses_of(theta, part.train, rows)
                for part in resample.members
                for name, rows in part.held.items()
            }
        return {
            name: self.losses_of(theta, resample.train, rows)
            for name, rows in resample.held.items()
        }

    def risks(self, learner: str, theta: dict[str, Any], resample: Resample) -> dict[str, float]:
        found = self.losses(learner, theta, resample)
        return {name: float(losses.mean()) for name, losses in found.items()}

    def joint_risk(self, learner: str, theta: dict[str, Any], resample: Resample) -> float:
        found = self.losses(learner, theta, resample).values()
        return float(np.concatenate(list(found)).mean())

    @property
    def plain(self) -> bool:
        return True

    def units(self, rows: np.ndarray) -> np.ndarray:
        return rows


def kfold_split(fold: np.ndarray) -> Split:
    """A kfold split file's columns from `fold[row]`."""
    n = len(fold)
    return {"repeat": np.ones(n, int), "row": np.arange(n), "fold": fold + 1}


def loo_split_of(n: int) -> Split:
    """A loo split file's columns."""
    return {"row": np.arange(n), "fold": np.arange(n) + 1}
