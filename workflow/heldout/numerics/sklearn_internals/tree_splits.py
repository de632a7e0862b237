"""The best splits of all nodes of one depth of a classification tree.

Numbers are scikit-learn's to the last bit: class counts are whole, the Gini index is computed by
its operations in its order, and values are compared as it compares them.
"""

from typing import NamedTuple

import numpy as np

NONE = -1
"""The number of a split, a child or a position that does not exist."""
GAP = np.float32(1e-7)
"""Values of a feature that differ by no more than this are not split."""
BLOCK = 2**15
"""Numbers that are computed at once: they fit into the processor's cache."""


def gini(counts: np.ndarray) -> np.ndarray:
    """The impurity of nodes, from a row of class counts for each."""
    size = counts.sum(axis=1)
    return 1.0 - (counts * counts).sum(axis=1) / (size * size)


class Table(NamedTuple):
    """All features, and the rows sorted by each of them."""

    columns: np.ndarray
    """The values, a line for each feature."""
    order: np.ndarray
    """For each feature the row numbers, by increasing values."""
    close: np.ndarray
    """By feature: whether it has values that are too close to be split."""

    @classmethod
    def of(cls, features: np.ndarray) -> "Table":
        """The table of a matrix of features."""
        columns = np.ascontiguousarray(features.T)
        order = np.argsort(columns, axis=1)
        values = np.take_along_axis(columns, order, axis=1)
        close = np.any(_too_close(values[:, :-1], values[:, 1:]), axis=1)
        return cls(columns, order, close)

    def values(self, feature: np.ndarray, row: np.ndarray) -> np.ndarray:
        """The value of each feature in each row (element by element)."""
        return self.columns.ravel().take(feature * self.columns.shape[1] + row)


