"""How probable it is that a feature without any relation to the target fits it as well as one that was found.

All are upper bounds, as natural logarithms: of a feature and a target in random order, for one feature. A sum
with the logarithm of the number of features bounds the probability that any of them fits so well.
"""

import numpy as np
from scipy.special import gammaln

ALARM = 1e-3
"""A fit that chance gives some feature of a table with at most this probability counts as no chance."""


def log_arrangements(counts: np.ndarray) -> float:
    """The logarithm of the number of different orders of rows of which `counts` are alike.

    Examples
    --------
    >>> round(float(np.exp(log_arrangements(np.array([2, 2])))), 9)
    6.0
    """
    return float(gammaln(counts.sum() + 1) - gammaln(np.asarray(counts) + 1).sum())


def log_choices(n: int, errors: int, others: int = 1) -> float:
    """The logarithm of the number of ways to choose rows that err, and one of `others` values for each.

    Examples
    --------
    >>> round(float(np.exp(log_choices(5, 2, 3))), 9)
    90.0
    """
    chosen = gammaln(n + 1) - gammaln(errors + 1) - gammaln(n - errors + 1)
    return float(chosen + errors * np.log(max(1, others)))


def of_intervals(counts: np.ndarray, errors: int) -> float:
    """Each class has an interval of the feature's values to itself, but for some rows.

    The classes may follow one another in k! orders; each says what every row is.
    """
    k, n = len(counts), int(counts.sum())
    ways = gammaln(k + 1) + log_choices(n, errors, k - 1)
    return float(ways - log_arrangements(counts))


def of_levels(counts: np.ndarray, levels: int, errors: int) -> float:
    """All rows of a level are of one class, but for some rows: k classes for each of the levels."""
    k, n = len(counts), int(counts.sum())
    ways = levels * np.log(k) + log_choices(n, errors, k - 1)
    return float(ways - log_arrangements(counts))


def of_order(levels: np.ndarray, values: np.ndarray, errors: int, orders: float = 0.0) -> float:
    """No pair of rows is in different orders by feature and target, but for some rows.

    Each level of the feature then has the values of the target that are next, in any order.

    Parameters
    ----------
    levels, values
        The feature and the target, each sorted, as numbers from 0 for their different values.
    errors
        How many rows are left out.
    orders
        The logarithm of the number of orders of the levels that were tried.

    Returns
    -------
    float
        The logarithm of the bound; rising and falling both count.

    Examples
    --------
    >>> round(of_order(np.arange(10), np.arange(10), 0), 3)  # 2 of 10! orders
    -14.411
    """
    n = len(levels)
    pairs = np.unique(levels * (int(values.max()) + 1) + values, return_counts=True)[1]
    inside = gammaln(np.bincount(levels) + 1).sum() - gammaln(pairs + 1).sum()
    moved = log_choices(n, errors) + gammaln(n + 1) - gammaln(n - errors + 1)
    return float(np.log(2) + orders + moved + inside - log_arrangements(np.bincount(values)))


def of_correlation(n: int, unexplained: float) -> float:
    """A rank correlation leaves at most this share of the variance unexplained; a perfect one has 2 of n! orders."""
    most = np.log(2) + (n - 2) / 2 * np.log(max(unexplained, 1e-300))
    return float(max(most, np.log(2) - gammaln(n + 1)))


def of_tree_for_classes(counts: np.ndarray, errors: int) -> float:
    """A tree with three cuts of the feature errs on so few rows."""
    k, n = len(counts), int(counts.sum())
    ways = log_choices(n, min(3, n)) + 4 * np.log(k) + log_choices(n, errors, k - 1)
    return float(ways - log_arrangements(counts))


def of_tree_for_numbers(n: int, unexplained: float) -> float:
    """A tree with three cuts of the feature leaves at most this share of the variance."""
    return of_correlation(n, unexplained) + log_choices(n, min(3, n))


def no_chance(logarithm: float, features: int, share: float = 1.0) -> bool:
    """Whether none of so many features would fit as well by chance.

    Parameters
    ----------
    logarithm
        The bound for one feature.
    features
        How many there are.
    share
        The number of independent units for each row: 1, or less where rows come in groups.

    Returns
    -------
    bool
        Whether the probability is below `ALARM`.

    Examples
    --------
    >>> no_chance(of_intervals(np.array([10, 10]), 0), 20)
    True
    >>> no_chance(of_intervals(np.array([10, 10]), 0), 20_000)
    False
    """
    return bool(logarithm * min(1.0, share) + np.log(max(1, features)) < np.log(ALARM))
