"""A task as the config declares it: its learners, its kinds of cells, and how many there are.

Standard library and pydantic only: the workflow imports this while it is parsed. Nothing is known
of the table yet, so the numbers of cells are guesses.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from heldout import limits
from heldout.config.consistency import check_task
from heldout.config.models import Audit, Config, Task
from heldout.data import oracle_catalogue
from heldout.estimates.lookup import kinds_needed
from heldout.learners.learner import Learner, define
from heldout.measures.choice import loss_spec, metric_specs
from heldout.measures.spec import LossSpec
from heldout.measures.thresholds import thresholds_of
from heldout.resampling.kinds import (
    ADJACENT,
    BAGS,
    FOLDS,
    FOLDS_WHOLE,
    FULL,
    HALVES,
    LOO,
    PAIRS,
    PREFIXES,
    RECENT,
    ROUNDS,
    split_files,
)

GUESSED_ROWS, GUESSED_CHUNKS = 1000, 10
"""Of leave-one-out."""
STEPS = 12
"""Jobs of a task that fit no cells: about so many."""


@dataclass(frozen=True)
class DeclaredTask:
    """One task with what it shares with the others."""

    name: str
    config: Config
    learners: list[Learner]

    @property
    def block(self) -> Task:
        """The task's block of the config."""
        return self.config.tasks[self.name]

    @cached_property
    def loss(self) -> LossSpec | None:
        """The loss, with the digest of the user's code where it is the user's own."""
        return loss_spec(self.block.loss, f"tasks.{self.name}.loss", self.block.positive)

    @cached_property
    def metrics(self) -> dict[str, LossSpec]:
        """The further measures, by what they are called."""
        return metric_specs(self.block.metrics, f"tasks.{self.name}.metrics", self.block.positive)

    @property
    def thresholds(self) -> list[float]:
        """The decision thresholds to try; none where labels are the learners' own."""
        return thresholds_of(self.block.threshold, f"tasks.{self.name}.threshold")

    @property
    def estimators(self) -> list[str]:
        """The estimators that are asked for."""
        return list(self.block.estimators)

    @property
    def has_test(self) -> bool:
        """Whether there is a sealed test set that is to be opened."""
        return bool(self.block.test) and "test" in self.block.estimators

    @property
    def refits(self) -> bool:
        """Whether a second model is trained on all rows after the test."""
        return self.has_test and self.block.refit == "all"

    @property
    def has_metrics(self) -> bool:
        """Whether extra metrics are asked for."""
        return bool(self.block.metrics)

    @property
    def is_oracle(self) -> bool:
        """Whether the rows are drawn from an oracle."""
        return oracle_catalogue.is_oracle(self.block.data)

    @property
    def oracle(self) -> dict[str, Any]:
        """The parameters of the oracle; none where there is a table."""
        if not self.is_oracle:
            return {}
        return oracle_catalogue.parameters(self.block.data, self.block.oracle, f"tasks.{self.name}")

    @property
    def sources(self) -> list[str]:
        """The user's files that the table is read from."""
        made = ("sklearn:", oracle_catalogue.PREFIX)
        given = [self.block.data, self.block.test]
        return [name for name in given if isinstance(name, str) and not name.startswith(made)]

    @property
    def audit(self) -> Audit:
        """The block of the audit, which must be there."""
        assert self.block.audit is not None
        return self.block.audit

    @property
    def audit_batches(self) -> int:
        """How many batches of replicates an audit has at each size."""
        return math.ceil(self.audit.replicates / self.audit.batch)

    def kinds(self, *more: str) -> list[str]:
        """The kinds of cells that the estimators need, and those that `more` estimators need."""
        task = self.block
        judge = "kfold" if task.time is None else "rolling"
        asked = [*task.estimators, task.select.by, *([judge] if task.metrics else []), *more]
        found = kinds_needed(asked, task.montecarlo.halvings)
        return [self.full if kind == FULL else kind for kind in found]

    @property
    def full(self) -> str:
        """The kind of the final model's training rows: all of them, or, in time order, those of a window."""
        windowed = self.block.time is not None and self.block.rolling.window is not None
        return RECENT if windowed else FULL

    @property
    def final_splits(self) -> list[str]:
        """The names of the split files that the final model depends on."""
        return split_files([self.full])

    @property
    def splits(self) -> list[str]:
        """The names of the split files."""
        return split_files(self.kinds())

    @cached_property
    def cells(self) -> int:
        """About how many cells there are."""
        thetas = sum(
            self.block.select.maximum if one.endless else len(one.thetas(self.config.seed))
            for one in self.learners
        )
        return thetas * sum(self._held_out_sets().values())

    @property
    def packed(self) -> bool:
        """Whether cells are packed: as the config says, else by their number, as a chunk of leave-one-out is one cell."""
        if self.config.cells is not None:
            return self.config.cells == "packed"
        return sum(self.grid_sizes) * sum(self.sets.values()) > limits.PACKED_ABOVE

    @property
    def units(self) -> int:
        """About how many (training set, learner)s there are, which batches do not divide."""
        return sum(self.sets.values()) * len(self.learners)

    @property
    def sets(self) -> dict[str, int]:
        """How many held-out sets there are of each kind, where those of leave-one-out come in chunks."""
        sets = self._held_out_sets()
        return sets | {LOO: GUESSED_CHUNKS} if LOO in sets else sets

    @property
    def grid_sizes(self) -> list[int]:
        """How many θ each learner may have, counted without listing them."""
        maximum = self.block.select.maximum
        return [maximum if one.endless else one.size for one in self.learners]

    @property
    def jobs(self) -> int:
        """About how many jobs the task takes."""
        size = self.config.batch_cells
        cells = sum(self.grid_sizes) * sum(self.sets.values())
        fitting = self.config.batches or (min(self.units, math.ceil(cells / size)) if size else 1)
        audit = 0 if self.block.audit is None else self.audit_batches * len(self.audit.m)
        return STEPS + fitting + audit

    def _held_out_sets(self) -> dict[str, int]:
        """How many held-out sets there are of each kind."""
        task = self.block
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
            PREFIXES: task.rolling.blocks - 1,
            LOO: GUESSED_ROWS,
        }
        return {kind: counts.get(kind, 1) for kind in self.kinds()}


