"""The study: what the rules ask while the workflow is parsed."""

import re
import time
from pathlib import Path
from typing import Any

from heldout.config.load import validate
from heldout.data.ledger import FOLDER, ledger_faults
from heldout.data.witness import task_folders
from heldout.errors import HeldoutError
from heldout.execution import batches, resources
from heldout.execution.older import older_note
from heldout.execution.sharing import sealing_notes
from heldout.execution.specs import build
from heldout.execution.specs.request import request_of
from heldout.execution.tasks import DeclaredTask, declared_tasks
from heldout.learners.libraries import LIBRARIES
from heldout.learners.threads import package_of

CLOCKS_APART = 60.0
"""Seconds by which the clock of a file server may be ahead."""


class Study:
    """A validated config: files, jobs and resources of every task, and the spec of every step."""

    def __init__(self, raw: dict[str, Any], cores: int | None = 1):
        """`cores` is None on a cluster, where no job knows what the others have."""
        self.config = validate(raw)
        self.cores = cores
        self._tasks = declared_tasks(self.config)

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks."""
        return list(self._tasks)

    def task(self, name: str) -> DeclaredTask:
        """One task."""
        return self._tasks[name]

    @property
    def figures(self) -> list[str]:
        """The names of the tasks that figures are drawn for."""
        return self.tasks if self.config.figures else []

    @property
    def audits(self) -> list[str]:
        """The names of the tasks that have an audit."""
        return [name for name in self.tasks if self.config.tasks[name].audit is not None]

    @property
    def task_pattern(self) -> str:
        """A regular expression for the names of the tasks."""
        return "|".join(re.escape(name) for name in self.tasks)

    @property
    def libraries(self) -> list[str]:
        """The modules that hold the estimators of all tasks: of scikit-learn, and of libraries that heldout knows."""
        learners = [learner for task in self._tasks.values() for learner in task.learners]
        paths = [path for learner in learners for path in (learner.classifier, learner.regressor)]
        modules = [path.replace(":", ".").rpartition(".")[0] for path in paths if path]
        known = [module for module in modules if package_of(module) in {"sklearn", *LIBRARIES}]
        others = ["pandas"] if any(package_of(module) in LIBRARIES for module in known) else []
        return list(dict.fromkeys(["sklearn.pipeline", *others, *known]))

    def request(self, step: str, task: str = "", **wildcards: Any) -> dict[str, Any]:
        """All that a step depends on besides files; without a task, a step for all of them."""
        about = self._tasks[task] if task else list(self._tasks.values())
        return request_of(step, getattr(build, step)(about, **wildcards))

    @property
    def notes(self) -> list[str]:
        """What a user should know before the jobs start."""
        old = [note for task in self.tasks if (note := older_note(Path("results", task)))]
        faults = ledger_faults(FOLDER, task_folders(Path("results")))
        damaged = [f"the ledger of openings is damaged: {', '.join(faults)}"] if faults else []
        return [*old, *sealing_notes(self.config), *damaged]

    # --- files -----------------------------------------------------------------------------------

    def sources(self, task: str) -> list[str]:
        """The user's files that a task's table is read from."""
        return self._tasks[task].sources

    def check_sources(self) -> None:
        """Refuse a file that is not there: Snakemake would go on with what it made from another."""
        for task in self.tasks:
            for name in self.sources(task):
                if not Path(name).is_file():
                    raise HeldoutError(
                        f"tasks.{task}: no file at '{name}' (looked in {Path.cwd()})"
                    )
                if Path(name).stat().st_mtime > time.time() + CLOCKS_APART:
                    raise HeldoutError(
                        f"tasks.{task}: '{name}' has a modification time in the future, and Snakemake "
                        f"refuses results that are older than what they are made from; run: touch {name}"
                    )

    def splits(self, task: str) -> list[str]:
        """The names of a task's split files."""
        return self._tasks[task].splits

    def split_files(self, wildcards: Any) -> list[str]:
        """The split files of a task: an input function."""
        task = wildcards.task
        return [f"results/{task}/splits/{split}.csv" for split in self.splits(task)]

    def final_splits(self, wildcards: Any) -> list[str]:
        """The split files that the final model of a task depends on: an input function."""
        task = wildcards.task
        return [f"results/{task}/splits/{split}.csv" for split in self._tasks[task].final_splits]

    def has_test(self, task: str) -> bool:
        """Whether the task has a sealed test set that is to be opened."""
        return self._tasks[task].has_test

    def refits(self, task: str) -> bool:
        """Whether a second model is trained on all rows after the test."""
        return self._tasks[task].refits

    def has_metrics(self, task: str) -> bool:
        """Whether extra metrics are asked for."""
        return self._tasks[task].has_metrics

    def is_oracle(self, task: str) -> bool:
        """Whether a task's rows are drawn from an oracle."""
        return self._tasks[task].is_oracle

    def audit_batches(self, task: str) -> list[str]:
        """The files of all batches of a task's audit: more replicates only add to them."""
        return [
            f"results/{task}/audit/m{m}/batch-{batch}.npz" for m, batch in self.audit_numbers(task)
        ]

    def audit_numbers(self, task: str) -> list[tuple[str, str]]:
        """The size m and the number of every batch of a task's audit."""
        declared = self._tasks[task]
        numbers = range(1, declared.audit_batches + 1)
        return [(str(m), f"{i:04d}") for m in declared.audit.m for i in numbers]

    # --- jobs ------------------------------------------------------------------------------------

    def batches(self, task: str) -> int:
        """How many jobs share the cells of a new task: what the config says, or suits the machine."""
        if self.config.batches:
            return self.config.batches
        declared, size = self._tasks[task], self.config.batch_cells
        if size is None and self.cores is not None:
            return batches.batches_for_cores(declared.cells, self.cores)
        return batches.batches_for_cluster(declared.cells, declared.units, size)

    def threads(self, task: str) -> int:
        """How many cores a job that fits may use: as many as the learner that asks for the most."""
        return max(learner.threads for learner in self._tasks[task].learners)

    def fitting_memory(self, size: float, attempt: int) -> int:
        """MB for a job that fits, from the size of its inputs."""
        return resources.megabytes(size, resources.FITTING_COPIES, attempt)

    def reading_memory(self, size: float, attempt: int) -> int:
        """MB for a job that reads all cells of a task, from the size of its inputs."""
        return resources.megabytes(size, resources.READING_COPIES, attempt)

    def fitting_minutes(self, task: str, batches: str, attempt: int) -> int:
        """How long a fitting job may take."""
        cells = self._tasks[task].cells / int(batches)
        return resources.minutes(cells, resources.FITTING_SECONDS, attempt)

    def audit_minutes(self, task: str, attempt: int) -> int:
        """How long a batch of an audit's replicates may take."""
        cells = self._tasks[task].cells * self._tasks[task].audit.batch
        return resources.minutes(cells, resources.AUDIT_SECONDS, attempt)

    def reading_minutes(self, task: str, attempt: int) -> int:
        """How long a job that reads all cells of a task may take."""
        return resources.minutes(self._tasks[task].cells, resources.READING_SECONDS, attempt)
