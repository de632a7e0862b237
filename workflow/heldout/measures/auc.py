"""The AUC on one test set, and its variance by its structural components, of rows or of groups."""

import numpy as np


def shares(
    positive: np.ndarray, score: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """The structural components of the AUC: the share of the other class that each row beats.

    DeLong, DeLong & Clarke-Pearson 1988. For a positive row the share of the negatives with a lower
    score, for a negative row the share of the positives with a higher one; ties count one half. The
    mean over either class is the AUC. Found from midranks in the sorted other class (as Sun & Xu
    2014 do), not pair by pair: n·log n steps, and no table of all pairs.

    Parameters
    ----------
    positive
        Whether each row is of the positive class.
    score
        The score of each row; positives should have the higher ones. May be infinite, not NaN.
    weights
        The weight of each row; None: 1. Shares are then shares of weight.

    Returns
    -------
    numpy.ndarray
        A share in [0, 1] for each row.

    Raises
    ------
    ValueError
        If there is no positive row, or no negative one, or a score is NaN.

    Examples
    --------
    >>> shares(np.array([True, True, False, False]), np.array([0.9, 0.4, 0.4, 0.1]))
    array([1.  , 0.75, 0.75, 1.  ])
    """
    positive, score = np.asarray(positive, dtype=bool), np.asarray(score, dtype=float)
    _refuse(positive, score)
    found = np.empty(len(score))
    above, below = (None, None) if weights is None else (weights[positive], weights[~positive])
    found[positive] = _share_below(score[positive], score[~positive], below)
    found[~positive] = 1 - _share_below(score[~positive], score[positive], above)
    return found


def _share_below(score: np.ndarray, others: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The share of the others below each score, ties one half: its midrank among them."""
    order = np.argsort(others)
    below, up_to = (np.searchsorted(others[order], score, side) for side in ("left", "right"))
    if weights is None:
        return (below + up_to) / (2 * len(others))
    reached = np.concatenate([[0.0], np.cumsum(weights[order])])
    return np.asarray((reached[below] + reached[up_to]) / (2 * reached[-1]))


def _refuse(positive: np.ndarray, score: np.ndarray) -> None:
    if not positive.any():
        raise ValueError(f"No AUC: none of the {len(positive)} rows is positive")
    if positive.all():
        raise ValueError(f"No AUC: all {len(positive)} rows are positive")
    if np.isnan(score).any():
        raise ValueError(f"No AUC: {np.isnan(score).sum()} of {len(score)} scores are NaN")


def auc(positive: np.ndarray, score: np.ndarray) -> float:
    """The area under the ROC curve: how often a positive row has a higher score than a negative one.

    The mean over all pairs of a positive and a negative row of 1, ½ (ties) or 0. Mann & Whitney 1947.

    Parameters
    ----------
    positive
        Whether each row is of the positive class.
    score
        The score of each row; positives should have the higher ones.

    Returns
    -------
    float
        The AUC, in [0, 1].

    Raises
    ------
    ValueError
        If there is no positive row, or no negative one, or a score is NaN.

    Examples
    --------
    >>> auc(np.array([True, True, False, False]), np.array([0.9, 0.4, 0.4, 0.1]))
    0.875
    """
    positive = np.asarray(positive, dtype=bool)
    return float(shares(positive, score)[positive].mean())


def auc_variance(positive: np.ndarray, score: np.ndarray, unit: np.ndarray) -> float:
    """The variance of the AUC over test sets of as many independent units, for a fixed model.

    Obuchowski 1997, "Nonparametric analysis of clustered ROC curve data". With m positive and n
    negative rows, A the AUC, and V the shares: a_u = Σ (V_x − A)/m over the positive rows x of unit
    u, b_u = Σ (V_x − A)/n over its negative rows. I of the units hold any row, I₁ a positive and I₀ a
    negative one.

        var = I₁/(I₁−1)·Σ a_u² + I₀/(I₀−1)·Σ b_u² + 2·I/(I−1)·Σ a_u·b_u

    If each row is a unit of its own, I₁ = m, I₀ = n and no unit holds both: this is the variance of
    DeLong, DeLong & Clarke-Pearson 1988, s²(V of positives)/m + s²(V of negatives)/n, without any
    factor between the two. It is never negative, since I₁ ≤ I and I₀ ≤ I. It is zero where all
    positives are above all negatives, or all below, or all scores are equal: then the AUC says nothing
    about its own error, and another interval is needed.

    Parameters
    ----------
    positive
        Whether each row is of the positive class.
    score
        The score of each row; positives should have the higher ones.
    unit
        The number of the group of each row; all distinct where rows are independent.

    Returns
    -------
    float
        The variance; its root is the standard error.

    Raises
    ------
    ValueError
        If the positives or the negatives are in fewer than two units, or a score is NaN.

    Examples
    --------
    >>> positive = np.array([True, True, True, False, False, False])
    >>> score = np.array([0.9, 0.7, 0.3, 0.5, 0.2, 0.1])
    >>> round(auc_variance(positive, score, unit=np.arange(6)), 4)
    0.0247
    >>> round(auc_variance(positive, score, unit=np.array([0, 0, 1, 1, 2, 2])), 4)
    0.0604
    """
    positive = np.asarray(positive, dtype=bool)
    centred = shares(positive, score)
    centred -= centred[positive].mean()
    _, group = np.unique(unit, return_inverse=True)
    a, b = (_unit_sums(of_class, centred, group) for of_class in (positive, ~positive))
    of_positives = _factor(group[positive], "positive")
    of_negatives = _factor(group[~positive], "negative")
    of_all = _factor(group, "test")
    # The sum above, in terms of which none is negative: rounding cannot make it so.
    both = of_all * ((a + b) ** 2).sum()
    rest = (of_positives - of_all) * (a**2).sum() + (of_negatives - of_all) * (b**2).sum()
    return float(both + rest)


def _unit_sums(of_class: np.ndarray, centred: np.ndarray, group: np.ndarray) -> np.ndarray:
    """a or b of every unit; 0 where it has no row of the class."""
    return np.bincount(group, weights=of_class * centred / of_class.sum())


def _factor(group: np.ndarray, kind: str) -> float:
    """I/(I−1), where I units hold these rows."""
    count = np.count_nonzero(np.bincount(group))
    if count < 2:
        raise ValueError(
            f"No variance of the AUC: the {kind} rows ({len(group)}) are in {count} group; "
            "at least two groups (rows, where there are no groups) of either class are needed"
        )
    return count / (count - 1)
