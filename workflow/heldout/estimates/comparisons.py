"""Paired comparisons of learners on the same held-out rows.

With d_x the loss of learner a minus that of learner b on row x, D the estimate of the difference, and
the parts of `tuned_se` computed on differences,

    SE² = 1.25·(test noise of d) + V(d) + (K−1)/8·(Q_a + Q_b),   D ± z·SE,   p = 2Φ(−|D|/SE).

Without models trained without two folds: SE² = 2·(test noise of d) + (K−1)/8·(Q_a + Q_b). Several
comparisons are adjusted by Holm 1979.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import special

from heldout.estimates.evidence import differs
from heldout.estimates.noise import HeldOut
from heldout.estimates.tuned_se import (
    NO_SPREAD,
    Variability,
    parts_of,
    training_variability,
)

WITH_PAIRS = 1.25
"""The factor of the test noise where models trained without two folds are there."""
OF_AUC = 1.1
"""The same for differences of AUC."""


@dataclass(frozen=True)
class Comparison:
    """Risk of learner a minus risk of learner b: negative where a is better.

    `holm_low`, `holm_high`: the interval adjusted for the number of comparisons, which excludes 0 just
    where `p_holm` < 1 − level. `told_apart`: whether it does. `note`: why there is no interval, or
    what is in doubt.
    """

    learner_a: str
    learner_b: str
    difference: float
    ci_low: float | None
    ci_high: float | None
    se: float | None
    holm_low: float | None
    holm_high: float | None
    prob_a_better: float
    told_apart: bool
    n: int
    p: float
    p_holm: float
    note: str | None


@dataclass(frozen=True)
class Contestant:
    """What a comparison needs of one learner, partition by partition.

    losses: of all held-out rows, fold by fold. values: the folds' values by the models trained without
    two folds (K × K), or None. selection: Q. heavy: what is said of heavy tails.
    """

    losses: Sequence[np.ndarray]
    values: Sequence[np.ndarray] | None
    selection: float
    heavy: str | None = None


@dataclass(frozen=True)
class Field:
    """What all contestants have in common: the held-out rows of each partition, the loss's range and family."""

    held: Sequence[HeldOut]
    k: int
    bound: float | None
    level: float
    family: str = "mean"

    @property
    def with_pairs(self) -> float:
        """The factor of the test noise where models trained without two folds are there."""
        return OF_AUC if self.family == "auc" else WITH_PAIRS


def compare(contestants: dict[str, Contestant], field: Field) -> list[Comparison]:
    """Compare all pairs of learners.

    Parameters
    ----------
    contestants
        The learners by name, in order.
    field
        The rows that they are compared on.

    Returns
    -------
    list of Comparison
        One for each pair.

    Examples
    --------
    >>> held = [HeldOut.of([np.arange(4), np.arange(4, 8)])]
    >>> a, b = (np.array([0, 1, 0, 0, 0, 1, 0, flip], float) for flip in (0, 1))
    >>> field = Field(held, k=2, bound=1.0, level=0.95)
    >>> [found] = compare({n: Contestant([x], None, 0.0) for n, x in (("a", a), ("b", b))}, field)
    >>> found.difference, round(found.ci_low, 3), round(found.ci_high, 3), found.told_apart
    (-0.125, -0.449, 0.199, False)
    """
    names = list(itertools.combinations(contestants, 2))
    pairs = [_Pair.of(contestants[a], contestants[b], field) for a, b in names]
    return rows_of(dict(zip(names, pairs, strict=True)), field.level)


class Pair(Protocol):
    """Two learners as they are compared: the difference of their risks, and what is known of it."""

    @property
    def difference(self) -> float:
        """The risk of the first minus that of the second."""

    @property
    def se(self) -> float | None:
        """Its standard error, if there is one."""

    @property
    def n(self) -> int:
        """The number of rows."""

    @property
    def p(self) -> float:
        """The p-value of no difference."""

    @property
    def note(self) -> str | None:
        """What must be known of it."""

    def ends(self, delta: float) -> tuple[float | None, float | None]:
        """Its interval."""


def rows_of(pairs: Mapping[tuple[str, str], Pair], level: float) -> list[Comparison]:
    """Write down comparisons, adjusted for their number by Holm's procedure.

    Parameters
    ----------
    pairs
        All pairs of learners by their names.
    level
        The confidence level.

    Returns
    -------
    list of Comparison
        One for each pair.

    Examples
    --------
    >>> rows_of({}, 0.95)
    []
    """
    p = [pair.p for pair in pairs.values()]
    adjusted = zip(pairs.items(), holm(p), holm_shares(p, 1 - level), strict=True)
    return [_row(*names, pair, p_holm, share, level) for (names, pair), p_holm, share in adjusted]


