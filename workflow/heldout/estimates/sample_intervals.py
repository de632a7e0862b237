"""Intervals from one sample of independent examples (or groups): a development or a test set.

Each function takes the evidence and δ, and returns the standard error (None if the method has
none), the lower and the upper end.
"""

import numpy as np
from scipy import special

from heldout.estimates import betting as capital
from heldout.estimates import ends
from heldout.estimates.evidence import Bounds, Evidence


def t(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± t·s/√n; with groups, the group is the unit and the mean a ratio of sums, linearised.

    With weights n is the number of rows of equal weight that say as much, if that is smaller.
    """
    sizes, sums = evidence.unit_sums
    count = min(len(sizes), evidence.effective or len(sizes))
    deviations = sums - sizes * evidence.risk
    se = float(np.sqrt(count / (count - 1) * (deviations**2).sum()) / sizes.sum())
    half = float(special.stdtrit(count - 1, 1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def skewed_t(evidence: Evidence, delta: float) -> Bounds:
    """As `t`, with an upper end that allows for the skewness of losses: C + h + h²/(2C)."""
    se, _, high = t(evidence, delta)
    return se, *ends.skewed(evidence.risk, high - evidence.risk)


def betting(evidence: Evidence, delta: float) -> Bounds:
    """Every mean against which a gambler would not have become rich, for losses in [0, B]."""
    assert evidence.bound is not None
    low, high = capital.betting(evidence.pooled / evidence.bound, delta, evidence.seed)
    return None, evidence.bound * low, evidence.bound * high


def hoeffding(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± B·√(ln(2/δ)/(2n)) for losses in [0, B]."""
    assert evidence.bound is not None
    half = evidence.bound * np.sqrt(np.log(2 / delta) / (2 * evidence.n))
    return None, float(evidence.risk - half), float(evidence.risk + half)


def empirical_bernstein(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± (√(2V·ln(4/δ)/n) + 7B·ln(4/δ)/(3(n−1))), V the sample variance, losses in [0, B]."""
    assert evidence.bound is not None
    log_term = np.log(4 / delta)
    spread = np.sqrt(2 * evidence.pooled.var(ddof=1) * log_term / evidence.n)
    half = spread + 7 * evidence.bound * log_term / (3 * (evidence.n - 1))
    return None, float(evidence.risk - half), float(evidence.risk + half)


def clopper_pearson(evidence: Evidence, delta: float) -> Bounds:
    """Beta quantiles: exact for a binomial number of errors."""
    n, errors = evidence.n, float(evidence.pooled.sum())
    low = 0.0 if errors == 0 else float(special.betaincinv(errors, n - errors + 1, delta / 2))
    high = 1.0 if errors == n else float(special.betaincinv(errors + 1, n - errors, 1 - delta / 2))
    return float(np.sqrt(evidence.risk * (1 - evidence.risk) / n)), low, high


def wilson(evidence: Evidence, delta: float) -> Bounds:
    """The score interval of a binomial proportion.

    Groups, and rows with weights: for as many rows as the variance between groups says, p̂(1−p̂)/SE², with
    t_{G−1} in place of z; where all losses are equal, for as many rows as there are groups.

    Parameters
    ----------
    evidence
        Losses that are 0 or 1; of groups, two at least.
    delta
        1 − the confidence level.

    Returns
    -------
    tuple
        The standard error, the lower and the upper end.

    Examples
    --------
    >>> losses, groups = np.repeat([1.0, 0.0], [2, 8]), np.repeat([1, 2, 3, 4, 5], 2)
    >>> rows = Evidence("test", [losses], [np.arange(10)], binary=True)
    >>> [round(end, 3) for end in wilson(rows, 0.05)[1:]]
    [0.057, 0.51]
    >>> in_groups = Evidence("test", [losses], [groups], binary=True)
    >>> [round(end, 3) for end in wilson(in_groups, 0.05)[1:]]
    [0.018, 0.777]
    """
    share, count = evidence.risk, float(evidence.n)
    if not (evidence.grouped or evidence.weighted):
        z = float(special.ndtri(1 - delta / 2))
        return float(np.sqrt(share * (1 - share) / count)), *ends.proportion(share, count, z)
    units = min(evidence.unit_count, evidence.effective or evidence.unit_count)
    se = t(evidence, delta)[0]
    count = min(count, share * (1 - share) / se**2) if se else units
    quantile = float(special.stdtrit(units - 1, 1 - delta / 2))
    return se, *ends.proportion(share, count, quantile)


def bootstrap_percentile(evidence: Evidence, delta: float, draws: int = 2000) -> Bounds:
    """Percentiles of the mean over units drawn with replacement."""
    sizes, sums = evidence.unit_sums
    generator = np.random.default_rng(evidence.seed)
    means = np.empty(draws)
    for i in range(draws):
        drawn = generator.integers(len(sizes), size=len(sizes))
        means[i] = sums[drawn].sum() / sizes[drawn].sum()
    low, high = np.quantile(means, [delta / 2, 1 - delta / 2])
    return float(means.std(ddof=1)), float(low), float(high)
