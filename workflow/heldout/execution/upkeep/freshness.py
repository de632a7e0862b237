"""Which results are stale: whole, but made for another config, table or code than there is now.

The planner of the workflow (`planner`) decides this with the rules of Snakemake at hand. Here the
receipts serve in their place: they say what each job read and wrote, so the request of the present
config and the receipts of those who wrote its inputs are all that is needed. Damage is no reason.
"""

from collections.abc import Iterator
from typing import Any

from heldout.errors import HeldoutError
from heldout.execution.batches import batch_numbers
from heldout.execution.reasons import differences
from heldout.execution.study import Study
from heldout.execution.upkeep.folder import Folder, Results
from heldout.execution.upkeep.wanted import Wildcards, fitting, jobs_of
from heldout.receipts import Receipt, file_digest

Name = tuple[str, str]
"""The task, or nothing for what all tasks share, and the job."""


class Freshness:
    """Compares receipts with the present config, and with one another.

    Parameters
    ----------
    study
        The present config.
    results
        All results.
    """

    def __init__(self, study: Study, results: Results):
        self._study, self._results = study, results
        self.folders: dict[str, Folder] = {
            task: results.folder(task) for task in ("", *study.tasks)
        }
        self._writers = {
            path: (task, job)
            for task, folder in self.folders.items()
            for job, receipt in folder.receipts.items()
            for path in receipt.outputs
        }
        self._reasons: dict[Name, list[str]] = {}
        self._wanted: dict[str, dict[str, tuple[str, Wildcards]]] = {}

    def wanted(self, task: str) -> dict[str, tuple[str, Wildcards]]:
        """The jobs that the config asks for."""
        if task not in self._wanted:
            self._wanted[task] = jobs_of(self._study, task, self.batches(task))
        return self._wanted[task]

    def batches(self, task: str) -> int:
        """In how many batches the cells of a task were fitted, or are to be."""
        used = self._study.config.batches or self.folders[task].batches
        return used or max((many for _, many in self._fitted(task)), default=1)

    def reasons(self, task: str, job: str) -> list[str]:
        """Why a job with a receipt is stale; nothing if it is not."""
        name = task, job
        if name not in self._reasons:
            self._reasons[name] = []  # a circle of receipts would never end
            self._reasons[name] = self._find(name)
        return self._reasons[name]

    def _find(self, name: Name) -> list[str]:
        task, job = name
        receipt = self.folders[task].receipts[job]
        try:
            request = self._request(name)
        except HeldoutError as error:  # the ledger, which a request tells of, cannot be read
            return [str(error)]
        if request is None:
            return ["the config does not ask for it"]
        changed = differences(receipt.request, request) or list(self._input_reasons(receipt))
        writers = {self._writers[path] for path in receipt.inputs if path in self._writers}
        return changed or [
            f"{writer[1]} runs, whose files it reads"
            for writer in sorted(writers)
            if self.reasons(*writer)
        ]

    def _request(self, name: Name) -> dict[str, Any] | None:
        """What the config asks of the job; None if it does not ask for it.

        Cells may have been fitted in another number of batches: their receipts serve, too.
        """
        task, job = name
        numbers = batch_numbers(f"{job}.json")
        known = dict([fitting(*numbers)]) if task and numbers else self.wanted(task)
        if job not in known:
            return None
        step, wildcards = known[job]
        return self._study.request(step, task, **wildcards)

    def _fitted(self, task: str) -> Iterator[tuple[int, int]]:
        """The numbers of all fitting jobs with a receipt, whatever the number of batches."""
        found = (batch_numbers(path.name) for path in self.folders[task].receipt_files)
        return (numbers for numbers in found if numbers is not None)

    def _input_reasons(self, receipt: Receipt) -> Iterator[str]:
        for path, digest in receipt.inputs.items():
            if path in self._writers:
                task, job = self._writers[path]
                found: str | None = self.folders[task].receipts[job].outputs[path]
            elif self._results.is_ours(path):
                continue  # the receipt of the job that wrote it is missing, which is said elsewhere
            else:
                found = self._users_file(path)
            if found != digest:
                yield f"{path} is not as it was read" if found else f"{path} is missing"

    def _users_file(self, path: str) -> str | None:
        try:
            return file_digest(path)
        except OSError:
            return None
