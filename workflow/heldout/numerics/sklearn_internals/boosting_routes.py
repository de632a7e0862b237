"""What the rounds of a histogram-based model predict, from bins, tree by tree and split by split.

A split sends a row one way or the other by its bin. The comparison of a whole column of bins is one instruction for
many rows, so that all splits of a small tree take less time than the way of each row from the root to its leaf.
"""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from heldout.numerics.sklearn_internals.selfcheck import once, small_table

ROWS = 2**17
"""Rows that go through a tree together: their bins and marks stay in the processor's cache."""
FEW = 2**13
"""With fewer rows, calls take longer than the ways of single rows."""
LEAVES = 96
"""With more leaves, single rows are faster."""


def raw_predictions(
    model: Any, bins: np.ndarray, counts: Collection[int]
) -> Iterator[tuple[int, np.ndarray]]:
    """What `model._staged_raw_predict` gives after some numbers of rounds.

    Parameters
    ----------
    model
        A fitted histogram-based model.
    bins
        The bins of the rows, by column.
    counts
        Numbers of rounds.

    Yields
    ------
    tuple
        A number of rounds, and the predictions after it, with a column for each tree of a round.
    """
    shape = len(bins), model.n_trees_per_iteration_
    raw = np.zeros(shape, model._baseline_prediction.dtype, order="F")
    raw += model._baseline_prediction
    parts = [_Part(bins[start : start + ROWS], model) for start in range(0, len(bins), ROWS)]
    for number, trees in enumerate(model._predictors, start=1):
        for k, tree in enumerate(trees):
            for i, part in enumerate(parts):
                raw[i * ROWS : (i + 1) * ROWS, k] += part.values(tree)
        if number in counts:
            yield number, raw.copy()


class _Part:
    """Some rows, and marks of those with missing values."""

    def __init__(self, bins: np.ndarray, model: Any):
        self._bins = bins
        self.missing = int(model._bin_mapper.missing_values_bin_idx_)
        self._absent: dict[int, np.ndarray | None] = {}

    def values(self, tree: Any) -> np.ndarray:
        """The value of each row's leaf."""
        if len(self._bins) < FEW or len(tree.nodes) > 2 * LEAVES:
            found: np.ndarray = tree.predict_binned(self._bins, self.missing, 1)
            return found
        return self.routed(tree)

    def routed(self, tree: Any) -> np.ndarray:
        """The same, whatever the numbers of rows and leaves: the rows of each node are marked, split by split."""
        nodes = tree.nodes
        values: list[float] = []
        leaves = np.zeros(len(self._bins), np.min_scalar_type(len(nodes)))
        leaf, left, right = (nodes[name].tolist() for name in ("is_leaf", "left", "right"))
        todo: list[tuple[int, np.ndarray | None]] = [(0, None)]
        while todo:
            node, marked = todo.pop()
            if leaf[node]:
                if marked is not None and values:
                    leaves += np.multiply(marked, len(values), dtype=leaves.dtype)
                values.append(nodes["value"][node])
                continue
            goes_left = self._goes_left(tree, nodes[node])
            if marked is None:
                goes_right = goes_left ^ np.uint8(1)
            else:
                goes_left = goes_left & marked
                goes_right = goes_left ^ marked
            todo += [(right[node], goes_right), (left[node], goes_left)]
        return np.array(values).take(leaves)

    def _goes_left(self, tree: Any, node: Any) -> np.ndarray:
        feature = int(node["feature_idx"])
        column = self._bins[:, feature]
        if node["is_categorical"]:
            return self._by_category(tree, node).take(column)
        marks = np.less_equal(column, node["bin_threshold"])
        if node["missing_go_to_left"]:
            absent = self._absent_in(feature)
            marks = marks if absent is None else marks | absent
        return marks.view(np.uint8)

    def _by_category(self, tree: Any, node: Any) -> np.ndarray:
        """For each bin, whether it goes left; missing and unknown ones go where most rows went."""
        words = tree.binned_left_cat_bitsets[node["bitset_idx"]]
        bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
        bits[self.missing] = node["missing_go_to_left"]
        return bits

    def _absent_in(self, feature: int) -> np.ndarray | None:
        if feature not in self._absent:
            absent = self._bins[:, feature] == self.missing
            self._absent[feature] = absent if absent.any() else None
        return self._absent[feature]


@once
def is_exact(kind: type) -> bool:
    """Whether the predictions are those of scikit-learn's own functions."""
    rows, score = small_table(120, 4)
    rows[::7, 0] = np.nan
    rows[:, 2] = np.take(
        [2.0, 0.0, 3.0, 1.0], np.digitize(score, np.quantile(score, [0.2, 0.5, 0.8]))
    )
    rows[:, 1] = np.round(rows[:, 1])
    rows[::5, 2] = np.nan
    target = (score > 0).astype(int) if hasattr(kind, "predict_proba") else score
    given = {"max_leaf_nodes": 7, "min_samples_leaf": 3, "early_stopping": False, "random_state": 3}
    for categories in (None, [2]):
        model = kind(max_iter=3, categorical_features=categories, **given).fit(
            rows[:90], target[:90]
        )
        staged = list(model._staged_raw_predict(rows))
        bins = model._bin_mapper.transform(model._preprocess_X(rows, reset=False))
        part = _Part(bins, model)
        for tree in (tree for trees in model._predictors for tree in trees):
            if not np.array_equal(part.routed(tree), tree.predict_binned(bins, part.missing, 1)):
                return False
        ours = dict(raw_predictions(model, bins, {1, 3}))
        if not all(np.array_equal(ours[number], staged[number - 1]) for number in (1, 3)):
            return False
    return True
