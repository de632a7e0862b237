"""Columns under `drop` that could say which rows belong together.

They are kept as numbers for the values, so that checks can look at them; no fit reads them.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from heldout.data.arrow_values import labels_of, values_of
from heldout.data.request import Request
from heldout.data.schema import is_missing
from heldout.data.unit_names import names_units
from heldout.data.unit_values import repeats_of

MOST = 50
"""So many columns are kept; those whose names are telling first."""
FEWEST_VALUES = 5


def unused_columns(request: Request, unsealed: pa.Table) -> pa.Table:
    """Number the values of the dropped columns in which several rows have the same value.

    Parameters
    ----------
    request
        What the config says.
    unsealed
        The rows that are not sealed.

    Returns
    -------
    pyarrow.Table
        For each such column the number of each row's value, in the order of their first rows; null where it
        is missing.

    Examples
    --------
    >>> request = Request("t", 19, "t.csv", "y", drop=["id", "name"])
    >>> table = pa.table({"id": list("aabbccddee"), "name": list("abcdefghij"), "y": range(10)})
    >>> unused_columns(request, table)["id"].to_pylist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    >>> unused_columns(request, table).column_names
    ['id']
    """
    used = {request.target, request.groups, request.weights, request.time, request.fold_column}
    names = [name for name in dict.fromkeys(request.drop) if name in unsealed.column_names]
    found: dict[str, pa.Array] = {}
    for name in sorted(names, key=lambda name: names_units(name) is None):
        if name not in used and len(found) < MOST:
            numbers = _numbers(unsealed, name)
            if numbers is not None:
                found[name] = numbers
    return pa.table(found)


def _numbers(table: pa.Table, name: str) -> pa.Array | None:
    """None where the values are lists or the like, or hardly come again."""
    if pa.types.is_nested(table.schema.field(name).type):
        return None
    values = values_of(table, name)
    absent = is_missing(values)
    if absent.all():
        return None
    indices = pc.dictionary_encode(labels_of(values)).indices
    codes = np.where(absent, -1, pc.fill_null(indices, -1).to_numpy(zero_copy_only=False))
    if not repeats_of(codes).several_each(FEWEST_VALUES):
        return None
    return pa.array(codes, pa.int32(), mask=absent)


def read_unused(path: Path) -> dict[str, np.ndarray]:
    """For each column the number of each row's value; -1 where it is missing."""
    with parquet.ParquetFile(path) as file:
        table = file.read()
    return {
        name: pc.fill_null(table[name], -1).to_numpy().astype(np.int64)
        for name in table.column_names
    }
