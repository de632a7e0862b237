"""Columns of units that no name gives away: rows of the same value predict each other better than others do."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from heldout.data.neighbours import (
    ROWS,
    Gain,
    Neighbours,
    gain_of_mates,
    neighbours,
    rows_of_some_values,
)
from heldout.data.prepared import Prepared
from heldout.data.unit_columns import UnitColumn, named_units, nameless_units

MOST = 6
"""So many columns are probed whose names say nothing."""


@dataclass(frozen=True)
class Hidden:
    """What was found among the columns whose names say nothing.

    Parameters
    ----------
    clear
        The columns that tell which rows belong together, with the gain of each, the clearest first.
    probed, there
        How many columns were probed, and how many there are whose values come again.
    """

    clear: list[tuple[UnitColumn, Gain]]
    probed: int
    there: int


def hidden_units(table: Prepared, apart: Collection[str] = ()) -> Hidden:
    """Probe the columns whose names say nothing.

    Rows that a named unit keeps together are no neighbours: what a patient's rows have in common is no sign of
    further groups.

    Parameters
    ----------
    table
        The rows to learn from.
    apart
        Columns that are not looked at.

    Returns
    -------
    Hidden
        The columns whose gain is clear.

    Examples
    --------
    >>> hidden_units(loss_table.table).clear
    []
    """
    named = named_units(table, apart)
    every = [one for one in nameless_units(table) if one.name not in apart]
    # of a small table distances are measured once
    whole = neighbours(table, np.arange(table.n), apart) if every and table.n <= ROWS else None
    known = named[0].codes if named else None
    found = []
    for column in every[:MOST]:
        gain = gain_of(table, column, known, apart, whole)
        if gain is not None and gain.clear:
            found.append((column, gain))
    found.sort(key=lambda pair: -pair[1].strength)
    return Hidden(found, min(len(every), MOST), len(every))


def gain_of(
    table: Prepared,
    column: UnitColumn,
    known: np.ndarray | None = None,
    apart: Collection[str] = (),
    near: Neighbours | None = None,
) -> Gain | None:
    """Tell what neighbours of the same value of a column are worth (see `heldout.data.neighbours`).

    Parameters
    ----------
    table, column
        The rows to learn from, and one of the columns.
    known
        For each row a unit that is known: rows of the same one are no neighbours.
    apart
        Features that do not count in the distances.
    near
        The distances of all rows, if they are known.

    Returns
    -------
    Gain or None
        None if too few rows can be compared.

    Examples
    --------
    >>> from heldout.data.unit_values import repeats_of
    >>> codes = np.array([0, 0, 1, 1, 2, 2])
    >>> column = UnitColumn("code", None, codes, repeats_of(codes), None, False)
    >>> gain_of(loss_table.table, column) is None
    True
    """
    if near is None:
        near = neighbours(table, rows_of_some_values(column.codes), apart)
    return gain_of_mates(near, column, known)


def in_words(gain: Gain, table: Prepared, without: str = "Without") -> str:
    """Say the two risks in one sentence.

    Parameters
    ----------
    gain, table
        What neighbours are worth, and the table that they are of.
    without
        The first word.

    Returns
    -------
    str
        The sentence, without a full stop.

    Examples
    --------
    >>> in_words(Gain(6, 3, 0.25, 0.5, 0.1, 0.01), loss_table.table)
    'Without rows of the same value, a nearest neighbour has a squared error of 0.5 instead of 0.25'
    """
    start = f"{without} rows of the same value, a nearest neighbour"
    of = f" ({gain.rows} of {table.n} rows were compared)" if gain.rows < table.n else ""
    if table.classification:
        risks = f"errs on {gain.without:.1%} of the rows instead of {gain.with_mates:.1%}"
    else:
        risks = f"has a squared error of {gain.without:.3g} instead of {gain.with_mates:.3g}"
    return f"{start} {risks}{of}"
