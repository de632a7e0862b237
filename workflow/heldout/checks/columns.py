"""Columns of features in blocks, on some rows, for checks that look at each of them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from heldout.data.kinds import CATEGORY, MANY, TEXT
from heldout.data.prepared import Prepared
from heldout.names import seed_for

VALUES = 2_500_000
"""About so many values are looked at in a first pass over all columns."""
FEWEST, MOST = 100, 2_000
"""How many rows that pass has."""
BLOCK = 2**21
"""So many values are held at a time."""


class Block(NamedTuple):
    """Columns `start`, `start + 1`, … on some rows: a row of `values` for each column."""

    start: int
    values: np.ndarray


def first_rows(table: Prepared, purpose: str) -> np.ndarray:
    """Rows for a first pass over all columns: all, or a random sample of them, in random order.

    Parameters
    ----------
    table
        The unsealed rows.
    purpose
        The check, from which the seed derives.

    Returns
    -------
    numpy.ndarray
        Row numbers.
    """
    wanted = min(max(VALUES // max(1, len(table.names)), FEWEST), MOST)
    generator = np.random.default_rng(seed_for(0, "checks", purpose))
    return generator.choice(len(table.target), min(wanted, len(table.target)), replace=False)


def blocks(table: Prepared, rows: np.ndarray) -> Iterator[Block]:
    """All features on some rows, some columns at a time."""
    width = max(1, BLOCK // max(1, len(rows)))
    for start in range(0, len(table.names), width):
        part = np.asarray(table.features[:, start : start + width][rows], float)
        yield Block(start, np.ascontiguousarray(part.T))


def kinds_of(table: Prepared) -> np.ndarray:
    """The kind of each feature."""
    return np.array([column["kind"] for column in table.facts["schema"]["columns"]])


def nominal(table: Prepared) -> np.ndarray:
    """For each feature whether its numbers are names without an order."""
    return np.isin(kinds_of(table), (CATEGORY, MANY))


def texts(table: Prepared) -> np.ndarray:
    """For each feature whether it is free text, which has no numbers."""
    return kinds_of(table) == TEXT


def units_per_row(table: Prepared) -> float:
    """The number of groups for each row; 1 where rows are no groups."""
    if not table.grouped:
        return 1.0
    return len(np.unique(table.rows["unit"])) / len(table.target)


def midranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value from 0; equal values share the mean of theirs.

    Examples
    --------
    >>> midranks(np.array([5.0, 1.0, 5.0])).tolist()
    [1.5, 0.0, 1.5]
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts + 1) / 2)[inverse.reshape(-1)]


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Pearson's correlation; 0 where one is constant."""
    x, y = one - one.mean(), other - other.mean()
    norm = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / norm) if norm > 0 else 0.0
