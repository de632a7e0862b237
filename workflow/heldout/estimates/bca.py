"""The BCa bootstrap interval of any statistic of independent rows or groups."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

Statistic = Callable[[np.ndarray], float]
"""Takes the positions of units, some of them several times, and gives a number."""

ROUNDING = 1e-12
"""Values that differ by no more than this share of the largest one count as equal."""
NEARLY_ZERO = 1e-9
"""Divides where 1 − a·w is not positive: the end is then the smallest or the largest θ*."""


def bca(
    statistic: Statistic,
    count: int,
    strata: np.ndarray | None,
    delta: float,
    seed: int,
    draws: int = 2000,
    influence: np.ndarray | None = None,
) -> tuple[float, float, float]:
    """The bootstrap interval that corrects for bias and skewness ("bias-corrected and accelerated").

    Efron 1987; DiCiccio & Efron 1996. θ̂ is the statistic of all units, θ* that of as many units drawn
    with replacement, within strata where given. Each end is the quantile of θ* at

        Φ(z₀ + w/(1 − a·w)),   w = z₀ + z,

    with z the normal quantile of δ/2 or 1 − δ/2, z₀ = Φ⁻¹(share of θ* below θ̂, ties one half), and
    the acceleration a = Σ l_u³/n_h³ / (6·(Σ l_u²/n_h²)^{3/2}) (Davison & Hinkley 1997, §5.3), where
    stratum h of unit u has n_h units and l_u is the unit's influence. Without `influence` it is that
    of the jackknife, l_u = (n_h − 1)·(mean over the stratum's units v of θ̂₋ᵥ − θ̂₋ᵤ), which takes
    `count` more values of the statistic. A unit that is alone in its stratum has none.

    Parameters
    ----------
    statistic
        Takes an array of unit positions in 0 … count − 1, with repetition.
    count
        The number of units.
    strata
        The stratum of each unit, whose number of units every draw keeps; or None.
    delta
        The interval misses with about this probability, half of it at either end.
    seed
        Draws the units.
    draws
        How many times; at least two.
    influence
        How the statistic changes with the weight of each unit (for a mean: value − mean). It is
        centred within the strata.

    Returns
    -------
    tuple[float, float, float]
        The standard deviation of θ*, the lower and the upper end. All θ* equal: 0, θ̂ and θ̂.

    Raises
    ------
    ValueError
        If the statistic is NaN or infinite for all units, in a draw, or without a unit; if all θ*
        are on one side of θ̂, where the correction for bias is infinite; if there are too few draws.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 2.0, 3.0, 4.0, 7.0, 9.0, 16.0])
    >>> found = bca(lambda rows: values[rows].mean(), count=8, strata=None, delta=0.1, seed=0)
    >>> print("se {:.1f}, {:.1f} … {:.1f}".format(*found))
    se 1.7, 3.4 … 9.1
    """
    if draws < 2:
        raise ValueError(f"{draws} draws: the bootstrap needs at least two, better thousands")
    stratum = strata_of(count, strata)
    estimate = _value(statistic, np.arange(count), "for all units")
    values = drawn(statistic, stratum, seed, draws)
    slack = ROUNDING * np.abs(values).max()
    if np.ptp(values) <= slack:
        return 0.0, estimate, estimate
    if influence is None:
        influence = jackknife(statistic, stratum)
    levels = _levels(bias(values, estimate, slack), acceleration(influence, stratum), delta)
    low, high = np.quantile(values, levels)
    return float(values.std(ddof=1)), float(low), float(high)


def strata_of(count: int, strata: np.ndarray | None) -> np.ndarray:
    """The number of the stratum of each unit, 0, 1, …"""
    if strata is None:
        return np.zeros(count, dtype=int)
    if len(strata) != count:
        raise ValueError(f"{len(strata)} strata are given for {count} units: one each is needed")
    return np.unique(strata, return_inverse=True)[1]


def drawn(statistic: Statistic, stratum: np.ndarray, seed: int, draws: int) -> np.ndarray:
    """θ* of every draw: each place of a stratum gets one of the stratum's units."""
    generator, order = np.random.default_rng(seed), np.argsort(stratum, kind="stable")
    ends = np.bincount(stratum).cumsum()
    first, end = np.concatenate([[0], ends])[stratum], ends[stratum]
    return np.array(
        [
            _value(statistic, order[generator.integers(first, end)], f"in draw {draw} of {draws}")
            for draw in range(1, draws + 1)
        ]
    )


def jackknife(statistic: Statistic, stratum: np.ndarray) -> np.ndarray:
    """The influence l of each unit, from the statistic without it; 0 where it is alone."""
    sizes, units = np.bincount(stratum)[stratum], np.arange(len(stratum))
    values = np.array(
        [
            _value(statistic, np.delete(units, unit), f"without unit {unit}") if size > 1 else 0.0
            for unit, size in zip(units, sizes, strict=True)
        ]
    )
    changes = _stratum_means(values, stratum) - values
    changes[np.abs(changes) <= ROUNDING * np.abs(values).max()] = 0.0
    return (sizes - 1) * changes


def acceleration(influence: np.ndarray, stratum: np.ndarray) -> float:
    """The acceleration a: the skewness of Σ l_u/n_h, divided by six; 0 if no unit has influence."""
    centred = influence - _stratum_means(influence, stratum)
    parts = centred / np.bincount(stratum)[stratum]
    length = np.linalg.norm(parts)
    return float(((parts / length) ** 3).sum() / 6) if length > 0 else 0.0


def bias(values: np.ndarray, estimate: float, slack: float) -> float:
    """The correction z₀: where θ̂ lies among θ*. Values within the slack of θ̂ are ties."""
    below, tied = values < estimate - slack, np.abs(values - estimate) <= slack
    share = below.mean() + tied.mean() / 2
    if share in (0, 1):
        side = "above" if share == 0 else "below"
        raise ValueError(
            f"All {len(values)} draws give values {side} the estimate {estimate:.6g}: the statistic "
            "is too biased under the bootstrap for a BCa interval"
        )
    return float(ndtri(share))


def _levels(z0: float, a: float, delta: float) -> np.ndarray:
    """Φ(z₀ + w/(1 − a·w)) for both ends."""
    w = z0 + ndtri(np.array([delta / 2, 1 - delta / 2]))
    return np.asarray(ndtr(z0 + w / np.maximum(1 - a * w, NEARLY_ZERO)))


def _stratum_means(values: np.ndarray, stratum: np.ndarray) -> np.ndarray:
    """For each unit the mean over its stratum."""
    return (np.bincount(stratum, weights=values) / np.bincount(stratum))[stratum]


def _value(statistic: Statistic, units: np.ndarray, where: str) -> float:
    value = float(statistic(units))
    if not np.isfinite(value):
        raise ValueError(
            f"The statistic is {value} {where}. If it needs units of several kinds (classes, say), "
            "give the kinds as strata: every draw then has as many of each as there are"
        )
    return value
