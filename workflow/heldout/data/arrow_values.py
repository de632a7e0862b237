"""Arrow arrays as plain values: without dictionaries, as texts, as numbers."""

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.errors import HeldoutError

if TYPE_CHECKING:
    import pandas as pd


WHOLE = r"^(-?\d+)\.0+$"
FAILURES = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)


def values_of(table: pa.Table, name: str) -> pa.Array:
    """The values of a column as one array.

    Parameters
    ----------
    table, name
        The table, and one of its columns.

    Returns
    -------
    pyarrow.Array
        The chunks of the column joined.

    Examples
    --------
    >>> values_of(pa.table({"a": [1, 2]}), "a").to_pylist()
    [1, 2]
    """
    column = table.column(name)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def is_missing(values: pa.Array) -> np.ndarray:
    """For each value whether it is missing (null or NaN)."""
    return pc.is_null(values, nan_is_null=True).to_numpy(zero_copy_only=False)


def present_in(values: pa.Array) -> pa.Array:
    """The values that are not missing."""
    missing = pc.is_null(values, nan_is_null=True)
    return values.filter(pc.invert(missing))


def plain(name: str, values: pa.Array) -> pa.Array:
    """The values without a dictionary encoding; lists, structs and the like are refused."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_string_view(values.type):
        values = values.cast(pa.string())
    kind = values.type
    known = pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or is_text(kind)
    if not known and not pa.types.is_null(kind):
        raise HeldoutError(
            f"column '{name}' is of type {kind}, not a number, text, boolean or date; add it to drop"
        )
    return values


def is_text(kind: pa.DataType) -> bool:
    """Whether values of this type are texts."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_date(kind: pa.DataType) -> bool:
    """Whether values of this type are days or moments; times of day and durations are numbers."""
    return pa.types.is_date(kind) or pa.types.is_timestamp(kind)


def labels_of(values: pa.Array) -> pa.Array:
    """The values as labels that are equal or not: texts that are whole numbers have one spelling.

    Parameters
    ----------
    values
        The names of groups or folds.

    Returns
    -------
    pyarrow.Array
        The same, `1.0` as `1`.

    Examples
    --------
    >>> labels_of(pa.array(["1", "1.0", "01", "a.0"])).to_pylist()
    ['1', '1', '01', 'a.0']
    """
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return pc.replace_substring_regex(values, WHOLE, r"\1") if is_text(values.type) else values


def texts_of(values: pa.Array) -> pa.Array:
    """The values as text: one spelling for each number, whatever its type."""
    if pa.types.is_floating(values.type):
        texts = [None if v is None or v != v else _label_text(v) for v in values.to_pylist()]
        return pa.array(texts, pa.string())
    return values.cast(pa.string())


def _label_text(label: float) -> str:
    return str(int(label)) if label.is_integer() else str(label)


def objects_of(values: pa.Array) -> np.ndarray:
    """The values as an array of Python texts; NaN where one is missing."""
    texts = texts_of(values)
    found = texts.to_numpy(zero_copy_only=False)
    if not texts.null_count:
        return found.astype(object)
    found = found.astype(object)
    found[is_missing(texts)] = np.nan
    return found


def parses(values: pa.Array) -> bool:
    """Whether every value is a number in plain spelling."""
    try:
        numbers(values)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return True


def numbers(values: pa.Array) -> pa.Array:
    """The values as float64; dates and times in microseconds."""
    if pa.types.is_temporal(values.type):
        values = values.cast(_microseconds(values.type), safe=False).cast(pa.int64())
    return values.cast(pa.float64(), safe=False)


def _microseconds(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_duration(kind):
        return pa.duration("us")
    return pa.time64("us") if pa.types.is_time(kind) else pa.timestamp("us")


def numbers_or_null(values: pa.Array) -> pa.Array:
    """Numbers; a text that is no number becomes null (only new or sealed rows can have one)."""
    try:
        return numbers(values)
    except pa.ArrowInvalid:
        return pa.array([_number_or_none(value) for value in values.to_pylist()], pa.float64())


def _number_or_none(value: Any) -> float | None:
    """Python reads more than a column of numbers has: 1_000, and digits of other scripts."""
    if isinstance(value, str) and not (value.isascii() and "_" not in value):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def as_float(values: pa.Array) -> np.ndarray:
    """Numbers or booleans as float64, NaN where null."""
    cast = values.cast(pa.float64()) if pa.types.is_boolean(values.type) else values
    return pc.fill_null(cast, np.nan).to_numpy(zero_copy_only=False).astype(np.float64)


def numbers_in(name: str, values: pa.Array) -> np.ndarray:
    """The values as float64; NaN where one is missing or no number, as dates and booleans are."""
    found = plain(name, values)
    if pa.types.is_temporal(found.type) or pa.types.is_boolean(found.type):
        return np.full(len(found), np.nan)
    return as_float(numbers_or_null(found))


def table_of(frame: "pd.DataFrame") -> pa.Table:
    """A DataFrame as an Arrow table.

    Parameters
    ----------
    frame
        Rows of a table; its index is left out.

    Returns
    -------
    pyarrow.Table
        The same columns; one with values of several types becomes texts.

    Examples
    --------
    >>> import pandas as pd
    >>> table_of(pd.DataFrame({"a": [1, "x"]}, dtype=object)).to_pydict()
    {'a': ['1', 'x']}
    """
    if not frame.columns.is_unique:
        twice = sorted({str(name) for name in frame.columns[frame.columns.duplicated()]})
        raise HeldoutError(f"the table has several columns named {', '.join(twice)}")
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        return _with_times_of_day(table, frame)
    except FAILURES:
        return pa.table({str(name): _column_of(frame[name]) for name in frame.columns})


def _with_times_of_day(table: pa.Table, frame: "pd.DataFrame") -> pa.Table:
    """Of days among which there are moments, Arrow would keep the days only."""
    for i, field in enumerate(table.schema):
        values = frame.iloc[:, i].tolist() if pa.types.is_date(field.type) else []
        if any(isinstance(value, dt.datetime) for value in values):
            moments = [
                dt.datetime(value.year, value.month, value.day) if type(value) is dt.date else value
                for value in values
            ]
            table = table.set_column(i, field.name, pa.Array.from_pandas(moments))
    return table


def _column_of(values: "pd.Series") -> pa.Array:
    try:
        return pa.Array.from_pandas(values)
    except FAILURES:
        missing = values.isna()
        texts = [None if gone else str(v) for v, gone in zip(values, missing, strict=True)]
        return pa.array(texts, pa.string())
