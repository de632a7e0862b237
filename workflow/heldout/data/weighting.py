"""The weights of rows: a column of numbers, none of them missing, infinite or below 0.

Weights that are all the same count as none: only the proportions of weights have a meaning in a mean.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from heldout.data.input_checks import first_rows
from heldout.data.schema import is_missing, numbers_in, values_of
from heldout.errors import HeldoutError


def check_weights(
    column: str | None, table: pa.Table, source: str, numbers: np.ndarray | None = None
) -> None:
    """Every row has a usable weight; errors name the rows of the source, counted from 1."""
    if column is None:
        return
    for what, bad in _faults(column, table):
        if bad.any():
            raise HeldoutError(
                f"weights: '{column}' is {what} in {bad.sum()} of {len(bad)} rows of {source} (first: "
                f"{first_rows(bad, numbers)}); give every row a number, 0 if the row shall not count"
            )


def _faults(column: str, table: pa.Table) -> Iterator[tuple[str, np.ndarray]]:
    """What can be wrong with a weight, and the rows where it is."""
    missing = is_missing(values_of(table, column))
    yield "missing", missing
    weights = _numbers(column, table)
    yield "not a number", np.isnan(weights) & ~missing
    yield "infinite", np.isinf(weights)
    yield "negative", weights < 0


def check_some_weight(column: str | None, rows: pa.Table, which: str) -> None:
    """Refuse rows that count nothing at all: no model can be fitted to them, and no mean taken."""
    if column is not None and rows.num_rows and not _numbers(column, rows).any():
        raise HeldoutError(
            f"weights: '{column}' is 0 in all {which} rows, so that nothing counts; give some of them "
            "a weight above 0"
        )


def differing_weights(column: str | None, rows: pa.Table) -> np.ndarray | None:
    """Get the weights of rows whose column has been checked.

    Parameters
    ----------
    column
        The column of weights; None if there is none.
    rows
        Some rows, sealed or not.

    Returns
    -------
    numpy.ndarray, or None
        The weight of each row. None without a column, and if all weights are the same.

    Examples
    --------
    >>> rows = pa.table({"w": ["1", "2.5"], "one": [1, 1]})
    >>> differing_weights("w", rows)
    array([1. , 2.5])
    >>> differing_weights("one", rows) is None
    True
    """
    if column is None or not rows.num_rows:
        return None
    weights = _numbers(column, rows)
    return weights if (weights != weights[0]).any() else None


def _numbers(column: str, table: pa.Table) -> np.ndarray:
    return numbers_in(column, values_of(table, column))
