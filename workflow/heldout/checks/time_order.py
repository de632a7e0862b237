"""The check of rows with dates that are taken in any order."""

import re
from typing import Any

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.data.schema import CATEGORY

DATE_KIND = "date"
DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?([ T]\d{2}:\d{2}.*)?|\d{1,2}[./]\d{1,2}[./]\d{4}( .*)?")
"""A level of a category that is spelled like a date."""
NAMED = re.compile(r"(?i)(^|[_\s.-])(date|datetime|timestamp|day|month|year)s?$")
"""What columns of numbers that count time are called."""
ENOUGH = 0.9
"""So large a share of a column must be spelled like dates."""


def dates_not_shuffled(context: Context) -> Outcome:
    """H019: random folds train on the future of the rows that they judge."""
    table = context.loss_table.table
    if table.times is not None:
        return not_applicable("rows are in time order")
    columns = table.facts["schema"]["columns"]
    dates = [one["name"] for one in columns if has_dates(one)]
    sorted_by = [
        one["name"]
        for place, one in enumerate(columns)
        if one["kind"] == "number"
        and NAMED.search(one["name"])
        and _in_order(table.features[:, place])
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


def has_dates(column: dict[str, Any]) -> bool:
    """Whether a column of a prepared table has dates, by its kind or by how its levels are spelled."""
    if column["kind"] == DATE_KIND:
        return True
    levels = column["levels"] if column["kind"] == CATEGORY else ()
    found = sum(DATE.fullmatch(level) is not None for level in levels)
    return bool(levels) and found >= ENOUGH * len(levels)


def _in_order(values: np.ndarray) -> bool:
    """Whether numbers never fall from row to row, and are not all the same."""
    known = np.asarray(values)[~np.isnan(values)]
    return len(known) > 2 and known[0] < known[-1] and bool((np.diff(known) >= 0).all())
