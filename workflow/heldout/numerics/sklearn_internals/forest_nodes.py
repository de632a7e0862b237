"""The nodes of a forest's trees, from scikit-learn's own builders without the ado around them.

What this module imports from scikit-learn is private and may change: `planting` imports it only
where it can do without, and compares its trees with those of scikit-learn's own fits.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble._forest import _generate_sample_indices
from sklearn.tree._classes import CRITERIA_CLF, CRITERIA_REG, DENSE_SPLITTERS
from sklearn.tree._tree import BestFirstTreeBuilder, DepthFirstTreeBuilder, Tree
from sklearn.utils.class_weight import compute_sample_weight

UNLIMITED = np.iinfo(np.int32).max
ROOM = 2**26
"""The bytes of bootstrap weights that are kept for the next forest."""


class Limits(NamedTuple):
    """Where trees end, in numbers: shares of rows and of features are turned into counts."""

    features: int
    leaf: int
    split: int
    depth: int


class Soil:
    """Training rows as trees take them, for forests that draw and weigh the rows alike.

    `forest` was fitted to the rows (float32) by scikit-learn; its first tree has all but the nodes.
    """

    def __init__(self, forest: Any, features: np.ndarray, target: np.ndarray):
        self.forest, self.tree = forest, forest.estimators_[0]
        self._features = features
        self._labels = hasattr(self.tree, "classes_")
        self._classes = np.atleast_1d(getattr(self.tree, "n_classes_", np.intp(1)))
        codes = np.unique(target, return_inverse=True)[1] if self._labels else target
        self._target = np.ascontiguousarray(codes, np.float64).reshape(-1, 1)
        self._random = np.random.RandomState(0)  # seeded for each tree: a new one takes 0.1 ms
        self._drawn: dict[int, np.ndarray] = {}

    def seeds(self, count: int) -> list[int]:
        """The `random_state` of each tree."""
        self._random.seed(self.forest.random_state)
        return self._random.randint(np.iinfo(np.int32).max, size=count).tolist()

    def limits(self, forest: Any) -> Limits:
        """As a tree's `_fit` counts them."""
        rows, columns = self._features.shape
        leaf, split = (
            math.ceil(value * rows) if isinstance(value, float) else value
            for value in (forest.min_samples_leaf, forest.min_samples_split)
        )
        depth = UNLIMITED if forest.max_depth is None else forest.max_depth
        return Limits(_features(forest.max_features, columns), leaf, max(2, split, 2 * leaf), depth)

    def grow(self, forest: Any, limits: Limits, seed: int) -> Tree:
        """The nodes of the tree that has this `random_state`."""
        weights = self._weights(seed)
        lightest = self._lightest(forest.min_weight_fraction_leaf, weights)
        splitter = self._splitter(forest.criterion, limits, lightest, seed)
        ends = splitter, limits.split, limits.leaf, lightest, limits.depth
        if forest.max_leaf_nodes is None:
            builder = DepthFirstTreeBuilder(*ends, forest.min_impurity_decrease)
        else:
            leaves = forest.max_leaf_nodes
            builder = BestFirstTreeBuilder(*ends, leaves, forest.min_impurity_decrease)
        tree = Tree(self._features.shape[1], self._classes, 1)
        builder.build(tree, self._features, self._target, weights, None)
        return tree

    def _splitter(self, criterion: str, limits: Limits, lightest: float, seed: int) -> Any:
        rows = len(self._target)
        measure = (
            CRITERIA_CLF[criterion](1, self._classes)
            if self._labels
            else CRITERIA_REG[criterion](1, rows)
        )
        self._random.seed(seed)  # the splitter draws from it when the tree is built
        make = DENSE_SPLITTERS[self.tree.splitter]
        return make(measure, limits.features, limits.leaf, lightest, self._random, None)

    def _lightest(self, share: float, weights: np.ndarray | None) -> float:
        """The weight that a leaf must have."""
        if share == 0:
            return 0.0
        return share * (len(self._target) if weights is None else np.sum(weights))

    def _weights(self, seed: int) -> np.ndarray | None:
        """How often the tree sees each row, or what the row weighs; None if all are alike."""
        if not self.forest.bootstrap:
            return self.forest._sample_weight
        if seed in self._drawn:
            return self._drawn[seed]
        weights = self._draw(seed)
        if (len(self._drawn) + 1) * weights.nbytes <= ROOM:
            self._drawn[seed] = weights
        return weights

    def _draw(self, seed: int) -> np.ndarray:
        rows, forest = len(self._target), self.forest
        self._random.seed(seed)
        drawn = _generate_sample_indices(
            self._random, rows, forest._n_samples_bootstrap, forest._sample_weight
        )
        weights = np.bincount(drawn, minlength=rows)
        if getattr(forest, "class_weight", None) == "balanced_subsample":
            weights = weights * compute_sample_weight("balanced", self._target, indices=drawn)
        return weights.astype(np.float64)


def _features(given: Any, columns: int) -> int:
    """How many features are tried at each split."""
    if given is None:
        return columns
    if isinstance(given, str):
        return max(1, int({"sqrt": np.sqrt, "log2": np.log2}[given](columns)))
    return max(1, int(given * columns)) if isinstance(given, float) else given
