"""Classification trees for many depth limits, exactly as separate fits would give them.

All nodes are grown once (`tree_growth`). Then, for each limit, the nodes are visited in the order in
which scikit-learn would grow them: this gives the order of the features at each node
(`feature_order`), which decides between equally good splits.
"""

import math
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import NODE_DTYPE, TREE_LEAF, TREE_UNDEFINED, Tree
from sklearn.utils import check_random_state

from heldout.numerics.sklearn_internals.feature_order import RANDOM_MAX, RandomNumbers, Visit
from heldout.numerics.sklearn_internals.selfcheck import once, small_table
from heldout.numerics.sklearn_internals.tree_growth import Graph, Limits, TooLargeError, grow
from heldout.numerics.sklearn_internals.tree_splits import NONE, gini

FREE_PARAMETERS = {
    "max_depth",
    "min_impurity_decrease",
    "min_samples_leaf",
    "min_samples_split",
    "random_state",
}
"""All other parameters must have their default values."""
FEWEST_DEPTHS = 3
"""Fewer depths are fitted faster one by one."""


def fit(models: list[Any], train: np.ndarray, target: np.ndarray) -> bool:
    """Fit models that differ only in max_depth.

    Parameters
    ----------
    models
        Unfitted trees.
    train, target
        The training rows.

    Returns
    -------
    bool
        Whether they were fitted; False, with nothing done, if that would not be exact or is not
        worth while.
    """
    if not _serves(models, train, target):
        return False
    try:
        trees = _trees(models, train, target)
    except TooLargeError:
        return False
    for model, tree in zip(models, trees, strict=True):
        _complete(model, tree, train, target)
    return True


def limit_of(model: Any) -> float:
    """The depth limit of a tree."""
    return math.inf if model.max_depth is None else float(model.max_depth)


def _serves(models: list[Any], train: Any, target: Any) -> bool:
    model = models[0]
    if type(model) is not DecisionTreeClassifier:
        return False
    if len(set(map(limit_of, models))) < FEWEST_DEPTHS:
        return False
    default = DecisionTreeClassifier().get_params()
    fixed = {k: v for k, v in model.get_params().items() if k not in FREE_PARAMETERS}
    return (
        all(_same(value, default[name]) for name, value in fixed.items())
        and isinstance(model.random_state, Integral)
        and isinstance(train, np.ndarray)
        and target.dtype.kind in "iu"
        and bool(np.isfinite(train.astype(np.float32)).all())
    )


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default


def _trees(models: list[Any], train: np.ndarray, target: np.ndarray) -> list[Tree]:
    """A tree for each model; a tree that does not reach its limit is the tree of all higher limits."""
    limits = [limit_of(model) for model in models]
    labels = np.unique(target, return_inverse=True)[1]
    graph = grow(train.astype(np.float32), labels, _limits(models[0], len(train), max(limits)))
    seed = check_random_state(models[0].random_state).randint(0, RANDOM_MAX)
    first = Visit(list(range(train.shape[1])), RandomNumbers(seed))
    trees: dict[float, Tree] = {}
    unlimited = None
    for limit in sorted(set(limits)):
        trees[limit] = unlimited or _tree(graph, _walk(graph, first, limit), train.shape[1])
        unlimited = trees[limit] if trees[limit].max_depth < limit else None
    return [trees[limit] for limit in limits]


def _limits(model: Any, rows: int, depth: float) -> Limits:
    """Shares of the rows turned into numbers of rows."""
    leaf, split = (
        int(value if isinstance(value, Integral) else math.ceil(value * rows))
        for value in (model.min_samples_leaf, model.min_samples_split)
    )
    return Limits(depth, max(2, split, 2 * leaf), leaf, model.min_impurity_decrease)


class _Walk(NamedTuple):
    """The nodes of a tree, depth first and left first; a leaf has no split and no right child."""

    node: list[int]
    split: list[int]
    right: list[int]
    depth: list[int]


