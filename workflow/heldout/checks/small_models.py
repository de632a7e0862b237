"""Models of a single feature: a line, the mean of each level, and trees of few leaves.

Targets are rows of numbers: one number, or a 1 in the place of the class. A model predicts their weighted means.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

DEPTHS = (1, 2, 4)
SMALLEST_LEAF = 3
"""How many rows each leaf of a tree has at least."""


def predictions(
    feature: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray,
    train: np.ndarray,
    held: np.ndarray,
    names_only: bool,
) -> Iterator[np.ndarray]:
    """What each model of a feature, trained on some rows, predicts for others.

    Parameters
    ----------
    feature
        Its values, NaN where they are missing.
    target, weights
        A row of numbers for each row of the table, and its weight.
    train, held
        Numbers of rows.
    names_only
        Whether the values are names of levels, without an order.

    Yields
    ------
    numpy.ndarray
        A row of numbers for each held-out row.

    Examples
    --------
    >>> x, rows = np.arange(12.0), np.arange(12)
    >>> y = (x > 5).astype(float)[:, None]
    >>> [one.ravel().tolist() for one in predictions(x, y, np.ones(12), rows, [0, 11], False)][0]
    [0.0, 1.0]
    """
    x, y, w = feature[train], target[train], weights[train]
    asked = feature[held]
    if names_only:
        yield _level_means(x, y, w, asked)
        return
    known = ~np.isnan(x)
    missing = mean_of(y[~known], w[~known]) if w[~known].sum() > 0 else mean_of(y, w)
    if not known.any():
        yield np.tile(missing, (len(asked), 1))
        return
    order = np.flatnonzero(known)[np.argsort(x[known], kind="stable")]
    models = [*_trees(x[order], y[order], w[order], asked)]
    if target.shape[1] == 1:
        models.append(_line(x[order], y[order], w[order], asked))
    for found in models:
        found[np.isnan(asked)] = missing
        yield found


def mean_of(target: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weighted mean of rows of numbers; 0 without rows."""
    total = weights.sum()
    return weights @ target / total if total > 0 else np.zeros(target.shape[1])


def _level_means(x: np.ndarray, y: np.ndarray, w: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The mean of each level; of unknown levels that of all rows. Missing is a level."""
    levels, codes = np.unique(np.where(np.isnan(x), np.inf, x), return_inverse=True)
    sums = np.stack([np.bincount(codes, w * column, len(levels)) for column in y.T], axis=1)
    totals = np.bincount(codes, w, len(levels))[:, None]
    means = np.where(totals > 0, sums / np.maximum(totals, 1e-300), mean_of(y, w))
    wanted = np.where(np.isnan(asked), np.inf, asked)
    place = np.minimum(np.searchsorted(levels, wanted), len(levels) - 1)
    return np.where((levels[place] == wanted)[:, None], means[place], mean_of(y, w))


def _line(x: np.ndarray, y: np.ndarray, w: np.ndarray, asked: np.ndarray) -> np.ndarray:
    if not len(x) or np.ptp(x) == 0 or w.sum() == 0:
        return np.tile(mean_of(y, w), (len(asked), 1))
    centre = float(w @ x / w.sum())
    scale = float(np.abs(x - centre).max())
    z = (x - centre) / scale
    middle = mean_of(y, w)
    slope = (w * z) @ (y - middle) / max(float(w @ z**2), 1e-300)
    return np.asarray(middle + ((asked - centre) / scale)[:, None] * slope)


def _trees(x: np.ndarray, y: np.ndarray, w: np.ndarray, asked: np.ndarray) -> Iterator[np.ndarray]:
    """What trees of each depth predict; `x` is sorted."""
    sums = np.concatenate([np.zeros((1, y.shape[1])), np.cumsum(w[:, None] * y, axis=0)])
    totals = np.append(0.0, np.cumsum(w))
    ends = [0, len(x)]
    for depth in range(1, max(DEPTHS) + 1):
        cuts = [_best_cut(x, sums, totals, a, b) for a, b in pairwise(ends)]
        ends = sorted({*ends, *(cut for cut in cuts if cut is not None)})
        if depth in DEPTHS:
            yield _leaves(x, sums, totals, ends, asked)


def _leaves(
    x: np.ndarray, sums: np.ndarray, totals: np.ndarray, ends: list[int], asked: np.ndarray
) -> np.ndarray:
    whole = np.diff(totals[ends])[:, None]
    overall = sums[-1] / max(totals[-1], 1e-300)
    means = np.where(whole > 0, np.diff(sums[ends], axis=0) / np.maximum(whole, 1e-300), overall)
    inner = np.array(ends[1:-1], int)
    limits = (x[inner - 1] + x[inner]) / 2 if len(inner) else np.empty(0)
    return np.asarray(means[np.searchsorted(limits, asked)])


def _best_cut(
    x: np.ndarray, sums: np.ndarray, totals: np.ndarray, start: int, end: int
) -> int | None:
    """Where two leaves have the smallest squared error (of classes: the smallest Gini impurity)."""
    places = np.arange(start + SMALLEST_LEAF, end - SMALLEST_LEAF + 1)
    places = places[x[places - 1] < x[places]] if len(places) else places
    if not len(places):
        return None
    left, right = totals[places] - totals[start], totals[end] - totals[places]
    gain = _squares(sums[places] - sums[start], left) + _squares(sums[end] - sums[places], right)
    return int(places[np.argmax(gain)])


def _squares(sums: np.ndarray, totals: np.ndarray) -> np.ndarray:
    return np.asarray((sums**2).sum(axis=1) / np.maximum(totals, 1e-300))
