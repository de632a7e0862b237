"""The check of a feature that alone does nearly as well as all of them together."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heldout.checks import chance
from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.checks.columns import nominal, units_per_row
from heldout.checks.leaks import leaks
from heldout.checks.promising import promising
from heldout.checks.small_models import mean_of, predictions
from heldout.data.prepared import Prepared
from heldout.errors import counted
from heldout.estimates.lookup import available_kind
from heldout.estimates.loss_table import LossTable
from heldout.names import Theta, seed_for
from heldout.resampling.kinds import FOLDS
from heldout.resampling.split import Resample

OF_ALL = 0.9
"""A feature does nearly all the work if its gain is this share of that of all features …"""
OF_RISK = 0.75
"""… and removes this share of the risk of the best constant …"""
OF_OTHERS = 0.5
"""… and every other feature alone gains less than this share of what it gains, …"""
LEFT, LEFT_AT_LEAST = 15, 0.25
"""… or leaves so many times as much of the risk, and such a share of it."""
TOGETHER = 2
"""So many features may do the work each by itself: a leak may have a copy."""
TRIED = 4
"""How many features are tried, of those with an order and of those without one."""
ROWS = 10_000
"""So many rows are looked at, fewer where there are many classes."""
FEWEST_ROWS, FEWEST_FEATURES = 20, 3


@dataclass(frozen=True)
class Comparison:
    """Held-out risks on the folds of the first partition: zero-one loss for classes, squared error for numbers."""

    loss_table: LossTable
    learner: str
    theta: Theta

    @property
    def table(self) -> Prepared:
        """The unsealed rows."""
        return self.loss_table.table

    @cached_property
    def target(self) -> np.ndarray:
        """A row of numbers for each row: the target, or a 1 in the place of its class."""
        target = np.asarray(self.table.target)
        if not self.table.classification:
            return target.astype(float)[:, None]
        return (target[:, None] == np.arange(len(self.table.classes or []))).astype(float)

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each row."""
        given = self.table.weights
        return np.ones(self.table.n) if given is None else np.asarray(given, float)

    @cached_property
    def looked_at(self) -> np.ndarray:
        """For each row whether it is among those looked at: a random sample of a long table."""
        wanted = max(1000, 2 * ROWS // max(2, self.target.shape[1]))
        seed = seed_for(0, "checks", "H025", "rows")
        found = np.zeros(self.table.n, bool)
        found[np.random.default_rng(seed).permutation(self.table.n)[:wanted]] = True
        return found

    @cached_property
    def folds(self) -> list[tuple[Resample, np.ndarray, np.ndarray]]:
        """Each fold, its training rows and its held-out rows."""
        kind = available_kind(FOLDS, self.loss_table.resamples)
        assert kind is not None
        partition = self.loss_table.partitions[0]
        named = [partition.set_name(fold) for fold in range(partition.k)]
        found = [self.loss_table.resamples[kind][name] for name in named]
        keep = self.looked_at
        return [
            (one, one.train[keep[one.train]], held[keep[held]])
            for one, held in zip(found, (one.held[one.name] for one in found), strict=True)
        ]

    def losses(self, rows: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """The loss of each row; of classes the one with the largest number is predicted."""
        if self.table.classification:
            return (self.target[rows].argmax(axis=1) != predicted.argmax(axis=1)).astype(float)
        return ((self.target[rows] - predicted) ** 2).ravel()

    @cached_property
    def rows(self) -> np.ndarray:
        """The held-out rows that are looked at, fold by fold."""
        return np.concatenate([held for _, _, held in self.folds])

    def risk(self, losses: np.ndarray) -> float:
        """The weighted mean of the losses of `rows`."""
        return float(mean_of(losses[:, None], self.weights[self.rows])[0])

    @cached_property
    def baseline(self) -> float:
        """The risk of the best constant."""
        y, w = self.target, self.weights
        parts = [
            self.losses(held, np.tile(mean_of(y[train], w[train]), (len(held), 1)))
            for _, train, held in self.folds
        ]
        return self.risk(np.concatenate(parts))

    @cached_property
    def everything(self) -> float | None:
        """The risk of the selected learner, which has all features; None if it says neither class nor number."""
        parts = []
        for fold, _, held in self.folds:
            said = self.loss_table.predictions(self.learner, self.theta, fold)[fold.name]
            given = said.label if self.table.classification else said.value
            if given is None:
                return None
            error = (
                np.asarray(given)[self.looked_at[fold.held[fold.name]]] - self.table.target[held]
            )
            parts.append((error != 0).astype(float) if self.table.classification else error**2)
        return self.risk(np.concatenate(parts))

    def alone(self, column: int, names_only: bool) -> np.ndarray:
        """The losses of the best small model of one feature."""
        feature = np.asarray(self.table.features[:, column], float)
        parts = [
            [self.losses(held, said) for said in self._said(feature, train, held, names_only)]
            for _, train, held in self.folds
        ]
        models = [np.concatenate(losses) for losses in zip(*parts, strict=True)]
        return min(models, key=self.risk)

    def _said(
        self, feature: np.ndarray, train: np.ndarray, held: np.ndarray, names_only: bool
    ) -> list[np.ndarray]:
        return [*predictions(feature, self.target, self.weights, train, held, names_only)]

    def chance(self, losses: np.ndarray) -> float:
        """The logarithm of a bound on the probability of such losses without any relation."""
        if self.table.classification:
            counts = np.bincount(self.target[self.rows].argmax(axis=1))
            return chance.of_tree_for_classes(counts[counts > 0], int(losses.sum()))
        return chance.of_tree_for_numbers(len(losses), self.risk(losses) / self.baseline)


def no_single_feature(context: Context) -> Outcome:
    """H025: where one feature does nearly all the work, it may be known only after the target is."""
    loss_table = context.loss_table
    table = loss_table.table
    reason = _not_for(loss_table)
    if reason:
        return not_applicable(reason)
    compared = Comparison(loss_table, context.selection["learner"], context.selection["theta"])
    if compared.baseline <= 0:
        return not_applicable("a constant makes no errors")
    if compared.everything is None:
        return not_applicable("the selected learner predicts neither classes nor numbers")
    names_only = nominal(table)
    losses = {one: compared.alone(one, bool(names_only[one])) for one in promising(table, TRIED)}
    gains = {one: 1 - compared.risk(found) / compared.baseline for one, found in losses.items()}
    ranked = sorted(gains, key=lambda one: -gains[one])
    if not ranked:
        return not_applicable("no feature holds numbers or levels")
    together = 1 - compared.everything / compared.baseline
    stars = [one for one in ranked if gains[one] >= max(OF_RISK, OF_ALL * together)]
    shown = stars or ranked[:1]
    others = max([0.0, *(gains[one] for one in ranked if one not in shown)])
    text = _worded(table, ranked[0], gains[ranked[0]], together, others, len(stars))
    if not _stands_out(stars, gains, others, len(table.names)):
        return passed(text)
    bound = compared.chance(losses[stars[0]])
    if not chance.no_chance(bound, len(table.names), units_per_row(table)):
        return passed(f"{text}; with so few rows this may be chance")
    if set(stars) & {one.column for one in leaks(table)}:
        return passed(f"{text}; see H008, which names it")
    return failed(
        f"{text}. Is it known before the target is, and not made from it? If not, put it under drop"
    )


def _not_for(loss_table: LossTable) -> str:
    """Why the check does not apply; empty if it does."""
    table = loss_table.table
    if table.times is not None:
        return "rows are in time order: the value before is often nearly all there is"
    if available_kind(FOLDS, loss_table.resamples) is None:
        return "there are no folds"
    if len(table.names) < FEWEST_FEATURES:
        return f"fewer than {FEWEST_FEATURES} features"
    return f"fewer than {FEWEST_ROWS} rows" if table.n < FEWEST_ROWS else ""


def _stands_out(stars: list[int], gains: dict[int, float], others: float, features: int) -> bool:
    if not 0 < len(stars) <= TOGETHER or features - len(stars) < FEWEST_FEATURES - 1:
        return False
    least = min(gains[one] for one in stars)
    return others < OF_OTHERS * least or 1 - others >= max(LEFT * (1 - least), LEFT_AT_LEAST)


def _worded(
    table: Prepared, best: int, alone: float, together: float, others: float, stars: int
) -> str:
    names = counted(len(table.names), "feature")
    return (
        f"'{table.names[best]}' alone, in a small model, removes {_percent(alone)} of the held-out risk of a constant; "
        f"the selected learner with all {names} {_percent(together)}, "
        f"{'the best' if stars < 2 else f'the best after {stars}'} of the others alone {_percent(others)}"
    )


def _percent(share: float) -> str:
    return f"{100 * max(0.0, share):.0f} %"
