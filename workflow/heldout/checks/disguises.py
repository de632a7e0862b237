"""Whether one feature is the target in disguise: the exact tests, on all rows of a column."""

from bisect import bisect_right
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from heldout.checks import chance
from heldout.checks.columns import correlation, midranks

ERRORS = 0.005
"""The share of rows (of the rarest class, in the case of classes) that may not fit."""
KNOWN = 0.5
"""The share of rows in which the feature must not be missing."""
PER_LEVEL = 5
"""How many rows a level has on average, where levels are taken for a finer coding of the target."""
RANKS = 0.999
"""A feature of which the ranks correlate so with those of the target is a copy of it."""
LONGEST = 20_000
"""Errors of the order are counted in at most so many rows."""
MOST_CLASSES = 100
FINER = "has levels of one class each"


class Disguise(NamedTuple):
    """What a feature is, in words, how many rows do not fit, and the logarithm of the probability of that by chance."""

    what: str
    errors: int
    rows: int
    chance: float


def of_classes(feature: np.ndarray, codes: np.ndarray, names_only: bool) -> list[Disguise]:
    """How a feature gives a class away.

    Parameters
    ----------
    feature
        Its values, NaN where they are missing.
    codes
        The class of each row, from 0; each class has rows.
    names_only
        Whether its values are names of levels, without an order.

    Returns
    -------
    list of Disguise
        Empty if it does not.

    Examples
    --------
    >>> x, y = np.arange(20.0), np.repeat([0, 1], 10)
    >>> [one.what for one in of_classes(x, y, names_only=False)]
    ['separates the classes']
    """
    known = ~np.isnan(feature)
    whole = np.where(known, feature, np.inf)  # missing is a level too
    tries = [] if names_only else [_intervals(feature[known], codes[known], codes)]
    tries += [_levels(feature[known], codes[known], codes)]
    if not known.all():
        tries += [_levels(whole, codes, codes), _missing(~known, codes)]
        if not names_only and codes.max() > 1:
            tries.append(_intervals(whole, codes, codes))
    return [one for one in tries if one is not None]


def of_numbers(feature: np.ndarray, target: np.ndarray, names_only: bool) -> list[Disguise]:
    """How a feature gives a number away; as `of_classes`.

    Examples
    --------
    >>> y = np.arange(1.0, 30)
    >>> of_numbers(-np.log(y), y, names_only=False)[0].what
    'has the order of the target'
    """
    known = ~np.isnan(feature)
    if known.sum() < KNOWN * len(target) or known.sum() < 3:
        return []
    x, y = feature[known], target[known]
    tries = [_same_order(x, y, names_only)]
    if not names_only:
        tries.append(_same_ranks(x, y))
    values, codes = np.unique(target, return_inverse=True)
    if 1 < len(values) <= len(target) / PER_LEVEL:
        tries.append(_levels(feature[known], codes[known], codes))
    return [one for one in tries if one is not None]


def _all_classes(codes: np.ndarray, every: np.ndarray) -> np.ndarray | None:
    """How many rows each class has, if enough rows are known and no class is without."""
    counts = np.bincount(codes, minlength=int(every.max()) + 1)
    if len(codes) < KNOWN * len(every) or counts.min() == 0 or len(counts) < 2:
        return None
    return counts


def _allowed(counts: np.ndarray) -> int:
    return int(ERRORS * counts.min())


def _intervals(x: np.ndarray, codes: np.ndarray, every: np.ndarray) -> Disguise | None:
    """Whether each class has an interval of its own."""
    counts = _all_classes(codes, every)
    if counts is None or len(counts) > MOST_CLASSES:
        return None
    order = np.lexsort((codes, x))
    sorted_codes, places = codes[order], np.arange(len(x))
    means = np.bincount(sorted_codes, places) / counts
    position = np.argsort(np.argsort(means))[sorted_codes]  # the place of its class in the order
    cuts = np.append(np.flatnonzero(x[order][1:] > x[order][:-1]) + 1, len(x))
    errors = sum(_cut_errors(position <= j, cuts) for j in range(len(counts) - 1))
    if errors > _allowed(counts):
        return None
    bound = chance.of_intervals(counts, errors)
    return Disguise("separates the classes", errors, len(x), bound)


