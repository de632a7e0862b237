"""The prepared table of an evaluation: as the workflow prepares it, and then kept in memory."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from heldout.data.arrow_values import table_of
from heldout.data.prepare import prepare
from heldout.data.prepared import Prepared, open_prepared
from heldout.data.read import raw_of
from heldout.data.request import Request
from heldout.errors import HeldoutError

FRAME = "the DataFrame"
"""What messages call a table that has no file."""
STORED = "stored_"
"""Begins the names of what a prepared table may hold as a file."""


def is_source(data: Any) -> bool:
    """Whether data are named, as in a config, and not given.

    Parameters
    ----------
    data
        What the user gave.

    Returns
    -------
    bool
        True for a path, `sklearn:NAME` and `oracle:NAME`.

    Examples
    --------
    >>> is_source("table.csv"), is_source({"x": [1, 2]})
    (True, False)
    """
    return isinstance(data, str | Path)


def as_table(data: Any) -> pa.Table:
    """A table of any kind that pandas or pyarrow can take, as an Arrow table.

    Parameters
    ----------
    data
        A DataFrame of pandas or polars, an Arrow table, or a mapping from names to columns. It is not changed.

    Returns
    -------
    pyarrow.Table
        Its columns, with texts as names.

    Raises
    ------
    HeldoutError
        If it is no table.

    Examples
    --------
    >>> as_table({"x": [1.5, 2.5], "colour": ["red", None]}).column_names
    ['x', 'colour']
    """
    import pandas as pd

    if isinstance(data, pa.Table):
        return data
    if isinstance(data, Mapping):
        data = pd.DataFrame(data)
    if isinstance(data, pd.DataFrame):
        return table_of(data.set_axis([str(name) for name in data.columns], axis=1))
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    raise HeldoutError(
        f"data: a {type(data).__name__} is no table; give a DataFrame, an Arrow table, a mapping from names to "
        "columns, or a path (for arrays X and y there is heldout.NestedCV)"
    )


def prepared_table(request: Request, data: Any) -> Prepared:
    """Prepare a table in memory.

    Parameters
    ----------
    request
        What the config says of it.
    data
        The table, or where it is.

    Returns
    -------
    Prepared
        All rows; the folder in which it was prepared is gone.

    Examples
    --------
    >>> prepared_table(Request("t", 19, "sklearn:iris", "target", test=0), "sklearn:iris").n
    150
    """
    given = None if is_source(data) else raw_of(as_table(data), request.reading)
    with TemporaryDirectory(prefix="heldout-") as folder:
        prepare(request, Path(folder, "data"), Path(folder, "vault"), given)
        return _loaded(open_prepared(Path(folder, "data")))


def _loaded(table: Prepared) -> Prepared:
    """The same table without files."""
    stored = {one.name for one in fields(table) if isinstance(getattr(table, one.name), Path)}
    read = {name: getattr(table, name.removeprefix(STORED)) for name in stored}
    arrays = {"target": table.target, "rows": table.rows, "stored_features": table.features}
    return replace(table, **{**read, **{name: np.array(array) for name, array in arrays.items()}})
