"""Every node that a classification tree may need under any depth limit, grown level by level.

Which of several equally good features splits a node depends on the depth limit (see `visits`), so
all of them are grown. Nodes with the same rows are one node, whatever way leads there.

Numbers are scikit-learn's to the last bit: class counts are whole, the Gini index is computed by
its operations in its order, and values are compared as it compares them.
"""

from typing import NamedTuple

import numpy as np

NONE = -1
"""Stands where there is no split, and no child."""
GAP = np.float32(1e-7)
"""No split between two values of a feature that differ by no more than this."""
EPSILON = float(np.finfo(np.float64).eps)
BLOCK = 2**15
"""So many numbers are handled at once: they fit into the processor's cache."""
SPREAD, FEW = 8, 1000
"""Ties may multiply the rows of a level by this, or bring them to so many."""
CELLS = 2**22
"""The rows of a level times the features: no more, for the sake of memory."""


class TooLargeError(Exception):
    """One growth would need more time or memory than separate fits."""


class Limits(NamedTuple):
    """What keeps a node from being split: its depth, few rows, few rows of a child, little use."""

    depth: float
    split: int
    leaf: int
    decrease: float


class Search(NamedTuple):
    """What the search for a split finds in a node."""

    constant: bytes
    """By feature: 1 if it is constant."""
    splits: dict[int, int]
    """By feature, the number of its split, for the best ones; NONE if it is of no use."""


class Graph(NamedTuple):
    """Nodes by number, the root first, and splits by number."""

    counts: np.ndarray
    searches: dict[int, Search]
    """Of the nodes that are searched for a split unless they lie at the depth limit."""
    feature: np.ndarray
    threshold: np.ndarray
    children: list[tuple[int, int]]


def grow(features: np.ndarray, labels: np.ndarray, limits: Limits) -> Graph:
    """All nodes for float32 features and labels 0, 1, …"""
    if features.size > CELLS:
        raise TooLargeError
    growth = _Growth(_Table.of(features), labels, limits)
    level, depth = growth.root(), 0
    while level.number.size and depth < limits.depth:
        level, depth = growth.children(level), depth + 1
    return growth.graph()


def gini(counts: np.ndarray) -> np.ndarray:
    """The impurity of nodes, from a row of class counts for each."""
    size = counts.sum(axis=1)
    return 1.0 - (counts * counts).sum(axis=1) / (size * size)


class _Table(NamedTuple):
    """The features, one a row."""

    columns: np.ndarray
    order: np.ndarray
    """The rows by rising values of each feature."""
    close: np.ndarray
    """Whether a feature has values that are too close to be split."""

    @classmethod
    def of(cls, features: np.ndarray) -> "_Table":
        columns = np.ascontiguousarray(features.T)
        order = np.argsort(columns, axis=1)
        values = np.take_along_axis(columns, order, axis=1)
        close = np.any(_too_close(values[:, :-1], values[:, 1:]), axis=1)
        return cls(columns, order, close)

    def values(self, feature: np.ndarray, row: np.ndarray) -> np.ndarray:
        return self.columns.ravel().take(feature * self.columns.shape[1] + row)


