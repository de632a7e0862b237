"""A column's values as float64, by its kind. Nothing is learned from the data here.

What cannot be read as the kind is NaN, as missing values are; `lost_in` tells the two apart.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data import date_texts, money_texts
from heldout.data.arrow_values import (
    as_float,
    is_date,
    is_missing,
    is_text,
    numbers_or_null,
    texts_of,
)
from heldout.data.kinds import BOOLEAN, CATEGORY, DATE, MANY, ORDERED, TEXT

if TYPE_CHECKING:
    from heldout.data.schema import Column

SPELLINGS = {
    **dict.fromkeys(("true", "1", "1.0", "yes", "y", "t", "on"), True),
    **dict.fromkeys(("false", "0", "0.0", "no", "n", "f", "off"), False),
}
"""How rows may spell the values of a boolean column."""
HASH_BITS = 52
"""So that a hash is a whole number that a float holds exactly."""
IN_A_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000}
DAY = 86_400


@dataclass(frozen=True)
class Lost:
    """Values of a column that are not what it holds: they count as missing, as an unknown level, or as they are.

    `wanted` says in words what they should be, `first` is the position of the first one and `value` its text.
    """

    column: str
    wanted: str
    count: int
    first: int
    value: str
    fate: str = "missing"
    zeros: bool = False
    """Whether levels seem to lack leading zeros."""

    def __str__(self) -> str:
        zeros = "; are leading zeros lost?" if self.zeros else ""
        return f"{self.without_value} (first: {self.value!r} in row {self.first + 1}{zeros})"

    @property
    def unread(self) -> bool:
        """Whether they count as missing."""
        return self.fate == "missing"

    @property
    def without_value(self) -> str:
        """The same without naming a value, which may be sealed."""
        values = "1 value is" if self.count == 1 else f"{self.count} values are"
        return f"column {self.column!r}: {values} not {self.wanted}, and taken for {self.fate}"


def in_all_parts(parts: Iterable[tuple[int, Lost]]) -> list[Lost]:
    """What was lost in the parts of a table, one for each column.

    Parameters
    ----------
    parts
        The number of rows before the part, and what was lost in it.

    Returns
    -------
    list of Lost
        With the counts of all parts, and the first value of the whole table.

    Examples
    --------
    >>> parts = [(0, Lost("age", "a number", 2, 5, "abc")), (20, Lost("age", "a number", 1, 0, "?"))]
    >>> [str(one) for one in in_all_parts(parts)]
    ["column 'age': 3 values are not a number, and taken for missing (first: 'abc' in row 6)"]
    """
    found: dict[tuple[str, str], Lost] = {}
    for before, lost in parts:
        key = (lost.column, lost.fate)
        first = found.get(key, replace(lost, count=0, first=lost.first + before))
        found[key] = replace(first, count=first.count + lost.count)
    return list(found.values())


def encoded(column: "Column", values: pa.Array) -> np.ndarray:
    """The values, without a dictionary, as float64."""
    if column.kind == CATEGORY:
        return codes(level_texts(column, values), column.levels)
    if column.kind == ORDERED:
        found = codes(level_texts(column, values), column.levels)
        return np.where(found < len(column.levels), found, np.nan)
    if column.kind == BOOLEAN:
        return as_float(_booleans(values))
    if column.kind == MANY:
        return hashes(level_texts(column, values))
    if column.kind == DATE:
        return seconds_of(values, column.spelling)
    if column.kind == TEXT:
        return np.full(len(values), np.nan)
    if is_date(values.type):  # no number that a column of numbers means
        return np.full(len(values), np.nan)
    if column.spelling and is_text(values.type):
        return money_texts.numbers(values, column.decimal, column.thousands)
    return as_float(numbers_or_null(values))


def level_texts(column: "Column", values: pa.Array) -> pa.Array:
    """The values as texts; a level that is a whole number may be spelled as a float.

    Examples
    --------
    >>> from heldout.data.schema import Column
    >>> floors = Column("floor", CATEGORY, ("1", "2"))
    >>> level_texts(floors, pa.array(["2.0", "3.5", None])).to_pylist()
    ['2', '3.5', None]
    """
    texts = texts_of(values)
    if column.kind == TEXT or (column.kind == MANY and not column.spelling):
        return texts
    floats = pc.match_substring_regex(texts, r"^-?\d+\.0+$")
    if not pc.any(floats).as_py():
        return texts
    whole = pc.replace_substring_regex(texts, r"\.0+$", "")
    if column.kind == MANY:
        return pc.if_else(floats, whole, texts)
    levels = pa.array(column.levels, pa.string())
    other = pc.and_(pc.is_in(whole, levels), pc.invert(pc.is_in(texts, levels)))
    return pc.if_else(pc.and_(floats, other), whole, texts)


def lost_in(column: "Column", values: pa.Array, found: np.ndarray) -> Lost | None:
    """The values that are there and could not be read, or else are unknown levels or percentages without a sign."""
    if column.kind in (CATEGORY, MANY):
        return _unknown_in(column, level_texts(column, values), found)
    if column.kind == TEXT:
        return None
    lost = np.flatnonzero(np.isnan(found) & ~is_missing(values))
    if not len(lost):
        return _without_percent(column, values) if column.spelling == money_texts.PERCENT else None
    first = int(lost[0])
    wanted = f"one of {', '.join(column.levels)}" if column.kind == ORDERED else f"a {column.kind}"
    return Lost(column.name, wanted, len(lost), first, str(values[first].as_py()))


def _without_percent(column: "Column", values: pa.Array) -> Lost | None:
    """A workbook, and many a program, holds 12.5 % as 0.125: what is meant cannot be told."""
    bare = ~is_missing(values)
    if is_text(values.type):
        signed = pc.fill_null(pc.match_substring(values, "%"), True)
        bare &= ~signed.to_numpy(zero_copy_only=False)
    if not bare.any():
        return None
    first = int(np.flatnonzero(bare)[0])
    wanted, fate = "written with a percent sign", "percentages as they stand there"
    return Lost(column.name, wanted, int(bare.sum()), first, str(values[first].as_py()), fate)


def _unknown_in(column: "Column", texts: pa.Array, found: np.ndarray) -> Lost | None:
    """Unknown levels of a category; of one with many only those that are too short for its codes."""
    if column.kind == CATEGORY:
        unknown = found == len(column.levels)
        wanted = "a level of the training table"
    else:
        width = column.spelling.count("0")
        if not width:
            return None
        short = pc.match_substring_regex(texts, rf"^\d{{1,{width - 1}}}$")
        unknown = pc.fill_null(short, False).to_numpy(zero_copy_only=False)
        wanted = f"of {width} digits, as the levels of the training table are"
    if not unknown.any():
        return None
    first = int(np.flatnonzero(unknown)[0])
    value = texts[first].as_py()
    zeros = column.kind == MANY or value in {level.lstrip("0") for level in column.levels}
    return Lost(column.name, wanted, int(unknown.sum()), first, value, "an unknown level", zeros)


def codes(texts: pa.Array, levels: tuple[str, ...]) -> np.ndarray:
    """The position of each text among the levels; one past the last if it is none of them."""
    found = pc.index_in(texts, pa.array(levels, pa.string()))
    places = pc.fill_null(found, len(levels)).to_numpy(zero_copy_only=False).astype(float)
    places[pc.is_null(texts).to_numpy(zero_copy_only=False)] = np.nan
    return places


def hashes(texts: pa.Array) -> np.ndarray:
    """A number of 52 bits for each text, the same on every machine.

    Parameters
    ----------
    texts
        Texts, with nulls where values are missing.

    Returns
    -------
    numpy.ndarray
        Whole numbers as float64; NaN where a text is missing.

    Examples
    --------
    >>> hashes(pa.array(["a", None, "a"])).tolist()
    [831395705625071.0, nan, 831395705625071.0]
    """
    coded = pc.dictionary_encode(texts.cast(pa.string()))
    different = [_hash(text) for text in coded.dictionary.to_pylist()]
    places = pc.fill_null(coded.indices, len(different)).to_numpy(zero_copy_only=False)
    return np.array([*different, np.nan])[places]


def _hash(text: str) -> float:
    whole = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    return float(whole >> (64 - HASH_BITS))


def seconds_of(values: pa.Array, spelling: str) -> np.ndarray:
    """Dates as seconds since 1970-01-01 UTC; NaN where one is missing or no date."""
    if is_date(values.type):
        return _seconds_of_moments(values)
    if is_text(values.type) or spelling in date_texts.AS_NUMBERS:
        return date_texts.seconds(texts_of(values), spelling)
    return np.full(len(values), np.nan)


def _seconds_of_moments(values: pa.Array) -> np.ndarray:
    """Days as days, seconds as seconds: years far away have no number of microseconds."""
    if pa.types.is_date(values.type):
        return as_float(values.cast(pa.date32()).cast(pa.int32()).cast(pa.float64())) * DAY
    unit = "us" if values.type.unit == "ns" else values.type.unit
    moments = values.cast(pa.timestamp(unit, values.type.tz), safe=False).cast(pa.int64())
    return as_float(moments.cast(pa.float64(), safe=False)) / IN_A_SECOND[unit]


def _booleans(values: pa.Array) -> pa.Array:
    if pa.types.is_boolean(values.type):
        return values
    texts = texts_of(values).to_pylist()
    return pa.array(
        [SPELLINGS.get(t.lower()) if t is not None else None for t in texts], pa.bool_()
    )