def declared_tasks(
    config: Config, made: Mapping[str, Learner] = MappingProxyType({})
) -> dict[str, DeclaredTask]:
    """Every task of a config by its name, after checking that none contradicts itself.

    `made` are learners that are not defined by the config alone.
    """
    used = [learner for task in config.tasks.values() for learner in task.learners]
    names = dict.fromkeys([*config.learners, *used])
    learners = {name: made.get(name) or _define(name, config) for name in names}
    found = {
        name: DeclaredTask(name, config, [learners[learner] for learner in task.learners])
        for name, task in config.tasks.items()
    }
    for name, task in found.items():
        check_task(name, config, task.learners)
        check_sizes(task)
    asked = sum(task.jobs for task in found.values())
    limits.refuse_above(limits.JOBS, asked, "tasks", "jobs (tasks × batches, batches of audits)")
    return found


def check_sizes(task: DeclaredTask) -> None:
    """Refuse a task that asks for more than the store, or Snakemake, can hold."""
    where, sets = f"tasks.{task.name}", sum(task.sets.values())
    counts = " + ".join(f"{count} {kind}" for kind, count in task.sets.items())
    limits.refuse_above(limits.SETS, sets, where, f"held-out sets ({counts})")
    thetas = sum(task.grid_sizes)
    words = f"cells ({thetas} values of θ × {sets} held-out sets)"
    limits.refuse_above(limits.CELLS, thetas * sets, where, words)
    tried = max(task.grid_sizes) * len(task.thresholds)
    limits.refuse_above(limits.THETAS, tried, f"{where}.threshold", "values of θ with thresholds")
    if task.block.audit is not None:
        rows = max(*task.audit.m, task.audit.truth)
        numbers = rows * task.oracle.get("features", 1)
        words = "numbers (rows × features)"
        limits.refuse_above(limits.NUMBERS, numbers, f"{where}.audit", words)


def _define(name: str, config: Config) -> Learner:
    """A learner, with its grid expanded once so that what is wrong with it is said now."""
    given = config.learners.get(name)
    definition = define(name, given.model_dump(exclude_unset=True) if given else None)
    if not definition.endless:
        definition.thetas(config.seed)
    return definition
