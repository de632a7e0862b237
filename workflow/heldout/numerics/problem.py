"""What an engine is given, and what it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from heldout.names import Theta
from heldout.numerics.pipeline import Builder
from heldout.predictions import Predictions


@dataclass(frozen=True)
class Job:
    """All training sets that a job fits: their training rows and held-out rows, by row number."""

    sets: Sequence[tuple[np.ndarray, np.ndarray]]
    memory: dict[str, Any] = field(default_factory=dict)
    """What engines keep from one training set to the next, by the name of their module."""


@dataclass(frozen=True)
class Origin:
    """Which rows of the table a problem consists of, and the job that it belongs to."""

    train: np.ndarray
    held: np.ndarray
    job: Job


@dataclass(frozen=True)
class Problem:
    """One training set of one learner: training rows, rows to predict, and the seed."""

    builder: Builder
    train_features: np.ndarray
    train_target: np.ndarray
    held_features: np.ndarray
    seed: int
    prepared: dict[str, tuple[Any, np.ndarray, np.ndarray]] = field(default_factory=dict)
    """Fitted preprocessing of this training set, shared by θ and by learners."""
    origin: Origin | None = None
    """Where its rows come from, if all of them are rows of the table."""


@dataclass(frozen=True)
class Outcome:
    """A fitted model and its predictions, or the error that stood in the way."""

    theta: Theta
    model: Any = None
    shared: Sequence[Any] = ()
    predictions: Predictions | None = None
    error: Exception | None = None
    seconds: float = 0.0
    engine: str = ""
    revisited: bool = False
    """The model was in the store; only its predictions are new."""
