"""What each step depends on: one method per step.

A step's spec is one canonical JSON text with everything that the step depends on: its part of
the config, the digest of its code and, where numbers are fitted, the versions of the libraries.
Snakemake compares that text, so a step runs again if and only if something it depends on changed.
"""

from collections.abc import Callable
from typing import Any

from heldout.audit.assets import audit_assets_digest
from heldout.config.models import Task
from heldout.data import oracle_catalogue
from heldout.errors import HeldoutError
from heldout.estimates.registry import nested_among
from heldout.execution.tasks import Tasks
from heldout.measures.registry import LOSSES
from heldout.names import canonical, digest
from heldout.numerics.engines.registry import numeric_code
from heldout.provenance import code_digest, library_versions
from heldout.report.assets import assets_digest
from heldout.resampling.kinds import split_files

MAX_SPEC = 120_000
"""A spec travels inside a shell command, which may have 128 KiB."""
SETTINGS: dict[str, Callable[[Task], dict[str, Any]]] = {
    "holdout": lambda task: task.holdout.model_dump(),
    "kfold": lambda task: task.kfold.model_dump(),
    "loo": lambda task: {},
    "montecarlo": lambda task: task.montecarlo.model_dump(exclude={"halvings"}),
    "halvings": lambda task: task.montecarlo.model_dump(),
    "bootstrap": lambda task: task.bootstrap.model_dump(),
}
"""What each split file depends on."""


class Specs(Tasks):
    """The specs of all steps."""

    def spec(self, step: str, task: str = "", **wildcards: Any) -> str:
        """The spec of a step as canonical JSON."""
        content = getattr(self, f"_{step}")(task, **wildcards)
        text = canonical(
            {
                "step": step,
                "task": task,
                "code": code_digest(f"heldout.execution.steps.{step}"),
                **content,
            }
        )
        if len(text) > MAX_SPEC:
            raise HeldoutError(
                f"task '{task}': the grids take {len(text) // 1000} kB of text, more than a job can be "
                "given; write long lists as range, logspace or random draws"
            )
        return text

    @property
    def audits(self) -> list[str]:
        """The names of the tasks that have an audit."""
        return [name for name in self.tasks if self._task(name).audit is not None]

    # --- one method per step: what it depends on ----------------------------------------------

    def _prepare_data(self, name: str) -> dict[str, Any]:
        task = self._task(name)
        kept = ("data", "target", "drop", "groups", "missing", "categories", "test")
        request = {key: getattr(task, key) for key in kept} | {
            "task": name,
            "seed": self.config.seed,
            "fold_column": task.kfold.column,
            "classification": None if task.loss is None else LOSSES[task.loss].classification,
            "stratify": task.kfold.stratify,
        }
        if self.is_oracle(name):
            request["oracle"] = self._oracle(name) | {
                "rows": task.oracle.get("rows", oracle_catalogue.ROWS)
            }
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
            "config": self._task_digest(name),
        }

    def _task_digest(self, name: str) -> str:
        """Of all in the config that can change a number of this task."""
        learners = [learner.as_spec() for learner in self._learners_of(name)]
        shared = {"seed": self.config.seed, "level": self.config.level, "learners": learners}
        return digest(self._task(name).model_dump_json(), canonical(shared))

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
        return {"losses": losses, "audits": self.audits, "assets": assets_digest()}

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
            "nested": nested_among(task.estimators),
            "patience": task.select.patience,
            "maximum": task.select.maximum,
        }

    def _fitting(self, name: str) -> dict[str, Any]:
        return {
            "seed": self.config.seed,
            "kinds": self._kinds(name),
            "numeric_code": numeric_code(),
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
