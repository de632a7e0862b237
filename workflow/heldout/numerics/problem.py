"""What an engine is given, what it returns, and which rows it gets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from heldout.names import Theta
from heldout.numerics.cut import Cut
from heldout.numerics.fit_warning import FitWarning
from heldout.numerics.pipeline import Builder
from heldout.predictions import Predictions

Rows = np.ndarray
"""Row numbers of the table."""


@dataclass(frozen=True)
class Job:
    """All training sets that a job fits, for engines that share work between training sets.

    Parameters
    ----------
    features
        The whole table. The row numbers of `sets` are positions in it.
    sets
        The training sets, perhaps made anew each time.
    memory
        What engines keep from one training set to the next, by the name of their module.
    """

    features: np.ndarray
    sets: Iterable["TrainingSet"]
    memory: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Origin:
    """The row numbers of a problem's training rows and held-out rows, and the job it belongs to."""

    train: Rows
    held: Rows
    job: Job


@dataclass(frozen=True)
class Problem:
    """One training set of one learner.

    Parameters
    ----------
    builder
        Builds the learner's Pipelines.
    train_features, train_target
        The training rows. The target is a code of a class, or a number. Features may be given as a `Cut`;
        they are read as a matrix.
    held_features
        The rows to predict; the same object as `train_features` if these are the training rows.
    seed
        The seed of every fit of this problem.
    preprocessed
        Filled by engines: the fitted preprocessing of this training set and both transformed
        matrices, for other θ and other learners.
    origin
        Which rows of the table these are; None if the problem is not part of a job.
    weights
        The weights of the training rows; None if all are alike. Only the engines `generic` and `steps`
        know them.
    units
        The group of each training row; None if there are no groups.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> from heldout.numerics.pipeline import Columns
    >>> builder = Builder(define("mean", None), Columns(["a"], frozenset({0}), None))
    >>> rows = np.array([[1.0], [2.0], [3.0]])
    >>> problem = Problem(builder, rows, np.array([4.0, 5.0, 9.0]), rows, seed=1)
    """

    builder: Builder
    train_features: Any  # a matrix; for builders with `takes_frame`, a DataFrame
    train_target: np.ndarray
    held_features: Any
    seed: int
    preprocessed: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    origin: Origin | None = None
    weights: np.ndarray | None = None
    units: np.ndarray | None = None

    def cuts(self) -> tuple[Cut, Cut] | None:
        """The training rows and those to predict, not yet cut; None if they were given as matrices."""
        train, held = vars(self)["train_features"], vars(self)["held_features"]
        return (train, held) if isinstance(train, Cut) and isinstance(held, Cut) else None


class _Rows:
    """A field with rows: those of a table are cut out of it when the field is read."""

    def __init__(self, name: str):
        self._name = name

    def __get__(self, problem: Problem, kind: type) -> Any:
        given = vars(problem)[self._name]
        return given.array if isinstance(given, Cut) else given

    def __set__(self, problem: Problem, given: Any) -> None:
        vars(problem)[self._name] = given


for _name in ("train_features", "held_features"):
    setattr(Problem, _name, _Rows(_name))


@dataclass(frozen=True)
class Outcome:
    """A fitted model and its predictions, or the error of the fit.

    Parameters
    ----------
    theta
        The θ that was fitted.
    model
        The fitted Pipeline; None after an error, or if models are not kept.
    shared
        Parts of the model that models of other θ contain too.
    predictions
        The predictions for the held-out rows; None after an error.
    error
        The error of the fit; None if there was none.
    seconds
        The time that the fit and its predictions took.
    engine
        The name of the engine.
    warnings
        The warnings of the fit, each with its count.
    """

    theta: Theta
    model: Any = None
    shared: Sequence[Any] = ()
    predictions: Predictions | None = None
    error: Exception | None = None
    seconds: float = 0.0
    engine: str = ""
    warnings: tuple[FitWarning, ...] = ()


@dataclass(frozen=True)
class TrainingSet:
    """Which rows train, and which are predicted.

    Parameters
    ----------
    name
        The name of the held-out set; different for different training sets.
    train
        The training rows.
    held
        The rows of each held-out set.
    """

    name: str
    train: Rows
    held: Sequence[Rows]

    @cached_property
    def held_rows(self) -> Rows:
        """The rows of all held-out sets, one set after another."""
        return self.held[0] if len(self.held) == 1 else np.concatenate(list(self.held))


class TrainingSets:
    """Makes problems from the rows of a table.

    Rows are cut out of the table once, if a learner asks for them, and preprocessing is fitted once, for all
    learners that follow one another on the same training set.

    Parameters
    ----------
    features, target
        The whole table.
    expected
        All training sets of the job, for engines that share work between training sets. They may be made anew
        each time that they are gone through.
    weights
        The weights of all rows; None if all are alike.
    units
        The group of each row; None if there are no groups.
    frame
        Gives the whole table as a DataFrame, for the learners that take one.

    Examples
    --------
    >>> from heldout.learners.learner import define
    >>> from heldout.numerics.pipeline import Columns
    >>> builder = Builder(define("mean", None), Columns(["a"], frozenset({0}), None))
    >>> sets = TrainingSets(np.array([[1.0], [2.0], [3.0]]), np.array([4.0, 5.0, 9.0]))
    >>> fold = TrainingSet("fold", np.array([0, 2]), [np.array([1])])
    >>> sets.problem(builder, fold, seed=1).train_target
    array([4., 9.])
    """

    def __init__(
        self,
        features: np.ndarray,
        target: np.ndarray,
        expected: Iterable[TrainingSet] = (),
        weights: np.ndarray | None = None,
        units: np.ndarray | None = None,
        frame: Callable[[], Any] | None = None,
    ):
        self._features, self._target, self._weights = features, target, weights
        self._units, self._frame = units, frame
        self._job = Job(features, expected)
        self._expected = {one.name for one in expected}
        self._name: str | None = None
        self._arrays: dict[bool, tuple[Any, np.ndarray, Any]] = {}
        self._preprocessed: dict[str, Any] = {}

    def problem(self, builder: Builder, training_set: TrainingSet, seed: int) -> Problem:
        """One learner's problem; learners of one training set share its preprocessing."""
        if training_set.name != self._name:
            self._name = training_set.name
            self._arrays, self._preprocessed = {}, {}
        origin = None
        if training_set.name in self._expected:
            origin = Origin(training_set.train, training_set.held_rows, self._job)
        if builder.takes_frame not in self._arrays:
            self._arrays[builder.takes_frame] = self._slices(training_set, builder.takes_frame)
        arrays, shared = self._arrays[builder.takes_frame], self._preprocessed
        weights, units = (
            None if values is None else values[training_set.train]
            for values in (self._weights, self._units)
        )
        return Problem(builder, *arrays, seed, shared, origin, weights, units)

    def _slices(self, training_set: TrainingSet, frame: bool) -> tuple[Any, np.ndarray, Any]:
        train, held = training_set.train, training_set.held_rows
        target, rows = self._target[train], self._rows_of(frame)
        features = rows(train)
        return features, target, features if np.array_equal(held, train) else rows(held)

    def _rows_of(self, frame: bool) -> Callable[[Rows], Any]:
        if not frame:
            return lambda rows: Cut(self._features, rows)
        if self._frame is None:
            raise ValueError("these learners take a DataFrame, and there is none")
        whole = self._frame()
        return lambda rows: whole.iloc[rows].reset_index(drop=True)
