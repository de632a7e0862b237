"""Rows of a prepared table as a pandas DataFrame with the user's column names.

number, boolean → float64 (booleans 0.0 and 1.0); category, many, text → object (Python texts);
ordered → an ordered Categorical; date → datetime64[us], in UTC. Missing is NaN or NaT.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from heldout.data.arrow_values import objects_of, values_of
from heldout.data.kinds import BOOLEAN, CATEGORY, DATE, NUMBER, ORDERED

if TYPE_CHECKING:
    import pandas as pd

    from heldout.data.schema import Column

MICRO = 1_000_000


def frame_of(
    columns: "Sequence[Column]", matrix: np.ndarray, strings: Mapping[str, np.ndarray]
) -> "pd.DataFrame":
    """The rows of a matrix as a DataFrame.

    Parameters
    ----------
    columns
        The columns of the schema.
    matrix
        The encoded features.
    strings
        The texts of columns of kind `many` and `text`, by name. A category that has texts here keeps
        them; otherwise its levels are looked up.

    Returns
    -------
    pandas.DataFrame
        One column per feature, in the same order.

    Examples
    --------
    >>> from heldout.data.schema import Column
    >>> columns = [Column("n", "number"), Column("c", "category", ("a", "b"))]
    >>> frame_of(columns, np.array([[1.5, 1.0], [2.5, 0.0]]), {})["c"].tolist()
    ['b', 'a']
    """
    import pandas as pd

    names = [column.name for column in columns]
    plain = [i for i, column in enumerate(columns) if column.kind in (NUMBER, BOOLEAN)]
    numbers = pd.DataFrame(
        np.array(matrix[:, plain], np.float64), columns=[names[i] for i in plain]
    )
    if len(plain) == len(columns):
        return numbers
    others = {
        column.name: _series(column, np.asarray(matrix[:, i]), strings)
        for i, column in enumerate(columns)
        if column.kind not in (NUMBER, BOOLEAN)
    }
    return pd.concat([numbers, pd.DataFrame(others)], axis=1)[names]


def strings_in(table: pa.Table) -> dict[str, np.ndarray]:
    """The columns of a table of texts as arrays of Python texts, NaN where one is missing."""
    return {name: objects_of(values_of(table, name)) for name in table.column_names}


def _series(column: "Column", values: np.ndarray, strings: Mapping[str, np.ndarray]) -> Any:
    import pandas as pd

    if column.name in strings:
        return pd.Series(strings[column.name], dtype=object)
    if column.kind == DATE:
        return pd.Series(_moments(values))
    places = np.where(np.isnan(values), -1, values).astype(np.int64)
    if column.kind == ORDERED:
        return pd.Series(pd.Categorical.from_codes(places, list(column.levels), ordered=True))
    if column.kind != CATEGORY or (len(places) and places.max() >= len(column.levels)):
        raise ValueError(f"column '{column.name}' has values whose texts are not known")
    return pd.Series(np.array([*column.levels, np.nan], object)[places], dtype=object)


def _moments(seconds: np.ndarray) -> np.ndarray:
    missing = np.isnan(seconds)
    moments = np.round(np.where(missing, 0.0, seconds) * MICRO).astype(np.int64)
    found = moments.astype("datetime64[us]")
    found[missing] = np.datetime64("NaT")
    return found
