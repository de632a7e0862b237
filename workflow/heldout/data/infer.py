"""The kinds of columns, inferred from the unsealed rows alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data import guess
from heldout.data.arrow_values import is_text, plain, present_in, values_of
from heldout.data.asked import asked_column
from heldout.data.blocks import blocks_of, not_numbers, simple, with_leading_zeros
from heldout.data.guess import Hints
from heldout.data.kinds import CATEGORY, NUMBER
from heldout.data.notes import Note
from heldout.data.schema import Column


@dataclass
class Found:
    """The columns of a table that are not empty, and notes on what was guessed."""

    columns: list[Column] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def infer_columns(
    table: pa.Table,
    names: Sequence[str],
    asked: Mapping[str, Any],
    hints: Hints = Hints(),  # noqa: B008
    rows: np.ndarray | None = None,
) -> Found:
    """The kinds of features from their (unsealed) values.

    Parameters
    ----------
    table
        The unsealed rows.
    names
        The features.
    asked
        What the config says of a column: its kind, its levels in order, or a spelling of dates.
    hints
        How the file spells plain numbers.
    rows
        The numbers of the rows in their source, for error messages.

    Returns
    -------
    Found
        The columns in the same order, and notes.

    Examples
    --------
    >>> table = pa.table({"a": ["1", "2"], "b": ["x", "y"], "c": ["$1", "$2"]})
    >>> found = infer_columns(table, ["a", "b", "c"], {})
    >>> [(column.name, column.kind, column.spelling) for column in found.columns]
    [('a', 'number', ''), ('b', 'category', ''), ('c', 'number', 'money')]
    """
    quick = _plain_numbers(table, [name for name in names if name not in asked])
    rows = np.arange(table.num_rows) if rows is None else rows
    found = Found()
    for name in names:
        column: Column | None = Column(name, NUMBER)
        if name not in quick:
            values = values_of(table, name)
            column = _one(name, values, asked.get(name), hints, found.notes, rows)
        if column is None:
            found.notes.append(Note("empty", name, "is empty and not used"))
        else:
            found.columns.append(column)
    found.columns, further = guess.with_day_or_month_first(found.columns, hints)
    found.notes += further
    return found


def infer_column(name: str, values: pa.Array, category: bool) -> Column | None:
    """The kind of one feature; None if all values are missing."""
    asked = {name: CATEGORY} if category else {}
    found = infer_columns(pa.table({name: values}), [name], asked)
    return found.columns[0] if found.columns else None


def _plain_numbers(table: pa.Table, names: Sequence[str]) -> set[str]:
    """The columns that are plain numbers in every row that has a value, and are not empty."""
    kinds = {field.name: field.type for field in table.schema}
    found: set[str] = set()
    for block, values in blocks_of([name for name in names if simple(kinds[name])], table):
        others = set(not_numbers(block, values))
        if is_text(values.type):
            others |= with_leading_zeros(block, values)
        missing = pc.is_null(values, nan_is_null=True).to_numpy(zero_copy_only=False)
        empty = missing.reshape(len(block), -1).all(axis=1)
        found |= {
            name for name, void in zip(block, empty, strict=True) if not void and name not in others
        }
    return found


def _one(
    name: str, values: pa.Array, asked: Any, hints: Hints, notes: list[Note], rows: np.ndarray
) -> Column | None:
    """A column whose kind is asked for or looked for, None if it is empty; notes are added."""
    present = present_in(plain(name, values))
    if len(present) == 0:
        return None
    if asked is not None:
        return asked_column(name, values, asked, hints, rows)
    if pa.types.is_dictionary(values.type):
        return guess.declared_category(name, values)
    column = guess.guessed(name, present, hints, notes)
    return guess.category(name, present, notes) if column is None else column
