"""The folder of a task, opened for reading. Nothing here writes a file or runs a step."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from heldout.cells.manifest import manifest_paths
from heldout.decode import decode
from heldout.errors import HeldoutError, did_you_mean
from heldout.estimates.rows import EstimateRow, read_rows
from heldout.estimates.spec import LossTableSpec
from heldout.files import read_json
from heldout.measures.loss import Loss
from heldout.measures.registry import named_loss
from heldout.measures.spec import LossSpec
from heldout.receipts import RECEIPTS, Receipt, read_receipt
from heldout.results.answer import Answer, Facts, answer_of
from heldout.results.held_out_sets import HeldOutSets, counted_sets
from heldout.results.scale import Scale, scale_of
from heldout.results.scores import as_read, scored
from heldout.results.tables import ALL, Table, read_table

MANIFESTS = "manifests"
"""The folder of manifests in the folder of cells."""


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
    def _risks_receipt(self) -> Receipt | None:
        """The receipt of the step that wrote the risks; None if it is not there, or damaged."""
        receipt = read_receipt(self.folder / RECEIPTS / "estimate_risks.json")
        return receipt if receipt is not None and "spec" in receipt.request else None

    @cached_property
    def loss(self) -> Loss | None:
        """The loss without its settings, as the step that wrote the risks was told; None if not known."""
        if self._risks_receipt is None:
            return None
        given = self._risks_receipt.request["spec"]["cells"]["loss"]
        return named_loss(given and LossSpec(**given), self.classification)

    @property
    def scale(self) -> Scale:
        """How values are called and written; where the loss is not known, the usual one."""
        loss = self.loss or named_loss(None, self.classification)
        estimates = scored(self.estimates, loss)
        return scale_of(as_read(loss, estimates), estimates)

    @cached_property
    def cells(self) -> LossTableSpec:
        """Which cells the numbers are computed from, and how."""
        if self._risks_receipt is None:
            raise HeldoutError(
                f"'{self.folder / RECEIPTS / 'estimate_risks.json'}' is missing or damaged: it says which "
                f"cells the numbers of task '{self.name}' come from; run: heldout check --repair, then "
                "heldout run"
            )
        given = self._risks_receipt.request["spec"]["cells"]
        return decode(LossTableSpec, given, f"the receipt of task '{self.name}'")

    @property
    def learners(self) -> list[dict[str, Any]]:
        """The learners as the workflow knows them; none where that is not known."""
        if self._risks_receipt is None:
            return []
        return list(self._risks_receipt.request["spec"]["cells"]["learners"])

    @cached_property
    def batches(self) -> int:
        """The number of batches that the cells behind the numbers were fitted in; 0 if that is not known.

        The folder may have manifests of other numbers of batches too, of earlier runs.
        """
        read = [] if self._risks_receipt is None else [Path(one) for one in self._risks_receipt.inputs]
        known = [path for path in read if path.parent.name == MANIFESTS]
        found = known or list((self.folder / "cells" / MANIFESTS).glob("*-of-*.json"))
        numbers = {path.stem.partition("-of-")[2] for path in found}
        return int(numbers.pop()) if len(numbers) == 1 else 0

    @property
    def manifests(self) -> list[Path]:
        """The manifests of the cells that the numbers are computed from."""
        return manifest_paths(self.folder, self.batches)

    @cached_property
    def sets(self) -> HeldOutSets:
        """How many held-out sets there are, as the manifests say."""
        found = [read_json(path) for path in self.manifests if path.is_file()]
        return counted_sets(
            name for manifest in found for entry in manifest["cells"] for name in entry["sets"]
        )

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

    def answer(self) -> Answer:
        """What is said of the task, in words."""
        if not self.estimates.rows:
            raise HeldoutError(f"task '{self.name}' has no estimates yet; run: heldout run")
        return answer_of(facts_of(self, self.scale, self.learners, self.sets))

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


def facts_of(
    task: TaskResults, scale: Scale, learners: Sequence[dict[str, Any]], sets: HeldOutSets
) -> Facts:
    """Collect the facts that the answer for a task is made of.

    Parameters
    ----------
    task
        The results of the task.
    scale
        The scale of its values.
    learners
        Its learners (`Learner.as_spec`).
    sets
        How many held-out sets there are.

    Returns
    -------
    Facts
        What its files say.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> task = TaskResults(folder / "t")
    >>> schema = {"columns": [], "target": {"name": "y"}}
    >>> task.__dict__["facts"] = {"n": 80, "sealed": 20, "schema": schema}
    >>> task.__dict__["selection"] = {"learner": "knn"}
    >>> facts_of(task, scale_of(LOSSES["zero_one"], task.estimates), [], HeldOutSets()).rows
    80
    """
    report = task.folder / "report.html"
    return Facts(
        task=task.name,
        target=task.facts["schema"]["target"]["name"],
        columns=len(task.facts["schema"]["columns"]),
        rows=task.facts["n"],
        sealed=task.facts["sealed"],
        selection=task.selection,
        estimates=scored(task.estimates, scale.loss),
        scale=scale,
        learners=learners,
        sets=sets,
        comparisons=task.table("comparisons"),
        checks=task.table("checks"),
        report=str(report) if report.is_file() else "",
    )


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
