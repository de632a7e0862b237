"""What a config declares: tasks, learners, and how many cells they ask for.

Standard library and pydantic only: the workflow imports this while it is parsed.
"""

import math
from typing import Any

from heldout.config.consistency import check_task
from heldout.config.load import validate
from heldout.config.models import Audit, Config, Task
from heldout.data import oracle_catalogue
from heldout.estimates.registry import kinds_needed
from heldout.execution import resources
from heldout.learners.learner import Learner, define
from heldout.resampling.kinds import (
    ADJACENT,
    BAGS,
    FOLDS,
    FOLDS_WHOLE,
    HALVES,
    LOO,
    PAIRS,
    ROUNDS,
)

GUESSED_ROWS, GUESSED_CHUNKS = 1000, 10
"""Of leave-one-out: while the workflow is parsed nobody has looked at the table yet."""


class Tasks:
    """A validated config, task by task."""

    def __init__(self, raw: dict[str, Any], cores: int | None = 1):
        """`cores` is None on a cluster, where no job knows what the others have."""
        self.config: Config = validate(raw)
        self.cores = cores
        self._learners = {name: self._define(name) for name in self._learner_names()}
        for name in self.tasks:
            check_task(name, self.config, self._learners_of(name))
        self._cells = {name: self._cell_count(name) for name in self.tasks}

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks."""
        return list(self.config.tasks)

    def parts(self, task: str) -> int:
        """How many jobs share the cells of a task."""
        config = self.config
        if config.batches is not None:
            return config.batches
        if config.batch_cells is None and self.cores is not None:
            return resources.jobs_for_cores(self._cells[task], self.cores)
        return resources.jobs_for_cluster(self._cells[task], self._units(task), config.batch_cells)

    def has_test(self, task: str) -> bool:
        """Whether the task has a sealed test set that is to be opened."""
        return bool(self._task(task).test) and "test" in self._task(task).estimators

    def has_metrics(self, task: str) -> bool:
        """Whether extra metrics are asked for."""
        return bool(self._task(task).metrics)

    def is_oracle(self, task: str) -> bool:
        """Whether a task's rows are drawn from an oracle."""
        return oracle_catalogue.is_oracle(self._task(task).data)

    def _task(self, name: str) -> Task:
        return self.config.tasks[name]

    def _audit(self, name: str) -> Audit:
        audit = self._task(name).audit
        assert audit is not None
        return audit

    def _batch_count(self, name: str) -> int:
        audit = self._audit(name)
        return math.ceil(audit.replicates / audit.batch)

    def _oracle(self, name: str) -> dict[str, Any]:
        """The parameters of a task's oracle; none where it has a table."""
        task = self._task(name)
        if self.is_oracle(name):
            return oracle_catalogue.parameters(task.data, task.oracle, f"tasks.{name}")
        return {}

    def _kinds(self, name: str, *more: str) -> list[str]:
        task = self._task(name)
        asked = [*task.estimators, task.select.by, *(["kfold"] if task.metrics else []), *more]
        return kinds_needed(asked, task.montecarlo.halvings)

    def _learners_of(self, name: str) -> list[Learner]:
        return [self._learners[learner] for learner in self._task(name).learners]

    def _learner_names(self) -> list[str]:
        used = [learner for task in self.config.tasks.values() for learner in task.learners]
        return list(dict.fromkeys([*self.config.learners, *used]))

    def _define(self, name: str) -> Learner:
        given = self.config.learners.get(name)
        definition = define(name, given.model_dump(exclude_unset=True) if given else None)
        if not definition.endless:
            definition.thetas(self.config.seed)
        return definition

    def _cell_count(self, name: str) -> int:
        thetas = sum(
            self._task(name).select.maximum
            if learner.endless
            else len(learner.thetas(self.config.seed))
            for learner in self._learners_of(name)
        )
        return thetas * sum(self._sets(name).values())

    def _units(self, name: str) -> int:
        """How many (training set, learner)s there are, which jobs do not divide."""
        sets = self._sets(name)
        if LOO in sets:
            sets[LOO] = GUESSED_CHUNKS
        return sum(sets.values()) * len(self._task(name).learners)

    def _sets(self, name: str) -> dict[str, int]:
        """How many held-out sets there are of each kind."""
        task = self._task(name)
        folds, pairs = task.kfold.k * task.kfold.repeats, math.comb(task.kfold.k, 2)
        rounds = task.montecarlo.rounds
        counts = {
            FOLDS: folds,
            FOLDS_WHOLE: folds,
            ADJACENT: folds,
            PAIRS: pairs * task.kfold.repeats,
            ROUNDS: rounds,
            HALVES: 2 * rounds * task.montecarlo.halvings,
            BAGS: task.bootstrap.bags,
            LOO: GUESSED_ROWS,
        }
        return {kind: counts.get(kind, 1) for kind in self._kinds(name)}
