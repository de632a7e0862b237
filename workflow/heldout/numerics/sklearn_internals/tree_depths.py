"""Classification trees for many depth limits, exactly as separate fits would give them.

All nodes are grown once (`growth`). Then, for each limit, the tree is walked through as scikit-learn
would grow it: this gives the order of the features at each node (`visits`), which settles ties.
"""

import math
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import NODE_DTYPE, TREE_LEAF, TREE_UNDEFINED, Tree
from sklearn.utils import check_random_state

from heldout.numerics.sklearn_internals.feature_order import RANDOM_MAX, Draws, Visit
from heldout.numerics.sklearn_internals.tree_growth import (
    NONE,
    Graph,
    Limits,
    TooLargeError,
    gini,
    grow,
)

FREE = {
    "max_depth",
    "min_impurity_decrease",
    "min_samples_leaf",
    "min_samples_split",
    "random_state",
}
"""All other parameters must have their default values."""
WORTHWHILE = 3
"""Fewer depths are fitted faster one by one."""

_exact: bool | None = None
"""Whether scikit-learn grew the same trees the first time that this process asked."""


def fit(models: list[Any], train: np.ndarray, target: np.ndarray) -> bool:
    """Fit models that differ in max_depth only; False, with nothing done, if that cannot be exact."""
    global _exact
    if _exact is False or not _serves(models, train, target):
        return False
    try:
        trees = _trees(models, train, target)
        if _exact is None:
            _exact = _agrees(models, trees, train, target) and _agrees_on_ties()
    except TooLargeError:
        return False
    if _exact:
        for model, tree in zip(models, trees, strict=True):
            _complete(model, tree, train, target)
    return _exact


def limit_of(model: Any) -> float:
    """The depth limit of a tree."""
    return math.inf if model.max_depth is None else float(model.max_depth)


def _serves(models: list[Any], train: Any, target: Any) -> bool:
    model = models[0]
    if type(model) is not DecisionTreeClassifier or len(set(map(limit_of, models))) < WORTHWHILE:
        return False
    default = DecisionTreeClassifier().get_params()
    return (
        all(_same(value, default[k]) for k, value in model.get_params().items() if k not in FREE)
        and isinstance(model.random_state, Integral)
        and isinstance(train, np.ndarray)
        and target.dtype.kind in "iu"
        and bool(np.isfinite(train.astype(np.float32)).all())
    )


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default


def _trees(models: list[Any], train: np.ndarray, target: np.ndarray) -> list[Tree]:
    """A tree for each model; a tree that does not reach its limit is the tree of all higher ones."""
    limits = [limit_of(model) for model in models]
    labels = np.unique(target, return_inverse=True)[1]
    graph = grow(train.astype(np.float32), labels, _limits(models[0], len(train), max(limits)))
    seed = check_random_state(models[0].random_state).randint(0, RANDOM_MAX)
    first = Visit(list(range(train.shape[1])), Draws(seed))
    trees: dict[float, Tree] = {}
    whole = None
    for limit in sorted(set(limits)):
        trees[limit] = whole or _tree(graph, _walk(graph, first, limit), train.shape[1])
        whole = trees[limit] if trees[limit].max_depth < limit else None
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
    """Through the tree of a depth limit, in the order in which scikit-learn grows it."""
    walk = _Walk([], [], [], [])
    waiting = [(0, 0, 0, NONE)]
    while waiting:
        node, depth, known, parent = waiting.pop()
        here, split = len(walk.node), NONE
        if depth < limit and (search := graph.searches.get(node)):
            visit = visit.next(known, search.constant)
            split = _chosen(search.splits, visit)
            if split != NONE:
                left, right = graph.children[split]
                known = search.constant.count(1)
                waiting += (right, depth + 1, known, here), (left, depth + 1, known, NONE)
        if parent != NONE:
            walk.right[parent] = here
        walk.node.append(node)
        walk.split.append(split)
        walk.right.append(NONE)
        walk.depth.append(depth)
    return walk


def _chosen(splits: dict[int, int], visit: Visit) -> int:
    """Of equally good splits that of the feature visited first."""
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
    for child, place in (("left_child", inner + 1), ("right_child", right[inner])):
        nodes[child] = TREE_LEAF
        nodes[child][inner] = place
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
    """Give the model what scikit-learn's fit would give it."""
    model.n_features_in_ = train.shape[1]
    model.n_outputs_ = 1
    model.classes_ = np.unique(target)
    model.n_classes_ = np.intp(len(model.classes_))
    model.max_features_ = train.shape[1]
    model.tree_ = tree


# --- the safety net: another scikit-learn might grow other trees ----------------------------------


def _agrees(models: list[Any], trees: list[Tree], train: np.ndarray, target: np.ndarray) -> bool:
    """Whether the deepest tree and the one in the middle are those of scikit-learn's own fits."""
    by_limit = sorted(range(len(models)), key=lambda i: limit_of(models[i]))
    for i in by_limit[-1], by_limit[len(models) // 2]:
        own, ours = (
            clone(models[i]).fit(train, target).tree_.__getstate__(),
            trees[i].__getstate__(),
        )
        if not all(np.array_equal(own[part], ours[part]) for part in own):
            return False
    return True


def _agrees_on_ties() -> bool:
    """The same for a table in which most splits are tied and features become constant."""
    generator = np.random.default_rng(0)
    digits = generator.integers(0, 4, size=(240, 6))
    train = np.hstack([digits, digits[:, :3] == 0, digits[:, :3] != 0, -digits[:, 3:]]).astype(
        float
    )
    target = (digits[:, :3].sum(axis=1) + generator.integers(0, 4, size=240)) // 5
    models = [DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (4, 8, None)]
    return _agrees(models, _trees(models, train, target), train, target)
