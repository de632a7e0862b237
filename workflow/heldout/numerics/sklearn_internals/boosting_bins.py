"""Histogram-based boosting on bins that models share.

A fit first replaces each number by the bin that it lies in. Bins depend on the training rows, on their number and on
the seed, and not on rounds, leaves or penalties. So they are made once for all θ that agree on that, column by column.
All else is scikit-learn's own fit: only the method that makes bins is another one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from heldout.numerics.cut import Cut
from heldout.numerics.sklearn_internals.selfcheck import once, small_table

BLOCK = 2**18
"""Numbers of a block of columns, 2 MB or one column: so much is in memory besides the bins."""
CELLS = 4096
"""Cells of equal width between the first threshold of a column and the last one."""
ENOUGH = 2**14
"""With fewer rows, cells take longer than scikit-learn's search."""
CROWDED = 8
"""With more thresholds in one cell, scikit-learn's search is as fast."""
FITTED = ("is_categorical_", "missing_values_bin_idx_", "bin_thresholds_", "n_bins_non_missing_")
"""What a mapper to bins learns, in the order in which it does: stored models have it."""


class Bins(NamedTuple):
    """The bins of some rows, by column, and the mapper that made them."""

    matrix: np.ndarray
    mapper: Any


def fit(
    model: Any, train: Any, target: np.ndarray, kept: dict[str, tuple[Any, ...]], name: str
) -> Bins:
    """Fit a model as `model.fit(train, target)` does.

    Parameters
    ----------
    model
        An unfitted histogram-based model, without early stopping.
    train
        A matrix, or a `Cut`, which is never copied as a whole.
    target
        A code of a class, or a number.
    kept
        Bins of this training set, by the name of its rows and by what they depend on.
    name
        The name of the rows.

    Returns
    -------
    Bins
        Those of the training rows.
    """
    found: list[Bins] = []

    def bin_data(rows: Any, *weights: np.ndarray | None, is_training_data: bool) -> np.ndarray:
        mapper, columns = model._bin_mapper, train if isinstance(train, Cut) else rows
        key = f"bins:{name}:{_facts(mapper)}"
        if any(one is not None for one in weights):  # those of classes, from version 1.9 on
            own = type(model)._bin_data(model, rows, *weights, is_training_data=is_training_data)
            made = Bins(own, mapper)
        elif key in kept:
            made = Bins(*kept[key])
        else:
            made = _learned(mapper, columns)
            kept[key] = tuple(made)
        vars(mapper).update({one: getattr(made.mapper, one) for one in FITTED})
        found.append(made)
        return made.matrix

    model._bin_data = bin_data
    try:
        model.fit(np.broadcast_to(0.0, train.shape) if isinstance(train, Cut) else train, target)
    finally:
        del model._bin_data
    return found[0]


def takes_cut(model: Any) -> bool:
    """Whether nothing but bins is made of the rows: no category is encoded, and bins do not depend on classes."""
    return (
        model.categorical_features in (None, "from_dtype")
        and getattr(model, "class_weight", None) is None
    )


def held_bins(
    model: Any, bins: Bins, held: Any, kept: dict[str, tuple[Any, ...]], name: str
) -> np.ndarray:
    """The bins of rows to predict.

    Parameters
    ----------
    model
        A fitted model.
    bins
        Those of its training rows.
    held
        A matrix or a `Cut`.
    kept, name
        As in `fit`.
    """
    key = f"held bins:{name}:{_facts(bins.mapper)}:{id(bins.mapper)}"
    if key not in kept:
        rows = held if isinstance(held, Cut) else model._preprocess_X(held, reset=False)
        kept[key] = _mapped(bins.mapper, rows), bins.mapper
    matrix: np.ndarray = kept[key][0]
    return matrix


def _facts(mapper: Any) -> str:
    """All that bins depend on besides the rows."""
    categorical = mapper.is_categorical
    return repr(
        (
            int(mapper.n_bins),
            mapper.subsample,
            int(mapper.random_state),
            None if categorical is None else np.asarray(categorical, int).tolist(),
        )
    )


def _learned(mapper: Any, rows: Any) -> Bins:
    """Thresholds and bins by scikit-learn's own code, a block of columns at a time: each draws the same rows."""
    made, columns = type(mapper)(**mapper.get_params(deep=False)), rows.shape[1]
    parts = []
    for block in _blocks(rows):
        part = type(mapper)(**mapper.get_params(deep=False))
        if mapper.is_categorical is not None:
            part.is_categorical = np.asarray(mapper.is_categorical)[block]
            part.known_categories = mapper.known_categories[block]
        parts.append(part.fit(rows[:, block]))
    made.bin_thresholds_ = [one for part in parts for one in part.bin_thresholds_]
    made.is_categorical_ = np.concatenate([part.is_categorical_ for part in parts])
    made.n_bins_non_missing_ = np.concatenate([part.n_bins_non_missing_ for part in parts])
    made.missing_values_bin_idx_ = parts[0].missing_values_bin_idx_
    assert len(made.bin_thresholds_) == columns
    return Bins(_mapped(made, rows), made)


