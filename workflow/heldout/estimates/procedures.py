"""Estimates for tuned procedures: rows of estimates.csv for each learner and for `all`."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from heldout.estimates.algorithm import Algorithm
from heldout.estimates.comparisons import Comparison, Contestant, Field, compare
from heldout.estimates.estimator import Estimator
from heldout.estimates.evidence import Estimate, Evidence, known_of
from heldout.estimates.lookup import has_cells, outer_among
from heldout.estimates.loss_table import LossTable
from heldout.estimates.nested import InnerTables, OuterFold, outer_folds, values_by_pair
from heldout.estimates.nested_rolling import BlockTables, outer_blocks
from heldout.estimates.out_of_fold import OutOfFold
from heldout.estimates.pooled import pooled_evidence
from heldout.estimates.recommended import heavy_tails
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import EstimateRow, FoldRow
from heldout.estimates.rules import Rule, smallest
from heldout.estimates.tables import rows_of
from heldout.estimates.time_comparisons import compare_in_time
from heldout.estimates.tuned_se import Variability, training_variability
from heldout.measures.loss import Loss
from heldout.names import Theta, canonical
from heldout.registries import resolve
from heldout.resampling.kinds import PAIRS, PREFIXES
from heldout.resampling.split import Partition

ALL = "all"
NESTED_OF = {"nested_cv_pooled": "nested_cv"}
"""The nested estimator whose outer folds are pooled."""
Chosen = tuple[str, Theta]
"""A learner's name and a θ."""


@dataclass(frozen=True)
class CvChoice:
    """The candidates of a procedure, and the mean loss of each fold (rows) for each (columns)."""

    pairs: list[Chosen]
    fold_means: np.ndarray

    @cached_property
    def risks(self) -> np.ndarray:
        """The K-fold risk of each candidate."""
        return self.fold_means.mean(axis=0)

    @cached_property
    def best(self) -> int:
        """The position of the smallest risk."""
        return smallest(self.risks)


