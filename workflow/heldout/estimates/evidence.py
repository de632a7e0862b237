"""Evidence: the losses that an estimate is the mean of, and what its intervals are computed from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from heldout.estimates.noise import HeldOut, distinct
from heldout.estimates.tuned_se import Variability
from heldout.measures.loss import Loss
from heldout.measures.weighted import effective
from heldout.names import Theta
from heldout.predictions import Predictions

Losses = Sequence[np.ndarray]
"""One array of per-example losses for each held-out set."""
Bounds = tuple[float | None, float, float]
"""Standard error (None if the method has none), lower and upper end of an interval."""

ROUNDING = 1e-12
"""Numbers whose difference is a smaller share of their size count as equal."""


class FoldPairs(NamedTuple):
    """Losses of the models trained without two folds, for each fold of each partition.

    `inner`: for each fold i, the losses on every other fold j of the model trained without {i, j};
    `outer`: the losses on fold i of the model trained without it. `k` folds, `n` rows.
    """

    k: int
    n: int
    inner: Losses
    outer: Losses


class Bags(NamedTuple):
    """How often each unit is in each bag (bags × units), and its loss by the bag's model.

    Losses are summed over the rows of a unit, of which there are `sizes`; those of units in the bag
    are not used.
    """

    counts: np.ndarray
    losses: np.ndarray
    sizes: np.ndarray


class Sample(NamedTuple):
    """One held-out set as it was predicted, for intervals that compute a measure on parts of it."""

    loss: Loss
    target: np.ndarray
    said: Predictions
    weights: np.ndarray | None


@dataclass(frozen=True)
class Evidence:
    """The losses of an estimate, by held-out set. Of a loss of sets they are pseudo-losses.

    `estimator`: holdout, kfold, test, …; `losses`: an array per held-out set; `units`: likewise, the
    group (or row) of each example; `rows`: likewise, its row, where a row occurs more than once;
    `bound`: losses lie in [0, bound]; `negative`: they may be negative; `binary`: they are 0 or 1;
    `heavy`: the `tail_ratio` above which, and `carriers`: the number of rows that carry the loss below
    which no interval of this loss holds; `ratio`: held-out size over training size; `repeats`: how many
    partitions the sets come from; `divisor`: what δ is divided by, because the interval is one of
    several; `candidates`: how many θ these rows chose among, if the interval does not allow for that;
    `seed`: for intervals that draw. What only some intervals need: `halves`, the Monte Carlo
    estimates of the two halves of each halving, shape (M, 2); `bootstrap_risks`, the out-of-bag risks
    of bootstrap samples in each of which θ was chosen; `fold_pairs`, `variability` and `bags`,
    called when needed. `scale`: what the bootstrap's standard error is multiplied by, and `centre`: the
    estimate, where it is not the mean over held-out sets. `family`: of the loss; `effective`: how many
    rows of equal weight say as much, where rows have weights; `fewest`: how many rows the rarest class has, for scores of classes; `folds`: K, where
    the folds of a partition are pooled to one set; `sample`: the set itself, where there is one;
    `squared`: the same evidence by the squared loss, which intervals of R² and RMSE rest on, and
    `variance` of the target. `in_order`: whether rows are in time order, and `times`: of each loss, where
    there is one set.
    """

    estimator: str
    losses: Losses
    units: Losses
    rows: Losses | None = None
    bound: float | None = None
    negative: bool = False
    binary: bool = False
    heavy: float | None = None
    carriers: float | None = None
    ratio: float | None = None
    repeats: int = 1
    divisor: int = 1
    candidates: int = 1
    seed: int = 0
    halves: np.ndarray | None = None
    bootstrap_risks: np.ndarray | None = None
    fold_pairs: Callable[[], FoldPairs] | None = None
    variability: Callable[[], Variability] | None = None
    bags: Callable[[], Bags] | None = None
    scale: float = 1.0
    centre: float | None = None
    family: str = "mean"
    effective: float | None = None
    fewest: int | None = None
    folds: int | None = None
    sample: Callable[[], Sample] | None = None
    squared: Callable[[], "Evidence"] | None = None
    variance: float | None = None
    times: np.ndarray | None = None
    in_order: bool = False

    @cached_property
    def pooled(self) -> np.ndarray:
        """All losses in one array."""
        return np.concatenate(self.losses)

    @cached_property
    def set_means(self) -> np.ndarray:
        """The mean loss of each held-out set."""
        if all(len(losses) == 1 for losses in self.losses):  # leave-one-out
            return self.pooled
        return np.array([losses.mean() for losses in self.losses])

    @cached_property
    def risk(self) -> float:
        """The estimate: the mean over held-out sets of their mean loss, unless `centre` says it."""
        return float(self.set_means.mean()) if self.centre is None else self.centre

    @cached_property
    def n(self) -> int:
        """The number of rows, each counted once."""
        return len(self.pooled) if self.rows is None else distinct(np.concatenate(self.rows))

    @property
    def k(self) -> int:
        """The number of held-out sets of a partition."""
        return len(self.losses) // self.repeats

    @cached_property
    def _partitions(self) -> list[tuple[HeldOut, np.ndarray]]:
        """The held-out rows of each partition, and their losses."""
        starts = range(0, len(self.losses), self.k)
        return [
            (
                HeldOut.of(self.units[start : start + self.k]),
                np.concatenate(self.losses[start : start + self.k]),
            )
            for start in starts
        ]

    @property
    def losses_by_partition(self) -> list[np.ndarray]:
        """All losses of each partition."""
        return [losses for _, losses in self._partitions]

    @cached_property
    def noise(self) -> float:
        """The test noise, averaged over partitions."""
        return float(np.mean([held.noise(losses) for held, losses in self._partitions]))

    @cached_property
    def unit_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """For each unit, the number and the sum of its losses."""
        _, unit = np.unique(np.concatenate(self.units), return_inverse=True)
        return np.bincount(unit).astype(float), np.bincount(unit, weights=self.pooled)

    @property
    def unit_count(self) -> int:
        """The number of units, each counted once."""
        return self._partitions[0][0].count

    @property
    def counted(self) -> int:
        """The number of units, or of rows of the rarest class where these are fewer and it counts."""
        return self.unit_count if self.fewest is None else min(self.unit_count, self.fewest)

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.effective is not None

    @property
    def grouped(self) -> bool:
        """Whether a unit holds more than one loss of the same held-out set."""
        return self._partitions[0][0].grouped

    @cached_property
    def varies(self) -> bool:
        """Whether losses differ by more than rounding."""
        size = float(np.abs(self.pooled).max(initial=0.0))
        return differs(self.pooled, max(size, self.bound or 0.0))


def differs(values: np.ndarray, size: float) -> bool:
    """Whether numbers differ by more than the rounding of numbers of this size.

    Parameters
    ----------
    values
        Numbers.
    size
        The size of the numbers that they were computed from.

    Returns
    -------
    bool
        False where they are equal up to rounding.

    Examples
    --------
    >>> differs(np.array([0.3, 0.1 + 0.2]), 1.0), differs(np.array([0.3, 0.31]), 1.0)
    (False, True)
    """
    return bool(np.ptp(values) > ROUNDING * size)


class Judged(Protocol):
    """A loss and the rows that it judges: a loss table has both."""

    @property
    def loss(self) -> Loss:
        """The loss."""

    @property
    def table(self) -> Any:
        """The rows: `weights` and `class_counts`."""


def known_of(judged: Judged) -> dict[str, Any]:
    """Collect what is known of losses beforehand.

    Parameters
    ----------
    judged
        The loss, and the rows.

    Returns
    -------
    dict
        Fields of `Evidence`.

    Examples
    --------
    >>> known_of(loss_table)["negative"]
    False
    """
    return facts_of(judged.loss, judged.table.weights, judged.table.class_counts)


def facts_of(
    loss: Loss, weights: np.ndarray | None, counts: Sequence[int] | None
) -> dict[str, Any]:
    """Collect what is known of losses beforehand.

    Parameters
    ----------
    loss
        Their function.
    weights
        The weights of the rows, if these differ.
    counts
        The number of rows of each class; None for regression.

    Returns
    -------
    dict
        Fields of `Evidence`.

    Examples
    --------
    >>> from heldout.measures.registry import LOSSES
    >>> facts_of(LOSSES["zero_one"], None, [20, 30])["bound"]
    1.0
    """
    return {
        "bound": loss.bound,
        "negative": loss.negative,
        "binary": loss.binary,
        "heavy": loss.heavy if loss.by_example else None,
        "carriers": loss.carriers,
        "family": loss.family,
        "effective": None if weights is None else effective(weights),
        "fewest": None if loss.by_example or counts is None else min(counts),
    }


@dataclass(frozen=True)
class Estimate:
    """What an estimator's function returns: a risk, and the evidence for its intervals.

    Without evidence there is neither standard error nor interval. `chosen`: the learner and θ that it
    is for, where these are not the selected ones.
    """

    risk: float
    n: int
    evidence: Evidence | None = None
    chosen: tuple[str, Theta] | None = None

    @staticmethod
    def of(evidence: Evidence, chosen: tuple[str, Theta] | None = None) -> "Estimate":
        """The estimate that the evidence is for."""
        return Estimate(evidence.risk, evidence.n, evidence, chosen)