def _mapped(mapper: Any, rows: Any) -> np.ndarray:
    """What `mapper.transform` gives, a block of columns at a time."""
    bins = np.zeros(rows.shape, np.uint8, order="F")
    for block in _blocks(rows):
        values = rows[:, block]
        if len(values) < ENOUGH:
            bins[:, block] = _searched(mapper, block, values)
            continue
        for column, place in enumerate(range(block.start, block.stop)):
            found = None
            if not mapper.is_categorical_[place]:
                thresholds, missing = mapper.bin_thresholds_[place], mapper.missing_values_bin_idx_
                found = by_cells(values[:, column], thresholds, missing)
            if found is None:
                one = slice(place, place + 1)
                found = _searched(mapper, one, values[:, column, None])[:, 0]
            bins[:, place] = found
    return bins


def _searched(mapper: Any, block: slice, values: np.ndarray) -> np.ndarray:
    """The bins of some columns by scikit-learn's own search."""
    part = type(mapper)(**mapper.get_params(deep=False))
    part.bin_thresholds_ = mapper.bin_thresholds_[block]
    part.is_categorical_ = mapper.is_categorical_[block]
    part.n_bins_non_missing_ = mapper.n_bins_non_missing_[block]
    part.missing_values_bin_idx_ = mapper.missing_values_bin_idx_
    found: np.ndarray = part.transform(values)
    return found


def by_cells(values: np.ndarray, thresholds: np.ndarray, missing: int) -> np.ndarray | None:
    """The bins of a column: the number of thresholds below each value.

    The range of thresholds is cut into cells of equal width. As the number of a value's cell does not
    decrease with the value, thresholds of earlier cells are below it, and only those of its own cell
    are compared with it.

    Parameters
    ----------
    values
        A column of numbers.
    thresholds
        Increasing numbers.
    missing
        The bin of missing values.

    Returns
    -------
    numpy.ndarray or None
        None if thresholds lie so close to one another that this would be slow.

    Examples
    --------
    >>> by_cells(np.array([2.0, -5.0, np.nan, 2.5, np.inf]), np.array([1.0, 2.0]), 255)
    array([  1,   0, 255,   2,   2], dtype=uint8)
    """
    if len(thresholds) < 2:
        return None
    with np.errstate(over="ignore"):
        scale = CELLS / (thresholds[-1] - thresholds[0])
    if not 0 < scale < np.inf:
        return None
    places = _cells(thresholds, thresholds[0], scale)
    rounds = int(np.bincount(places).max())
    if rounds > CROWDED:
        return None
    absent = np.isnan(values)
    some = bool(absent.any())
    known = np.where(absent, thresholds[0], values) if some else values
    bins = (
        np.searchsorted(places, np.arange(CELLS))
        .astype(np.uint8)
        .take(_cells(known, thresholds[0], scale))
    )
    padded = np.append(thresholds, np.inf)
    for _ in range(rounds):
        bins += padded.take(bins) < known
    if some:
        bins[absent] = missing
    return bins


def _cells(values: np.ndarray, first: float, scale: float) -> np.ndarray:
    with np.errstate(over="ignore"):
        cells = values - first
        cells *= scale
    np.clip(cells, 0, CELLS - 1, out=cells)
    return cells.astype(np.int32)


def _blocks(rows: Any) -> Iterator[slice]:
    """Blocks of columns."""
    count, columns = rows.shape
    width = max(1, BLOCK // max(1, count))
    return (slice(start, min(start + width, columns)) for start in range(0, columns, width))


@once
def is_exact(kind: type) -> bool:
    """Whether models on shared bins are those of scikit-learn's own fits, and bins those of its mapper."""
    rows, score = small_table(90, 4)
    rows[::7, 0] = np.nan
    rows[:, 1] = np.round(rows[:, 1])
    target = (score > 0).astype(int) if hasattr(kind, "predict_proba") else score
    kept: dict[str, tuple[Any, ...]] = {}
    table = np.vstack([rows, rows[::-1]])
    for leaves, bins in ((3, 20), (5, 20), (5, 255)):
        for train in (rows, Cut(table, np.arange(len(rows)))):
            given = {
                "max_iter": 2,
                "max_leaf_nodes": leaves,
                "max_bins": bins,
                "min_samples_leaf": 3,
            }
            own, ours = (kind(early_stopping=False, random_state=3, **given) for _ in range(2))
            own.fit(rows, target)
            learned = fit(ours, train, target, kept, "")
            if not (_same(own, ours) and _maps_alike(own._bin_mapper, learned, rows)):
                return False
    return len(kept) == 2


def _same(one: Any, other: Any) -> bool:
    trees, others = ([t for round in m._predictors for t in round] for m in (one, other))
    return vars(one).keys() == vars(other).keys() and all(
        np.array_equal(a.nodes, b.nodes) for a, b in zip(trees, others, strict=True)
    )


def _maps_alike(mapper: Any, learned: Bins, rows: np.ndarray) -> bool:
    own = mapper.transform(rows)
    found = tuple(name for name in vars(mapper) if name.endswith("_"))
    return (
        found == FITTED
        and np.array_equal(own, learned.matrix)
        and all(
            found is None or np.array_equal(found, own[:, i])
            for i, thresholds in enumerate(mapper.bin_thresholds_)
            for found in [by_cells(rows[:, i], thresholds, mapper.missing_values_bin_idx_)]
        )
    )
