"""What a user should know of how a table was read, and of rows and columns that say nothing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from heldout.data.input_checks import first_rows
from heldout.data.reading import found_reading
from heldout.data.request import Request
from heldout.data.schema import Schema, is_missing, values_of

SHOWN = 5


def with_new_names(request: Request, table: pa.Table) -> Request:
    """The request with the new name of a column that has none in the file, where a config names it by ''."""
    unnamed = [new for new, old in found_reading(table).get("renamed", {}).items() if not old]
    if len(unnamed) != 1 or "" in table.column_names:
        return request

    def new(names: Any) -> tuple[str, ...]:
        return tuple(unnamed[0] if name == "" else name for name in names)

    types = {unnamed[0] if name == "" else name: kind for name, kind in request.types.items()}
    return replace(request, drop=new(request.drop), categories=new(request.categories), types=types)


def reading_facts(table: pa.Table, numbers: np.ndarray) -> dict[str, Any]:
    """How the table was read, its size, and how many rows have no target, for `table.json`."""
    return {
        **{key: value for key, value in found_reading(table).items() if key != "notes"},
        "rows": table.num_rows,
        "columns": table.num_columns,
        "without_target": table.num_rows - len(numbers),
    }


def notes_on(request: Request, table: pa.Table, numbers: np.ndarray) -> list[str]:
    """Note what was doubtful in reading, and rows without a target.

    Parameters
    ----------
    request
        What the config says.
    table
        All rows of the source.
    numbers
        The numbers of those that have a target.

    Returns
    -------
    list of str
        For the user.

    Examples
    --------
    >>> notes_on(Request("t", 19, "t.csv", "y"), pa.table({"y": [1, None, 2]}), np.array([0, 2]))
    ["1 of 3 rows has no target 'y' and is left out (row 2)"]
    """
    notes = list(found_reading(table).get("notes", []))
    left_out = table.num_rows - len(numbers)
    if left_out:
        absent = np.ones(table.num_rows, bool)
        absent[numbers] = False
        has, are = ("has", "is") if left_out == 1 else ("have", "are")
        first = "" if left_out == 1 else "first: "
        notes.append(
            f"{left_out} of {table.num_rows} rows {has} no target '{request.target}' and {are} left out "
            f"({first}{first_rows(absent)})"
        )
    return notes


def without_constants(schema: Schema, features: np.ndarray) -> tuple[Schema, np.ndarray, list[str]]:
    """Leave out features that have the same value in all unsealed rows, unless all have.

    Parameters
    ----------
    schema, features
        The features of the unsealed rows.

    Returns
    -------
    schema, features, constant
        The others, and the names of those that were left out.
    """
    constant = (features == features[:1]).all(axis=0)
    if not constant.any() or constant.all():
        return schema, features, []
    names = [schema.columns[i].name for i in np.flatnonzero(constant)]
    columns = tuple(column for column, out in zip(schema.columns, constant, strict=True) if not out)
    return replace(schema, columns=columns), np.ascontiguousarray(features[:, ~constant]), names


def notes_on_constants(names: list[str]) -> list[str]:
    """Note the features that were left out because they are constant."""
    if not names:
        return []
    shown = ", ".join(f"'{name}'" for name in names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    what, are = ("column", "is") if len(names) == 1 else (f"{len(names)} columns", "are")
    return [f"{what} {shown} {are} constant in the unsealed rows and not used"]


def notes_on_empty_rows(
    schema: Schema, features: np.ndarray, unsealed: pa.Table, source: np.ndarray
) -> list[str]:
    """Note unsealed rows in which everything but the target is missing; they are kept."""
    empty = np.isnan(features).all(axis=1)
    places = np.flatnonzero(empty)
    if not len(places):
        return []
    rows = unsealed.take(pa.array(places))
    for column in schema.columns:  # a text may be there that has no place in the matrix
        empty[places] &= is_missing(values_of(rows, column.name))
    if not empty.any():
        return []
    return [
        f"{empty.sum()} of {len(empty)} unsealed rows have a target and nothing else, and are kept "
        f"(first: {first_rows(empty, source)})"
    ]
