"""The check of rows with dates that are taken in any order."""

import re

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.data.kinds import DATE

NAMED = re.compile(r"(?i)(^|[_\s.-])(date|datetime|timestamp|day|week|month|quarter|year)s?$")
"""What columns of numbers that count time are called."""
SECONDS = (5e8, 2.1e9)
"""Seconds since 1970 between 1985 and 2036."""
FEWEST = 10
"""So many different values make numbers in order look like dates, whatever they are called."""


def names_time(name: str) -> bool:
    """Whether a column is called as columns of time are.

    Examples
    --------
    >>> [names_time(name) for name in ("year", "order_date", "yearly")]
    [True, True, False]
    """
    return NAMED.search(name) is not None


def dates_not_shuffled(context: Context) -> Outcome:
    """H019: random folds train on the future of the rows that they judge."""
    table = context.loss_table.table
    if table.times is not None:
        return not_applicable("rows are in time order")
    columns = table.facts["schema"]["columns"]
    dates = [one["name"] for one in columns if one["kind"] == DATE]
    first = np.asarray(table.features[0])
    may = np.isnan(first) | _days(first) | _seconds(first)
    sorted_by = [
        one["name"]
        for place, one in enumerate(columns)
        if one["kind"] == "number"
        and (names_time(one["name"]) or (may[place] and like_dates(table.features[:, place])))
        and in_order(table.features[:, place])
    ]
    if dates:
        return failed(
            f"column '{dates[0]}' holds dates, and rows are held out at random: models are judged by rows that are "
            f"older than those they were trained on. If new rows will be later ones, set time: {dates[0]}"
        )
    if sorted_by:
        return failed(
            f"the rows are in the order of column '{sorted_by[0]}', and are held out at random. If new rows will be "
            f"later ones, set time: {sorted_by[0]}"
        )
    return passed("no feature looks like a date")


def in_order(values: np.ndarray) -> bool:
    """Whether numbers never fall from row to row, or never rise, and are not all the same.

    Examples
    --------
    >>> in_order(np.array([3.0, 2.0, np.nan, 2.0])), in_order(np.array([1.0, 3.0, 2.0]))
    (True, False)
    """
    known = np.asarray(values)[~np.isnan(values)]
    if len(known) < 3 or known[0] == known[-1]:
        return False
    steps = np.diff(known)
    return bool((steps >= 0).all() or (steps <= 0).all())


def like_dates(values: np.ndarray) -> bool:
    """Whether numbers are days written as YYYYMMDD, or seconds or milliseconds since 1970.

    Examples
    --------
    >>> like_dates(20240101.0 + np.arange(12)), like_dates(np.arange(12.0))
    (True, False)
    """
    known = np.asarray(values)[~np.isnan(values)]
    if len(known) < FEWEST or not (_days(known).all() or _seconds(known).all()):
        return False
    return len(np.unique(known)) >= FEWEST


def _days(values: np.ndarray) -> np.ndarray:
    """For each number whether it may be a day written as YYYYMMDD."""
    year, month, day = values // 10_000, values // 100 % 100, values % 100
    inside = (year >= 1800) & (year < 2100) & (month >= 1) & (month <= 12) & (day >= 1)
    return np.asarray(inside & (day <= 31) & (values == np.round(values)))


def _seconds(values: np.ndarray) -> np.ndarray:
    """For each number whether it may be seconds or milliseconds since 1970."""
    low, high = SECONDS
    return np.asarray(
        ((values > low) & (values < high)) | ((values > 1000 * low) & (values < 1000 * high))
    )
