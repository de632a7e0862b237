"""The standard error of a mean over time, from cosine averages: losses that follow each other are dependent.

With x₁ … x_T in time order, B = max(2, ⌊0.4·T^{2/3}⌋) and

    Λ_j = √(2/T) · Σ_t cos(π·j·(t − ½)/T) · x_t,   j = 1 … B,

ω² = mean of Λ_j² estimates the variance of √T times the mean, and (mean − μ)/√(ω²/T) has about a t
distribution with B degrees of freedom. Müller 2007, A theory of robust long-run variance estimation; Lazarus,
Lewis, Stock & Watson 2018, HAR inference: recommendations for practice.
"""

import numpy as np
from scipy import fft

FEWEST = 3
"""Two cosine averages need three values."""


def averages(count: int) -> int:
    """Compute the number of cosine averages.

    Parameters
    ----------
    count
        The number of values T.

    Returns
    -------
    int
        B.

    Examples
    --------
    >>> [averages(count) for count in (6, 10, 20, 50, 1000)]
    [2, 2, 2, 5, 40]
    """
    return max(2, int(0.4 * count ** (2 / 3) + 1e-9))  # 0.4 · 1000^(2/3) is 40


def cosine_se(values: np.ndarray) -> float | None:
    """Compute the standard error of the mean of values in time order.

    Parameters
    ----------
    values
        One for each block, or time stamp.

    Returns
    -------
    float or None
        √(ω²/T); None for fewer than three values.

    Examples
    --------
    >>> round(cosine_se(np.array([1.0, 3.0, 2.0, 5.0, 4.0, 6.0])), 4)
    1.0522
    """
    count = len(values)
    if count < FEWEST:
        return None
    cosines = fft.dct(np.asarray(values, float), type=2)[1 : averages(count) + 1] / 2
    return float(np.sqrt(2 / count * np.mean(cosines**2) / count))
