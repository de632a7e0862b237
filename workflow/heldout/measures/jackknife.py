"""The delete-one jackknife: the influence of each row on any number of a set."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from heldout.errors import HeldoutError


def jackknife_influence(without: np.ndarray) -> np.ndarray:
    """Turn the risks without each row into influences.

    √(n(n−1))·(mean − risk without x): their sum of squares over n² is the jackknife's variance
    (n−1)/n·Σ(risk without x − mean)².

    Parameters
    ----------
    without
        For each row the risk of the set without it.

    Returns
    -------
    numpy.ndarray
        The influences, which add up to 0.

    Examples
    --------
    >>> jackknife_influence(np.array([0.5, 0.5, 0.2])).round(3).tolist()
    [-0.245, -0.245, 0.49]
    """
    n = len(without)
    return np.asarray(np.sqrt(n * (n - 1)) * (without.mean() - without))


def deleted_one_by_one(
    risk: Callable[[np.ndarray], float], kinds: np.ndarray, alone: np.ndarray | None = None
) -> np.ndarray:
    """Compute a risk without each row; once for rows of the same kind.

    A row that is alone in its class may be one without which the risk is not defined. It then gets the mean
    of the others, and so no influence: neither has it on an AUC, which compares it with the other class only.

    Parameters
    ----------
    risk
        The risk of the rows whose positions it is given.
    kinds
        A number for each row; rows with the same target, prediction and weight share one.
    alone
        Whether each row is the only one of its class; None where there are no classes.

    Returns
    -------
    numpy.ndarray
        For each row the risk without it.

    Raises
    ------
    HeldoutError
        If the risk is not defined without a row that is not alone in its class.

    Examples
    --------
    >>> values = np.array([1.0, 1.0, 4.0])
    >>> deleted_one_by_one(lambda rows: values[rows].mean(), np.array([0, 0, 1])).tolist()
    [2.5, 2.5, 1.0]
    """
    _, first, kind = np.unique(kinds, return_index=True, return_inverse=True)
    rows, found = np.arange(len(kinds)), []
    for place in first:
        try:
            found.append(risk(np.delete(rows, place)))
        except HeldoutError:
            if alone is None or not alone[place]:
                raise
            found.append(np.nan)
    without = np.array(found)[kind]
    missing = np.isnan(without)
    without[missing] = 0.0 if missing.all() else without[~missing].mean()
    return without


def alone_in_class(target: np.ndarray, classes: Sequence[Any] | None) -> np.ndarray | None:
    """Say which rows are the only ones of their class; None where there are no classes.

    Parameters
    ----------
    target
        The class of each row, as a position; or numbers.
    classes
        The labels; None if targets are numbers.

    Returns
    -------
    numpy.ndarray or None
        Whether each row is alone.

    Examples
    --------
    >>> alone_in_class(np.array([0, 1, 0]), ["a", "b"])
    array([False,  True, False])
    """
    return None if classes is None else np.bincount(target)[target] == 1