def _too_close(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.less_equal(high, low + GAP)


class Level(NamedTuple):
    """The nodes of one depth that are searched for a split.

    A place is a row in a node: equally good splits can put a row into several nodes. The places of a
    node are consecutive, from `start` on. `row` has the row of each place. For each feature, `order`
    has the places, node by node, by increasing values of the feature.
    """

    number: np.ndarray
    counts: np.ndarray
    size: np.ndarray
    start: np.ndarray
    row: np.ndarray
    order: np.ndarray


class BestSplits(NamedTuple):
    """The best splits of a level's nodes, ties included.

    `node` and `feature` belong to a split. A split has a cell for each place of its node, from
    `start` on; `owner` is the split of a cell. `place` has the places of a split by number, `ranked`
    by increasing values of its feature; in the latter order, `cut` is the first cell of the right
    child.
    """

    node: np.ndarray
    feature: np.ndarray
    start: np.ndarray
    cut: np.ndarray
    owner: np.ndarray
    place: np.ndarray
    ranked: np.ndarray

    def sums(self, by_place: np.ndarray) -> np.ndarray:
        """Sums over the rows of each child: left and right of the first split, of the second, …"""
        edges = np.stack([self.start, self.cut], axis=1).ravel()
        return np.add.reduceat(by_place[self.ranked], edges, axis=0)


def level_of(number: np.ndarray, counts: np.ndarray, row: np.ndarray, order: np.ndarray) -> Level:
    """A level, with the size and the first place of each node."""
    size = counts.sum(axis=1).astype(np.intp)
    return Level(number, counts, size, np.cumsum(size) - size, row, order)


def improvements(parents: np.ndarray, children: np.ndarray, rows: int) -> np.ndarray:
    """How much each split decreases the impurity of the whole tree."""
    size = parents.sum(axis=1)
    share = children.sum(axis=1) / np.repeat(size, 2) * gini(children)
    return size / rows * (gini(parents) - share[1::2] - share[0::2])


def thresholds(table: Table, level: Level, best: BestSplits) -> np.ndarray:
    """The threshold of each split: halfway between the values on both sides of the cut."""
    row = level.row[best.ranked]
    below, above = (
        table.values(best.feature, row[cell]).astype(np.float64)
        for cell in (best.cut - 1, best.cut)
    )
    return below / 2.0 + above / 2.0


def constant_features(table: Table, level: Level) -> np.ndarray:
    """By node and feature: 1 where the feature is constant."""
    feature = np.arange(len(level.order))[:, None]
    low, high = (
        table.values(feature, level.row[level.order[:, place]])
        for place in (level.start, level.start + level.size - 1)
    )
    return np.ascontiguousarray(_too_close(low, high).T.astype(np.uint8))


def split_gains(table: Table, level: Level, one_hot: np.ndarray, leaf: int) -> np.ndarray:
    """By feature and place: minus the impurity of a split after this place; -inf if it is not allowed."""
    node = np.repeat(np.arange(len(level.size)), level.size)
    before = (np.cumsum(level.counts, axis=0) - level.counts).T[:, node]
    total = level.counts.T[:, node]
    n_left = np.arange(1.0, len(node) + 1) - level.start[node]
    n_right = level.size[node] - n_left
    penalty = np.where((n_left >= leaf) & (n_right >= leaf), 0.0, -np.inf)
    gains = np.empty(level.order.shape)
    step = max(1, BLOCK // len(node))
    for i in range(0, len(gains), step):
        order, gain = level.order[i : i + step], gains[i : i + step]
        left = [np.cumsum(of_class.take(order), axis=1) for of_class in one_hot[1:]]
        for k, count in enumerate(left, 1):
            count -= before[k]
        right = [total[k] - count for k, count in enumerate(left, 1)]
        np.add(minus_impurity(right, n_right), minus_impurity(left, n_left), out=gain)
        gain += penalty
        if table.close[i : i + step].any():
            feature = np.arange(i, i + len(order))[:, None]
            values = table.values(feature, level.row.take(order))
            np.copyto(gain[:, :-1], -np.inf, where=_too_close(values[:, :-1], values[:, 1:]))
    return gains


def minus_impurity(counts: list[np.ndarray], size: np.ndarray) -> np.ndarray:
    """Minus size times Gini index, from the counts of all classes but the first.

    Overwrites the counts.
    """
    rest = size - counts[0]
    for count in counts[1:]:
        rest -= count
    rest *= rest
    for count in counts:
        count *= count
        rest += count
    rest /= np.maximum(size * size, 1.0)
    rest -= 1.0
    rest *= size
    return rest


def best_splits(level: Level, gains: np.ndarray) -> BestSplits:
    """For each node all equally good features, each at its first best cut."""
    by_feature = np.maximum.reduceat(gains, level.start, axis=1)
    highest = by_feature.max(axis=0)
    node, feature = np.nonzero(((by_feature == highest) & (highest > -np.inf)).T)
    size = level.size[node]
    start = np.cumsum(size) - size
    owner = np.repeat(np.arange(len(node)), size)
    place = np.arange(len(owner)) + (level.start[node] - start)[owner]
    cell = feature[owner] * len(level.row) + place
    reached = np.flatnonzero(gains.ravel()[cell] == highest[node][owner])
    cut = reached[np.searchsorted(owner[reached], np.arange(len(node)))] + 1
    return BestSplits(node, feature, start, cut, owner, place, level.order.ravel()[cell])


def partition(level: Level, best: BestSplits, inner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`row` and `order` of the next level, which has the children that are not leaves.

    Within a child, the order of a feature is that of its parent.
    """
    wanted = np.zeros(2 * len(best.node), bool)
    wanted[inner] = True
    right = np.arange(len(best.owner)) >= best.cut[best.owner]
    kept = wanted[2 * best.owner + right]
    lefts, rights = np.flatnonzero(kept & ~right), np.flatnonzero(kept & right)
    old = np.concatenate([lefts, rights])
    cell_of = (best.start - level.start[best.node])[best.owner]
    new = np.full(len(best.owner), NONE)
    new[(best.ranked + cell_of)[old]] = np.arange(len(old))
    cells = np.flatnonzero((wanted[0::2] | wanted[1::2])[best.owner])
    order = level.order.take(best.place[cells], axis=1)
    order += cell_of[cells]
    order = new.take(order)
    flat = order.ravel()
    sides = (
        flat.compress((flat != NONE) & (flat < len(lefts))),
        flat.compress(flat >= len(lefts)),
    )
    order = np.concatenate([side.reshape(len(order), -1) for side in sides], axis=1)
    return level.row[best.ranked[old]], order
