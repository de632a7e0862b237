"""One replicate of an audit: a draw, all its estimates, and the true risks of its models."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from heldout.audit.draw_cells import DrawCells
from heldout.audit.source import Draw, Source, usable_draw
from heldout.cells.plan import columns_of
from heldout.cells.preflight import checked_builder
from heldout.cells.sets_check import Sets, check_sets
from heldout.estimates.confidence_rows import learner_p_values
from heldout.estimates.confidence_set import kept
from heldout.estimates.evidence import Evidence, facts_of
from heldout.estimates.lookup import available_kind
from heldout.estimates.loss_table import named_resamples
from heldout.estimates.out_of_fold import OutOfFold
from heldout.estimates.procedures import ALL, Chosen, Procedures
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import EstimateRow
from heldout.estimates.rules import Rule
from heldout.estimates.tables import estimate_rows
from heldout.learners.learner import Learner
from heldout.measures.loss import Loss
from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.names import Theta, canonical, seed_for
from heldout.numerics.pipeline import Builder
from heldout.resampling.draw import draw_split
from heldout.resampling.kinds import ADJACENT, FULL, IMPLIED, PAIRS, split_files
from heldout.resampling.spec import SplitSettings, SplitSpec
from heldout.resampling.split import Resample, Split
from heldout.selection.scan import curve_of

RowName = tuple[str, str, str]
"""Learner (or `all`), estimator, interval (empty if there is none)."""


class RowValue(NamedTuple):
    """An estimate, its interval, the position of its θ, and the risk of the models behind it."""

    risk: float
    low: float
    high: float
    pair: int
    own: float


@dataclass(frozen=True)
class Replicate:
    """What is kept of a draw: estimates, and true risks by kind of held-out set and (learner, θ).

    `control` holds the control variates of the training rows and of the test rows.
    """

    rows: dict[RowName, RowValue]
    truths: dict[str, np.ndarray]
    error: float
    selected: dict[str, int]
    fits: dict[str, int]
    refused: int
    control: tuple[float, float]


@dataclass(frozen=True)
class Setup:
    """Everything that the replicates of an audit have in common."""

    task: str
    seed: int
    learners: Sequence[Learner]
    loss: LossSpec | None
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
        """Kinds of cells that are needed for every θ, because θ or the learner is chosen by them."""
        chosen_by = {kind for e in ESTIMATORS.values() if e.tuned for kind in e.kinds}
        kinds = {FULL, *chosen_by, ESTIMATORS[self.by].judges}
        return frozenset(kinds | {IMPLIED[kind] for kind in kinds if kind in IMPLIED})

    def test_rows(self, m: int) -> int:
        """The number of sealed rows besides the m rows: the configured share of all."""
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
        return self._examine(self._cells(draw, splits, own), refused)

    def _examine(self, cells: DrawCells, refused: int) -> Replicate:
        """All estimates of a draw, with the true risks."""
        selected = self._selected(cells)
        procedures = self._procedures(cells, selected)
        truths = _Truths(self.setup, cells)
        own = truths.nested(procedures)
        rows = [*procedures.rows(), *self._test_rows(cells, selected)]
        return Replicate(
            {_name(row): self._value(row, truths, own) for row in rows},
            truths.means,
            truths.error,
            {name: self.setup.place[n, canonical(theta)] for name, (n, theta) in selected.items()},
            {
                kind: sum(len(r.members) or 1 for r in named.values())
                for kind, named in cells.resamples.items()
            },
            refused,
            (
                cells.draw.truth.control_variate(cells.loss, cells.draw.table),
                cells.draw.truth.control_variate(cells.loss, cells.draw.test),
            ),
        )

    def _splits(self, draw: Draw, seed: int) -> dict[str, Split]:
        setup = self.setup
        specs = [
            SplitSpec(setup.task, seed, name, setup.settings[name], setup.stratify)
            for name in split_files(list(setup.kinds))
        ]
        found = {spec.split: draw_split(draw.table.rows_to_split, spec) for spec in specs}
        self._refuse_undefined(draw, found)
        return found

    def _refuse_undefined(self, draw: Draw, splits: dict[str, Split]) -> None:
        """The workflow refuses held-out sets that the loss is not defined on; so does the audit, and a sealed one."""
        table, test = draw.table, draw.test
        loss = loss_for(self.setup.loss, table.classes, table.class_counts)
        named = named_resamples(self.setup.kinds, table.n, splits)
        check_sets(loss, Sets(table, [one for kind in named.values() for one in kind.values()]))
        if test.n:
            everything = Resample("test", np.arange(0), {"test": np.arange(test.n)})
            check_sets(loss, Sets(test, [everything]))

    def _cells(self, draw: Draw, splits: dict[str, Split], seed: int) -> DrawCells:
        setup = self.setup
        if self._loss is None:
            self._loss = loss_for(setup.loss, draw.table.classes, draw.table.class_counts)
            columns = columns_of(draw.table)
            self._builders = {
                one.name: checked_builder(one, columns, setup.thetas[one.name], self._loss.needs)
                for one in setup.learners
            }
        return DrawCells(
            draw,
            self._loss,
            self._builders,
            setup.thetas,
            splits,
            setup.kinds,
            setup.compared,
            setup.task,
            seed,
        )

    def _selected(self, cells: DrawCells) -> dict[str, Chosen]:
        """As select_model does: θ̂ of each learner, and the learner among several."""
        setup = self.setup
        curves = [curve_of(cells.loss_table, setup.by, name) for name in setup.thetas]
        if setup.rule.by_confidence_set:
            folds = OutOfFold(cells.loss_table)
            curves = [
                replace(
                    one,
                    kept=kept(
                        learner_p_values(folds, [one.learner], cells.seed),
                        one.risks,
                        setup.rule.level,
                    ),
                )
                for one in curves
            ]
        selected: dict[str, Chosen] = {
            curve.learner: (curve.learner, curve.thetas[setup.rule.pick(curve)]) for curve in curves
        }
        if len(curves) > 1:
            curve, best = setup.rule.choose(curves)
            selected[ALL] = curve.learner, curve.thetas[best]
        return selected

    def _procedures(self, cells: DrawCells, selected: dict[str, Chosen]) -> Procedures:
        setup = self.setup
        return Procedures(
            cells.loss_table,
            selected,
            setup.estimators,
            setup.rule,
            setup.level,
            cells.seed,
        )

    def _test_rows(self, cells: DrawCells, selected: dict[str, Chosen]) -> Iterator[EstimateRow]:
        """As open_test does, with an unopened vault."""
        if not cells.draw.test.n:
            return
        name = ALL if ALL in selected else next(iter(selected))
        learner, theta = selected[name]
        test = cells.draw.test
        evidence = Evidence(
            "test",
            [cells.test_losses(learner, theta)],
            [np.asarray(test.rows["unit"])],
            **facts_of(cells.loss, None, test.class_counts),
            seed=seed_for(cells.seed, self.setup.task, "test", "bootstrap"),
            sample=lambda: cells.test_sample(learner, theta),
        )
        level = self.setup.level
        yield from estimate_rows(name, "test", theta, evidence, level, learner, cells.loss)

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


def _name(row: EstimateRow) -> RowName:
    return row.learner, row.estimator, row.interval or ""


class _Truths:
    """The true risks of one draw's models."""

    def __init__(self, setup: Setup, cells: DrawCells):
        self._setup, self._cells = setup, cells
        found = {
            kind: [cells.risks(kind, name) for name in setup.thetas]
            for kind in cells.resamples
            if kind not in (PAIRS, ADJACENT)
        }
        self.means = {kind: _mean_risks(tables) for kind, tables in found.items()}
        errors = [risk.error for table in found[FULL] for model in table for risk in model]
        self.error = float(np.mean(errors))

    def own(self, estimator: str, pair: int) -> float:
        """The mean true risk of the models that an estimate is about."""
        kind = available_kind(ESTIMATORS[estimator].judges, self.means)
        assert kind is not None
        return float(self.means[kind][pair])

    def nested(self, procedures: Procedures) -> dict[tuple[str, str], float]:
        """For each nested estimate, the mean true risk of its outer models."""
        partitions = (
            {one.repeat: one for one in self._cells.loss_table.partitions} if _nested(self) else {}
        )
        found: dict[tuple[str, str], list[float]] = {}
        for row in procedures.fold_rows():
            pair = self._setup.place[row.chosen, row.theta]
            learner, theta = self._setup.pairs[pair]
            name = partitions[row.repeat].set_name(row.fold - 1)
            risk = self._cells.risk(learner, theta, name)
            if risk is not None:
                found.setdefault((row.learner, row.estimator), []).append(risk.value)
        return {place: float(np.mean(values)) for place, values in found.items()}


def _nested(truths: _Truths) -> bool:
    return "kfold" in truths._cells.splits


def _mean_risks(tables: list[list[list[Any]]]) -> np.ndarray:
    """Over probed models, for the θ of all learners in order."""
    risks = [np.array([[r.value for r in model] for model in table]) for table in tables]
    return np.concatenate([one.mean(axis=0) for one in risks])
