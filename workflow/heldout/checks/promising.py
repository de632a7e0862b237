"""A first look at all columns: which of them say most about the target by themselves."""

import numpy as np

from heldout.checks.columns import blocks, first_rows, midranks, nominal, texts
from heldout.data.prepared import Prepared

BINS = 8
"""Into how many parts of equal size the values of a feature are cut."""
CLASSES = 6
"""How many classes are looked at, the most frequent ones."""


def promising(table: Prepared, count: int) -> list[int]:
    """Find the columns that explain most of the target in a sample of rows.

    Parameters
    ----------
    table
        The unsealed rows.
    count
        How many are wanted of those with an order, and how many of those without one.

    Returns
    -------
    list of int
        Their places, at most twice as many.
    """
    rows, names_only = first_rows(table, "H025"), nominal(table)
    target = np.asarray(table.target)[rows]
    scores = np.empty(len(table.names))
    for start, part in blocks(table, rows):
        here = slice(start, start + len(part))
        binned = _levels(part, names_only[here])
        scores[here] = _explained(binned, target, table.classification)
    scores[texts(table)] = -np.inf
    best = np.argsort(-scores, kind="stable")
    return [int(one) for sort in (~names_only, names_only) for one in best[sort[best]][:count]]


def _levels(part: np.ndarray, names_only: np.ndarray) -> np.ndarray:
    """A number from 0 for each value: its level, or the bin that it is in. Missing values have one of their own."""
    order, values = np.argsort(part, axis=1, kind="stable"), np.sort(part, axis=1)
    places = np.arange(part.shape[1]) * BINS // part.shape[1]
    found = np.broadcast_to(places, part.shape).copy()
    if names_only.any():
        change = values[names_only, 1:] != values[names_only, :-1]
        found[names_only, 1:] = np.cumsum(change, axis=1)
        found[names_only, 0] = 0
    missing = np.isnan(values)
    found[missing] = part.shape[1]
    back = np.empty(part.shape, np.int64)
    np.put_along_axis(back, order, found, axis=1)
    return back


def _explained(levels: np.ndarray, target: np.ndarray, classes: bool) -> np.ndarray:
    """The share of the squares of the target that lies between levels, adjusted for their number."""
    p, n = levels.shape
    most = int(levels.max()) + 1
    cells = (levels + most * np.arange(p)[:, None]).ravel()
    counts = np.bincount(cells, minlength=most * p).reshape(p, most)
    columns = _indicators(target) if classes else midranks(target)[None, :]
    between, total = np.zeros(p), 0.0
    for one in columns:
        centred = one - one.mean()
        sums = np.bincount(cells, np.tile(centred, p), most * p).reshape(p, most)
        between += (sums**2 / np.maximum(counts, 1)).sum(axis=1)
        total += float(centred @ centred)
    spare = np.maximum(1, n - (counts > 0).sum(axis=1))
    return 1 - (1 - between / max(total, 1e-300)) * (n - 1) / spare


def _indicators(target: np.ndarray) -> np.ndarray:
    """For each of the most frequent classes a row that is 1 where it is. Of two classes one says it all."""
    values, counts = np.unique(target, return_counts=True)
    most = values[np.argsort(-counts, kind="stable")][:CLASSES]
    return (target == (most[:1] if len(values) == 2 else most)[:, None]).astype(float)
