"""What a first config says about rows that belong together."""

from collections.abc import Collection
from dataclasses import dataclass

from heldout.data.hidden_units import hidden_units, in_words
from heldout.data.prepared import Prepared
from heldout.data.unit_columns import UnitColumn, named_units
from heldout.data.unit_names import HINT

FEWEST_GROUPS = 10
"""With fewer groups, folds and sealed rows would be a few of them: then they are named, and not set."""


@dataclass(frozen=True)
class Possible:
    """A column whose values may say which rows belong together.

    Parameters
    ----------
    name
        Its name.
    fact
        How many values it has in how many rows.
    reason
        What speaks for it.
    to_set
        Whether a first config should name it under `groups`.
    """

    name: str
    fact: str
    reason: str
    to_set: bool


def possible_groups(
    table: Prepared, apart: Collection[str], drop: Collection[str]
) -> list[Possible]:
    """Find the columns that may be groups, the best one first.

    Parameters
    ----------
    table
        The rows to learn from.
    apart
        Columns with a purpose of their own.
    drop
        Features that will not be used: what rows have in common in them does not count.

    Returns
    -------
    list of Possible
        By name and values; if no name tells, by values alone.

    Examples
    --------
    >>> possible_groups(loss_table.table, (), ())
    []
    """
    named = [_by_name(one) for one in named_units(table, apart)]
    if any(one.to_set for one in named):
        return named
    hidden = hidden_units(table, {*apart, *drop}).clear
    return named + [
        Possible(column.name, str(column.repeats), in_words(gain, table, "without"), False)
        for column, gain in hidden
    ]


def _by_name(column: UnitColumn) -> Possible:
    if not column.complete:
        reason = "its name is that of a unit, but rows without a value have no group"
    elif column.repeats.values < FEWEST_GROUPS:
        reason = "its name is that of a unit, but so few are too few for folds of whole ones"
    elif column.sort == HINT:
        reason = "its name may be that of a unit"
    else:
        return Possible(column.name, str(column.repeats), "its name is that of a unit", True)
    return Possible(column.name, str(column.repeats), reason, False)
