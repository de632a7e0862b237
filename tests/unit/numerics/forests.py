"""Tables and parameters for forests, and what it means that two forests are the same."""

import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree._tree import Tree

from heldout.numerics.sklearn_internals.forest_builder import Nursery, Whole

Rows = tuple[np.ndarray, np.ndarray]
CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [RandomForestRegressor, ExtraTreesRegressor]


def real(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.normal(size=(n, p))


def whole(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.integers(0, 4, size=(n, p)).astype(float)


def constant(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return np.where(np.arange(p) % 2, real(rng, n, p), 3.0)


def repeated_rows(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return real(rng, n, p)[rng.integers(0, max(1, n // 3), n)]


KINDS = [real, whole, constant, repeated_rows]


def plain(classification: bool) -> Rows:
    """Seven features; classes 0, 2 and 4, or numbers that are not negative."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(120, 7))
    score = features[:, 0] + rng.normal(size=120)
    return features, np.digitize(score, [-0.5, 0.7]) * 2 if classification else np.abs(score)


def table(kind: Any, seed: int, classification: bool) -> Rows:
    """From 2 to 300 rows, 1 to 20 features; 1 to 4 classes of which some codes are missing."""
    rng = np.random.default_rng(seed)
    n, p = int(np.exp(rng.uniform(np.log(2), np.log(300)))), int(rng.integers(1, 21))
    features = kind(rng, n, p)
    score = features[:, 0] + rng.normal(size=n)
    if not classification:
        return features, np.abs(score)
    classes = rng.integers(1, 5)
    return features, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes)) * 2


SHAPES: dict[str, list[Any]] = {
    "max_depth": [None, 1, 3, 8],
    "max_features": ["sqrt", "log2", None, 2, 0.5, 1.0],
    "max_leaf_nodes": [None, None, 2, 9],
    "min_impurity_decrease": [0.0, 0.0, 0.01],
    "min_samples_leaf": [1, 1, 3, 0.05],
    "min_samples_split": [2, 2, 7, 0.1],
    "min_weight_fraction_leaf": [0.0, 0.0, 0.03],
}
DRAWS: dict[str, list[Any]] = {"bootstrap": [True, True, False], "max_samples": [None, 0.5, 7]}
OF_CLASSES: dict[str, list[Any]] = {
    "criterion": ["gini", "entropy", "log_loss"],
    "class_weight": [None, None, "balanced", "balanced_subsample", {0: 1.0, 2: 2.5, 4: 0.1}],
}
OF_NUMBERS: dict[str, list[Any]] = {"criterion": ["squared_error", "absolute_error", "poisson"]}


def parameters(seed: int, classification: bool) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    choices = SHAPES | DRAWS | (OF_CLASSES if classification else OF_NUMBERS)
    given = {name: values[rng.integers(len(values))] for name, values in choices.items()}
    if not given["bootstrap"]:
        given["max_samples"] = None
    return given | {"random_state": int(rng.integers(2**32)), "n_estimators": 4}


# --- what makes forests the same ----------------------------------------------------------------


def assert_same(ours: Any, own: Any, where: str = "forest") -> None:
    """Every attribute in the same order, every node, every array to the bit."""
    assert type(ours) is type(own), where
    if isinstance(own, BaseEstimator):
        assert_same(vars(ours), vars(own), where)
    elif isinstance(own, Tree):
        assert_same(ours.__reduce__()[1:], own.__reduce__()[1:], where)
    elif isinstance(own, dict):
        assert list(ours) == list(own), where
        for name in own:
            assert_same(ours[name], own[name], f"{where}.{name}")
    elif isinstance(own, list | tuple):
        assert len(ours) == len(own), where
        for i, (one, other) in enumerate(zip(ours, own, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    elif isinstance(own, np.ndarray):
        assert (ours.dtype, ours.shape) == (own.dtype, own.shape), where
        np.testing.assert_array_equal(ours, own, where)
    else:
        assert ours == own, where


def assert_exact(model: Any, rows: Rows, nursery: Nursery, whole: Whole) -> Any:
    """Planted, and as scikit-learn fits it."""
    assert nursery._serves(model)
    ours = nursery.fit(model, whole)
    assert not hasattr(model, "estimators_"), "the model itself stays unfitted"
    assert_same(ours, copy.copy(model).fit(*rows))
    return ours
