"""The check of rows with dates that are taken in any order."""

import re

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.data.kinds import DATE

NAMED = re.compile(r"(?i)(^|[_\s.-])(date|datetime|timestamp|day|month|year)s?$")
"""What columns of numbers that count time are called."""


def dates_not_shuffled(context: Context) -> Outcome:
    """H019: random folds train on the future of the rows that they judge."""
    table = context.loss_table.table
    if table.times is not None:
        return not_applicable("rows are in time order")
    columns = table.facts["schema"]["columns"]
    dates = [one["name"] for one in columns if one["kind"] == DATE]
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


def _in_order(values: np.ndarray) -> bool:
    """Whether numbers never fall from row to row, and are not all the same."""
    known = np.asarray(values)[~np.isnan(values)]
    return len(known) > 2 and known[0] < known[-1] and bool((np.diff(known) >= 0).all())
