"""The types of a table's columns, inferred once, and the encoding of any rows by them.

Encoding learns nothing from the data: numbers stay numbers, booleans become 0 and 1, a category
becomes the index of its level. Missing is NaN; a level that the unsealed rows do not have gets the
first unused index. Everything that learns (imputation, one-hot, scaling) happens later, inside
each learner's Pipeline.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.errors import HeldoutError

NUMBER, BOOLEAN, CATEGORY = "number", "boolean", "category"
TRUE_FALSE = {"true": True, "false": False}
SPELLINGS = TRUE_FALSE | {"1": True, "0": False}
"""How new rows may spell the values of a boolean column."""
EXACT = 2.0**53
"""Below this every whole number has a float of its own."""


@dataclass(frozen=True)
class Column:
    """A feature: its name, its kind and, for a category, its levels."""

    name: str
    kind: str
    levels: tuple[str, ...] = ()

    def encode(self, values: pa.Array) -> np.ndarray:
        """The column as float64."""
        if self.kind == CATEGORY:
            return _codes(_texts(values), self.levels)
        if self.kind == BOOLEAN:
            return _as_float(_booleans(values))
        return _as_float(_numbers_or_null(values))


@dataclass(frozen=True)
class Target:
    """What is predicted: its classes, or none for a number."""

    name: str
    classes: tuple[Any, ...] | None

    @property
    def classification(self) -> bool:
        """Whether the target is one of several classes."""
        return self.classes is not None

    def encode(self, values: pa.Array) -> np.ndarray:
        """Class indices (unknown: one past the last), or the numbers."""
        values = _plain(self.name, values)
        if self.classes is None:
            return _as_float(_numbers_or_null(values))
        numeric = all(isinstance(label, int | float) for label in self.classes)
        texts = _texts(_numbers_or_null(values) if numeric else values)
        codes = _codes(texts, tuple(str(label) for label in self.classes))
        return np.where(np.isnan(codes), len(self.classes), codes).astype(np.int64)


@dataclass(frozen=True)
class Schema:
    """All features and the target.

    Parameters
    ----------
    columns
        The features, in the order of the encoded matrix.
    target
        What is predicted.
    missing
        The texts that mean missing, besides the usual ones.

    Examples
    --------
    >>> schema = Schema((Column("colour", CATEGORY, ("blue", "red")),), Target("y", ("no", "yes")))
    >>> schema.encode(pa.table({"colour": ["red", "green", None]})).ravel().tolist()
    [1.0, 2.0, nan]
    >>> schema.target.encode(pa.array(["yes", "no"])).tolist()
    [1, 0]
    """

    columns: tuple[Column, ...]
    target: Target
    missing: tuple[str, ...] = ()

    def encode(self, table: pa.Table) -> np.ndarray:
        """The features of any rows as one float64 matrix."""
        absent = [c.name for c in self.columns if c.name not in table.column_names]
        if absent:
            raise HeldoutError(f"the table lacks the columns {', '.join(absent)}")
        matrix = np.empty((table.num_rows, len(self.columns)))
        for i, column in enumerate(self.columns):
            matrix[:, i] = column.encode(_plain(column.name, values_of(table, column.name)))
        return matrix

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready form; `schema_from_json` brings it back."""
        return asdict(self)


def schema_from_json(data: dict[str, Any]) -> Schema:
    """Make a schema from its JSON form.

    Parameters
    ----------
    data
        What `Schema.as_json` returned, or what JSON made of it.

    Returns
    -------
    Schema
        An equal schema.

    Examples
    --------
    >>> schema = Schema((Column("x", NUMBER),), Target("y", None))
    >>> schema_from_json(schema.as_json()) == schema
    True
    """
    columns = tuple(Column(c["name"], c["kind"], tuple(c["levels"])) for c in data["columns"])
    classes = data["target"]["classes"]
    target = Target(data["target"]["name"], None if classes is None else tuple(classes))
    return Schema(columns, target, tuple(data["missing"]))


def values_of(table: pa.Table, name: str) -> pa.Array:
    """The values of a column as one array."""
    column = table.column(name)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def is_missing(values: pa.Array) -> np.ndarray:
    """For each value whether it is missing (null or NaN)."""
    return pc.is_null(values, nan_is_null=True).to_numpy(zero_copy_only=False)


def numbers_in(name: str, values: pa.Array) -> np.ndarray:
    """The values as float64; NaN where one is missing or no number, as dates and booleans are."""
    plain = _plain(name, values)
    if pa.types.is_temporal(plain.type) or pa.types.is_boolean(plain.type):
        return np.full(len(plain), np.nan)
    return _as_float(_numbers_or_null(plain))


