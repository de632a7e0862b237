"""What an engine is given, what it gives back, and which rows it sees."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from heldout.names import Theta
from heldout.numerics.fit_warning import FitWarning
from heldout.numerics.pipeline import Builder
from heldout.predictions import Predictions

Rows = np.ndarray
"""Row numbers of the table."""


@dataclass(frozen=True)
class Job:
    """All training sets that a job fits, for engines that prepare for several at once."""

    features: np.ndarray
    """The rows of the whole table, which the row numbers in `sets` mean."""
    sets: Sequence[tuple[Rows, Rows]]
    """The training rows and the held-out rows of each."""
    memory: dict[str, Any] = field(default_factory=dict)
    """What engines keep from one training set to the next, by the name of their module."""


@dataclass(frozen=True)
class Origin:
    """Which rows of the table a problem consists of, and the job that it belongs to."""

    train: Rows
    held: Rows
    job: Job


@dataclass(frozen=True)
class Problem:
    """One training set of one learner: training rows, rows to predict, and the seed."""

    builder: Builder
    train_features: np.ndarray
    train_target: np.ndarray
    held_features: np.ndarray
    seed: int
    preprocessed: dict[str, tuple[Any, np.ndarray, np.ndarray]] = field(default_factory=dict)
    """Fitted preprocessing of this training set, shared by θ and by learners."""
    origin: Origin | None = None
    """Where its rows come from, if it is one of the training sets of a job."""


@dataclass(frozen=True)
class Outcome:
    """A fitted model and its predictions, or the error that stood in the way."""

    theta: Theta
    model: Any = None
    shared: Sequence[Any] = ()
    """Parts of the model that models of other θ hold too."""
    predictions: Predictions | None = None
    error: Exception | None = None
    seconds: float = 0.0
    engine: str = ""
    warnings: tuple[FitWarning, ...] = ()


@dataclass(frozen=True)
class TrainingSet:
    """Rows to train on, and sets of rows to predict; `name` tells training sets apart."""

    name: str
    train: Rows
    held: Sequence[Rows]

    @cached_property
    def held_rows(self) -> Rows:
        """The rows of all held-out sets, one set after another."""
        return self.held[0] if len(self.held) == 1 else np.concatenate(list(self.held))


class TrainingSets:
    """Cuts problems out of a table; keeps the arrays while the training set stays the same.

    `features` and `target` are the whole table; `expected` are all training sets of the job, which
    engines may prepare for together.
    """

    def __init__(
        self, features: np.ndarray, target: np.ndarray, expected: Iterable[TrainingSet] = ()
    ):
        self._features, self._target = features, target
        self._expected = {one.name: one for one in expected}
        self._name: str | None = None
        self._arrays: tuple[np.ndarray, np.ndarray, np.ndarray] = (features, target, features)
        self._preprocessed: dict[str, Any] = {}

    def problem(self, builder: Builder, training_set: TrainingSet, seed: int) -> Problem:
        """One learner's problem; learners of one training set share its preprocessing."""
        if training_set.name != self._name:
            self._name = training_set.name
            self._arrays = self._slices(training_set)
            self._preprocessed = {}
        origin = None
        if training_set.name in self._expected:
            origin = Origin(training_set.train, training_set.held_rows, self._job)
        return Problem(builder, *self._arrays, seed, self._preprocessed, origin)

    @cached_property
    def _job(self) -> Job:
        sets = [(one.train, one.held_rows) for one in self._expected.values()]
        return Job(self._features, sets)

    def _slices(self, training_set: TrainingSet) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        train, held = training_set.train, training_set.held_rows
        features, target = self._features[train], self._target[train]
        same = np.array_equal(held, train)
        return features, target, features if same else self._features[held]
