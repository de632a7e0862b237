"""All that an export is written from: the facts of the answer, and what is known of the run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from heldout import __version__
from heldout.files import read_json
from heldout.names import canonical
from heldout.receipts import RECEIPTS, read_receipt
from heldout.report import fits
from heldout.resampling.kinds import LOO
from heldout.results.answer import Answer, Facts, answer_of
from heldout.results.study import Task
from heldout.results.task import TaskResults, facts_of
from heldout.selection.plain import NotPlainError

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


PIPELINE = "pipeline.joblib"
"""The file of the final model that needs no heldout."""


@dataclass(frozen=True)
class Material:
    """What is known of a finished task.

    Parameters
    ----------
    task
        The task, whose files are compared with their digests.
    """

    task: Task

    @cached_property
    def results(self) -> TaskResults:
        """The files of the task."""
        assert self.task.answer  # the files behind it are as they were written
        return TaskResults(self.task.folder)

    @cached_property
    def facts(self) -> Facts:
        """The facts of the answer."""
        found = self.results
        return facts_of(found, found.scale, found.learners, found.sets)

    @cached_property
    def answer(self) -> Answer:
        """The answer in words."""
        return answer_of(self.facts)

    @property
    def table(self) -> Mapping[str, Any]:
        """The facts about the prepared table."""
        return self.results.facts

    @cached_property
    def versions(self) -> dict[str, str]:
        """The versions of the software, as the card of the final model has them."""
        card = self.task.card
        return {"heldout": __version__, **card["versions"], **json.loads(card["libraries"])}

    @cached_property
    def plain(self) -> "Pipeline | NotPlainError":
        """The final model as scikit-learn's own classes, or why there is none."""
        try:
            return self.task.pipeline
        except NotPlainError as error:
            return error

    @property
    def requirements(self) -> list[str]:
        """What must be installed where the exported model is loaded, as pip takes it."""
        needed: list[str] = self.task.card["requirements"]
        if isinstance(self.plain, NotPlainError):
            return needed
        others = [one for one in needed if not one.startswith("heldout==")]
        pandas = f"pandas=={version('pandas')}"  # rows of the table are given as a DataFrame
        return list(dict.fromkeys([*others, pandas]))

    @cached_property
    def asked(self) -> Mapping[str, Any]:
        """What the config says of the table: `test`, `stratify`, `fold_column`, …; empty where it is not known."""
        receipt = read_receipt(self.task.folder / RECEIPTS / "prepare_data.json")
        return {} if receipt is None else receipt.request.get("spec", {})

    @property
    def stratified(self) -> bool:
        """Whether rows are drawn class by class."""
        return bool(self.asked.get("stratify") and self.asked.get("classification"))

    @cached_property
    def fits(self) -> int:
        """How many models were fitted; leave-one-out fits one for each row and θ."""
        return counted_fits([read_json(path) for path in self.results.manifests], self.table["n"])


def counted_fits(manifests: list[dict[str, Any]], rows: int) -> int:
    """Count the fits behind the numbers.

    Parameters
    ----------
    manifests
        The content of the manifests of a task.
    rows
        The number of rows, each of which leave-one-out leaves out once.

    Returns
    -------
    int
        How many models were fitted.

    Examples
    --------
    >>> sets = {"full": [], "k2.r1.f01": [], "loo.c001": [], "loo.c002": []}
    >>> counted_fits([{"cells": [{"learner": "knn", "theta": {}, "sets": sets}]}], rows=150)
    152
    """
    entries = [entry for manifest in manifests for entry in manifest["cells"]]
    kinds = [fits.kind_of(name) for entry in entries for name in entry["sets"]]
    left_out = {
        (entry["learner"], canonical(entry["theta"]))
        for entry in entries
        if any(fits.kind_of(name) == LOO for name in entry["sets"])
    }
    return sum(kind != LOO for kind in kinds) + rows * len(left_out)
