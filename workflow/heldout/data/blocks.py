"""Columns of plain numbers, encoded many at a time.

A table may have 100,000 columns: what is done for each of them alone takes longer than the work itself.
So columns of one type are laid end to end as one long array, which is cast once.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.arrow_values import as_float, is_text, numbers
from heldout.data.kinds import NUMBER

if TYPE_CHECKING:
    from heldout.data.schema import Column

VALUES = 2**20
"""Values of a block: their texts stay far below the limit of an array, and mostly in the cache."""


def blocks_of(names: Sequence[str], table: pa.Table) -> Iterator[tuple[list[str], pa.Array]]:
    """Columns of one type laid end to end, some at a time.

    Parameters
    ----------
    names
        The columns.
    table
        The rows.

    Yields
    ------
    tuple
        The names of the block's columns, and one array with the values of one after another.

    Examples
    --------
    >>> table = pa.table({"a": ["1", "2"], "b": ["3", "4"]})
    >>> [(names, values.to_pylist()) for names, values in blocks_of(["a", "b"], table)]
    [(['a', 'b'], ['1', '2', '3', '4'])]
    """
    width = max(1, VALUES // max(1, table.num_rows))
    types: dict[str, pa.DataType] = {field.name: field.type for field in table.schema}
    by_type: dict[pa.DataType, list[str]] = {}
    for name in names:
        by_type.setdefault(types[name], []).append(name)
    for same in by_type.values():
        for start in range(0, len(same), width):
            block = same[start : start + width]
            chunks = [chunk for name in block for chunk in table.column(name).chunks]
            yield block, pa.concat_arrays(chunks) if chunks else pa.nulls(0, types[block[0]])


def simple(kind: pa.DataType) -> bool:
    """Whether values of this type are texts or numbers, which can be cast in blocks."""
    return is_text(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)


def number_blocks(columns: "Sequence[Column]", table: pa.Table, matrix: np.ndarray) -> list[int]:
    """Encode the columns of plain numbers into a matrix; returns the positions of all others."""
    kinds = {field.name: field.type for field in table.schema}
    place = {
        column.name: i
        for i, column in enumerate(columns)
        if column.kind == NUMBER and not column.spelling and simple(kinds[column.name])
    }
    rest = [i for i, column in enumerate(columns) if column.name not in place]
    for names, values in blocks_of(list(place), table):
        found = floats(values)
        if found is None:
            rest += [place[name] for name in names]
        else:
            matrix[:, [place[name] for name in names]] = found.reshape(len(names), -1).T
    return sorted(rest)


def floats(values: pa.Array) -> np.ndarray | None:
    """Texts or numbers as float64, NaN where one is missing; None if a text is no number."""
    try:
        return as_float(numbers(values))
    except pa.ArrowInvalid:
        return None


def not_numbers(names: Sequence[str], values: pa.Array) -> list[str]:
    """The columns of a block that are not numbers throughout, found by halving."""
    if not len(values) or floats(values) is not None:
        return []
    if len(names) == 1:
        return list(names)
    half, rows = len(names) // 2, len(values) // len(names)
    left = not_numbers(names[:half], values[: half * rows])
    return left + not_numbers(names[half:], values[half * rows :])


def with_leading_zeros(names: Sequence[str], values: pa.Array) -> set[str]:
    """The columns of a block of texts in which a value is digits that begin with a zero: `01234`."""
    starts = np.flatnonzero(pc.fill_null(pc.starts_with(values, "0"), False))
    if not len(starts):
        return set()
    codes = pc.match_substring_regex(values.take(pa.array(starts)), r"^0\d+$")
    rows = len(values) // len(names)
    found = starts[codes.to_numpy(zero_copy_only=False)] // rows
    return {names[i] for i in np.unique(found)}
