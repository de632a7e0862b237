"""The confidence set of θ: which of many θ may have the smallest risk, from their out-of-fold losses."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse, special

from heldout.estimates.rules import smallest

DRAWS = 500
BLOCK = 64
"""Draws that are worked on at a time, so that they stay in the processor's cache."""
CLEARLY_OUT = 1e-4
MANY, RIVALS = 2000, 250
"""Of more θ than the first number, each is compared with so many of them: all pairs would take minutes."""
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
    """Choose the θ that every θ is compared with.

    They are all θ, or of many evenly spaced ones, as many of each learner: whether a θ is the best of
    fewer is a weaker question, so that p-values hold, and no risk has had a say in who is asked.

    Parameters
    ----------
    counts
        The number of θ of each learner.

    Returns
    -------
    np.ndarray
        Their positions, in order.

    Examples
    --------
    >>> rivals_among([2, 1]).tolist(), len(rivals_among([5000, 1]))
    ([0, 1, 2], 126)
    """
    if sum(counts) <= MANY:
        return np.arange(sum(counts))
    share = max(1, RIVALS // len(counts))
    starts = np.cumsum([0, *counts[:-1]])
    parts = [np.linspace(0, n - 1, min(n, share)).astype(int) for n in counts]
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

    Pairs whose difference does not vary within folds (relative to the size of their losses) are
    skipped; a θ without any other pair has p = 1. A θ that is clearly out gets a bound in place of
    draws: (M−1)·P(t_{G−K} > T_m), if that is below 0.0001.

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
        The j that are tried, where they are not those of one learner (see `rivals_among`).

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
    means = losses.mean(axis=0)
    rivals = rivals_among([len(means)]) if rivals is None else rivals
    sums = _sums(centred, index).T
    sums = sums - sums[means.argmin()]
    roots = _roots(sums, np.einsum("ij,ij->j", losses, losses), rivals)
    largest = np.nanmax((means[:, None] - means[rivals]) / roots, axis=1, initial=-np.inf)
    observed = len(losses) * np.sqrt(freedom / (freedom + k)) * largest
    return _p_values(observed, sums, roots, rivals, freedom, seed, draws)


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


def _roots(sums: np.ndarray, sizes: np.ndarray, rivals: np.ndarray) -> np.ndarray:
    """√Σ_g u_g² for each θ and rival; NaN where the pair is skipped."""
    every = len(rivals) == len(sums)
    squares = squared_distances(sums) if every else distances_to(sums, rivals)
    skipped = squares <= SAME * (sizes[:, None] + sizes[rivals])
    skipped[rivals, np.arange(len(rivals))] = True
    squares[skipped] = np.nan
    return np.sqrt(squares)


def distances_to(points: np.ndarray, some: np.ndarray) -> np.ndarray:
    """As `squared_distances`, from each row to some of them only.

    Parameters
    ----------
    points
        M × G, with 0 somewhere among them.
    some
        The positions of rows.

    Returns
    -------
    np.ndarray
        M × the number of these rows.

    Examples
    --------
    >>> distances_to(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]]), np.array([1])).ravel().tolist()
    [25.0, 0.0, 1.0]
    """
    norms = np.einsum("ij,ij->i", points, points)
    terms = norms[:, None] + norms[some]
    squares = terms - 2 * (points @ points[some].T)
    for row, close in enumerate(squares < CLOSE * terms):
        if close.any():
            gaps = points[some[close]] - points[row]
            squares[row, close] = np.einsum("ij,ij->i", gaps, gaps)
    return squares


def squared_distances(points: np.ndarray) -> np.ndarray:
    """Σ_g (a_g − b_g)² for each pair of rows a, b of an M × G matrix, as a² + b² − 2ab.

    Rows that are close to each other and far from 0 lose digits by this. Their distances are taken
    again after subtracting one of them.

    Parameters
    ----------
    points
        M × G, with 0 somewhere among them.

    Returns
    -------
    np.ndarray
        M × M.

    Examples
    --------
    >>> squared_distances(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])).tolist()
    [[0.0, 25.0, 34.0], [25.0, 0.0, 1.0], [34.0, 1.0, 0.0]]
    """
    squares, terms = _expanded(points)
    for row, point in enumerate(points):
        close = np.flatnonzero(squares[row] < CLOSE * terms[row])
        if len(close) > 1:
            pairs = np.ix_(close, close)
            again, smaller = _expanded(points[close] - point)
            better = smaller < terms[pairs]
            squares[pairs] = np.where(better, again, squares[pairs])
            terms[pairs] = np.where(better, smaller, terms[pairs])
    return squares


def _expanded(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a² + b² − 2ab for each pair of rows, and a² + b²."""
    products = points @ points.T
    terms = products.diagonal()[:, None] + products.diagonal()
    return terms - 2 * products, terms


def _p_values(
    observed: np.ndarray,
    sums: np.ndarray,
    roots: np.ndarray,
    rivals: np.ndarray,
    freedom: int,
    seed: int,
    draws: int,
) -> np.ndarray:
    """1 where there is no pair, the bound where that is tiny, else the share of draws."""
    others = np.full(len(observed), len(rivals))
    others[rivals] -= 1
    bound = others * special.stdtr(freedom, -observed)
    alone = np.isinf(observed)
    drawn = np.flatnonzero(~alone & (bound >= CLEARLY_OUT))
    found = np.where(alone, 1.0, bound)
    found[drawn] = _shares(drawn, observed, sums, roots, rivals, freedom, seed, draws)
    return found


def _shares(
    drawn: np.ndarray,
    observed: np.ndarray,
    sums: np.ndarray,
    roots: np.ndarray,
    rivals: np.ndarray,
    freedom: int,
    seed: int,
    draws: int,
) -> np.ndarray:
    """For each of the θ in `drawn` the share of draws with T* ≥ T."""
    generator = np.random.default_rng(seed)
    normals = generator.standard_normal((draws, sums.shape[1]))
    scales = np.sqrt(generator.chisquare(freedom, size=draws) / freedom)
    moved, hits = sums @ normals.T, np.zeros(len(drawn))
    pairs = [np.flatnonzero(~np.isnan(roots[m])) for m in drawn]
    for start in range(0, draws, BLOCK):
        part = np.ascontiguousarray(moved[:, start : start + BLOCK])
        theirs = part[rivals]
        for i, (m, others) in enumerate(zip(drawn, pairs, strict=True)):
            ratios = (part[m] - theirs[others]) / roots[m, others, None]
            hits[i] += (ratios.max(axis=0) >= observed[m] * scales[start : start + BLOCK]).sum()
    return hits / draws
