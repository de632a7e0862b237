"""A results folder, opened in Python: a study and its tasks. Nothing here runs, fits or writes anything."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.errors import HeldoutError, did_you_mean
from heldout.files import read_json
from heldout.results.answer import Answer
from heldout.results.answer_text import as_html, as_text
from heldout.results.frames import read_frame
from heldout.results.intact import Written
from heldout.results.task import TaskResults, task_names

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.pipeline import Pipeline

    from heldout.results.cell import OpenedCell, OpenedCells
    from heldout.results.plots import Plots
    from heldout.selection.final import Predictor

TABLE = "data/table.json"
"""The file that a task has from its first step on."""
SPOKEN = ("estimates.csv", "selection.json", TABLE)
"""The files that an answer cannot do without."""


class UnknownNameError(HeldoutError, KeyError):
    """A name that a mapping does not have."""

    __str__ = Exception.__str__  # that of KeyError would put the message into quotes


@dataclass(frozen=True, repr=False)
class Task:
    """One task of a finished study; a file is read when it is asked for, and compared with its digest.

    Parameters
    ----------
    folder
        `results/TASK`.
    """

    folder: Path

    @property
    def name(self) -> str:
        """The name of the task."""
        return self.folder.name

    @property
    def estimates(self) -> "pd.DataFrame":
        """What can be said about the tuned learners: value, target, interval."""
        return self._frame("estimates.csv")

    @property
    def risks(self) -> "pd.DataFrame":
        """The risk of each (learner, θ) by each estimator."""
        return self._frame("risks.csv")

    @property
    def folds(self) -> "pd.DataFrame":
        """Nested CV fold by fold: the chosen θ and its risk."""
        return self._frame("folds.csv")

    @property
    def comparisons(self) -> "pd.DataFrame":
        """Learners compared pair by pair."""
        return self._frame("comparisons.csv")

    @property
    def checks(self) -> "pd.DataFrame":
        """What must be known before a number is trusted."""
        return self._frame("checks.csv")

    @property
    def metrics(self) -> "pd.DataFrame":
        """Further measures of the same procedures."""
        return self._frame("metrics.csv")

    @cached_property
    def selection(self) -> dict[str, Any]:
        """What was selected and why."""
        return self._json("selection.json")

    @cached_property
    def card(self) -> dict[str, Any]:
        """What the final model is: what it was trained on, its features, versions."""
        return self._json("final/card.json")

    @cached_property
    def model(self) -> "Predictor":
        """The final model: `predict` and `predict_proba` take a DataFrame with the columns of the table.

        It is a pickle: open only those of people whom you trust.
        """
        from heldout.results.model import load_model

        return load_model(self._written.intact("final/model.joblib"))

    @cached_property
    def pipeline(self) -> "Pipeline":
        """The final model as scikit-learn's own classes, to be used where heldout is not installed.

        An error says why, where scikit-learn has nothing that equals a step of it.
        """
        from heldout.selection.plain import plain_model

        return plain_model(self.model, self._cells.table.table)

    @cached_property
    def splits(self) -> "Splits":
        """The splits by name (`kfold`, `holdout`, …), as DataFrames."""
        return Splits(self)

    @property
    def plot(self) -> "Plots":
        """The figures: `estimates()`, `tuning("knn")`, `predictions()`, `over_time()`."""
        from heldout.results.plots import Plots

        return Plots(self._cells)

    def cell(self, learner: str, theta: Any, held_out: str) -> "OpenedCell":
        """Open one cell.

        Parameters
        ----------
        learner
            The name of the learner.
        theta
            The values of its hyper-parameters, or None for the selected ones.
        held_out
            What training did not see: `full` (nothing), `k5.r1.f03` (a fold), `k5.r1.f01+f03`, `dev` …

        Returns
        -------
        OpenedCell
            `.model`, `.predictions`, `.warnings`, `.seconds`, `.key`.
        """
        return self._cells.cell(learner, theta, held_out)

    def out_of_fold(self, learner: str, theta: Any = None) -> "pd.DataFrame":
        """Collect the predictions of every row by models that have not seen it.

        Parameters
        ----------
        learner
            The name of the learner.
        theta
            The values of its hyper-parameters; the selected ones by default.

        Returns
        -------
        pandas.DataFrame
            `row` (as in the splits), `source_row` (the position in the table as it was given), `target`,
            `prediction`, probabilities, `loss`, `set`, `repeat`, `fold`.
        """
        from heldout.results.out_of_fold import out_of_fold

        return out_of_fold(self._cells, learner, theta)

    @property
    def answer(self) -> Answer:
        """What is said of the task, line by line."""
        for name in SPOKEN:
            self._written.intact(name)
        for name in ("comparisons.csv", "checks.csv"):
            if (self.folder / name).is_file():
                self._written.intact(name)
        return TaskResults(self.folder).answer()

    @property
    def finished(self) -> bool:
        """Whether there is something to say of it."""
        return all((self.folder / name).is_file() for name in SPOKEN)

    @cached_property
    def _written(self) -> Written:
        return Written(self.folder)

    @cached_property
    def _cells(self) -> "OpenedCells":
        from heldout.results.cell import OpenedCells

        for name in (TABLE, "selection.json", "risks.csv"):
            self._written.intact(name)
        return OpenedCells(TaskResults(self.folder))

    def _frame(self, name: str) -> "pd.DataFrame":
        return read_frame(self._written.intact(name))

    def _json(self, name: str) -> dict[str, Any]:
        path = self._written.intact(name)
        try:
            return dict(read_json(path))
        except ValueError as error:
            raise HeldoutError(
                f"'{path}' is damaged: {error}; run: heldout check --repair, then heldout run"
            ) from None

    def __repr__(self) -> str:
        return as_text(self.answer) if self.finished else _unfinished(self)

    def _repr_html_(self) -> str:
        return as_html(self.answer) if self.finished else f"<p>{escape(_unfinished(self))}</p>"


class Splits(Mapping[str, "pd.DataFrame"]):
    """The splits of a task: a DataFrame by name, read when it is asked for.

    Parameters
    ----------
    task
        The task.
    """

    def __init__(self, task: Task):
        self._task = task
        self._names = sorted(path.stem for path in (task.folder / "splits").glob("*.csv"))

    def __getitem__(self, name: str) -> "pd.DataFrame":
        if name not in self._names:
            hint = did_you_mean(str(name), self._names)
            raise UnknownNameError(f"task '{self._task.name}' has no split '{name}'{hint}")
        return self._task._frame(f"splits/{name}.csv")

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<splits: {', '.join(self._names)}>"


class Study(Mapping[str, Task]):
    """The tasks in a folder of results.

    Parameters
    ----------
    folder
        The folder, usually `results`.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._tasks = {name: Task(folder / name) for name in task_names(folder, TABLE)}

    def __getitem__(self, name: str) -> Task:
        if name not in self._tasks:
            hint = did_you_mean(str(name), list(self._tasks))
            raise UnknownNameError(f"no task '{name}' in '{self.folder}'{hint}")
        return self._tasks[name]

    def __contains__(self, name: object) -> bool:
        return name in self._tasks

    def __iter__(self) -> Iterator[str]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def __repr__(self) -> str:
        return "\n\n".join([repr(task) for task in self._tasks.values()])

    def _repr_html_(self) -> str:
        return "".join([task._repr_html_() for task in self._tasks.values()])