@dataclass(frozen=True)
class Procedures:
    """The estimates for the tuned learners of a task, and for choosing between them.

    `selected` maps each learner, and `all`, to its selected learner and θ. `metric`: where it is given, the
    procedures that choose by the loss are judged by it.
    """

    loss_table: LossTable
    selected: dict[str, Chosen]
    estimators: Sequence[str]
    rule: Rule
    level: float
    seed: int
    metric: Loss | None = None
    _choices: dict[str, Any] = field(default_factory=dict)
    """What was found out about the choices: the same, whatever procedures are judged by."""

    # --- estimates.csv ------------------------------------------------------------------------

    def rows(
        self, only: Container[str] = ESTIMATORS, of: str | None = None
    ) -> Iterator[EstimateRow]:
        """All rows, procedure by procedure; on request those of some estimators or of one procedure."""
        inner = self._judged_tables if self.loss_table.has(PAIRS) else None
        for name, chosen in self.selected.items():
            if of not in (None, name):
                continue
            algorithm = Algorithm(self.judged, *chosen, inner, len(self.pairs(name)))
            for entry in ESTIMATORS.values():
                if entry.name in only and self._applies(entry):
                    estimate = self._estimate(entry, name, algorithm)
                    if estimate is not None:
                        found = replace(estimate, chosen=estimate.chosen or chosen)
                        yield from rows_of(name, entry.name, found, self.level, self.judged.loss)

    def _applies(self, entry: Estimator) -> bool:
        """Estimators of a fixed θ apply where their cells exist, others where the config names them."""
        if not has_cells(entry, self.loss_table.resamples):
            return False
        asked = entry.config_name in self.estimators
        return entry.fixed is not None or (entry.of_procedure and asked)

    def _estimate(self, entry: Estimator, name: str, algorithm: Algorithm) -> Estimate | None:
        found: Estimate | None
        if entry.tuned is not None:
            found = resolve(entry.tuned)(self, name, entry.name)
        else:
            assert entry.fixed is not None
            found = resolve(entry.fixed)(algorithm, entry.name)
        return found

    # --- what estimators of tuned procedures use ------------------------------------------

    def pairs(self, name: str) -> list[Chosen]:
        """Every (learner, θ) that a procedure chooses from."""
        return [(n, theta) for n in self.learners(name) for theta in self.loss_table.thetas[n]]

    def learners(self, name: str) -> list[str]:
        """The learners that a procedure chooses from."""
        return list(self.loss_table.thetas) if name == ALL else [name]

    def cv_choice(self, name: str) -> CvChoice:
        """The K-fold risks that a procedure chooses by."""
        means = [
            np.concatenate([self._folds.fold_means(n, p) for p in self._folds.repeats])
            for n in self.learners(name)
        ]
        return CvChoice(self.pairs(name), np.concatenate(means, axis=1))

    def out_of_fold(self, name: str) -> np.ndarray:
        """The out-of-fold loss of each row (rows) for each (learner, θ) of a procedure (columns)."""
        return np.concatenate([self._folds.by_row(n) for n in self.learners(name)], axis=1)

    def outer_folds(self, name: str, estimator: str) -> list[OuterFold]:
        """The outer folds of nested CV."""
        return self._nested[name, estimator]

    @cached_property
    def judged(self) -> LossTable:
        """The losses that procedures are judged by."""
        return self.loss_table if self.metric is None else self.loss_table.judged_by(self.metric)

    def nested_evidence(self, name: str, estimator: str) -> Evidence:
        """The losses on the outer folds: K-fold cross-validation of the tuned procedure."""
        partitions = self.loss_table.partitions
        folds = self.outer_folds(name, estimator)
        return Evidence(
            estimator,
            [self._outer_losses(fold) for fold in folds],
            [fold.units for fold in folds],
            [one.rows(fold) for one in partitions for fold in range(one.k)],
            **known_of(self.judged),
            ratio=1 / (partitions[0].k - 1),
            repeats=len(partitions),
            variability=lambda: self._variability(name, estimator),
        )

    def rolling_evidence(self, name: str, estimator: str) -> Evidence:
        """The losses on the blocks: rolling-origin evaluation of the tuned procedure."""
        folds = self.outer_folds(name, estimator)
        blocks = {one.number - 1: one for one in self._blocks.prefixes}
        return Evidence(
            estimator,
            [self._losses_of(fold, blocks[fold.fold].name) for fold in folds],
            [fold.units for fold in folds],
            [blocks[fold.fold].rows for fold in folds],
            **known_of(self.judged),
            in_order=True,
        )

    def _outer_losses(self, fold: OuterFold) -> np.ndarray:
        partition = self.loss_table.partitions[fold.repeat - 1]
        return self._losses_of(fold, partition.set_name(fold.fold))

    def _losses_of(self, fold: OuterFold, name: str) -> np.ndarray:
        """The losses on an outer fold (or block) of this name."""
        if self.metric is None:
            return fold.losses
        resample = self.loss_table.resample(name)
        return self.judged.losses(fold.learner, fold.theta, resample)[name]

    def pooled_evidence(self, name: str, estimator: str) -> Evidence:
        """The outer folds of a nested estimator pooled to one set."""
        folds = self.outer_folds(name, NESTED_OF[estimator])

        def chosen(partition: Partition) -> list[Chosen]:
            return [(f.learner, f.theta) for f in folds if f.repeat == partition.repeat]

        def selection(judged: OutOfFold) -> float:
            return self._folds.selection_noise(self.learners(name), judged)

        return pooled_evidence(self.judged, estimator, chosen, selection)

    def _variability(self, name: str, estimator: str) -> Variability:
        """V of the outer models, if all pairs of folds are there, and Q of the choice."""
        values = self._values(name, estimator)
        found = None if values is None else [training_variability(one) for one in values]
        training = None if found is None else float(np.mean(found))
        return Variability(training, self._selection_noise(name))

    def _values(self, name: str, estimator: str) -> list[np.ndarray] | None:
        """For each partition, the outer folds' values by models trained without two folds."""
        if not self.loss_table.has(PAIRS):
            return None
        folds = self.outer_folds(name, estimator)
        return [
            values_by_pair(
                self._judged_tables,
                partition,
                [(f.learner, f.place) for f in folds if f.repeat == partition.repeat],
            )
            for partition in self.loss_table.partitions
        ]

    def _selection_noise(self, name: str) -> float:
        if name not in self._known_selection_noise:
            judged = None if self.metric is None else OutOfFold(self.judged)
            found = self._folds.selection_noise(self.learners(name), judged)
            self._known_selection_noise[name] = found
        return self._known_selection_noise[name]

    @cached_property
    def _known_selection_noise(self) -> dict[str, float]:
        return {}

    @property
    def _folds(self) -> OutOfFold:
        if "folds" not in self._choices:
            self._choices["folds"] = OutOfFold(self.loss_table)
        found: OutOfFold = self._choices["folds"]
        return found

    @property
    def _tables(self) -> InnerTables:
        if "tables" not in self._choices:
            self._choices["tables"] = InnerTables(self.loss_table, self.rule.by_errors)
        found: InnerTables = self._choices["tables"]
        return found

    @cached_property
    def _judged_tables(self) -> InnerTables:
        if self.metric is None:
            return self._tables
        return InnerTables(self.judged, errors=False)

    @property
    def _blocks(self) -> BlockTables:
        if "blocks" not in self._choices:
            self._choices["blocks"] = BlockTables(self.loss_table)
        found: BlockTables = self._choices["blocks"]
        return found

    @property
    def _nested(self) -> dict[tuple[str, str], list[OuterFold]]:
        """The outer folds of each (procedure, nested estimator)."""
        if "nested" not in self._choices:
            self._choices["nested"] = {
                (name, estimator): list(self._outer(estimator, name))
                for name in self.selected
                for estimator in outer_among(self.estimators)
            }
        found: dict[tuple[str, str], list[OuterFold]] = self._choices["nested"]
        return found

    def _outer(self, estimator: str, name: str) -> Iterator[OuterFold]:
        learners = self.learners(name)
        if ESTIMATORS[estimator].only_in_time:
            return outer_blocks(self._blocks, learners, self.rule)
        return outer_folds(self._tables, estimator, learners, self.rule)

    # --- folds.csv and comparisons.csv --------------------------------------------------------

    def fold_rows(self) -> Iterator[FoldRow]:
        """The chosen θ and the error of every outer fold."""
        for (name, estimator), folds in self._nested.items():
            for fold in folds:
                yield FoldRow(
                    name,
                    estimator,
                    fold.repeat,
                    fold.fold + 1,
                    canonical(fold.theta),
                    float(fold.losses.mean()),
                    len(fold.losses),
                    fold.learner,
                )

    def comparisons(self) -> list[Comparison]:
        """All pairs of learners: by the outer folds (or blocks), else by the folds at the selected θ."""
        if self.loss_table.has(PREFIXES):
            return self._comparisons_in_time()
        if not has_cells(ESTIMATORS["kfold"], self.loss_table.resamples):
            return []
        learners = [name for name in self.selected if name != ALL]
        partitions = self.loss_table.partitions
        common = Field(
            [self._folds.held(partition) for partition in partitions],
            partitions[0].k,
            self.loss_table.loss.bound,
            self.level,
            self.loss_table.loss.family,
        )
        return compare({name: self._contestant(name) for name in learners}, common)

    def _comparisons_in_time(self) -> list[Comparison]:
        """By the blocks of nested_rolling, else by those at the selected θ."""
        learners = [name for name in self.selected if name != ALL]
        series = {name: self._series(name) for name in learners}
        return compare_in_time(series, self.loss_table.loss.bound, self.level)

    def _series(self, name: str) -> Evidence:
        if "nested_rolling" in self.estimators:
            return self.rolling_evidence(name, "nested_rolling")
        return Algorithm(self.loss_table, *self.selected[name]).evidence("rolling")

    def _contestant(self, name: str) -> Contestant:
        if "nested_cv" in self.estimators:
            evidence = self.nested_evidence(name, "nested_cv")
            values = self._values(name, "nested_cv")
        else:
            evidence = Algorithm(self.loss_table, *self.selected[name]).evidence("kfold")
            values = None
        losses, noise = evidence.losses_by_partition, self._selection_noise(name)
        return Contestant(losses, values, noise, heavy_tails(evidence))
