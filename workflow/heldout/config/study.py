"""The study: a validated config that answers what the workflow asks while it is parsed.

A step's spec is one canonical JSON text with everything that the step depends on: its part of
the config, the digest of its code and, where numbers are fitted, the versions of the libraries.
Snakemake compares that text, so a step runs again if and only if something it depends on changed.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from heldout.audit import catalog
from heldout.audit.assets import audit_assets_digest
from heldout.code import code_digest, library_versions
from heldout.config import resources
from heldout.config.load import validate
from heldout.config.models import Audit, Config, Task
from heldout.config.scorers import SCORERS
from heldout.engines.choice import ENGINES
from heldout.errors import HeldoutError, did_you_mean
from heldout.learners.definition import Definition, define
from heldout.names import canonical, digest
from heldout.plans import (
    BAGS,
    FOLDS,
    FOLDS_WHOLE,
    HALVES,
    LOO,
    NEIGHBOURS,
    PAIRS,
    ROUNDS,
    kinds_needed,
    split_files,
)
from heldout.report.assets import assets_digest

MAX_SPEC = 120_000
"""A spec travels inside a shell command, which may have 128 KiB."""
BATCHING = {"batches", "batch_cells", "figures"}
"""Keys that change no number."""
GUESSED_ROWS, GUESSED_CHUNKS = 1000, 10
"""Of leave-one-out: while the workflow is parsed nobody has looked at the table yet."""
CLASS_LOSSES = {
    "zero_one": True,
    "cross_entropy": True,
    "brier": True,
    "squared": False,
    "absolute": False,
}


SETTINGS: dict[str, Callable[[Task], dict[str, Any]]] = {
    "holdout": lambda task: task.holdout.model_dump(),
    "kfold": lambda task: task.kfold.model_dump(),
    "loo": lambda task: {},
    "montecarlo": lambda task: task.montecarlo.model_dump(exclude={"halvings"}),
    "halvings": lambda task: task.montecarlo.model_dump(),
    "bootstrap": lambda task: task.bootstrap.model_dump(),
}
"""What each split file depends on."""


class Study:
    """What the rules ask for."""

    def __init__(self, raw: dict[str, Any], cores: int | None = 1):
        """`cores` is None on a cluster, where no job knows what the others have."""
        self.config: Config = validate(raw)
        self.cores = cores
        self._learners = {name: self._define(name) for name in self._learner_names()}
        for name in self.tasks:
            self._check_task(name)
        self._cells = {name: self._cell_count(name) for name in self.tasks}

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks."""
        return list(self.config.tasks)

    def sources(self, task: str) -> list[str]:
        """The user's files that a task's table is read from."""
        given = [self._task(task).data, self._task(task).test]
        made = ("sklearn:", catalog.PREFIX)
        return [name for name in given if isinstance(name, str) and not name.startswith(made)]

    def check_sources(self) -> None:
        """Refuse a file that is not there: Snakemake would go on with what it made from another."""
        for task in self.tasks:
            for name in self.sources(task):
                if not Path(name).is_file():
                    raise HeldoutError(
                        f"tasks.{task}: no file at '{name}' (looked in {Path.cwd()})"
                    )

    def splits(self, task: str) -> list[str]:
        """The names of a task's split files."""
        return split_files(self._kinds(task))

    def parts(self, task: str) -> int:
        """How many jobs share the cells of a task."""
        config = self.config
        if config.batches is not None:
            return config.batches
        if config.batch_cells is None and self.cores is not None:
            return resources.jobs_for_cores(self._cells[task], self.cores)
        return resources.jobs_for_cluster(self._cells[task], self._units(task), config.batch_cells)

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

    def has_test(self, task: str) -> bool:
        """Whether the task has a sealed test set that is to be opened."""
        return bool(self._task(task).test) and "test" in self._task(task).estimators

    def has_metrics(self, task: str) -> bool:
        """Whether extra metrics are asked for."""
        return bool(self._task(task).metrics)

    @property
    def figures(self) -> list[str]:
        """The names of the tasks that figures are drawn for."""
        return self.tasks if self.config.figures else []

    @property
    def audits(self) -> list[str]:
        """The names of the tasks that have an audit."""
        return [name for name in self.tasks if self._task(name).audit is not None]

    def audit_batches(self, task: str) -> list[str]:
        """The files of all batches of a task's audit: more replicates only add to them."""
        folder, numbers = f"results/{task}/audit", range(1, self._batch_count(task) + 1)
        return [f"{folder}/m{m}/batch-{i:04d}.npz" for m in self._audit(task).m for i in numbers]

    def is_oracle(self, task: str) -> bool:
        """Whether a task's rows are drawn from an oracle."""
        return catalog.is_oracle(self._task(task).data)

    def spec(self, step: str, task: str = "", **wildcards: Any) -> str:
        """The spec of a step as canonical JSON."""
        content = getattr(self, f"_{step}")(task, **wildcards)
        text = canonical(
            {"step": step, "task": task, "code": code_digest(f"heldout.steps.{step}"), **content}
        )
        if len(text) > MAX_SPEC:
            raise HeldoutError(
                f"task '{task}': the grids take {len(text) // 1000} kB of text, more than a job can be "
                "given; write long lists as range, logspace or random draws"
            )
        return text

    # --- one method per step: what it depends on ----------------------------------------------

    def _prepare_data(self, name: str) -> dict[str, Any]:
        task = self._task(name)
        kept = ("data", "target", "drop", "groups", "missing", "categories", "test")
        request = {key: getattr(task, key) for key in kept} | {
            "task": name,
            "seed": self.config.seed,
            "fold_column": task.kfold.column,
            "classification": None if task.loss is None else CLASS_LOSSES[task.loss],
            "stratify": task.kfold.stratify,
        }
        if self.is_oracle(name):
            request["oracle"] = self._oracle(name) | {"rows": task.oracle.get("rows", catalog.ROWS)}
        return {"request": request}

    def _draw_splits(self, name: str, split: str) -> dict[str, Any]:
        task = self._task(name)
        return {
            "seed": self.config.seed,
            "split": split,
            "settings": SETTINGS[split](task),
            "stratify": task.kfold.stratify,
        }

    def _fit_cells(self, name: str, part: str, parts: str) -> dict[str, Any]:
        learners = [learner.as_spec() | {"simpler": {}} for learner in self._learners_of(name)]
        return {
            "learners": learners,
            "loss": self._task(name).loss,
            "scan": self._scan(name),
            "models": self.config.models,
            "part": int(part),
            "parts": int(parts),
            **self._fitting(name),
        }

    def _train_final(self, name: str) -> dict[str, Any]:
        return {
            "models": self.config.models,
            "learners": [learner.as_spec() for learner in self._learners_of(name)],
            **self._fitting(name),
        }

    def _estimate_risks(self, name: str) -> dict[str, Any]:
        return {"level": self.config.level, **self._reading(name)}

    def _estimate_procedures(self, name: str) -> dict[str, Any]:
        return {
            "level": self.config.level,
            "estimators": self._task(name).estimators,
            "rule": self._rule(name),
            **self._reading(name),
        }

    def _run_checks(self, name: str) -> dict[str, Any]:
        return {
            "level": self.config.level,
            "estimators": self._task(name).estimators,
            "test": self.has_test(name),
            **self._reading(name),
        }

    def _compute_metrics(self, name: str) -> dict[str, Any]:
        return {"metrics": self._task(name).metrics, **self._reading(name)}

    def _select_model(self, name: str) -> dict[str, Any]:
        select = self._task(name).select
        return {"by": select.by, "maximum": select.maximum, "rule": self._rule(name)}

    def _open_test(self, name: str) -> dict[str, Any]:
        task = self._task(name)
        return {
            "seed": self.config.seed,
            "loss": task.loss,
            "level": self.config.level,
            "groups": task.groups,
            "open_again": self.config.open_again,
            "config": digest(self.config.model_dump_json(exclude=BATCHING)),
        }

    def _tabulate_estimates(self, name: str) -> dict[str, Any]:
        return {"learners": self._task(name).learners, "test": self.has_test(name)}

    def _render_report(self, name: str) -> dict[str, Any]:
        return {
            "level": self.config.level,
            "config": self._task(name).model_dump(),
            "metrics": self.has_metrics(name),
            "versions": library_versions(),
            "assets": assets_digest(),
            **self._reading(name),
        }

    def _draw_figures(self, name: str) -> dict[str, Any]:
        return self._reading(name)

    def _render_index(self, _: str) -> dict[str, Any]:
        losses = {name: task.loss for name, task in self.config.tasks.items()}
        return {"losses": losses, "assets": assets_digest()}

    def _audit_batch(self, name: str, m: str, batch: str) -> dict[str, Any]:
        task, audit = self._task(name), self._audit(name)
        kinds = self._kinds(name, "training")
        return {
            **self._fitting(name),
            "kinds": kinds,
            "data": task.data,
            "oracle": self._oracle(name),
            "learners": [learner.as_spec() for learner in self._learners_of(name)],
            "loss": task.loss,
            "level": self.config.level,
            "estimators": task.estimators,
            "settings": {split: SETTINGS[split](task) for split in split_files(kinds)},
            "stratify": task.kfold.stratify,
            "by": task.select.by,
            "rule": self._rule(name),
            "test": 0.2 if isinstance(task.test, str) else task.test,
            "truth": audit.truth,
            "m": int(m),
            "batch": batch,
            "first": (int(batch) - 1) * audit.batch + 1,
            "count": audit.batch,
        }

    def _summarise_audit(self, name: str) -> dict[str, Any]:
        return {
            "seed": self.config.seed,
            "level": self.config.level,
            "m": self._audit(name).m,
            "batches": self._batch_count(name),
            "learners": [learner.as_spec() for learner in self._learners_of(name)],
            "by": self._task(name).select.by,
        }

    def _render_audit(self, name: str) -> dict[str, Any]:
        return {
            "level": self.config.level,
            "loss": self._task(name).loss,
            "config": self._task(name).model_dump(),
            "oracle": self._oracle(name),
            "learners": [learner.as_spec() for learner in self._learners_of(name)],
            "assets": audit_assets_digest(),
        }

    # --- shared parts ------------------------------------------------------------------------

    def _rule(self, name: str) -> dict[str, Any]:
        select = self._task(name).select
        simpler = {learner.name: learner.simpler for learner in self._learners_of(name)}
        return {"name": select.rule, "patience": select.patience, "simpler": simpler}

    def _scan(self, name: str) -> dict[str, Any] | None:
        """What the scan of an endless grid depends on; nothing where all grids end."""
        if not any(learner.endless for learner in self._learners_of(name)):
            return None
        task = self._task(name)
        return {
            "by": task.select.by,
            "nested": [e for e in ("nested_cv", "nested_dev") if e in task.estimators],
            "patience": task.select.patience,
            "maximum": task.select.maximum,
        }

    def _fitting(self, name: str) -> dict[str, Any]:
        return {
            "seed": self.config.seed,
            "kinds": self._kinds(name),
            "numeric_code": {name: code_digest(f"heldout.engines.{name}") for name in ENGINES},
            "versions": library_versions(),
        }

    def _reading(self, name: str) -> dict[str, Any]:
        return {
            "seed": self.config.seed,
            "loss": self._task(name).loss,
            "kinds": self._kinds(name),
            "learners": [learner.as_spec() for learner in self._learners_of(name)],
            "parts": self.parts(name),
        }

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
            return catalog.parameters(task.data, task.oracle, f"tasks.{name}")
        return {}

    def _kinds(self, name: str, *more: str) -> list[str]:
        task = self._task(name)
        asked = [*task.estimators, task.select.by, *(["kfold"] if task.metrics else []), *more]
        return kinds_needed(asked, task.montecarlo.halvings)

    def _learners_of(self, name: str) -> list[Definition]:
        return [self._learners[learner] for learner in self._task(name).learners]

    def _learner_names(self) -> list[str]:
        used = [learner for task in self.config.tasks.values() for learner in task.learners]
        return list(dict.fromkeys([*self.config.learners, *used]))

    def _define(self, name: str) -> Definition:
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
            NEIGHBOURS: folds,
            PAIRS: pairs * task.kfold.repeats,
            ROUNDS: rounds,
            HALVES: 2 * rounds * task.montecarlo.halvings,
            BAGS: task.bootstrap.bags,
            LOO: GUESSED_ROWS,
        }
        return {kind: counts.get(kind, 1) for kind in self._kinds(name)}

    def _check_oracle(self, name: str) -> None:
        task, where = self._task(name), f"tasks.{name}"
        if task.oracle and not self.is_oracle(name):
            raise HeldoutError(f"{where}.oracle: goes with data: oracle:NAME, found {task.data}")
        if self.is_oracle(name):
            catalog.parameters(task.data, task.oracle, where)
            if task.target != catalog.TARGET:
                raise HeldoutError(f"{where}.target: oracles predict '{catalog.TARGET}'")
            if task.groups is not None or task.kfold.column is not None:
                raise HeldoutError(f"{where}: an oracle has neither groups nor a column of folds")
        endless = [learner.name for learner in self._learners_of(name) if learner.endless]
        if task.audit is not None and endless:
            raise HeldoutError(
                f"{where}.audit: learner '{endless[0]}' has an endless grid; an audit needs one "
                "that ends"
            )

    def _check_task(self, name: str) -> None:
        task = self._task(name)
        where = f"tasks.{name}"
        self._check_oracle(name)
        twice = [learner for learner in task.learners if task.learners.count(learner) > 1]
        if twice:
            raise HeldoutError(f"{where}.learners: '{twice[0]}' stands there twice")
        if "all" in task.learners:
            raise HeldoutError(
                f"{where}.learners: the name 'all' is kept for the choice between learners"
            )
        for metric in task.metrics:
            if metric not in SCORERS:
                hint = did_you_mean(metric, SCORERS)
                raise HeldoutError(f"{where}.metrics: unknown scorer '{metric}'{hint}")
        for learner in self._learners_of(name):
            if learner.endless and task.select.rule != "first_local_min":
                raise HeldoutError(
                    f"learners.{learner.name}.grid: an endless grid needs "
                    f"{where}.select: {{rule: first_local_min}}"
                )
            if task.select.rule == "first_local_min" and len(learner.grid) > 1:
                raise HeldoutError(
                    f"{where}.select: first_local_min scans one ordered hyper-parameter; "
                    f"learner '{learner.name}' has {len(learner.grid)}"
                )
        nested = {"nested_cv", "nested_dev"} & set(task.estimators)
        if nested and task.kfold.column is None and task.kfold.k < 3:
            raise HeldoutError(
                f"{where}.kfold.k: nested CV leaves out pairs of folds and needs k ≥ 3, "
                f"found {task.kfold.k}; raise k or drop {', '.join(sorted(nested))}"
            )
        if task.kfold.column is not None and task.kfold.repeats > 1:
            raise HeldoutError(f"{where}.kfold: the user's own folds cannot be repeated")
        if task.loss is not None:
            for learner in self._learners_of(name):
                learner.import_path(CLASS_LOSSES[task.loss])
