"""Whether probabilities mean what they say: bins, recalibration, calibration error, Brier score.

All functions take one class: whether each row is of it, and the probability that was predicted for it.
"""

import math
from dataclasses import dataclass

import numpy as np

BINS = 10
FEWEST = 8
"""There are as many bins as leave this many rows to each, and at most `BINS`."""
CLIP = 1e-12
"""Probabilities are clipped to [CLIP, 1 − CLIP] before their logit is taken."""
STEPS = 100
HALVINGS = 60
TOLERANCE = 1e-10
"""Newton's method ends with a step that is this small, in units of 1 + the largest coefficient."""
NORMAL = 100.0
"""A sum of coins with a larger variance is taken to be normal: its mean deviation is then wrong by 0.1 % at most."""


# --- bins ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bin:
    """Rows with similar probabilities: the smallest, the largest and the mean one, the share of the class, the count."""

    low: float
    high: float
    predicted: float
    observed: float
    count: int


def bin_numbers(predicted: np.ndarray) -> np.ndarray:
    """Put rows into bins of about equal counts; rows with equal probabilities share a bin.

    A probability goes where the middle one of its rows would go: with `before` rows below it and
    `through` rows up to it, into bin ⌊B·(before + through)/2n⌋.

    Parameters
    ----------
    predicted
        The predicted probability of each row.

    Returns
    -------
    numpy.ndarray
        The bin of each row, from 0 on, in the order of the probabilities. No bin is empty.

    Examples
    --------
    >>> bin_numbers(np.arange(16) / 16)
    array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    >>> bin_numbers(np.repeat([0.2, 0.5, 0.9], [20, 3, 17]))[[0, 20, 23]]
    array([0, 1, 2])
    """
    count = min(BINS, max(1, len(predicted) // FEWEST))
    _, value, sizes = np.unique(predicted, return_inverse=True, return_counts=True)
    through = np.cumsum(sizes)
    middle = count * (2 * through - sizes) // (2 * len(predicted))
    return np.unique(middle[value], return_inverse=True)[1]


def bin_table(positive: np.ndarray, predicted: np.ndarray, bins: np.ndarray) -> list[Bin]:
    """Summarise each bin.

    Parameters
    ----------
    positive
        Whether each row is of the class.
    predicted
        Its predicted probability.
    bins
        The bin of each row, see `bin_numbers`.

    Returns
    -------
    list of Bin
        In the order of the bins.

    Examples
    --------
    >>> bin_table(np.array([0, 1, 1]), np.array([0.25, 0.75, 0.75]), np.array([0, 1, 1]))[1]
    Bin(low=0.75, high=0.75, predicted=0.75, observed=1.0, count=2)
    """
    found = []
    for number in range(int(bins.max()) + 1):
        inside = bins == number
        p = predicted[inside]
        share = float(positive[inside].mean())
        found.append(Bin(float(p.min()), float(p.max()), float(p.mean()), share, len(p)))
    return found


# --- calibration error -----------------------------------------------------------------------


def calibration_error(positive: np.ndarray, predicted: np.ndarray, bins: np.ndarray) -> float:
    """Compute the expected calibration error Σ_b n_b/n·|p̄_b − ȳ_b|; Naeini, Cooper & Hauskrecht 2015.

    Parameters
    ----------
    positive
        Whether each row is of the class.
    predicted
        Its predicted probability.
    bins
        The bin of each row, see `bin_numbers`.

    Returns
    -------
    float
        The error, never negative; compare it with `error_by_chance`.

    Examples
    --------
    >>> calibration_error(np.array([0, 1, 1]), np.array([0.25, 0.75, 0.75]), np.array([0, 1, 1]))
    0.25
    """
    gaps = np.bincount(bins, weights=predicted - positive)
    return float(np.abs(gaps).sum() / len(predicted))


def error_by_chance(predicted: np.ndarray, bins: np.ndarray) -> tuple[float, float]:
    """Compute the mean and the standard deviation of the calibration error if all probabilities were true.

    The number S_b of rows of the class in a bin is then a sum of independent coins with these
    probabilities, and the error is Σ_b |S_b − E S_b|/n. Its mean is exact, bin by bin.

    Parameters
    ----------
    predicted
        The predicted probability of each row.
    bins
        The bin of each row, see `bin_numbers`.

    Returns
    -------
    tuple
        Mean and standard deviation.

    Examples
    --------
    >>> error_by_chance(np.array([0.5, 0.5]), np.array([0, 0]))
    (0.25, 0.25)
    """
    p = np.clip(predicted, 0.0, 1.0)
    means, variance = 0.0, 0.0
    for number in range(int(bins.max()) + 1):
        coins = p[bins == number]
        mean = mean_deviation(coins)
        means += mean
        variance += float((coins * (1 - coins)).sum()) - mean**2
    return means / len(p), math.sqrt(max(0.0, variance)) / len(p)


def mean_deviation(coins: np.ndarray) -> float:
    """E|S − E S| of the number S of heads of independent coins.

    It is 2·Σ_{k<μ} (μ − k)·P(S = k), μ = E S. The probabilities come coin by coin.
    """
    variance = float((coins * (1 - coins)).sum())
    if variance > NORMAL:
        return math.sqrt(2 * variance / math.pi)
    if coins.mean() > 0.5:  # tails deviate as much as heads do, and are fewer
        coins = 1 - coins
    mean = float(coins.sum())
    chance = np.zeros(int(mean) + 2)
    chance[1] = 1.0  # P(S = k) is at k + 1, behind a zero
    for one in coins[coins > 0].tolist():
        chance[1:] = (1 - one) * chance[1:] + one * chance[:-1]
    return float(2 * (mean - np.arange(len(chance) - 1)) @ chance[1:])


# --- Brier score -----------------------------------------------------------------------------


@dataclass(frozen=True)
class BrierParts:
    """score = reliability − resolution + uncertainty + variance − covariance."""

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    variance: float
    covariance: float


def brier_parts(positive: np.ndarray, predicted: np.ndarray, bins: np.ndarray) -> BrierParts:
    """Decompose the mean of (p − y)² by bins; Stephenson, Coelho & Jolliffe 2008.

    With means p̄_b, ȳ_b over a bin and ȳ over all rows, averaged over rows: reliability (p̄_b − ȳ_b)²,
    resolution (ȳ_b − ȳ)², uncertainty ȳ(1 − ȳ). Because probabilities differ within bins, these three
    do not add up to the score; variance (p − p̄_b)² and covariance 2(y − ȳ_b)(p − p̄_b) do the rest.

    Parameters
    ----------
    positive
        Whether each row is of the class.
    predicted
        Its predicted probability.
    bins
        The bin of each row, see `bin_numbers`.

    Returns
    -------
    BrierParts
        The score of one class, between 0 and 1, and its five parts.

    Examples
    --------
    >>> brier_parts(np.array([0, 1, 1, 1]), np.array([0.5, 0.5, 0.75, 0.75]), np.array([0, 0, 1, 1]))
    BrierParts(score=0.15625, reliability=0.03125, resolution=0.0625, uncertainty=0.1875, variance=0.0, covariance=0.0)
    """
    y, sizes = np.asarray(positive, float), np.bincount(bins)
    p_mean = (np.bincount(bins, weights=predicted) / sizes)[bins]
    y_mean = (np.bincount(bins, weights=y) / sizes)[bins]
    share = float(y.mean())
    return BrierParts(
        score=float(((predicted - y) ** 2).mean()),
        reliability=float(((p_mean - y_mean) ** 2).mean()),
        resolution=float(((y_mean - share) ** 2).mean()),
        uncertainty=share * (1 - share),
        variance=float(((predicted - p_mean) ** 2).mean()),
        covariance=float(2 * ((y - y_mean) * (predicted - p_mean)).mean()),
    )


# --- recalibration ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of the recalibration and its standard error; without a value, the reason."""

    value: float | None
    se: float | None
    reason: str = ""


def slope(
    positive: np.ndarray, predicted: np.ndarray, units: np.ndarray | None = None
) -> Coefficient:
    """Fit b in logit P(y) = a + b·logit(p); Cox 1958.

    Parameters
    ----------
    positive
        Whether each row is of the class.
    predicted
        Its predicted probability.
    units
        The group of each row, for a standard error that allows for groups; None if rows are independent.

    Returns
    -------
    Coefficient
        1 if the probabilities are as extreme as they should be, less if they are too extreme.

    Examples
    --------
    >>> found = slope(np.array([1, 0, 0, 0, 1, 1, 1, 0]), np.repeat([0.1, 0.9], 4))
    >>> round(found.value, 4), round(found.se, 4)
    (0.5, 0.3716)
    """
    x, y = _logit(predicted), np.asarray(positive, bool)
    reason = _one_class(y) or _not_overlapping(x[y], x[~y])
    if reason:
        return Coefficient(None, None, reason)
    return _fitted(np.column_stack([np.ones(len(x)), x]), np.zeros(len(x)), y, units)


def in_the_large(
    positive: np.ndarray, predicted: np.ndarray, units: np.ndarray | None = None
) -> Coefficient:
    """Fit a in logit P(y) = a + logit(p), the slope being 1; Cox 1958.

    Parameters
    ----------
    positive
        Whether each row is of the class.
    predicted
        Its predicted probability.
    units
        The group of each row, for a standard error that allows for groups; None if rows are independent.

    Returns
    -------
    Coefficient
        0 if the class is as frequent as predicted, more if it is more frequent.

    Examples
    --------
    >>> found = in_the_large(np.array([1, 1, 1, 0]), np.full(4, 0.5))
    >>> round(found.value, 4), round(found.se, 4)
    (1.0986, 1.1547)
    """
    x, y = _logit(predicted), np.asarray(positive, bool)
    reason = _one_class(y)
    if reason:
        return Coefficient(None, None, reason)
    return _fitted(np.ones((len(x), 1)), x, y, units)


def _logit(predicted: np.ndarray) -> np.ndarray:
    p = np.clip(np.asarray(predicted, float), CLIP, 1 - CLIP)
    return np.log(p) - np.log1p(-p)


def _one_class(positive: np.ndarray) -> str:
    if positive.all():
        return "every row is of the class"
    return "" if positive.any() else "no row is of the class"


def _not_overlapping(inside: np.ndarray, outside: np.ndarray) -> str:
    """Why no finite slope fits best: it exists if and only if the logits of both kinds of rows overlap."""
    both = np.concatenate([inside, outside])
    if both.min() == both.max():
        return "all probabilities are equal"
    if inside.min() >= outside.max() or outside.min() >= inside.max():
        return "the probabilities tell the class from the rest without an error, and no finite slope fits best"
    return ""


def _fitted(
    design: np.ndarray, offset: np.ndarray, positive: np.ndarray, units: np.ndarray | None
) -> Coefficient:
    """The last coefficient of a logistic regression."""
    beta = _newton(design, offset, positive)
    if beta is None:
        return Coefficient(None, None, "the fit did not converge")
    residual, information = _slopes(design, offset, positive, beta)
    variance = np.linalg.inv(information)
    if units is not None:
        scores = _sums(design * residual[:, None], units)
        if len(scores) < 2:
            return Coefficient(float(beta[-1]), None)
        factor = len(scores) / (len(scores) - 1)
        variance = factor * variance @ (scores.T @ scores) @ variance
    return Coefficient(float(beta[-1]), float(np.sqrt(variance[-1, -1])))


def _newton(design: np.ndarray, offset: np.ndarray, positive: np.ndarray) -> np.ndarray | None:
    """The coefficients that maximise the likelihood; a step that would lessen it is halved."""
    beta = np.zeros(design.shape[1])
    for _ in range(STEPS):
        residual, information = _slopes(design, offset, positive, beta)
        try:
            step = np.linalg.solve(information, design.T @ residual)
        except np.linalg.LinAlgError:
            return None
        before = _log_likelihood(design @ beta + offset, positive)
        least = before - TOLERANCE * abs(before)
        for _ in range(HALVINGS):
            if _log_likelihood(design @ (beta + step) + offset, positive) >= least:
                break
            step = step / 2
        beta = beta + step
        if np.abs(step).max() <= TOLERANCE * (1 + np.abs(beta).max()):
            return beta
    return None


def _slopes(
    design: np.ndarray, offset: np.ndarray, positive: np.ndarray, beta: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """y − μ of each row, and the information matrix."""
    eta = design @ beta + offset
    mu = 0.5 * (1 + np.tanh(eta / 2))
    weight = np.exp(-np.logaddexp(0, eta) - np.logaddexp(0, -eta))  # μ(1 − μ), also in the tails
    return positive - mu, (design.T * weight) @ design


def _log_likelihood(eta: np.ndarray, positive: np.ndarray) -> float:
    return float((positive * eta - np.logaddexp(0, eta)).sum())


def _sums(values: np.ndarray, units: np.ndarray) -> np.ndarray:
    """The sum of the rows of each unit."""
    _, unit = np.unique(units, return_inverse=True)
    sums = np.zeros((int(unit.max()) + 1, values.shape[1]))
    np.add.at(sums, unit, values)
    return sums