def _cut_errors(low: np.ndarray, cuts: np.ndarray) -> int:
    """How many rows are on the wrong side of the best cut."""
    before = np.append(0, np.cumsum(low))[cuts]
    return int((cuts - before + before[-1] - before).min())


def _levels(x: np.ndarray, codes: np.ndarray, every: np.ndarray) -> Disguise | None:
    """Whether all rows of a level have one class. Levels of one row say nothing, and are not counted."""
    if _all_classes(codes, every) is None:
        return None
    level, sizes = np.unique(x, return_inverse=True, return_counts=True)[1:]
    several = sizes[level] > 1
    level, codes = level[several], codes[several]
    counts = _all_classes(codes, every)
    levels = int((sizes > 1).sum())
    if counts is None or PER_LEVEL * levels > len(level) or levels < len(counts):
        return None
    errors = _mixed(level, codes, len(counts))
    if errors > _allowed(counts):
        return None
    what = "has one value for each class" if levels == len(counts) else FINER
    return Disguise(what, errors, len(level), chance.of_levels(counts, levels, errors))


def _mixed(level: np.ndarray, codes: np.ndarray, k: int) -> int:
    """How many rows are not of the class that most rows of their level have."""
    pairs, counts = np.unique(level * k + codes, return_counts=True)
    most = np.zeros(int(level.max()) + 1, np.int64)
    np.maximum.at(most, pairs // k, counts)
    return int(len(level) - most.sum())


def _missing(missing: np.ndarray, codes: np.ndarray) -> Disguise | None:
    found = _levels(missing.astype(float), codes, codes)
    return None if found is None else found._replace(what="is missing in the rows of one class")


def _by_mean(x: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The place of each level in the order of the mean rank of the target."""
    codes, counts = np.unique(x, return_inverse=True, return_counts=True)[1:]
    means = np.bincount(codes, ranks) / counts
    return np.argsort(np.argsort(means, kind="stable"))[codes].astype(float)


def _same_order(x: np.ndarray, y: np.ndarray, names_only: bool) -> Disguise | None:
    """Whether the target never falls where the feature rises, or never rises: a copy, rounded or bent."""
    part = slice(None, None, -(-len(x) // LONGEST))
    x, y = x[part], y[part]
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    if names_only:
        x = _by_mean(x, midranks(y))
    sign = 1.0 if correlation(x, midranks(y)) > 0 else -1.0
    errors = len(x) - _longest_rise(y[np.lexsort((y, sign * x))])
    if errors > ERRORS * len(x):
        return None
    levels, values = (np.unique(one, return_inverse=True)[1] for one in (sign * x, y))
    if errors and max(errors / _rarer(levels), errors / _rarer(values)) > 10 * ERRORS:
        return None
    orders = float(gammaln(levels.max() + 2)) if names_only else 0.0
    bound = chance.of_order(np.sort(levels), np.sort(values), errors, orders)
    return Disguise("has the order of the target", errors, len(x), bound)


def _rarer(codes: np.ndarray) -> int:
    """How many rows have another value than the most frequent one: with these left out, anything fits."""
    return int(len(codes) - np.bincount(codes).max())


def _longest_rise(values: np.ndarray) -> int:
    """The length of the longest subsequence that never falls."""
    ends: list[float] = []
    for value in values.tolist():
        place = bisect_right(ends, value)
        if place == len(ends):
            ends.append(value)
        else:
            ends[place] = value
    return len(ends)


def _same_ranks(x: np.ndarray, y: np.ndarray) -> Disguise | None:
    """Whether the ranks of both are nearly on a line: a copy with little noise."""
    found = abs(correlation(midranks(x), midranks(y)))
    if found < RANKS:
        return None
    bound = chance.of_correlation(len(x), 1 - found**2)
    return Disguise("has nearly the order of the target", 0, len(x), bound)


def on_a_line(feature: np.ndarray, target: np.ndarray, left: float = 1e-6) -> bool:
    """Whether a feature is the target but for its scale and a tiny noise.

    Examples
    --------
    >>> y = np.arange(10.0)
    >>> on_a_line(3 - 2 * y, y), on_a_line(y**2, y)
    (True, False)
    """
    known = ~np.isnan(feature)
    if known.sum() < max(5, KNOWN * len(target)):
        return False
    return 1 - correlation(feature[known], target[known]) ** 2 <= left
