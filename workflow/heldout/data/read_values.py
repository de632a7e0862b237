"""Values as they are meant: typed columns from Python's values, plain numbers, and what the config calls missing."""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.number_texts import plain_numbers
from heldout.data.reading import Reading, found_reading
from heldout.data.stacking import is_text, on_columns

MISSING = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "#N/A", "<NA>", "null", "NULL", "None",
)  # fmt: skip
"""Texts that mean missing: most of those that pandas takes for missing."""
LARGEST_WHOLE = 2**63


def refined(table: pa.Table, reading: Reading) -> pa.Table:
    """Write the numbers of a raw table plainly, and take for missing what the config calls so.

    Parameters
    ----------
    table
        From `heldout.data.read.read_raw`, or rows of it.
    reading
        What the config says.

    Returns
    -------
    pyarrow.Table
        The table; what it does not change is not copied.

    Examples
    --------
    >>> refined(pa.table({"x": ["?", "3"]}), Reading(missing=["?"])).to_pydict()
    {'x': [None, '3']}
    """
    found = found_reading(table)
    decimal, thousands = found.get("decimal", "."), found.get("thousands")
    missing = list(reading.missing)
    if decimal != "." or thousands or missing:
        table = on_columns(
            table,
            is_text,
            lambda texts: _plain(_without(texts, missing), decimal, thousands, missing),
        )
    return (
        on_columns(table, _is_other, lambda values: _without(values, missing)) if missing else table
    )


def _plain(
    texts: pa.Array, decimal: str, thousands: str | None, missing: Sequence[str]
) -> pa.Array:
    plain = plain_numbers(texts, decimal, thousands)
    return texts if plain is texts else _without(plain, missing)


def _is_other(kind: pa.DataType) -> bool:
    return not is_text(kind)


def _without(values: pa.Array, missing: Sequence[str]) -> pa.Array:
    """The values with nulls for those that the config calls missing."""
    if pa.types.is_dictionary(values.type):
        return _without(values.dictionary_decode(), missing).dictionary_encode()
    absent = [_as_type(text, values.type) for text in missing]
    found = pa.array([value for value in absent if value is not None], values.type)
    return null_where(values, pc.is_in(values, found)) if len(found) else values


def _as_type(text: str, kind: pa.DataType) -> Any:
    """A text as a value of this type; None if no value of this type is spelled so."""
    try:
        return pa.scalar(text).cast(kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def null_where(values: pa.Array, absent: pa.Array) -> pa.Array:
    """The values, null at these places."""
    return pc.if_else(absent, pa.scalar(None, values.type), values)


def trimmed(texts: pa.Array) -> pa.Array:
    """Texts without spaces around them; null where one of the usual texts means missing."""
    plain = pc.utf8_trim_whitespace(texts)
    return null_where(plain, pc.is_in(plain, pa.array(MISSING, pa.string())))


def typed_column(values: Sequence[Any]) -> pa.Array:
    """Make a column from the values of cells, which have types of their own.

    Parameters
    ----------
    values
        Numbers, texts, booleans, dates and times; None is missing.

    Returns
    -------
    pyarrow.Array
        Numbers, booleans, dates or times if all cells are, else texts: numbers in their shortest spelling, dates
        and times as ISO 8601.

    Examples
    --------
    >>> typed_column([1, None, 2.5]).to_pylist(), typed_column([1, "x ", 2.0]).to_pylist()
    ([1.0, None, 2.5], ['1', 'x', '2'])
    """
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return pa.nulls(len(values))
    if kinds == {str}:
        return trimmed(pa.array(values, pa.string()))
    if kinds == {int} and all(value is None or abs(value) < LARGEST_WHOLE for value in values):
        return pa.array(values, pa.int64())
    if kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    for kind, arrow in ((bool, pa.bool_()), (dt.date, pa.date32()), (bytes, pa.binary())):
        if kinds == {kind}:
            return pa.array(values, arrow)
    if kinds <= {dt.datetime, dt.date}:
        return pa.array([_at_midnight(value) for value in values], pa.timestamp("us"))
    return trimmed(pa.array([_text(value) for value in values], pa.string()))


def mixed_columns(schemas: Collection[pa.Schema]) -> set[str]:
    """The columns that `typed_column` would make texts of: their parts have types that do not go together."""
    types: dict[str, set[pa.DataType]] = {}
    for schema in schemas:
        for field in schema:
            types.setdefault(field.name, set()).add(field.type)
    return {name for name, found in types.items() if not _one_kind(found - {pa.null()})}


def _one_kind(types: set[pa.DataType]) -> bool:
    numbers, moments = {pa.int64(), pa.float64()}, {pa.date32(), pa.timestamp("us")}
    dictionaries = all(pa.types.is_dictionary(kind) for kind in types)
    return len(types) < 2 or types <= numbers or types <= moments or dictionaries


def as_texts(table: pa.Table, names: Collection[str]) -> pa.Table:
    """The table with texts in these columns, spelled as in a column of mixed cells."""
    for name in names:
        texts = pa.array([_text(value) for value in table.column(name).to_pylist()], pa.string())
        place = table.column_names.index(name)
        table = table.set_column(place, name, trimmed(texts))
    return table


def _at_midnight(value: Any) -> Any:
    if value is None or isinstance(value, dt.datetime):
        return value
    return dt.datetime(value.year, value.month, value.day)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value)
