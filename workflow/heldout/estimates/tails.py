"""Heavy tails: how unequally the loss is shared among rows.

If few rows carry most of the loss, the next rows may bring a larger one, and no interval that is
computed from these rows holds.
"""

import numpy as np


def tail_ratio(losses: np.ndarray) -> float:
    """Compute n·Σℓ²/(Σℓ)².

    Parameters
    ----------
    losses
        Losses ≥ 0.

    Returns
    -------
    float
        1 if all losses are equal; 3 on average for squared Gaussian errors; n if one row has all.

    Examples
    --------
    >>> tail_ratio(np.array([1.0, 1.0, 1.0])), tail_ratio(np.array([0.0, 0.0, 5.0]))
    (1.0, 3.0)
    """
    total = float(losses.sum())
    return float(len(losses) * (losses**2).sum() / total**2) if total > 0 else 1.0


def carriers(losses: np.ndarray) -> float:
    """Compute (Σℓ)²/Σℓ², the number of rows that carry the loss.

    Parameters
    ----------
    losses
        Losses ≥ 0.

    Returns
    -------
    float
        n if all losses are equal; 1 if one row has all. Of zero-one losses, the number of errors.

    Examples
    --------
    >>> carriers(np.array([1.0, 1.0, 0.0, 0.0, 1.0]))
    3.0
    """
    return len(losses) / tail_ratio(losses)


def rows_with_half(losses: np.ndarray) -> int:
    """Count the rows that carry half of the loss.

    Parameters
    ----------
    losses
        Losses ≥ 0.

    Returns
    -------
    int
        The smallest number of rows whose losses add up to at least half of the sum.

    Examples
    --------
    >>> rows_with_half(np.array([1.0, 5.0, 1.0, 2.0]))
    1
    """
    reached = np.cumsum(np.sort(losses)[::-1])
    return int(np.searchsorted(reached, reached[-1] / 2) + 1)
