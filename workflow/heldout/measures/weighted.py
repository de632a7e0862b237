"""Weighted means as means of pseudo-losses."""

import numpy as np


def pseudo_losses(losses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Losses whose plain mean, and its standard error, are those of the weighted mean.

    With v = Σwℓ/Σw, the weighted mean of a set of n rows, row x gets v + n·w_x/Σw·(ℓ_x − v). This is the
    linearisation of a ratio of two sums.

    Parameters
    ----------
    losses
        The losses of the rows of a set.
    weights
        Their weights.

    Returns
    -------
    numpy.ndarray
        A number for each row.

    Examples
    --------
    >>> pseudo_losses(np.array([0.0, 1.0]), np.array([1.0, 3.0])).tolist()
    [0.375, 1.125]
    """
    shares = weights / weights.sum()
    risk = float((losses * shares).sum())
    return risk + len(losses) * shares * (losses - risk)


def effective(weights: np.ndarray) -> float:
    """The number of rows of equal weight that say as much: (Σw)²/Σw².

    Parameters
    ----------
    weights
        The weights of rows.

    Returns
    -------
    float
        n for equal weights, fewer for others.

    Examples
    --------
    >>> effective(np.array([1.0, 1.0, 2.0])), effective(np.ones(3))
    (2.6666666666666665, 3.0)
    """
    return float(weights.sum() ** 2 / (weights**2).sum())
