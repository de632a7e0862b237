"""Random sets of units (groups, or rows): a fraction of them, or K folds.

A draw depends on nothing but the units, the strata and the seed.
"""

import numpy as np

from heldout.errors import HeldoutError


def draw_fraction(
    units: np.ndarray, strata: np.ndarray | None, fraction: float, seed: int
) -> np.ndarray:
    """Draw the rows of a random fraction of the units, with the strata in proportion.

    The units are put in random order within their strata and every (1/fraction)-th is taken,
    from a random start: each has the same chance, each stratum its share to within one.

    Parameters
    ----------
    units
        For each row the number of its unit.
    strata
        For each row the number of its stratum; None for one stratum. A unit belongs to the
        stratum of most of its rows.
    fraction
        The share of the units to draw; at least one unit is drawn and one is left.
    seed
        The seed of the draw.

    Returns
    -------
    numpy.ndarray
        The numbers of the drawn rows, in ascending order.

    Examples
    --------
    >>> units = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    >>> draw_fraction(units, None, fraction=0.25, seed=1).tolist()
    [0, 1]
    """
    generator = np.random.default_rng(seed)
    first, unit_of = np.unique(units, return_inverse=True)
    if len(first) < 2:
        raise HeldoutError("nothing can be held out: all rows belong to one group")
    count = min(max(round(fraction * len(first)), 1), len(first) - 1)
    order = _shuffled_within(_unit_strata(unit_of, strata), generator)
    steps = (np.arange(count) + generator.random()) * (len(first) / count)
    chosen = order[steps.astype(int)]
    return np.flatnonzero(np.isin(unit_of, chosen))


def draw_folds(units: np.ndarray, strata: np.ndarray | None, k: int, seed: int) -> np.ndarray:
    """Draw K folds whose sizes and strata are as even as the units allow.

    Parameters
    ----------
    units
        For each row the number of its unit.
    strata
        For each row the number of its stratum; None for one stratum.
    k
        The number of folds.
    seed
        The seed of the draw.

    Returns
    -------
    numpy.ndarray
        For each row its fold, 0 to k-1.

    Examples
    --------
    >>> draw_folds(np.array([0, 0, 1, 1, 2, 2]), None, k=3, seed=1).tolist()
    [0, 0, 2, 2, 1, 1]
    """
    generator = np.random.default_rng(seed)
    _, unit_of = np.unique(units, return_inverse=True)
    sizes = np.bincount(unit_of)
    if len(sizes) < k:
        raise HeldoutError(
            f"kfold: {len(sizes)} rows or groups cannot fill k = {k} folds; lower kfold.k"
        )
    relabel = generator.permutation(k)
    if sizes.max() == 1:
        order = _shuffled_within(_unit_strata(unit_of, strata), generator)
        dealt = np.empty(len(sizes), int)
        dealt[order] = np.arange(len(sizes)) % k
    else:
        dealt = _deal_groups(unit_of, strata, k, generator)
    return relabel[dealt][unit_of]


def smallest_class(units: np.ndarray, codes: np.ndarray, classes: int) -> tuple[int, int]:
    """Find the class with the fewest units.

    Parameters
    ----------
    units
        For each row the number of its unit.
    codes
        For each row the number of its class.
    classes
        The number of classes.

    Returns
    -------
    tuple of int
        The number of the class, and how many units have rows of it.

    Examples
    --------
    >>> smallest_class(np.array([0, 1, 2, 3, 3]), np.array([0, 0, 0, 1, 1]), classes=2)
    (1, 1)
    """
    pairs = np.unique(np.stack([units, codes]), axis=1)
    sizes = np.bincount(pairs[1], minlength=classes)
    return int(sizes.argmin()), int(sizes.min())


def _shuffled_within(strata: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    return np.lexsort((generator.random(len(strata)), strata))


def _unit_strata(unit_of: np.ndarray, strata: np.ndarray | None) -> np.ndarray:
    """The most frequent stratum of each unit (0 if there are none)."""
    if strata is None:
        return np.zeros(unit_of.max() + 1, int)
    return _counts(unit_of, strata).argmax(axis=1)


def _counts(unit_of: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """How many rows of each stratum (column) a unit (row) has."""
    _, codes = np.unique(strata, return_inverse=True)
    counts = np.zeros((unit_of.max() + 1, codes.max() + 1))
    np.add.at(counts, (unit_of, codes), 1)
    return counts


def _deal_groups(
    unit_of: np.ndarray, strata: np.ndarray | None, k: int, generator: np.random.Generator
) -> np.ndarray:
    """Groups of unequal size, largest first, each to the fold that it unbalances least."""
    counts = _counts(unit_of, np.zeros(len(unit_of)) if strata is None else strata)
    shares = counts / counts.sum(axis=0)
    order = np.lexsort((generator.random(len(shares)), -counts.sum(axis=1)))
    load = np.zeros((k, shares.shape[1]))
    dealt = np.empty(len(shares), int)
    for unit in order:
        worse = ((load + shares[unit]) ** 2 - load**2).sum(axis=1)
        dealt[unit] = worse.argmin()
        load[dealt[unit]] += shares[unit]
    return dealt