def _too_close(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.less_equal(high, low + GAP)


class _Level(NamedTuple):
    """The nodes of one depth that are searched for a split.

    A place is a row in a node; the places of a node are neighbours, the first at `start`. For each
    feature, `order` has the places, node by node, by rising values of the feature.
    """

    number: np.ndarray
    counts: np.ndarray
    size: np.ndarray
    start: np.ndarray
    row: np.ndarray
    order: np.ndarray


class _Best(NamedTuple):
    """The best splits of a level's nodes, ties included.

    A split has a cell for each place of its node, from `start` on; `owner` is the split of a cell.
    `place` has the places as numbered, `ranked` by rising values of the split's feature; there,
    `cut` is the first cell that goes right.
    """

    node: np.ndarray
    feature: np.ndarray
    start: np.ndarray
    cut: np.ndarray
    owner: np.ndarray
    place: np.ndarray
    ranked: np.ndarray

    def sums(self, by_place: np.ndarray) -> np.ndarray:
        """Sums over the children: left and right of the first split, of the second, …"""
        edges = np.stack([self.start, self.cut], axis=1).ravel()
        return np.add.reduceat(by_place[self.ranked], edges, axis=0)


class _Growth:
    """Collects nodes and splits, level by level."""

    def __init__(self, table: _Table, labels: np.ndarray, limits: Limits):
        self.table = table
        self.limits = limits
        self.member = (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float64)
        self.key = np.random.default_rng(0).integers(2**64, size=len(labels), dtype=np.uint64)
        self.numbers: dict[int, int] = {}
        self.counts: list[np.ndarray] = []
        nothing = np.zeros(0, np.intp)
        self.splits = [(nothing, np.zeros(0), nothing, nothing)]
        self.searches: dict[int, Search] = {}

    def graph(self) -> Graph:
        """All that has grown."""
        feature, threshold, left, right = (
            np.concatenate(parts) for parts in zip(*self.splits, strict=True)
        )
        children = list(zip(left.tolist(), right.tolist(), strict=True))
        return Graph(np.concatenate(self.counts), self.searches, feature, threshold, children)

    def root(self) -> _Level:
        """The node with all rows, unless it is a leaf."""
        counts = self.member.sum(axis=0)[None]
        _, born = self._numbered(self.key.sum()[None], counts, [True])
        return _level(born, counts[born], np.arange(len(self.key)), self.table.order)

    def children(self, level: _Level) -> _Level:
        """Split the nodes of a level: the next level."""
        member = self.member[level.row]
        gains = _gains(self.table, level, np.ascontiguousarray(member.T), self.limits.leaf)
        best = _best_splits(level, gains)
        counts = best.sums(member)
        improvement = _improvement(level.counts[best.node], counts, len(self.key))
        useful = np.repeat(improvement + EPSILON >= self.limits.decrease, 2).tolist()
        number, born = self._numbered(best.sums(self.key[level.row]), counts, useful)
        self._record(level, best, number)
        rows, most = counts[born].sum(), max(FEW, SPREAD * len(self.key))
        if rows > most or rows * len(level.order) > CELLS:
            raise TooLargeError
        return _level(number[born], counts[born], *_partition(level, best, born))

    def _numbered(
        self, keys: np.ndarray, counts: np.ndarray, useful: list[bool]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Numbers for children, and which of them are new and not leaves, left ones first.

        Nodes are told apart by the sums of their rows' random keys.
        """
        known = len(self.numbers)
        number = np.array(
            [
                self.numbers.setdefault(key, len(self.numbers)) if use else NONE
                for key, use in zip(keys.tolist(), useful, strict=True)
            ],
            np.intp,
        )
        distinct, first = np.unique(number, return_index=True)
        first = first[distinct >= known]
        new = counts[first]
        self.counts.append(new)
        born = first[(gini(new) > EPSILON) & (new.sum(axis=1) >= self.limits.split)]
        return number, born[np.argsort(born % 2, kind="stable")]

    def _record(self, level: _Level, best: _Best, number: np.ndarray) -> None:
        """Keep the splits of a level, and what the search of each node has found."""
        base = sum(len(feature) for feature, *_ in self.splits)
        left, right = number[0::2], number[1::2]
        self.splits.append((best.feature, _thresholds(self.table, level, best), left, right))
        split = np.where(left == NONE, NONE, base + np.arange(len(left))).tolist()
        found = list(zip(best.feature.tolist(), split, strict=True))
        constant = _constant(self.table, level)
        ends = np.searchsorted(best.node, np.arange(len(level.number) + 1)).tolist()
        for i, node in enumerate(level.number.tolist()):
            splits = dict(found[ends[i] : ends[i + 1]])
            self.searches[node] = Search(constant[i].tobytes(), splits)


def _level(number: np.ndarray, counts: np.ndarray, row: np.ndarray, order: np.ndarray) -> _Level:
    size = counts.sum(axis=1).astype(np.intp)
    return _Level(number, counts, size, np.cumsum(size) - size, row, order)


def _improvement(parents: np.ndarray, children: np.ndarray, rows: int) -> np.ndarray:
    """By how much each split lowers the impurity of the whole tree."""
    size = parents.sum(axis=1)
    share = children.sum(axis=1) / np.repeat(size, 2) * gini(children)
    return size / rows * (gini(parents) - share[1::2] - share[0::2])


def _thresholds(table: _Table, level: _Level, best: _Best) -> np.ndarray:
    """Halfway between the values on both sides of the cut."""
    row = level.row[best.ranked]
    below, above = (
        table.values(best.feature, row[cell]).astype(np.float64)
        for cell in (best.cut - 1, best.cut)
    )
    return below / 2.0 + above / 2.0


def _constant(table: _Table, level: _Level) -> np.ndarray:
    """By node and feature: 1 where the feature is constant."""
    feature = np.arange(len(level.order))[:, None]
    low, high = (
        table.values(feature, level.row[level.order[:, place]])
        for place in (level.start, level.start + level.size - 1)
    )
    return np.ascontiguousarray(_too_close(low, high).T.astype(np.uint8))


def _gains(table: _Table, level: _Level, member: np.ndarray, leaf: int) -> np.ndarray:
    """By feature and place: minus the impurity after a cut behind it; -inf where none may be."""
    node = np.repeat(np.arange(len(level.size)), level.size)
    before = (np.cumsum(level.counts, axis=0) - level.counts).T[:, node]
    total = level.counts.T[:, node]
    n_left = np.arange(1.0, len(node) + 1) - level.start[node]
    n_right = level.size[node] - n_left
    barrier = np.where((n_left >= leaf) & (n_right >= leaf), 0.0, -np.inf)
    gains = np.empty(level.order.shape)
    step = max(1, BLOCK // len(node))
    for i in range(0, len(gains), step):
        order, gain = level.order[i : i + step], gains[i : i + step]
        left = [np.cumsum(of_class.take(order), axis=1) for of_class in member[1:]]
        for k, count in enumerate(left, 1):
            count -= before[k]
        right = [total[k] - count for k, count in enumerate(left, 1)]
        np.add(_minus_impurity(right, n_right), _minus_impurity(left, n_left), out=gain)
        gain += barrier
        if table.close[i : i + step].any():
            feature = np.arange(i, i + len(order))[:, None]
            values = table.values(feature, level.row.take(order))
            np.copyto(gain[:, :-1], -np.inf, where=_too_close(values[:, :-1], values[:, 1:]))
    return gains


def _minus_impurity(counts: list[np.ndarray], size: np.ndarray) -> np.ndarray:
    """Minus size times Gini index, from the counts of all classes but the first; spoils them."""
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


def _best_splits(level: _Level, gains: np.ndarray) -> _Best:
    """For each node all features that split it best, each at its first best cut."""
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
    return _Best(node, feature, start, cut, owner, place, level.order.ravel()[cell])


def _partition(level: _Level, best: _Best, born: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and order of the born children; within a child each feature keeps its order."""
    wanted = np.zeros(2 * len(best.node), bool)
    wanted[born] = True
    right = np.arange(len(best.owner)) >= best.cut[best.owner]
    stays = wanted[2 * best.owner + right]
    lefts, rights = np.flatnonzero(stays & ~right), np.flatnonzero(stays & right)
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