def _unfinished(task: Task) -> str:
    missing = [name for name in SPOKEN if not (task.folder / name).is_file()]
    return f"{task.name}   not finished: there is no {missing[0]} yet; run: heldout run"


def open_study(path: str | os.PathLike[str] = "results") -> Study:
    """Open the results of a study. Nothing is run, fitted or written, and the sealed rows stay sealed.

    Parameters
    ----------
    path
        The folder of results.

    Returns
    -------
    Study
        Its tasks by name: ``study["penguins"]``.

    Raises
    ------
    HeldoutError
        If there are no results.

    Examples
    --------
    >>> (folder / "penguins" / "data").mkdir(parents=True)
    >>> (folder / "penguins" / "data" / "table.json").touch()
    >>> study = open_study(folder)
    >>> list(study)
    ['penguins']
    >>> study["penguins"]
    penguins   not finished: there is no estimates.csv yet; run: heldout run
    """
    folder = Path(path)
    if not folder.is_dir():
        raise HeldoutError(
            f"there is no folder '{folder}'; results are made by: heldout run"
        )
    study = Study(folder)
    if not len(study):
        raise HeldoutError(f"no results in '{folder}'{_elsewhere(folder)}")
    return study


def _elsewhere(folder: Path) -> str:
    """Where the results may be instead."""
    if (folder / TABLE).is_file():
        return f": it is a task; open '{folder.parent}' and take ['{folder.name}']"
    if (folder / "results").is_dir():
        return f"; did you mean '{folder / 'results'}'?"
    return "; run: heldout run"
