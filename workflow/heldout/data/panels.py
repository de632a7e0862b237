"""Tables in which the same units come again and again over time: countries by years, patients by visits."""

import re
from collections.abc import Collection

import numpy as np

from heldout.data.kinds import CATEGORY, DATE, MANY, NUMBER
from heldout.data.prepared import Prepared

TIME_NAME = re.compile(
    r"(?i)^(year|quarter|month|week|day|date|time|period|wave|visit|round|season)s?$"
)
FEWEST_UNITS = 5
MOST_COLUMNS = 1000
"""Of wider tables no unit is looked for."""


def panel_of(table: Prepared, apart: Collection[str]) -> tuple[str, str] | None:
    """Find a column of units that come again, once at a time.

    Parameters
    ----------
    table
        The rows to learn from.
    apart
        Columns that are not looked at.

    Returns
    -------
    tuple
        The column of units and that of time: no pair of their values comes twice, and at least half of
        all pairs are there. None if there is no such column.

    Examples
    --------
    >>> panel_of(loss_table.table, ()) is None
    True
    """
    columns = table.facts["schema"]["columns"]
    if len(columns) > MOST_COLUMNS:
        return None
    codes = {}
    for i, column in enumerate(columns):
        if column["name"] not in apart and column["kind"] in (CATEGORY, MANY, NUMBER, DATE):
            values = np.array(table.features[:, i])
            if not np.isnan(values).any() and (values == np.round(values)).all():
                codes[column["name"]] = np.unique(values, return_inverse=True)[1]
    times = {
        column["name"]
        for column in columns
        if column["kind"] == DATE or TIME_NAME.match(column["name"])
    }
    pairs = [(one, time) for time in codes if time in times for one in codes if one not in times]
    return next((pair for pair in pairs if _again(codes[pair[0]], codes[pair[1]])), None)


def _again(units: np.ndarray, times: np.ndarray) -> bool:
    count, moments, rows = units.max() + 1, times.max() + 1, len(units)
    if not FEWEST_UNITS <= count <= rows / 2 or rows < count * moments / 2:
        return False
    return len(np.unique(units * moments + times)) == rows
