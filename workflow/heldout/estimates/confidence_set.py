"""The confidence set of θ: which of many θ may have the smallest risk, from their out-of-fold losses."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse, special

from heldout.estimates.rules import smallest

DRAWS = 500
BLOCK = 64
"""Draws that are worked on at a time, so that they stay in the processor's cache."""
NORMALS = 2**22
"""Normal numbers that are held in memory at a time."""
RIVALS = 500
"""Each θ is compared with so many at most: all pairs of a large grid would take hours and fill the memory."""
PART = 256
"""θ whose pairs are held in memory at a time."""
CLEARLY_OUT = 1e-4
SAME = 1e-24
"""Two columns are the same if Σ(difference)² is below this share of their own squares."""
CLOSE = 1e-4
"""Below this share of its terms a difference has lost too many digits, and is taken anew."""


def centred(losses: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Losses minus the mean of their fold, column by column.

    Parameters
    ----------
    losses
        n × M: the out-of-fold losses of M values of θ.
    fold
        The fold of each row.

    Returns
    -------
    np.ndarray
        n × M: each fold has mean 0 in each column.

    Examples
    --------
    >>> centred(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 1])).ravel().tolist()
    [-1.0, 1.0, 0.0]
    """
    _, index, sizes = np.unique(fold, return_inverse=True, return_counts=True)
    means = _sums(losses, index) / sizes[:, None]
    return losses - means[index]


def rivals_among(counts: Sequence[int]) -> np.ndarray:
    """Choose the θ that every θ is compared with: all of them, or of many evenly spread ones of each learner.

    Parameters
    ----------
    counts
        The number of θ of each learner.

    Returns
    -------
    np.ndarray
        Their positions among all, in order.

    Examples
    --------
    >>> rivals_among([2, 1]).tolist(), len(rivals_among([5000, 1]))
    ([0, 1, 2], 251)
    """
    share = max(1, RIVALS // len(counts)) if sum(counts) > RIVALS else RIVALS
    starts = np.cumsum([0, *counts[:-1]])
    parts = [np.linspace(0, count - 1, min(count, share)).round().astype(int) for count in counts]
    return np.concatenate([start + part for start, part in zip(starts, parts, strict=True)])


def p_values(
    losses: np.ndarray,
    centred: np.ndarray,
    unit: np.ndarray,
    k: int,
    seed: int,
    draws: int = DRAWS,
    rivals: np.ndarray | None = None,
) -> np.ndarray:
    """For each θ the p-value of "no other θ has a smaller risk" (Lei 2020, with corrections).

    The θ with p > α are the confidence set: it contains the θ that is best on average with
    probability about 1 − α. For m and j, ξ = ℓ(m) − ℓ(j) and u_g = Σ_{x∈g} (ξ_x centred) over the rows
    of unit g. T_m = max_j mean(ξ)/se with se² = G/(G−K)·Σ_g u_g²/n²; for rows this is
    √(n−K)·mean/sd. One draw: T*_m = max_j Σ_g ζ_g·u_g/√(Σ_g u_g²) with standard normal ζ, the same for
    all m, divided by √(χ²_{G−K}/(G−K)). p_m is the share of draws with T*_m ≥ T_m.

    Of more than 500 θ, j runs over 500 of them (see `rivals_among`). These do not depend on the losses, so
    the best θ is contained as often; the others are told from it a little less often.

    Pairs whose difference does not vary within folds (relative to the size of their losses) are
    skipped; a θ without any other pair has p = 1. A θ that is clearly out gets a bound in place of
    draws: P(t_{G−K} > T_m) times the number of j ≠ m, if that is below 0.0001.

    Parameters
    ----------
    losses
        n × M: the out-of-fold losses of M values of θ, averaged over repeats.
    centred
        n × M: the same minus the mean of the fold, averaged over repeats.
    unit
        The group of each row; the row's number if there are no groups.
    k
        The number of folds.
    seed
        Draws ζ and χ².
    draws
        How many.
    rivals
        The j that are tried; None: those of a single learner.

    Returns
    -------
    np.ndarray
        M p-values.

    Raises
    ------
    ValueError
        If there are not more units than folds.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> losses = generator.random((60, 3)) + [0.0, 0.02, 0.5]
    >>> fold = np.arange(60) % 5
    >>> p = p_values(losses, centred(losses, fold), np.arange(60), k=5, seed=1)
    >>> (p > 0.05).tolist()
    [True, True, False]
    """
    _, index = np.unique(unit, return_inverse=True)
    freedom = int(index.max()) + 1 - k
    if freedom <= 0:
        raise ValueError(f"{freedom + k} units in {k} folds: there must be more units than folds")
    sums = _sums(centred, index).T
    sums = sums - sums[losses.mean(axis=0).argmin()]
    rivals = rivals_among([len(sums)]) if rivals is None else rivals
    compared = _Compared(losses, sums, rivals, freedom, k)
    drawn = _Draws(sums, freedom, seed, draws)
    parts = np.array_split(np.arange(len(sums)), np.ceil(len(sums) / PART))
    return np.concatenate([_p_values(part, compared, drawn) for part in parts])


def kept(p: np.ndarray, risks: Sequence[float] | np.ndarray, level: float) -> list[bool]:
    """Say which θ are in the confidence set.

    Parameters
    ----------
    p
        The p-value of each θ.
    risks
        Its risk.
    level
        The probability that the set contains the best θ.

    Returns
    -------
    list of bool
        Whether p > 1 − level. The θ with the smallest risk is always kept.

    Examples
    --------
    >>> kept(np.array([0.4, 0.01, 0.6]), [0.2, 0.5, 0.3], level=0.5)
    [True, False, True]
    """
    found = (p > 1 - level).tolist()
    found[smallest(risks)] = True
    return found


def _sums(values: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The sums of the rows that have the same index, 0, 1, …"""
    ones, rows = np.ones(len(index)), np.arange(len(index))
    return sparse.csr_array((ones, (index, rows))) @ values


