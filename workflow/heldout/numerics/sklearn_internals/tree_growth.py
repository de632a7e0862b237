"""Every node that a classification tree may need under any depth limit, grown level by level.

Which of several equally good features splits a node depends on the depth limit (`feature_order`), so
the children of all of them are grown. Nodes with the same rows are one node, whichever splits lead
to it.
"""

from typing import NamedTuple

import numpy as np

from heldout.numerics.sklearn_internals.tree_splits import (
    NONE,
    BestSplits,
    Level,
    Table,
    best_splits,
    constant_features,
    gini,
    improvements,
    level_of,
    partition,
    split_gains,
    thresholds,
)

EPSILON = float(np.finfo(np.float64).eps)
MAX_GROWTH, FEW_ROWS = 8, 1000
"""Ties may multiply the rows of a level by this factor, or bring them to so many."""
MAX_CELLS = 2**22
"""The largest number of rows of a level times features, because of memory."""


class TooLargeError(Exception):
    """Growing all depths at once would need more time or memory than separate fits."""


class Limits(NamedTuple):
    """When a node is not split."""

    depth: float
    """At this depth."""
    split: int
    """With fewer rows than this."""
    leaf: int
    """If a child had fewer rows than this."""
    decrease: float
    """If the impurity of the whole tree decreased by less than this."""


class Search(NamedTuple):
    """The result of searching a node for a split."""

    constant: bytes
    """By feature: 1 if it is constant."""
    splits: dict[int, int]
    """The number of the split by feature, for equally good features; NONE if the node is not split."""


class Graph(NamedTuple):
    """Nodes by number, the root first, and splits by number."""

    counts: np.ndarray
    """The class counts of each node."""
    searches: dict[int, Search]
    """By node, for those that are not leaves at every depth limit."""
    feature: np.ndarray
    """The feature of each split."""
    threshold: np.ndarray
    """The threshold of each split."""
    children: list[tuple[int, int]]
    """The left and the right child of each split."""


def grow(features: np.ndarray, labels: np.ndarray, limits: Limits) -> Graph:
    """Grow all nodes.

    Parameters
    ----------
    features
        Rows of float32 numbers.
    labels
        Their classes: 0, 1, …
    limits
        When a node is not split; `depth` is the largest depth limit.

    Raises
    ------
    TooLargeError
        If that would take too much time or memory.
    """
    if features.size > MAX_CELLS:
        raise TooLargeError
    growth = _Growth(Table.of(features), labels, limits)
    level, depth = growth.root(), 0
    while level.number.size and depth < limits.depth:
        level, depth = growth.children(level), depth + 1
    return growth.graph()


class _Growth:
    """Collects nodes and splits, level by level."""

    def __init__(self, table: Table, labels: np.ndarray, limits: Limits):
        self.table = table
        self.limits = limits
        self.one_hot = (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float64)
        self.row_keys = np.random.default_rng(0).integers(2**64, size=len(labels), dtype=np.uint64)
        self.numbers: dict[int, int] = {}
        self.counts: list[np.ndarray] = []
        nothing = np.zeros(0, np.intp)
        self.splits = [(nothing, np.zeros(0), nothing, nothing)]
        self.searches: dict[int, Search] = {}

    def graph(self) -> Graph:
        """All nodes and splits so far."""
        feature, threshold, left, right = (
            np.concatenate(parts) for parts in zip(*self.splits, strict=True)
        )
        children = list(zip(left.tolist(), right.tolist(), strict=True))
        return Graph(np.concatenate(self.counts), self.searches, feature, threshold, children)

    def root(self) -> Level:
        """The node with all rows, unless it is a leaf."""
        counts = self.one_hot.sum(axis=0)[None]
        _, inner = self._numbered(self.row_keys.sum()[None], counts, [True])
        return level_of(inner, counts[inner], np.arange(len(self.row_keys)), self.table.order)

    def children(self, level: Level) -> Level:
        """Split the nodes of a level; returns the next level."""
        one_hot = self.one_hot[level.row]
        gains = split_gains(self.table, level, np.ascontiguousarray(one_hot.T), self.limits.leaf)
        best = best_splits(level, gains)
        counts = best.sums(one_hot)
        improvement = improvements(level.counts[best.node], counts, len(self.row_keys))
        useful = np.repeat(improvement + EPSILON >= self.limits.decrease, 2).tolist()
        number, inner = self._numbered(best.sums(self.row_keys[level.row]), counts, useful)
        self._record(level, best, number)
        rows, most = counts[inner].sum(), max(FEW_ROWS, MAX_GROWTH * len(self.row_keys))
        if rows > most or rows * len(level.order) > MAX_CELLS:
            raise TooLargeError
        return level_of(number[inner], counts[inner], *partition(level, best, inner))

    def _numbered(
        self, keys: np.ndarray, counts: np.ndarray, useful: list[bool]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of children, and which of them are new and not leaves, left children first.

        Nodes have the same rows if the sums of their rows' random keys are equal.
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
        inner = first[(gini(new) > EPSILON) & (new.sum(axis=1) >= self.limits.split)]
        return number, inner[np.argsort(inner % 2, kind="stable")]

    def _record(self, level: Level, best: BestSplits, number: np.ndarray) -> None:
        """Keep the splits of a level and the result of the search of each node."""
        base = sum(len(feature) for feature, *_ in self.splits)
        left, right = number[0::2], number[1::2]
        self.splits.append((best.feature, thresholds(self.table, level, best), left, right))
        split = np.where(left == NONE, NONE, base + np.arange(len(left))).tolist()
        by_feature = list(zip(best.feature.tolist(), split, strict=True))
        constant = constant_features(self.table, level)
        ends = np.searchsorted(best.node, np.arange(len(level.number) + 1)).tolist()
        for i, node in enumerate(level.number.tolist()):
            splits = dict(by_feature[ends[i] : ends[i + 1]])
            self.searches[node] = Search(constant[i].tobytes(), splits)
