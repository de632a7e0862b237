"""Estimates for tuned procedures: rows of estimates.csv for each learner and for `all`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from heldout.estimates.algorithm import Algorithm, evidence_for, out_of_fold
from heldout.estimates.comparisons import Comparison, compare
from heldout.estimates.estimator import Estimator
from heldout.estimates.evidence import Estimate
from heldout.estimates.lookup import has_cells, nested_among
from heldout.estimates.loss_table import LossTable
from heldout.estimates.nested import OuterFold, Tables, inner_tables, outer_folds
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.rows import EstimateRow, FoldRow
from heldout.estimates.rules import Rule, smallest
from heldout.estimates.tables import rows_of
from heldout.names import Theta, canonical
from heldout.registries import resolve

ALL = "all"
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

    `selected` maps each learner, and `all`, to its selected learner and θ.
    """

    loss_table: LossTable
    selected: dict[str, Chosen]
    estimators: Sequence[str]
    rule: Rule
    level: float
    seed: int

    # --- estimates.csv ------------------------------------------------------------------------

    def rows(self) -> Iterator[EstimateRow]:
        """All rows, procedure by procedure."""
        for name, chosen in self.selected.items():
            algorithm = Algorithm(self.loss_table, *chosen)
            for entry in ESTIMATORS.values():
                if self._applies(entry):
                    estimate = self._estimate(entry, name, algorithm)
                    if estimate is not None:
                        found = replace(estimate, chosen=estimate.chosen or chosen)
                        yield from rows_of(name, entry.name, found, self.level)

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
        return [(n, theta) for n in self._learners(name) for theta in self.loss_table.thetas[n]]

    def cv_choice(self, name: str) -> CvChoice:
        """The K-fold risks that a procedure chooses by."""
        return self._cv_choices[name]

    def out_of_fold(self, name: str) -> np.ndarray:
        """The out-of-fold loss of each row (rows) for each (learner, θ) of a procedure (columns)."""
        return self._stack(name, self._out_of_fold)

    def outer_folds(self, name: str, estimator: str) -> list[OuterFold]:
        """The outer folds of nested CV."""
        return self._nested[name, estimator]

    def _learners(self, name: str) -> list[str]:
        return list(self.loss_table.thetas) if name == ALL else [name]

    def _stack(self, name: str, found: dict[tuple[str, str], np.ndarray]) -> np.ndarray:
        return np.stack([found[n, canonical(theta)] for n, theta in self.pairs(name)], axis=1)

    @cached_property
    def _cv_choices(self) -> dict[str, CvChoice]:
        return {
            name: CvChoice(self.pairs(name), self._stack(name, self._fold_means))
            for name in self.selected
        }

    @cached_property
    def _fold_means(self) -> dict[tuple[str, str], np.ndarray]:
        return self._by_pair(lambda n, t: evidence_for(self.loss_table, "kfold", n, t).set_means)

    @cached_property
    def _out_of_fold(self) -> dict[tuple[str, str], np.ndarray]:
        return self._by_pair(lambda name, theta: out_of_fold(self.loss_table, name, theta))

    def _by_pair(
        self, compute: Callable[[str, Theta], np.ndarray]
    ) -> dict[tuple[str, str], np.ndarray]:
        return {(name, canonical(theta)): compute(name, theta) for name, theta in self.pairs(ALL)}

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
            for estimator in nested_among(self.estimators)
        }

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
        """All pairs of learners: by the outer folds of nested CV, else by the folds at the selected θ."""
        learners = [name for name in self.selected if name != ALL]
        if "nested_cv" in self.estimators:
            risks = {
                name: np.array([fold.losses.mean() for fold in self._nested[name, "nested_cv"]])
                for name in learners
            }
            return compare(risks, 1 / (self.loss_table.partitions[0].k - 1), self.level)
        if not has_cells(ESTIMATORS["kfold"], self.loss_table.resamples):
            return []
        found = {
            name: evidence_for(self.loss_table, "kfold", *self.selected[name]) for name in learners
        }
        ratio = next(iter(found.values())).ratio
        assert ratio is not None
        return compare({name: e.set_means for name, e in found.items()}, ratio, self.level)
