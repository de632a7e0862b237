"""The betting interval for the mean of values in [0, 1], by hedged capital."""

import numpy as np

CAP = 0.75
"""A bet risks at most this share of the capital."""
HALVINGS = 60


def betting(values: np.ndarray, delta: float, seed: int) -> tuple[float, float]:
    """The interval of all means against which nobody could have won much by betting.

    Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting". Against
    each m two gamblers bet on the values one after another: K⁺_t(m) = Π_{s≤t} (1 + λ_s(m)·(x_s − m))
    and K⁻, its mirror image. If m is the mean, neither capital reaches 2/δ at any time, with
    probability 1 − δ (Ville). The interval holds every m for which neither did. The bets are
    λ_t = √(2·ln(2/δ)/(n·σ̂²_{t−1})), at most ¾ of 1/m, the largest that cannot lose everything.

    The order of the values is drawn from the seed. The sample mean is always inside: where the
    interval would leave it out (or be empty), it is widened.

    Parameters
    ----------
    values
        Independent values in [0, 1], at least one.
    delta
        The interval misses the mean with at most this probability.
    seed
        Draws the order in which the values are bet on.

    Returns
    -------
    tuple[float, float]
        The lower and the upper end, in [0, 1].

    Examples
    --------
    >>> low, high = betting(np.array([0.2, 0.4, 0.3, 0.1] * 25), delta=0.05, seed=0)
    >>> print(f"{low:.2f} … {high:.2f}")
    0.22 … 0.29
    """
    ordered = np.random.default_rng(seed).permutation(np.asarray(values, dtype=float))
    mean = float(ordered.mean())
    low, high = lower_end(ordered, delta), 1 - lower_end(1 - ordered, delta)
    return min(low, mean), max(high, mean)


def lower_end(values: np.ndarray, delta: float) -> float:
    """The largest m with max_t K⁺_t(m) ≥ 2/δ, or 0. K⁺ decreases in m, so halving finds it."""
    bets, goal = plain_bets(values, delta), np.log(2 / delta)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        reached = log_capital(values, bets, middle) >= goal
        low, high = (middle, high) if reached else (low, middle)
    return low


def log_capital(values: np.ndarray, bets: np.ndarray, m: float) -> float:
    """ln max_t K⁺_t(m): the most that the gambler who expects more than m ever had."""
    gains = np.minimum(bets, CAP / m) * (values - m)
    return float(np.log1p(gains).cumsum().max())


def plain_bets(values: np.ndarray, delta: float) -> np.ndarray:
    """λ_t = √(2·ln(2/δ)/(n·σ̂²_{t−1})), from the values before the t-th.

    μ̂_t = (½ + Σ_{s≤t} x_s)/(t+1) and σ̂²_t = (¼ + Σ_{s≤t} (x_s − μ̂_s)²)/(t+1).
    """
    n = len(values)
    seen = np.arange(2, n + 2)
    means = (0.5 + values.cumsum()) / seen
    spreads = (0.25 + ((values - means) ** 2).cumsum()) / seen
    before = np.concatenate([[0.25], spreads[:-1]])
    return np.sqrt(2 * np.log(2 / delta) / (n * before))
