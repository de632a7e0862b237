"""Estimates for tuned procedures: rows of estimates.csv for each learner and for `all`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heldout.estimates.bates import bates_bounds
from heldout.estimates.bootstrap import both_points
from heldout.estimates.collect import (
    KIND_OF,
    evidence_for,
    has_evidence,
    out_of_fold,
    training_losses,
    whole_data_risks,
)
from heldout.estimates.comparisons import Comparison, compare
from heldout.estimates.corrections import bbc, tibshirani
from heldout.estimates.evidence import Evidence
from heldout.estimates.loss_table import LossTable
from heldout.estimates.nested import OuterFold, Tables, inner_tables, nested_evidence, outer_folds
from heldout.estimates.rows import EstimateRow, FoldRow
from heldout.estimates.rules import Rule, smallest
from heldout.estimates.tables import estimate_rows, interval_row, point_row
from heldout.names import Theta, canonical, seed_for
from heldout.resampling.kinds import BAGS, FOLDS_WHOLE, FULL, PAIRS

ALL = "all"
NESTED = ("nested_cv", "nested_dev")
Chosen = tuple[str, Theta]
"""A learner's name and a θ."""


@dataclass(frozen=True)
class Procedures:
    """Everything that is estimated about the tuned learners of a task, and about choosing one.

    `selected` maps each learner, and `all`, to its selected learner and θ.
    """

    loss_table: LossTable
    selected: dict[str, Chosen]
    estimators: Sequence[str]
    rule: Rule
    level: float
    seed: int

    @cached_property
    def _tables(self) -> Tables:
        return inner_tables(self.loss_table)

    @cached_property
    def _nested(self) -> dict[tuple[str, str], list[OuterFold]]:
        """The outer folds of each (procedure, nested estimator)."""
        return {
            (name, estimator): list(
                outer_folds(
                    self.loss_table, self._tables, estimator, self._learners(name), self.rule
                )
            )
            for name in self.selected
            for estimator in NESTED
            if estimator in self.estimators
        }

    def _learners(self, name: str) -> list[str]:
        return list(self.loss_table.thetas) if name == ALL else [name]

    # --- estimates.csv ------------------------------------------------------------------------

    def rows(self) -> Iterator[EstimateRow]:
        """All rows, procedure by procedure."""
        for name in self.selected:
            yield from self._fixed_rows(name)
            if "min_cv" in self.estimators:
                yield from self._min_cv_rows(name)
            for estimator in NESTED:
                if estimator in self.estimators:
                    yield from self._nested_rows(name, estimator)

    def _fixed_rows(self, name: str) -> Iterator[EstimateRow]:
        """Estimators of a fixed algorithm, at the selected θ (hold-out: at the dev set's own)."""
        learner, theta = self.selected[name]
        training = None
        if self.loss_table.has(FULL):
            losses = training_losses(self.loss_table, learner, theta)
            training = float(losses.mean())
            yield point_row(name, "training", theta, training, len(losses), learner)
        for estimator in KIND_OF:
            if has_evidence(self.loss_table, estimator):
                chosen = self._best_on_dev(name) if estimator == "holdout" else (learner, theta)
                evidence = evidence_for(self.loss_table, estimator, *chosen)
                yield from estimate_rows(
                    name, estimator, chosen[1], evidence, self.level, chosen[0]
                )
                if estimator == "kfold":
                    yield from self._more_kfold_rows(name, evidence, training)
        if self.loss_table.has(BAGS):
            for estimator, risk in zip(
                ("bootstrap_632", "bootstrap_632plus"),
                both_points(self.loss_table, learner, theta),
                strict=True,
            ):
                yield point_row(name, estimator, theta, risk, self.loss_table.table.n, learner)

    def _more_kfold_rows(
        self, name: str, evidence: Evidence, training: float | None
    ) -> Iterator[EstimateRow]:
        learner, theta = self.selected[name]
        if self.loss_table.has(PAIRS) and not self.loss_table.table.grouped:
            bounds = bates_bounds(self.loss_table, learner, theta, self.level)
            yield interval_row(
                name,
                "kfold",
                theta,
                evidence.risk,
                bounds,
                "bates",
                self.level,
                evidence.n,
                learner,
            )
        if len({len(part) for part in evidence.losses}) > 1:
            pooled = float(evidence.pooled.mean())
            yield point_row(name, "kfold_pooled", theta, pooled, evidence.n, learner)
        if self.loss_table.has(FOLDS_WHOLE) and training is not None:
            whole = float(np.mean(whole_data_risks(self.loss_table, learner, theta)))
            adjusted = evidence.risk + training - whole
            yield point_row(name, "kfold_adjusted", theta, adjusted, evidence.n, learner)

    def _best_on_dev(self, name: str) -> Chosen:
        pairs = [(n, theta) for n in self._learners(name) for theta in self.loss_table.thetas[n]]
        risks = [evidence_for(self.loss_table, "holdout", n, theta).risk for n, theta in pairs]
        return pairs[smallest(risks)]

    def _min_cv_rows(self, name: str) -> Iterator[EstimateRow]:
        pairs = [(n, theta) for n in self._learners(name) for theta in self.loss_table.thetas[n]]
        means = np.stack([self._fold_means[n, canonical(theta)] for n, theta in pairs], axis=1)
        risks = means.mean(axis=0)
        best = smallest(risks)
        learner, theta = pairs[best]
        n = self.loss_table.table.n
        yield point_row(name, "min_cv", theta, float(risks[best]), n, learner)
        losses = np.stack([self._out_of_fold[n_, canonical(t)] for n_, t in pairs], axis=1)
        units = self.loss_table.units(np.arange(n))
        found = bbc(losses, units, self.level, seed_for(self.seed, name, "bbc"))
        bounds = found.se, found.low, found.high
        yield interval_row(
            name, "min_cv_bbc", theta, found.risk, bounds, "bbc", self.level, n, learner
        )
        yield point_row(name, "min_cv_tt", theta, tibshirani(means), n, learner)

    @cached_property
    def _fold_means(self) -> dict[tuple[str, str], np.ndarray]:
        return {
            (name, canonical(theta)): evidence_for(self.loss_table, "kfold", name, theta).set_means
            for name, thetas in self.loss_table.thetas.items()
            for theta in thetas
        }

    @cached_property
    def _out_of_fold(self) -> dict[tuple[str, str], np.ndarray]:
        return {
            (name, canonical(theta)): out_of_fold(self.loss_table, name, theta)
            for name, thetas in self.loss_table.thetas.items()
            for theta in thetas
        }

    def _nested_rows(self, name: str, estimator: str) -> Iterator[EstimateRow]:
        learner, theta = self.selected[name]
        evidence = nested_evidence(self.loss_table, estimator, self._nested[name, estimator])
        yield from estimate_rows(name, estimator, theta, evidence, self.level, learner)

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
        """All pairs of learners: tuned in nested CV where there is one, else at the selected θ."""
        learners = [name for name in self.selected if name != ALL]
        if "nested_cv" in self.estimators:
            risks = {
                name: np.array([fold.losses.mean() for fold in self._nested[name, "nested_cv"]])
                for name in learners
            }
            return compare(risks, 1 / (self.loss_table.partitions[0].k - 1), self.level)
        if not has_evidence(self.loss_table, "kfold"):
            return []
        found = {
            name: evidence_for(self.loss_table, "kfold", *self.selected[name]) for name in learners
        }
        ratio = next(iter(found.values())).ratio
        assert ratio is not None
        return compare({name: e.set_means for name, e in found.items()}, ratio, self.level)
