"""The types of a table's columns, inferred once, and the encoding of any rows by them.

Encoding learns nothing from the data: numbers stay numbers, booleans become 0 and 1, a category
becomes the index of its level. Missing is NaN; a level that the unsealed rows do not have gets the
first unused index. Everything that learns (imputation, one-hot, scaling) happens later, inside
each learner's Pipeline.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data import money_texts
from heldout.data.arrow_values import (
    as_float,
    is_missing,
    is_text,
    numbers_in,
    numbers_or_null,
    objects_of,
    plain,
    texts_of,
    values_of,
)
from heldout.data.blocks import number_blocks
from heldout.data.encode import Lost, codes, encoded, level_texts, lost_in
from heldout.data.frame import frame_of
from heldout.data.kinds import CATEGORY, IN_STRINGS
from heldout.errors import HeldoutError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Column",
    "Schema",
    "Target",
    "is_missing",
    "numbers_in",
    "schema_from_json",
    "values_of",
]


@dataclass(frozen=True)
class Column:
    """A feature: its name, its kind and how its values are spelled.

    Parameters
    ----------
    name, kind
        Its name in the table, and one of `heldout.data.kinds`.
    levels
        The levels of a category; of an ordered one in their order.
    spelling
        Of a number `money` or `percent`, of a date such as `DD.MM.YYYY`; of a category with many levels `digits` if all
        are, `00000` if they are codes of five with leading zeros; empty for plain values.
    decimal, thousands
        The signs in amounts and percentages.
    count
        The number of levels of a category with many.
    """

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    spelling: str = ""
    decimal: str = "."
    thousands: str = ""
    count: int = 0

    def encode(self, values: pa.Array) -> np.ndarray:
        """The column as float64."""
        return encoded(self, values)

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready form, without what is as usual."""
        extras = {name: getattr(self, name) for name in _EXTRAS}
        kept = {name: value for name, value in extras.items() if value != _EXTRAS[name]}
        return {"name": self.name, "kind": self.kind, "levels": self.levels, **kept}


_EXTRAS: dict[str, Any] = {"spelling": "", "decimal": ".", "thousands": "", "count": 0}


@dataclass(frozen=True)
class Target:
    """What is predicted: its classes, or none for a number, which may be spelled as an amount."""

    name: str
    classes: tuple[Any, ...] | None
    spelling: str = ""
    decimal: str = "."
    thousands: str = ""

    @property
    def classification(self) -> bool:
        """Whether the target is one of several classes."""
        return self.classes is not None

    def encode(self, values: pa.Array) -> np.ndarray:
        """Class indices (unknown: one past the last), or the numbers."""
        values = plain(self.name, values)
        if self.classes is None:
            if self.spelling and is_text(values.type):
                return money_texts.numbers(values, self.decimal, self.thousands)
            return as_float(numbers_or_null(values))
        numeric = all(isinstance(label, int | float) for label in self.classes)
        texts = texts_of(numbers_or_null(values) if numeric else values)
        labels = tuple(str(label) for label in self.classes)
        if {label.lower() for label in labels} == {"true", "false"} and len(labels) == 2:
            texts, labels = pc.utf8_lower(texts), tuple(label.lower() for label in labels)
        found = codes(texts, labels)
        return np.where(np.isnan(found), len(self.classes), found).astype(np.int64)

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready form, without what is as usual."""
        spelled = ("spelling", "decimal", "thousands") if self.spelling else ()
        extras = {name: getattr(self, name) for name in spelled}
        return {"name": self.name, "classes": self.classes, **extras}


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
    >>> table = pa.table({"colour": ["red", "green", None]})
    >>> schema.encode(table).ravel().tolist()
    [1.0, 2.0, nan]
    >>> schema.frame(table)["colour"].tolist()
    ['red', 'green', nan]
    >>> schema.target.encode(pa.array(["yes", "no"])).tolist()
    [1, 0]
    """

    columns: tuple[Column, ...]
    target: Target
    missing: tuple[str, ...] = ()

    def encode(self, table: pa.Table, lost: list[Lost] | None = None) -> np.ndarray:
        """The features of any rows as one float64 matrix.

        What could not be read as its column's kind, and unknown levels, are added to `lost`, if that is given.
        """
        self._refuse_absent(table)
        matrix = np.empty((table.num_rows, len(self.columns)))
        rest = number_blocks(self.columns, table, matrix)
        for i in rest:
            column = self.columns[i]
            values = plain(column.name, values_of(table, column.name))
            matrix[:, i] = column.encode(values)
            gone = None if lost is None else lost_in(column, values, matrix[:, i])
            if gone is not None and lost is not None:
                lost.append(gone)
        return matrix

    def frame(self, table: pa.Table, lost: list[Lost] | None = None) -> "pd.DataFrame":
        """The features of any rows as a DataFrame; unknown levels of a category stay texts."""
        matrix = self.encode(table, lost)
        texts = {
            column.name: objects_of(_texts(column, table))
            for column in self.columns
            if column.kind == CATEGORY or column.kind in IN_STRINGS
        }
        return frame_of(self.columns, matrix, texts)

    def strings(self, table: pa.Table) -> pa.Table:
        """The columns of texts that the matrix does not hold."""
        columns = [column for column in self.columns if column.kind in IN_STRINGS]
        return pa.table({column.name: _texts(column, table) for column in columns})

    def _refuse_absent(self, table: pa.Table) -> None:
        known = set(table.column_names)
        absent = [column.name for column in self.columns if column.name not in known]
        if absent:
            raise HeldoutError(f"the table lacks the columns {', '.join(absent)}")

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready form; `schema_from_json` brings it back."""
        return {
            "columns": tuple(column.as_json() for column in self.columns),
            "target": self.target.as_json(),
            "missing": self.missing,
        }


def _texts(column: Column, table: pa.Table) -> pa.Array:
    return level_texts(column, plain(column.name, values_of(table, column.name)))


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
    >>> schema = Schema((Column("x", "number"),), Target("y", None))
    >>> schema_from_json(schema.as_json()) == schema
    True
    """
    columns = tuple(Column(**{**c, "levels": tuple(c["levels"])}) for c in data["columns"])
    classes = data["target"]["classes"]
    target = Target(**{**data["target"], "classes": None if classes is None else tuple(classes)})
    return Schema(columns, target, tuple(data["missing"]))