def squared_distances(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Σ_g (a_g − b_g)² for each pair of rows a, b of two matrices, as a² + b² − 2ab.

    Rows that are close to each other and far from 0 lose digits by this: they are subtracted.

    Parameters
    ----------
    points
        M × G, with 0 somewhere among them.
    others
        N × G.

    Returns
    -------
    np.ndarray
        M × N.

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])
    >>> squared_distances(points, points).tolist()
    [[0.0, 25.0, 34.0], [25.0, 0.0, 1.0], [34.0, 1.0, 0.0]]
    """
    sizes, other_sizes = (np.einsum("ij,ij->i", rows, rows) for rows in (points, others))
    terms = sizes[:, None] + other_sizes
    squares = terms - 2 * points @ others.T
    for point, found, term in zip(points, squares, terms, strict=True):
        close = np.flatnonzero(found < CLOSE * term)
        change = others[close] - point
        found[close] = np.einsum("ij,ij->i", change, change)
    return squares


class _Compared:
    """What is observed of the pairs of any θ and its rivals."""

    def __init__(
        self, losses: np.ndarray, sums: np.ndarray, rivals: np.ndarray, freedom: int, k: int
    ):
        self.freedom, self.rivals = freedom, rivals
        self._sums, self._means = sums, losses.mean(axis=0)
        self._sizes = np.einsum("ij,ij->j", losses, losses)
        self._factor = len(losses) * np.sqrt(freedom / (freedom + k))

    def roots(self, part: np.ndarray) -> np.ndarray:
        """√Σ_g u_g² for each pair; NaN where the pair is skipped."""
        squares = squared_distances(self._sums[part], self._sums[self.rivals])
        sizes = self._sizes[part, None] + self._sizes[self.rivals]
        squares[(squares <= SAME * sizes) | (part[:, None] == self.rivals)] = np.nan
        return np.sqrt(squares)

    def observed(self, part: np.ndarray, roots: np.ndarray) -> np.ndarray:
        """T of each θ; −∞ where there is no pair."""
        apart = self._means[part, None] - self._means[self.rivals]
        return self._factor * np.nanmax(apart / roots, axis=1, initial=-np.inf)


@dataclass(frozen=True)
class _Draws:
    """The random numbers, drawn when a θ needs them."""

    sums: np.ndarray
    freedom: int
    seed: int
    count: int

    @cached_property
    def _drawn(self) -> tuple[np.ndarray, np.ndarray]:
        generator, units = np.random.default_rng(self.seed), self.sums.shape[1]
        moved, step = np.empty((len(self.sums), self.count)), max(1, NORMALS // units)
        for start in range(0, self.count, step):
            part = moved[:, start : start + step]
            part[:] = self.sums @ generator.standard_normal((part.shape[1], units)).T
        return moved, np.sqrt(generator.chisquare(self.freedom, size=self.count) / self.freedom)

    @property
    def moved(self) -> np.ndarray:
        """Σ_g ζ_g·u_g of each θ (down) and draw (across)."""
        return self._drawn[0]

    @property
    def scales(self) -> np.ndarray:
        """√(χ²_{G−K}/(G−K)) of each draw."""
        return self._drawn[1]


def _p_values(part: np.ndarray, compared: _Compared, draws: _Draws) -> np.ndarray:
    """1 where there is no pair, the bound where that is tiny, else the share of draws with T* ≥ T."""
    roots = compared.roots(part)
    observed = compared.observed(part, roots)
    pairs = (part[:, None] != compared.rivals).sum(axis=1)
    bound = pairs * special.stdtr(compared.freedom, -observed)
    alone = np.isinf(observed)
    found = np.where(alone, 1.0, bound)
    drawn = np.flatnonzero(~alone & (bound >= CLEARLY_OUT))
    if len(drawn):
        found[drawn] = _shares(part[drawn], roots[drawn], observed[drawn], compared.rivals, draws)
    return found


def _shares(
    part: np.ndarray, roots: np.ndarray, observed: np.ndarray, rivals: np.ndarray, draws: _Draws
) -> np.ndarray:
    """For each of some θ the share of draws with T* ≥ T."""
    hits, pairs = np.zeros(len(part)), [np.flatnonzero(~np.isnan(row)) for row in roots]
    for start in range(0, draws.count, BLOCK):
        block = slice(start, start + BLOCK)
        moved, theirs = draws.moved[part, block], draws.moved[rivals, block]
        for i, there in enumerate(pairs):
            ratios = (moved[i] - theirs[there]) / roots[i, there, None]
            hits[i] += (ratios.max(axis=0) >= observed[i] * draws.scales[block]).sum()
    return hits / draws.count
