"""The classes that are judged one against the rest."""

import numpy as np

CLASSES = 12
"""At most this many classes are judged, the most frequent ones."""


def frequent(target: np.ndarray, count: int) -> list[int]:
    """List the most frequent classes.

    Parameters
    ----------
    target
        The class of each row.
    count
        The number of classes.

    Returns
    -------
    list of int
        At most `CLASSES` of them, in their own order.

    Examples
    --------
    >>> frequent(np.array([2, 0, 2]), 3)
    [0, 1, 2]
    """
    sizes = np.bincount(target, minlength=count)
    return sorted(np.argsort(-sizes, kind="stable")[:CLASSES].tolist())


def classes_of(target: np.ndarray, count: int, chosen: int | None = None) -> list[int]:
    """List the classes that are judged.

    Parameters
    ----------
    target
        The class of each row.
    count
        The number of classes.
    chosen
        The positive class of two, if there is one.

    Returns
    -------
    list of int
        Of two classes the chosen one, or the rarer one (of equal ones the second), else the most frequent ones.

    Examples
    --------
    >>> classes_of(np.array([0, 1, 1]), 2), classes_of(np.array([0, 1, 1]), 2, chosen=1)
    ([0], [1])
    """
    if count == 2 and chosen is not None:
        return [chosen]
    if count == 2:
        return [int(2 * (target == 1).sum() <= len(target))]
    return frequent(target, count)
