"""The standard error of the leave-one-out bootstrap, from the bags themselves."""

import numpy as np


def standard_error(
    counts: np.ndarray, losses: np.ndarray, sizes: np.ndarray | None = None
) -> float | None:
    """The standard error of Efron's E₁: how much it changes with the weight of each row.

    Efron & Tibshirani 1997, the delta method after the bootstrap. N_bi counts row i in bag b, I_bi
    says that it is out, E_i is its mean loss over the bags it is out of, Err the mean of E_i.
    D_i = (2 + 1/(n−1))·(E_i − Err)/n + Σ_b (N_bi − N̄_i)·q_b / Σ_b I_bi, with
    q_b = (1/n)·Σ_j I_bj·loss_bj over all n rows. SE² = Σ_i D_i² − Σ_i B·var(q)·var(N_i)/(Σ_b I_bi)²:
    the second sum is the share of the first that comes from drawing finitely many bags.

    With groups a unit is a group: `losses` holds the sum over its rows and `sizes` their number.
    Err is then the ratio of mean E_i to mean size, with
    D_i = (D_i of the mean E_i − Err·(size_i − mean size)/n) / mean size.

    Parameters
    ----------
    counts
        B × n whole numbers: how often unit i is in bag b.
    losses
        B × n: the loss on unit i of the model of bag b, summed over the unit's rows. Used only where
        the count is 0; may be NaN elsewhere.
    sizes
        The number of rows of each unit; without it, each unit is one row.

    Returns
    -------
    float | None
        The standard error. None if too few bags leave nothing but their noise (SE² ≤ 0), or if fewer
        than two units are ever out of a bag. Units that are never out are left out.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> counts = generator.multinomial(20, np.full(20, 1 / 20), size=5000)
    >>> losses = np.tile(np.arange(20) % 4 == 0, (5000, 1))  # the same rows are wrong in every bag
    >>> print(f"{standard_error(counts, losses):.2f}, and √(¾·¼/20) = {np.sqrt(3 / 16 / 20):.2f}")
    0.10, and √(¾·¼/20) = 0.10
    """
    seen = (counts == 0).any(axis=0)
    if seen.sum() < 2:
        return None
    sizes = np.ones(counts.shape[1]) if sizes is None else sizes
    squared = _squared(counts[:, seen], losses[:, seen], sizes[seen])
    return float(np.sqrt(squared)) if squared > 0 else None


def _squared(counts: np.ndarray, losses: np.ndarray, sizes: np.ndarray) -> float:
    """SE², where every unit is out of some bag."""
    bags, n = counts.shape
    outs = (counts == 0).sum(axis=0)
    missed = np.where(counts == 0, losses, 0.0)
    per_unit = missed.sum(axis=0) / outs
    q = missed.sum(axis=1) / n
    risk = per_unit.sum() / sizes.sum()
    own = (2 + 1 / (n - 1)) * (per_unit - per_unit.mean()) / n
    others = (counts - counts.mean(axis=0)).T @ q / outs
    influence = own + others - risk * (sizes - sizes.mean()) / n
    noise = bags * q.var() * counts.var(axis=0) / outs**2
    return float(((influence**2).sum() - noise.sum()) / sizes.mean() ** 2)
