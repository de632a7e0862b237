"""The types of a table's columns, inferred once, and the encoding of any rows by them.

Encoding says nothing about the data that the raw table does not say: numbers stay numbers,
booleans become 0 and 1, a category becomes the index of its level. Missing is NaN; a level
that the unsealed rows do not have gets the first unused index. Everything that learns
(imputation, one-hot, scaling) happens later, inside each learner's Pipeline.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.errors import HeldoutError

NUMBER, BOOLEAN, CATEGORY = "number", "boolean", "category"
TRUE_FALSE = {"true": True, "false": False}


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
        if self.classes is None:
            return _as_float(_numbers_or_null(values))
        whole_numbers = all(isinstance(label, int) for label in self.classes)
        texts = _texts(_numbers_or_null(values) if whole_numbers else values)
        return _codes(texts, tuple(str(label) for label in self.classes)).astype(np.int64)


@dataclass(frozen=True)
class Schema:
    """All features and the target."""

    columns: tuple[Column, ...]
    target: Target

    def encode(self, table: pa.Table) -> np.ndarray:
        """The features of any rows as one float64 matrix."""
        absent = [c.name for c in self.columns if c.name not in table.column_names]
        if absent:
            raise HeldoutError(f"the table lacks the columns {', '.join(absent)}")
        matrix = np.empty((table.num_rows, len(self.columns)))
        for i, column in enumerate(self.columns):
            matrix[:, i] = column.encode(_whole(table, column.name))
        return matrix

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready form; `schema_from_json` brings it back."""
        return asdict(self)


def schema_from_json(data: dict[str, Any]) -> Schema:
    """The schema that `Schema.as_json` wrote."""
    columns = tuple(Column(c["name"], c["kind"], tuple(c["levels"])) for c in data["columns"])
    classes = data["target"]["classes"]
    target = Target(data["target"]["name"], None if classes is None else tuple(classes))
    return Schema(columns, target)


def infer_column(name: str, values: pa.Array, category: bool) -> Column | None:
    """The kind of a feature from its (unsealed) values; None if all are missing."""
    present = pc.drop_null(values)
    if len(present) == 0:
        return None
    if not category:
        if pa.types.is_boolean(values.type) or _all_true_false(present):
            return Column(name, BOOLEAN)
        if _parses(present):
            return Column(name, NUMBER)
    levels = sorted(set(_texts(present).to_pylist()))
    return Column(name, CATEGORY, tuple(levels))


def infer_target(name: str, values: pa.Array, classification: bool | None) -> Target:
    """The target's classes from the unsealed rows, or a number."""
    numeric = _parses(values) and not pa.types.is_boolean(values.type)
    if classification is None:
        classification = not numeric or _all_true_false(values)
    if not classification:
        if not numeric:
            raise HeldoutError(
                f"target '{name}' is not a number everywhere; for classes set loss: zero_one"
            )
        return Target(name, None)
    labels = sorted(set(_texts(values).to_pylist()))
    if numeric and all(float(label).is_integer() for label in labels):
        return Target(name, tuple(sorted(int(float(label)) for label in labels)))
    return Target(name, tuple(labels))


def _whole(table: pa.Table, name: str) -> pa.Array:
    column = table.column(name)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _texts(values: pa.Array) -> pa.Array:
    """The values as text: one spelling for each number, whatever its type."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_floating(values.type):
        return pa.array(
            [None if v is None or v != v else _label_text(v) for v in values.to_pylist()]
        )
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
    kind = values.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return values.cast(pa.timestamp("us")).cast(pa.int64()).cast(pa.float64())
    if pa.types.is_dictionary(kind):
        values = values.dictionary_decode()
    return values.cast(pa.float64())


def _numbers_or_null(values: pa.Array) -> pa.Array:
    """Numbers; a text that is none counts as missing (it can only be new or sealed data)."""
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
        [TRUE_FALSE.get(t.lower()) if t is not None else None for t in texts], pa.bool_()
    )


def _all_true_false(present: pa.Array) -> bool:
    if not pa.types.is_string(present.type):
        return False
    return {value.lower() for value in pc.unique(present).to_pylist()} <= set(TRUE_FALSE)


def _as_float(values: pa.Array) -> np.ndarray:
    as_float = values.cast(pa.float64()) if pa.types.is_boolean(values.type) else values
    return pc.fill_null(as_float, np.nan).to_numpy(zero_copy_only=False).astype(np.float64)
