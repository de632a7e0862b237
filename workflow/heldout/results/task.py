"""The folder of a task, opened for reading. Nothing here writes a file or runs a step."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from heldout.errors import HeldoutError, did_you_mean
from heldout.estimates.rows import EstimateRow, read_rows
from heldout.files import read_json
from heldout.measures.loss import Loss
from heldout.measures.registry import named_loss
from heldout.measures.spec import LossSpec
from heldout.receipts import RECEIPTS, read_receipt
from heldout.results.tables import Table, read_table

ALL = "all"
"""The value of `learner` in rows for the choice between learners."""


@dataclass(frozen=True)
class TaskResults:
    """The results of one task; a file is read when it is asked for.

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

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The facts about the prepared table."""
        return read_json(self.folder / "data" / "table.json")

    @property
    def classes(self) -> list[Any] | None:
        """The labels, or None for regression."""
        return self.facts["schema"]["target"]["classes"]

    @property
    def classification(self) -> bool:
        """Whether the target is one of several classes."""
        return self.classes is not None

    @cached_property
    def loss(self) -> Loss | None:
        """The loss without its settings, as the step that wrote the risks was told; None if not known."""
        receipt = read_receipt(self.folder / RECEIPTS / "estimate_risks.json")
        if receipt is None or "spec" not in receipt.request:
            return None
        given = receipt.request["spec"]["cells"]["loss"]
        return named_loss(given and LossSpec(**given), self.classification)

    @property
    def has_selection(self) -> bool:
        """Whether a model has been selected."""
        return (self.folder / "selection.json").is_file()

    @cached_property
    def selection(self) -> dict[str, Any]:
        """What was selected and why."""
        return read_json(self.folder / "selection.json")

    @cached_property
    def card(self) -> dict[str, Any]:
        """What the final model is."""
        return read_json(self.folder / "final" / "card.json")

    @property
    def test(self) -> dict[str, Any] | None:
        """Whether the sealed rows were opened, and how that counts; None if there are none."""
        return self.selection.get("test")

    @cached_property
    def opening(self) -> dict[str, Any]:
        """The same with all earlier openings; empty if there are no sealed rows."""
        return read_json(self.folder / "vault" / "opening.json") if self.test else {}

    def table(self, name: str) -> Table:
        """A csv file as a table, without rows if there is no such file."""
        return read_table(self.folder / f"{name}.csv") or Table([], [])

    @cached_property
    def estimates(self) -> Table:
        """The estimates of the tuned procedures."""
        return self.table("estimates")

    def estimate_rows(self) -> list[EstimateRow]:
        """The rows of estimates.csv."""
        path = self.folder / "estimates.csv"
        if not path.is_file():
            raise HeldoutError(f"task '{self.name}' has no estimates yet; run: heldout run")
        return read_rows(path, EstimateRow)


def task_names(results: Path, having: str) -> list[str]:
    """List the tasks whose folders have a file.

    Parameters
    ----------
    results
        The folder of results.
    having
        The file's path in a task's folder; may be a pattern.

    Returns
    -------
    list of str
        Names in alphabetical order.

    Examples
    --------
    >>> (folder / "penguins").mkdir()
    >>> (folder / "penguins" / "estimates.csv").touch()
    >>> task_names(folder, "estimates.csv")
    ['penguins']
    """
    depth = len(Path(having).parts)
    return sorted({path.parents[depth - 1].name for path in results.glob(f"*/{having}")})


def open_task(results: Path, task: str) -> TaskResults:
    """Open the results of a task.

    Parameters
    ----------
    results
        The folder of results.
    task
        The name of a task.

    Returns
    -------
    TaskResults
        Reads a file when it is needed.

    Raises
    ------
    HeldoutError
        If there is no such task; the message suggests a similar name.

    Examples
    --------
    >>> (folder / "iris" / "data").mkdir(parents=True)
    >>> open_task(folder, "iris").name
    'iris'
    """
    if not (results / task).is_dir():
        hint = did_you_mean(task, task_names(results, "data"))
        raise HeldoutError(f"no task '{task}' in '{results}'{hint}")
    return TaskResults(results / task)
