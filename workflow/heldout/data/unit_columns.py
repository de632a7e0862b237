"""The columns of a table that may say which rows belong together."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from heldout.data.kinds import CATEGORY, MANY, NUMBER
from heldout.data.prepared import Prepared
from heldout.data.unit_names import FEWEST, HINT, WEAK, names_units
from heldout.data.unit_values import Repeats, codes_of, repeats_of

KINDS = (MANY, CATEGORY, NUMBER)
FEWEST_VALUES = 10
"""So many values a column has at least whose name says nothing."""
WIDE = 1000
"""Of wider tables, numbers whose names say nothing are not looked at."""


@dataclass(frozen=True)
class UnitColumn:
    """A column whose values come again in several rows.

    Parameters
    ----------
    name
        Its name.
    sort
        What its name says (see `names_units`); None: nothing.
    codes
        For each row the number of its value; -1 where it is missing.
    repeats
        How often values come again.
    feature
        Its number among the features; None if it is dropped.
    ordered
        Whether it is a number, so that values next to each other may be alike.
    """

    name: str
    sort: str | None
    codes: np.ndarray
    repeats: Repeats
    feature: int | None
    ordered: bool

    @property
    def complete(self) -> bool:
        """Whether no row lacks a value."""
        return self.repeats.rows == len(self.codes)


def named_units(table: Prepared, apart: Collection[str] = ()) -> list[UnitColumn]:
    """Find columns by name and values: features, and dropped ones.

    Parameters
    ----------
    table
        The rows to learn from.
    apart
        Columns that are not looked at.

    Returns
    -------
    list of UnitColumn
        Clear names before doubtful ones, and of each sort those with more values first.

    Examples
    --------
    >>> named_units(loss_table.table)
    []
    """
    found = [
        one
        for one in _columns(table, named=True)
        if one.name not in apart and one.repeats.several_each(FEWEST[str(one.sort)])
    ]
    return sorted(found, key=lambda one: (one.sort in (WEAK, HINT), -one.repeats.values))


def nameless_units(table: Prepared) -> list[UnitColumn]:
    """Find columns by their values alone: dropped ones first, numbers last."""
    found = [
        one
        for one in _columns(table, named=False)
        if one.repeats.several_each(FEWEST_VALUES) and one.repeats.values < len(one.codes) * 0.9
    ]
    return sorted(found, key=lambda one: (one.feature is not None, one.ordered))


def _columns(table: Prepared, *, named: bool) -> Iterator[UnitColumn]:
    for name, codes in table.unused.items():
        if (names_units(name) is not None) == named:
            yield UnitColumn(name, names_units(name), codes, repeats_of(codes), None, False)
    columns = table.facts["schema"]["columns"]
    for i, column in enumerate(columns):
        name, kind = column["name"], column["kind"]
        if kind not in KINDS or (names_units(name) is not None) != named:
            continue
        if not named and kind == NUMBER and len(columns) > WIDE:
            continue
        codes_or_none = codes_of(np.asarray(table.features[:, i], float))
        if codes_or_none is not None:
            repeats = repeats_of(codes_or_none)
            yield UnitColumn(name, names_units(name), codes_or_none, repeats, i, kind == NUMBER)
