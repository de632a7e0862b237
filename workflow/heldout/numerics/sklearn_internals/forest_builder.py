"""Forests with less ado: tree for tree, and bit for bit, those of scikit-learn's own fits.

scikit-learn spends 0.7 ms on every tree besides growing it: it copies and checks an estimator,
encodes the target again, makes three random generators. On a small table that is most of the fit.
Here scikit-learn fits one stump per training set, which has everything but the nodes; the trees are
copies of it, with nodes grown by scikit-learn's own builders (`saplings`).
"""

import copy
from collections.abc import Iterator
from functools import cache, cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

if TYPE_CHECKING:
    from heldout.numerics.sklearn_internals.forest_nodes import Limits, Soil

FORESTS = (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
SHAPE = {
    "max_depth",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "min_samples_leaf",
    "min_samples_split",
    "min_weight_fraction_leaf",
    "n_estimators",
}
"""What changes the nodes, and nothing else that a fit leaves behind but `max_features_`."""
FREE = {*SHAPE, "bootstrap", "class_weight", "criterion", "max_samples", "random_state"}
"""All other parameters must have their default values."""
WORTHWHILE = 3
"""Fewer trees are fitted as fast by scikit-learn."""
COMPARED = 1000
"""The number of rows, about, on which forests are compared with scikit-learn's."""

_exact: dict[tuple, bool] = {}
"""By kind of forest: whether scikit-learn grew the same the first time that this process asked."""

Whole = dict[int, Any]
"""The nodes of trees that no limit of depth has touched, by the tree's number."""


class Nursery:
    """Fits forests to one training set; what they have in common is made once."""

    def __init__(self, train: Any, target: np.ndarray):
        self._train, self._target = train, target
        self._soils: dict[str, Soil] = {}

    def fit(self, model: Any, whole: Whole) -> Any:
        """The forest that `model.fit` would give.

        `whole` belongs to models that differ in max_depth and n_estimators only: a tree that ends
        above its limit is the same for every limit below its end.
        """
        if self._serves(model) and self._is_exact(model):
            return self.plant(model, whole)
        return copy.copy(model).fit(self._train, self._target)

    def plant(self, model: Any, whole: Whole) -> Any:
        """The forest as copies of a stump, each with nodes of its own."""
        soil = self._soil(model)
        limits = soil.limits(model)
        given = {name: getattr(model, name) for name in model.estimator_params}
        stump = {**vars(soil.tree), **given, "max_features_": limits.features}
        forest = copy.copy(soil.forest)
        forest.__dict__.update(_parameters(model), estimators_=[])
        for seed, nodes in _grown(soil, model, limits, whole):
            tree = object.__new__(type(soil.tree))
            tree.__dict__ = {**stump, "random_state": seed, "tree_": nodes}
            forest.estimators_.append(tree)
        return forest

    def _soil(self, model: Any) -> "Soil":
        """Shared by forests that differ in their SHAPE only."""
        from heldout.numerics.sklearn_internals.forest_nodes import Soil

        name = repr([item for item in _parameters(model).items() if item[0] not in SHAPE])
        if name not in self._soils:
            stump = copy.copy(model)
            stump.n_estimators = stump.max_depth = 1
            stump.fit(self._features, self._target)
            self._soils[name] = Soil(stump, self._features, self._target)
        return self._soils[name]

    def _serves(self, model: Any) -> bool:
        if type(model) not in FORESTS or model.n_estimators < WORTHWHILE:
            return False
        default = _defaults(model.__class__)
        return (
            all(_same(getattr(model, name), default[name]) for name in set(default) - FREE)
            and isinstance(model.random_state, Integral)
            and type(self._train) is np.ndarray
            and self._target.ndim == 1
            and self._is_finite
        )

    @cached_property
    def _features(self) -> np.ndarray:
        return np.ascontiguousarray(self._train, np.float32)

    @cached_property
    def _is_finite(self) -> bool:
        return bool(np.isfinite(self._features).all())

    def _is_exact(self, model: Any) -> bool:
        kind = _kind(model)
        if kind not in _exact:
            step = 1 + len(self._train) // COMPARED
            _exact[kind] = _agrees(model, self._train[::step], self._target[::step])
        return _exact[kind]


def _grown(soil: "Soil", model: Any, limits: "Limits", whole: Whole) -> Iterator[tuple[int, Any]]:
    """Each tree's seed and nodes."""
    for number, seed in enumerate(soil.seeds(model.n_estimators)):
        nodes = whole.get(number)
        if nodes is None or nodes.max_depth >= limits.depth:
            nodes = soil.grow(model, limits, seed)
        if nodes.max_depth < limits.depth:
            whole[number] = nodes
        yield seed, nodes


@cache
def _defaults(kind: type) -> dict[str, Any]:
    return kind().get_params()


def _parameters(model: Any) -> dict[str, Any]:
    """As `get_params`, which looks at the signature every time."""
    return {name: getattr(model, name) for name in _defaults(model.__class__)}


# --- the safety net: another scikit-learn might grow other forests --------------------------------


def _kind(model: Any) -> tuple:
    """Which way parameters lead through scikit-learn's code, and through ours."""
    return type(model), *(
        value if isinstance(value, str | bool) else type(value)
        for value in _parameters(model).values()
    )


def _agrees(model: Any, train: np.ndarray, target: np.ndarray) -> bool:
    """Whether two trees, and the forest around them, are those of scikit-learn's own fit."""
    few = copy.copy(model)
    few.n_estimators = 2
    try:
        return _same(Nursery(train, target).plant(few, {}), copy.copy(few).fit(train, target))
    except Exception:  # whatever it is, scikit-learn's own fit will do or say what is wrong
        return False


def _same(one: Any, other: Any) -> bool:
    """Of one type and, all the way down, of one value."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(_same, one.values(), other.values()))
    if isinstance(one, BaseEstimator):
        return _same(vars(one), vars(other))
    if hasattr(one, "node_count"):
        return _same(one.__getstate__(), other.__getstate__())
    return bool(one == other)