def _walk(graph: Graph, visit: Visit, limit: float) -> _Walk:
    """Visit the nodes of the tree of a depth limit, in the order in which scikit-learn grows them."""
    walk = _Walk([], [], [], [])
    stack = [(0, 0, 0, NONE)]
    while stack:
        node, depth, n_known_constants, parent = stack.pop()
        position, split = len(walk.node), NONE
        if depth < limit and (search := graph.searches.get(node)):
            visit = visit.next(n_known_constants, search.constant)
            split = _chosen(search.splits, visit)
            if split != NONE:
                left, right = graph.children[split]
                n_constants = search.constant.count(1)
                stack.append((right, depth + 1, n_constants, position))
                stack.append((left, depth + 1, n_constants, NONE))
        if parent != NONE:
            walk.right[parent] = position
        walk.node.append(node)
        walk.split.append(split)
        walk.right.append(NONE)
        walk.depth.append(depth)
    return walk


def _chosen(splits: dict[int, int], visit: Visit) -> int:
    """Of equally good splits the one of the feature visited first."""
    if len(splits) > 1:
        return splits[visit.first(splits)]
    return next(iter(splits.values()), NONE)


def _tree(graph: Graph, walk: _Walk, features: int) -> Tree:
    """The nodes of a walk as scikit-learn keeps them."""
    split, right = np.array(walk.split), np.array(walk.right)
    inner = np.flatnonzero(split != NONE)
    counts = graph.counts[walk.node]
    size = counts.sum(axis=1)
    nodes = np.zeros(len(size), NODE_DTYPE)
    for child, position in (("left_child", inner + 1), ("right_child", right[inner])):
        nodes[child] = TREE_LEAF
        nodes[child][inner] = position
    for name, values in (("feature", graph.feature), ("threshold", graph.threshold)):
        nodes[name] = TREE_UNDEFINED
        nodes[name][inner] = values[split[inner]]
    nodes["impurity"] = gini(counts)
    nodes["n_node_samples"] = nodes["weighted_n_node_samples"] = size
    nodes["missing_go_to_left"][inner] = size[inner + 1] > size[right[inner]]
    tree = Tree(features, np.array([counts.shape[1]], np.intp), 1)
    tree.__setstate__(
        {
            "max_depth": max(walk.depth),
            "node_count": len(nodes),
            "nodes": nodes,
            "values": (counts / size[:, None])[:, None],
        }
    )
    return tree


def _complete(model: Any, tree: Tree, train: np.ndarray, target: np.ndarray) -> None:
    """Set the attributes that scikit-learn's fit would set."""
    model.n_features_in_ = train.shape[1]
    model.n_outputs_ = 1
    model.classes_ = np.unique(target)
    model.n_classes_ = np.intp(len(model.classes_))
    model.max_features_ = train.shape[1]
    model.tree_ = tree


# --- the self-check -------------------------------------------------------------------------------


@once
def is_exact() -> bool:
    """Whether trees of several depths are those of scikit-learn's own fits.

    In the first table nothing is tied. In the second most splits are tied and features become
    constant.
    """
    features, score = small_table(200, 6)
    return _agrees(features, np.digitize(score, [-0.5, 0.5])) and _agrees(*_tied_table())


def _tied_table() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    digits = generator.integers(0, 4, size=(240, 6))
    features = np.hstack([digits, digits[:, :3] == 0, digits[:, :3] != 0, -digits[:, 3:]])
    target = (digits[:, :3].sum(axis=1) + generator.integers(0, 4, size=240)) // 5
    return features.astype(float), target


def _agrees(train: np.ndarray, target: np.ndarray) -> bool:
    models = [DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (4, 8, None)]
    for model, tree in zip(models, _trees(models, train, target), strict=True):
        own, ours = model.fit(train, target).tree_.__getstate__(), tree.__getstate__()
        if not all(np.array_equal(own[part], ours[part]) for part in own):
            return False
    return True
