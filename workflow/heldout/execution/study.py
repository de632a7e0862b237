"""The study: what the rules ask while the workflow is parsed."""

import re
from pathlib import Path

from heldout.data import oracle_catalogue
from heldout.errors import HeldoutError
from heldout.execution import resources
from heldout.execution.specs import Specs
from heldout.resampling.kinds import split_files


class Study(Specs):
    """Files, jobs and resources of every task; `spec` says what a step depends on."""

    @property
    def task_pattern(self) -> str:
        """A regular expression for the names of the tasks."""
        return "|".join(re.escape(name) for name in self.tasks)

    def sources(self, task: str) -> list[str]:
        """The user's files that a task's table is read from."""
        given = [self._task(task).data, self._task(task).test]
        made = ("sklearn:", oracle_catalogue.PREFIX)
        return [name for name in given if isinstance(name, str) and not name.startswith(made)]

    def check_sources(self) -> None:
        """Refuse a file that is not there: Snakemake would go on with what it made from another."""
        for task in self.tasks:
            for name in self.sources(task):
                if not Path(name).is_file():
                    raise HeldoutError(
                        f"tasks.{task}: no file at '{name}' (looked in {Path.cwd()})"
                    )

    @property
    def libraries(self) -> list[str]:
        """The modules of scikit-learn that hold the estimators of all tasks."""
        learners = [learner for task in self.tasks for learner in self._learners_of(task)]
        paths = [path for learner in learners for path in (learner.classifier, learner.regressor)]
        modules = [
            path.rpartition(".")[0] for path in paths if path and path.startswith("sklearn.")
        ]
        return list(dict.fromkeys(["sklearn.pipeline", *modules]))

    def splits(self, task: str) -> list[str]:
        """The names of a task's split files."""
        return split_files(self._kinds(task))

    def manifests(self, task: str) -> list[str]:
        """The manifests of all fitting jobs of a task."""
        parts = self.parts(task)
        folder = f"results/{task}/cells/manifests"
        return [f"{folder}/{part}-of-{parts}.json" for part in range(1, parts + 1)]

    def fitting_memory(self, size: float, attempt: int) -> int:
        """MB for a job that fits, from the size of its inputs."""
        return resources.megabytes(size, resources.FITTING_COPIES, attempt)

    def reading_memory(self, size: float, attempt: int) -> int:
        """MB for a job that reads all cells of a task, from the size of its inputs."""
        return resources.megabytes(size, resources.READING_COPIES, attempt)

    def fitting_minutes(self, task: str, parts: str, attempt: int) -> int:
        """How long a fitting job may take."""
        return resources.minutes(self._cells[task] / int(parts), resources.FITTING_SECONDS, attempt)

    def audit_minutes(self, task: str, attempt: int) -> int:
        """How long a batch of an audit's replicates may take."""
        cells = self._cells[task] * self._audit(task).batch
        return resources.minutes(cells, resources.AUDIT_SECONDS, attempt)

    def reading_minutes(self, task: str, attempt: int) -> int:
        """How long a job that reads all cells of a task may take."""
        return resources.minutes(self._cells[task], resources.READING_SECONDS, attempt)

    @property
    def figures(self) -> list[str]:
        """The names of the tasks that figures are drawn for."""
        return self.tasks if self.config.figures else []

    def audit_batches(self, task: str) -> list[str]:
        """The files of all batches of a task's audit: more replicates only add to them."""
        folder, numbers = f"results/{task}/audit", range(1, self._batch_count(task) + 1)
        return [f"{folder}/m{m}/batch-{i:04d}.npz" for m in self._audit(task).m for i in numbers]
