"""Numbers for dates and for categories with many levels; the target is never looked at.

A date becomes the days since 1970-01-01 (with their fraction), year, month, day of the month, weekday (Monday
is 0), day of the year and, where the training rows have times of day, the hour. A level of a category
with many becomes its count among the training rows, and one of `BUCKETS` indicators: its number modulo that.
"""

import numpy as np

DAY = 86400
BUCKETS = 32
MISSING = np.inf
"""The code of a missing level; it sorts last."""


def has_times(seconds: np.ndarray) -> bool:
    """Whether some of these moments are not midnight."""
    return bool((seconds[~np.isnan(seconds)] % DAY != 0).any())


def date_parts(seconds: np.ndarray, hours: bool) -> np.ndarray:
    """The parts of dates, a column for each; NaN where the date is missing.

    Parameters
    ----------
    seconds
        Since 1970-01-01.
    hours
        Whether the hour is one of the parts.

    Returns
    -------
    numpy.ndarray
        Six columns, or seven.

    Examples
    --------
    >>> date_parts(np.array([86400.0 * 31 + 7200]), hours=True).round(3).tolist()
    [[31.083, 1970.0, 2.0, 1.0, 6.0, 32.0, 2.0]]
    """
    missing = np.isnan(seconds)
    known = np.where(missing, 0.0, seconds)
    number = np.floor(known / DAY).astype(np.int64)
    day = number.astype("datetime64[D]")
    month, year = day.astype("datetime64[M]"), day.astype("datetime64[Y]")
    parts = [
        known / DAY,
        year.astype(np.int64) + 1970,
        month.astype(np.int64) % 12 + 1,
        (day - month).astype(np.int64) + 1,
        (number + 3) % 7,
        (day - year).astype(np.int64) + 1,
    ]
    if hours:
        parts.append(np.floor((known - number * DAY) / 3600))
    found = np.column_stack(parts).astype(np.float64)
    found[missing] = np.nan
    return found


def level_counts(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different levels of training rows, missing last, and how many rows have each."""
    return np.unique(with_missing(codes), return_counts=True)


def counts_of(codes: np.ndarray, known: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """How many training rows have each row's level: 0 for a level that they do not have.

    Examples
    --------
    >>> counts_of(np.array([7.0, 8.0, np.nan]), level_counts(np.array([7.0, 7.0, np.nan]))).tolist()
    [2.0, 0.0, 1.0]
    """
    levels, counts = known
    wanted = with_missing(codes)
    place = np.minimum(np.searchsorted(levels, wanted), len(levels) - 1)
    return np.where(levels[place] == wanted, counts[place], 0).astype(np.float64)


def buckets_of(codes: np.ndarray) -> np.ndarray:
    """A column for each bucket: 1 where the level is in it; all 0 where it is missing."""
    return (codes[:, None] % BUCKETS == np.arange(BUCKETS)).astype(np.float64)


def with_missing(codes: np.ndarray) -> np.ndarray:
    """The codes, `MISSING` where there is none."""
    return np.where(np.isnan(codes), MISSING, codes)