def infer_column(name: str, values: pa.Array, category: bool) -> Column | None:
    """The kind of a feature from its (unsealed) values; None if all are missing.

    A column that the file itself declares to be a category (parquet's dictionary type) is one.
    """
    category = category or pa.types.is_dictionary(values.type)
    plain = _plain(name, values)
    present = plain.filter(pc.invert(pc.is_null(plain, nan_is_null=True)))
    if len(present) == 0:
        return None
    if not category:
        if pa.types.is_boolean(plain.type) or _all_true_false(present):
            return Column(name, BOOLEAN)
        if _parses(present):
            return Column(name, NUMBER)
    levels = sorted(set(_texts(present).to_pylist()))
    return Column(name, CATEGORY, tuple(levels))


def infer_target(name: str, values: pa.Array, classification: bool | None) -> Target:
    """The target from the given rows: its classes, or a number."""
    plain = _plain(name, values)
    numeric = _parses(plain) and not pa.types.is_boolean(plain.type)
    if classification is None:
        category = pa.types.is_dictionary(values.type)
        classification = category or not numeric
    if classification:
        return Target(name, _classes(plain, numeric))
    if not numeric:
        raise HeldoutError(
            f"target '{name}' is not a number everywhere; for classes set loss: zero_one"
        )
    return Target(name, None)


def _classes(values: pa.Array, numeric: bool) -> tuple[Any, ...]:
    """The labels in order: numbers, each once however it is spelled, or texts."""
    if numeric and not pa.types.is_temporal(values.type):
        numbers = set(_numbers(values).to_pylist())
        if all(abs(number) < EXACT for number in numbers):
            return tuple(int(n) if n.is_integer() else n for n in sorted(numbers))
    return tuple(sorted(set(_texts(values).to_pylist())))


def _plain(name: str, values: pa.Array) -> pa.Array:
    """The values without a dictionary encoding; lists, structs and the like are refused."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_string_view(values.type):
        values = values.cast(pa.string())
    kind = values.type
    known = pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or _is_text(kind)
    if not known and not pa.types.is_null(kind):
        raise HeldoutError(
            f"column '{name}' is of type {kind}, not a number, text, boolean or date; add it to drop"
        )
    return values


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _texts(values: pa.Array) -> pa.Array:
    """The values as text: one spelling for each number, whatever its type."""
    if pa.types.is_floating(values.type):
        texts = [None if v is None or v != v else _label_text(v) for v in values.to_pylist()]
        return pa.array(texts, pa.string())
    return values.cast(pa.string())


def _label_text(label: float) -> str:
    return str(int(label)) if label.is_integer() else str(label)


def _codes(texts: pa.Array, levels: tuple[str, ...]) -> np.ndarray:
    found = pc.index_in(texts, pa.array(levels, pa.string()))
    codes = pc.fill_null(found, len(levels)).to_numpy(zero_copy_only=False).astype(float)
    codes[pc.is_null(texts).to_numpy(zero_copy_only=False)] = np.nan
    return codes


def _parses(values: pa.Array) -> bool:
    try:
        _numbers(values)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return True


def _numbers(values: pa.Array) -> pa.Array:
    """The values as float64; dates and times in microseconds."""
    if pa.types.is_temporal(values.type):
        values = values.cast(_microseconds(values.type), safe=False).cast(pa.int64())
    return values.cast(pa.float64(), safe=False)


def _microseconds(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_duration(kind):
        return pa.duration("us")
    return pa.time64("us") if pa.types.is_time(kind) else pa.timestamp("us")


def _numbers_or_null(values: pa.Array) -> pa.Array:
    """Numbers; a text that is no number counts as missing (only new or sealed rows can have one)."""
    try:
        return _numbers(values)
    except pa.ArrowInvalid:
        return pa.array([_number_or_none(value) for value in values.to_pylist()], pa.float64())


def _number_or_none(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _booleans(values: pa.Array) -> pa.Array:
    if pa.types.is_boolean(values.type):
        return values
    texts = _texts(values).to_pylist()
    return pa.array(
        [SPELLINGS.get(t.lower()) if t is not None else None for t in texts], pa.bool_()
    )


def _all_true_false(present: pa.Array) -> bool:
    if not _is_text(present.type):
        return False
    return {value.lower() for value in pc.unique(present).to_pylist()} <= set(TRUE_FALSE)


def _as_float(values: pa.Array) -> np.ndarray:
    as_float = values.cast(pa.float64()) if pa.types.is_boolean(values.type) else values
    return pc.fill_null(as_float, np.nan).to_numpy(zero_copy_only=False).astype(np.float64)
