"""One replicate of an audit: a draw, all its estimates, and what is true of them."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from heldout.audit.source import Draw, Source, usable_draw
from heldout.audit.table import AuditTable, named_resamples
from heldout.data.prepared import Prepared
from heldout.estimates.collect import KIND_OF
from heldout.estimates.evidence import Evidence
from heldout.estimates.loss_table import LossTable
from heldout.estimates.procedures import ALL, Chosen, Procedures
from heldout.estimates.rows import EstimateRow
from heldout.estimates.rules import Rule
from heldout.estimates.tables import estimate_rows
from heldout.learners.definition import Definition
from heldout.measures.losses import Loss, loss_for
from heldout.names import Theta, canonical, seed_for
from heldout.numerics.pipeline import Builder, check_learner
from heldout.resampling.draw import draw_split
from heldout.resampling.kinds import DEV, FOLDS, FOLDS_WHOLE, FULL, NEIGHBOURS, PAIRS, split_files
from heldout.resampling.spec import SplitSettings, SplitSpec
from heldout.resampling.split import Split
from heldout.selection.scan import curve_of

RowName = tuple[str, str, str]
"""Learner (or `all`), estimator, interval (or nothing)."""


class RowValue(NamedTuple):
    """An estimate, its interval, the position of its θ, and the risk of the models behind it."""

    risk: float
    low: float
    high: float
    pair: int
    own: float


@dataclass(frozen=True)
class Replicate:
    """What is kept of a draw. Risks by position of (learner, θ), for each kind of held-out set.

    `luck` says how hard the rows happened to be, those to learn from and those of the test.
    """

    rows: dict[RowName, RowValue]
    truths: dict[str, np.ndarray]
    error: float
    selected: dict[str, int]
    fits: dict[str, int]
    refused: int
    luck: tuple[float, float]


@dataclass(frozen=True)
class Setup:
    """Everything that the replicates of an audit have in common."""

    task: str
    seed: int
    learners: Sequence[Definition]
    loss_name: str | None
    kinds: Sequence[str]
    estimators: Sequence[str]
    settings: dict[str, SplitSettings]
    stratify: bool
    by: str
    rule: Rule
    level: float
    test: float
    source: Source

    @cached_property
    def thetas(self) -> dict[str, list[Theta]]:
        """The grid of each learner: the same in all replicates."""
        return {learner.name: learner.thetas(self.seed) for learner in self.learners}

    @cached_property
    def pairs(self) -> list[Chosen]:
        """Every (learner, θ), in order."""
        return [(name, theta) for name, thetas in self.thetas.items() for theta in thetas]

    @cached_property
    def place(self) -> dict[tuple[str, str], int]:
        """The position of a (learner, canonical θ)."""
        return {(name, canonical(theta)): i for i, (name, theta) in enumerate(self.pairs)}

    @cached_property
    def compared(self) -> frozenset[str]:
        """Kinds of cells that are needed for every θ: those that something is chosen by."""
        return frozenset({FULL, DEV, FOLDS, FOLDS_WHOLE, NEIGHBOURS, PAIRS, *KIND_OF[self.by]})

    def test_rows(self, m: int) -> int:
        """Rows sealed besides the m: the configured share of all."""
        if "test" not in self.estimators or not self.test:
            return 0
        return max(2, round(m * self.test / (1 - self.test)))


class Auditor:
    """Runs replicates; learners are checked and built once."""

    def __init__(self, setup: Setup):
        self.setup = setup
        self._builders: dict[str, Builder] = {}
        self._loss: Loss | None = None

    def replicate(self, m: int, number: int) -> Replicate:
        """Replicate `number` at size m: its seed depends on nothing else."""
        setup = self.setup
        seed = seed_for(setup.seed, setup.task, "audit", f"m{m}", str(number))
        draw, splits, own, refused = usable_draw(
            setup.source, m, setup.test_rows(m), seed, self._splits
        )
        return self._examine(self._loss_table(draw, splits, own), refused)

    def _examine(self, loss_table: AuditTable, refused: int) -> Replicate:
        """All estimates of a draw, with the truth."""
        selected = self._selected(loss_table)
        procedures = self._procedures(loss_table, selected)
        truths = _Truths(self.setup, loss_table)
        own = truths.nested(procedures)
        rows = [*procedures.rows(), *self._test_rows(loss_table, selected)]
        return Replicate(
            {_name(row): self._value(row, truths, own) for row in rows},
            truths.means,
            truths.error,
            {name: self.setup.place[n, canonical(theta)] for name, (n, theta) in selected.items()},
            {
                kind: sum(len(r.parts) or 1 for r in named.values())
                for kind, named in loss_table.resamples.items()
            },
            refused,
            (
                loss_table.draw.truth.luck(loss_table.loss, loss_table.draw.table),
                loss_table.draw.truth.luck(loss_table.loss, loss_table.draw.test),
            ),
        )

    def _splits(self, draw: Draw, seed: int) -> dict[str, Split]:
        setup = self.setup
        specs = [
            SplitSpec(setup.task, seed, name, setup.settings[name], setup.stratify)
            for name in split_files(list(setup.kinds))
        ]
        return {spec.split: draw_split(draw.table, spec) for spec in specs}

    def _loss_table(self, draw: Draw, splits: dict[str, Split], seed: int) -> AuditTable:
        setup = self.setup
        if self._loss is None:
            self._loss = loss_for(setup.loss_name, draw.table.classification)
            self._builders = {one.name: Builder(one, draw.table) for one in setup.learners}
            for name, builder in self._builders.items():
                check_learner(builder, setup.thetas[name], self._loss.needs)
        return AuditTable(
            draw,
            self._loss,
            {name: _for_table(builder, draw.table) for name, builder in self._builders.items()},
            setup.thetas,
            splits,
            named_resamples(setup.kinds, draw.table.n, splits),
            setup.compared,
            setup.task,
            seed,
        )

    def _selected(self, loss_table: AuditTable) -> dict[str, Chosen]:
        """As select_model does: θ̂ of each learner, and the learner among several."""
        setup = self.setup
        curves = [curve_of(cast(LossTable, loss_table), setup.by, name) for name in setup.thetas]
        selected: dict[str, Chosen] = {
            curve.learner: (curve.learner, curve.thetas[setup.rule.pick(curve)]) for curve in curves
        }
        if len(curves) > 1:
            curve, best = setup.rule.choose(curves)
            selected[ALL] = curve.learner, curve.thetas[best]
        return selected

    def _procedures(self, loss_table: AuditTable, selected: dict[str, Chosen]) -> Procedures:
        setup = self.setup
        return Procedures(
            cast(LossTable, loss_table),
            selected,
            setup.estimators,
            setup.rule,
            setup.level,
            loss_table.seed,
        )

    def _test_rows(
        self, loss_table: AuditTable, selected: dict[str, Chosen]
    ) -> Iterator[EstimateRow]:
        """As open_test does, with an unopened vault."""
        if not loss_table.draw.test.n:
            return
        name = ALL if ALL in selected else next(iter(selected))
        learner, theta = selected[name]
        evidence = Evidence(
            "test",
            [loss_table.test_losses(learner, theta)],
            [np.asarray(loss_table.draw.test.rows["unit"])],
            bound=loss_table.loss.bound,
            binary=loss_table.loss.name == "zero_one",
            seed=seed_for(loss_table.seed, self.setup.task, "test", "bootstrap"),
        )
        yield from estimate_rows(name, "test", theta, evidence, self.setup.level, learner)

    def _value(
        self, row: EstimateRow, truths: "_Truths", nested: dict[tuple[str, str], float]
    ) -> RowValue:
        pair = self.setup.place[row.chosen, row.theta]
        low = np.nan if row.ci_low is None else row.ci_low
        high = np.nan if row.ci_high is None else row.ci_high
        own = nested.get((row.learner, row.estimator))
        return RowValue(
            row.risk, low, high, pair, truths.own(row.estimator, pair) if own is None else own
        )


def _for_table(builder: Builder, table: Prepared) -> Builder:
    """The same builder for another draw."""
    other = copy.copy(builder)
    other.table = table
    return other


def _name(row: EstimateRow) -> RowName:
    return row.learner, row.estimator, row.interval or ""


class _Truths:
    """The true risks of one draw's models."""

    def __init__(self, setup: Setup, loss_table: AuditTable):
        self._setup, self._loss_table = setup, loss_table
        found = {
            kind: [loss_table.risks(kind, name) for name in setup.thetas]
            for kind in loss_table.resamples
            if kind not in (PAIRS, NEIGHBOURS)
        }
        self.means = {kind: _mean_risks(tables) for kind, tables in found.items()}
        errors = [risk.error for table in found[FULL] for model in table for risk in model]
        self.error = float(np.mean(errors))

    def own(self, estimator: str, pair: int) -> float:
        """The mean true risk of the models that an estimate judged."""
        kinds = OWN_KINDS.get(estimator, (FULL,))
        kind = next(kind for kind in kinds if kind in self.means)
        return float(self.means[kind][pair])

    def nested(self, procedures: Procedures) -> dict[tuple[str, str], float]:
        """For each nested estimate, the mean true risk of its outer models."""
        partitions = (
            {part.repeat: part for part in self._loss_table.partitions} if _nested(self) else {}
        )
        found: dict[tuple[str, str], list[float]] = {}
        for row in procedures.fold_rows():
            pair = self._setup.place[row.chosen, row.theta]
            learner, theta = self._setup.pairs[pair]
            name = partitions[row.repeat].set_name(row.fold - 1)
            risk = self._loss_table.risk(learner, theta, name)
            if risk is not None:
                found.setdefault((row.learner, row.estimator), []).append(risk.value)
        return {place: float(np.mean(values)) for place, values in found.items()}


def _nested(truths: _Truths) -> bool:
    return "kfold" in truths._loss_table.splits


def _mean_risks(tables: list[list[list[Any]]]) -> np.ndarray:
    """Over probed models, for the θ of all learners in order."""
    parts = [np.array([[r.value for r in model] for model in table]) for table in tables]
    return np.concatenate([part.mean(axis=0) for part in parts])


OWN_KINDS = {
    **KIND_OF,
    "kfold_pooled": KIND_OF["kfold"],
    "min_cv": KIND_OF["kfold"],
    "min_cv_bbc": KIND_OF["kfold"],
    "min_cv_tt": KIND_OF["kfold"],
}
"""The kinds of models that an estimator judges; others judge the full one."""