def _row(a: str, b: str, pair: Pair, p_holm: float, share: float, level: float) -> Comparison:
    low, high = pair.ends(1 - level)
    holm_low, holm_high = pair.ends((1 - level) * share)
    return Comparison(
        learner_a=a,
        learner_b=b,
        difference=pair.difference,
        ci_low=low,
        ci_high=high,
        se=pair.se,
        holm_low=holm_low,
        holm_high=holm_high,
        prob_a_better=pair.p / 2 if pair.difference > 0 else 1 - pair.p / 2,
        told_apart=p_holm < 1 - level,
        n=pair.n,
        p=pair.p,
        p_holm=p_holm,
        note=pair.note,
    )


@dataclass(frozen=True)
class _Pair:
    """The differences between two contestants; `se` is None where they do not vary.

    `df`: the degrees of freedom, groups minus one; infinite for single rows.
    """

    difference: float
    se: float | None
    n: int
    bound: float | None
    count: float
    df: float
    heavy: str | None

    @staticmethod
    def of(a: Contestant, b: Contestant, field: Field) -> "_Pair":
        gaps = [x - y for x, y in zip(a.losses, b.losses, strict=True)]
        pooled = np.concatenate(gaps)
        centres = [held.centres(gap) for held, gap in zip(field.held, gaps, strict=True)]
        return _Pair(
            difference=float(np.mean(centres)),
            se=_standard_error(a, b, gaps, field) if differs(pooled, _size(a, b)) else None,
            n=len(pooled) // len(field.held),
            bound=field.bound,
            count=field.held[0].count / NO_SPREAD,
            df=field.held[0].count - 1 if field.held[0].grouped else np.inf,
            heavy=a.heavy or b.heavy,
        )

    def ends(self, delta: float) -> tuple[float | None, float | None]:
        """D ± z·SE; for constant differences see `_constant_ends`."""
        z = float(special.stdtrit(self.df, 1 - delta / 2))
        if self.se is None:
            return self._constant_ends(z)
        low, high = self.difference - z * self.se, self.difference + z * self.se
        top = np.inf if self.bound is None else self.bound
        return max(low, -top), min(high, top)

    def _constant_ends(self, z: float) -> tuple[float | None, float | None]:
        """Where all n differences equal c, at most u = z²/(n + z²) of all rows have another one.

        u is the upper end of Wilson's interval for none of n. These rows differ by −B to B.
        """
        if self.bound is None:
            return None, None
        other = z**2 / (self.count + z**2)
        c = self.difference
        return c - other * (c + self.bound), c + other * (self.bound - c)

    @property
    def p(self) -> float:
        """The p-value of no difference: where the interval's end reaches 0."""
        if self.difference == 0:
            return 1.0
        if self.se is not None:
            return self._tails(abs(self.difference) / self.se)
        if self.bound is None:
            return 1.0
        return self._tails(float(np.sqrt(self.count * abs(self.difference) / self.bound)))

    def _tails(self, z: float) -> float:
        return 2 * float(special.stdtr(self.df, -z))

    @property
    def note(self) -> str | None:
        if self.se is None and self.difference == 0:
            return "the same loss on every row"
        if self.se is None:
            return "the same difference on every row"
        return self.heavy


def _size(*contestants: Contestant) -> float:
    """The largest loss, which says how large rounding errors may be."""
    return max(float(np.abs(losses).max()) for one in contestants for losses in one.losses)


def _standard_error(
    a: Contestant, b: Contestant, gaps: Sequence[np.ndarray], field: Field
) -> float:
    noise = np.mean([held.noise(gap) for held, gap in zip(field.held, gaps, strict=True)])
    training = None
    if a.values is not None and b.values is not None:
        found = [training_variability(x - y) for x, y in zip(a.values, b.values, strict=True)]
        training = float(np.mean(found))
    variability = Variability(training, a.selection + b.selection)
    return parts_of(float(noise), variability, field.k, field.with_pairs).se


def holm(values: Sequence[float]) -> list[float]:
    """Adjust p-values for the number of comparisons (Holm 1979).

    Parameters
    ----------
    values
        P-values.

    Returns
    -------
    list of float
        Adjusted ones, in the same order.

    Examples
    --------
    >>> holm([0.5, 0.01, 0.6])
    [1.0, 0.03, 1.0]
    """
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    largest = 0.0
    for rank, position in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - rank) * values[position]))
        adjusted[position] = largest
    return adjusted.tolist()


def holm_shares(values: Sequence[float], delta: float) -> list[float]:
    """Compute the share of δ at which Holm's procedure decides on each comparison.

    Parameters
    ----------
    values
        P-values.
    delta
        The level of the family.

    Returns
    -------
    list of float
        1/M for the smallest p-value, 1/(M−1) for the next, …; from the first that is not rejected on,
        its own share for all. An interval at this share of δ excludes 0 where Holm rejects.

    Examples
    --------
    >>> holm_shares([0.5, 0.01, 0.6], 0.05)
    [0.5, 0.3333333333333333, 0.5]
    """
    order = np.argsort(values, kind="stable")
    shares = np.empty(len(values))
    left = len(values)
    for position in order:
        shares[position] = 1 / left
        if values[position] < delta / left:
            left -= 1
    return shares.tolist()
