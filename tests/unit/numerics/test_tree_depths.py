"""All depths of a tree grown at once: bit for bit the trees of scikit-learn's own fits.

The tests go to `tree_depths` itself: the engine would hide a wrong tree by fitting with scikit-learn.
"""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fitting import fit, numbers
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.learners.grid import expand
from heldout.learners.learner import define
from heldout.numerics.pipeline import Builder
from heldout.numerics.problem import Problem
from heldout.numerics.sklearn_internals import tree_depths, tree_growth, tree_splits
from heldout.numerics.sklearn_internals.feature_order import RandomNumbers, Visit

Rows = tuple[np.ndarray, np.ndarray]
DEPTHS = [*range(1, 13), None]


# --- tables -------------------------------------------------------------------------------------


def _real(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.normal(size=(n, p))


def _whole(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.integers(0, rng.integers(2, 12), size=(n, p)).astype(float)


def _rare(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Yes or no, often nearly always no: constant in most nodes."""
    return (rng.random((n, p)) < rng.uniform(0.02, 0.5, p)).astype(float)


def _one_hot(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    sizes = rng.integers(2, 6, size=max(1, p // 3))
    return np.hstack([np.eye(size)[rng.integers(0, size, n)] for size in sizes])


def _mixed(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return np.hstack([_real(rng, n, p), _rare(rng, n, p), np.ones((n, 1))])[:, -p:]


def _twice(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Each feature again, some with the other sign: equally good splits in every node."""
    half = _real(rng, n, (p + 1) // 2)
    return np.hstack([half, half * rng.choice([-1, 1, 2], half.shape[1])])[:, :p]


def _repeated_rows(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return _real(rng, n, p)[rng.integers(0, max(1, n // 3), n)]


def _close(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Values about as far apart as scikit-learn still tells apart."""
    return _real(rng, n, p).round(1) + rng.integers(0, 4, (n, p)) * 6e-8


KINDS = [_real, _whole, _rare, _one_hot, _mixed, _twice, _repeated_rows, _close]


def table(kind: Any, seed: int) -> Rows:
    """From 5 to 1000 rows, 1 to 40 features, 1 to 5 classes, labels that contradict each other."""
    rng = np.random.default_rng(seed)
    n, p = int(np.exp(rng.uniform(np.log(5), np.log(1000)))), int(rng.integers(1, 41))
    features = kind(rng, n, p)
    score = features[:, 0] + rng.normal(size=n) * rng.choice([0.1, 1, 10])
    classes = rng.choice([1, 2, 2, 2, 3, 5])
    target = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    return features, target * 2


def parameters(seed: int) -> dict[str, Any]:
    """Mostly the defaults."""
    rng = np.random.default_rng(seed)
    choices = {
        "min_samples_leaf": [1, 1, 1, 2, 5, 0.02],
        "min_samples_split": [2, 2, 2, 9, 0.1],
        "min_impurity_decrease": [0.0, 0.0, 0.0, 1e-3, 1e-2],
    }
    given: dict[str, Any] = {k: values[rng.integers(len(values))] for k, values in choices.items()}
    return {**given, "random_state": int(rng.integers(2**32))}


# --- all depths at once equal separate fits ------------------------------------------------------------


def models_for(limits: list[int | None], **given: Any) -> list[Any]:
    return [DecisionTreeClassifier(max_depth=limit, **given) for limit in limits]


def assert_same(ours: Any, own: Any, features: np.ndarray) -> None:
    """Every node, every attribute, every prediction."""
    one, other = ours.tree_.__getstate__(), own.tree_.__getstate__()
    assert one["max_depth"] == other["max_depth"]
    assert one["nodes"].dtype == other["nodes"].dtype
    for name in other["nodes"].dtype.names:
        np.testing.assert_array_equal(one["nodes"][name], other["nodes"][name], name)
    np.testing.assert_array_equal(one["values"], other["values"])
    assert list(vars(ours)) == list(vars(own))
    for name in set(vars(own)) - {"tree_"}:
        value, expected = getattr(ours, name), getattr(own, name)
        assert type(value) is type(expected)
        np.testing.assert_array_equal(value, expected, name)
    np.testing.assert_array_equal(ours.predict_proba(features), own.predict_proba(features))
    np.testing.assert_array_equal(ours.predict(features), own.predict(features))


def assert_exact(rows: Rows, limits: list[int | None], **given: Any) -> None:
    ours = models_for(limits, **given)
    assert tree_depths.fit(ours, *rows)
    for model, own in zip(ours, models_for(limits, **given), strict=True):
        assert_same(model, own.fit(*rows), rows[0])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_all_depths_at_once_give_the_trees_of_separate_fits(kind: Any) -> None:
    for seed in range(20):
        assert_exact(table(kind, seed), DEPTHS, **parameters(seed))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_many_seeds_break_ties_in_many_ways(kind: Any) -> None:
    rows = table(kind, 35)
    for seed in [0, 1, 2, 3, 2**32 - 1]:
        assert_exact(rows, DEPTHS, random_state=seed)


@pytest.mark.parametrize(
    "limits", [[7, 2, None, 2, 1], [None, 500, 30, 40], [3, 3, 1, 2, 3], [1, 2, 30]]
)
def test_limits_come_in_any_order_and_more_than_once(limits: list[int | None]) -> None:
    for kind in KINDS:
        assert_exact(table(kind, 8), limits, random_state=4)


def test_depths_differ_in_how_they_break_ties() -> None:
    """Otherwise the tests above would test little: a cut deep tree is not the shallow one."""
    for kind in (_real, _whole, _rare, _one_hot):
        tops = []
        for seed in range(20):
            both = models_for([5, 12], random_state=0)
            tops.append([_top(model.fit(*table(kind, seed)).tree_, 0, 5) for model in both])
        assert any(shallow != deep for shallow, deep in tops), kind


def _top(tree: Any, node: int, depth: int) -> Any:
    """The splits above a depth."""
    if depth == 0 or tree.children_left[node] < 0:
        return None
    below = tree.children_left[node], tree.children_right[node]
    return tree.feature[node], *(_top(tree, child, depth - 1) for child in below)


def test_tables_that_end_at_once() -> None:
    for features, target in [
        (np.ones((6, 2)), np.array([0, 1, 0, 1, 1, 1])),
        (np.arange(6.0)[:, None], np.zeros(6, int)),
        (np.zeros((1, 1)), np.zeros(1, int)),
    ]:
        assert_exact((features, target), [1, 2, 3, None], random_state=0)


def test_a_fitted_tree_can_be_pickled() -> None:
    rows = table(_real, 3)
    models = models_for(DEPTHS, random_state=1)
    assert tree_depths.fit(models, *rows)
    for model in models:
        assert_same(pickle.loads(pickle.dumps(model)), model, rows[0])


def test_a_known_constant_keeps_its_place() -> None:
    """Feature 1 is found constant, moves to the front, and is not visited in the child."""
    visit = Visit([0, 1, 2], RandomNumbers(1))
    parent = visit.next(0, bytes([0, 1, 0]))
    assert parent.features[0] == 1
    child = parent.next(1, bytes([0, 1, 0]))
    assert child.features[0] == 1
    assert child is parent.next(1, bytes([0, 1, 0])), "the same visit is computed once"
    assert child.first({0, 2}) == child.features[2]


# --- where each depth gets its own fit------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"criterion": "entropy"},
        {"splitter": "random"},
        {"max_features": 2},
        {"class_weight": "balanced"},
        {"max_leaf_nodes": 5},
        {"ccp_alpha": 0.01},
        {"min_weight_fraction_leaf": 0.1},
        {"monotonic_cst": np.array([1, 0, 0])},
        {"random_state": None},
    ],
    ids=lambda given: next(iter(given)),
)
def test_other_parameters_are_not_served(given: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    models = models_for([1, 2, 3], **{"random_state": 0, **given})
    assert not tree_depths.fit(models, *rows)
    assert not hasattr(models[0], "tree_")


def test_other_models_and_tables_are_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    features, target = table(_real, 1)
    plain = models_for([1, 2, 3], random_state=0)
    assert not tree_depths.fit(plain[:2], features, target), "two fits are faster"
    assert not tree_depths.fit(plain, np.where(features > 1, np.nan, features), target)
    assert not tree_depths.fit(plain, features, target.astype(str))
    numbers = [DecisionTreeRegressor(max_depth=d, random_state=0) for d in (1, 2, 3)]
    assert not tree_depths.fit(numbers, features, target)
    assert tree_depths.fit(plain, features, target)
    monkeypatch.setattr(tree_growth, "MAX_CELLS", features.size - 1)
    assert not tree_depths.fit(plain, features, target), "too large"


def test_too_many_ties_are_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table(_repeated_rows, 12)
    monkeypatch.setattr(tree_growth, "MAX_GROWTH", 0)
    monkeypatch.setattr(tree_growth, "FEW_ROWS", 3)
    assert not tree_depths.fit(models_for(DEPTHS, random_state=0), *rows)


# --- the self-check -----------------------------------------------------------------------------


@pytest.fixture
def _unchecked() -> Iterator[None]:
    """As in a new process: the self-check has not run, and its result is forgotten afterwards."""
    tree_depths.is_exact.cache_clear()
    yield
    tree_depths.is_exact.cache_clear()


def fitted_by_engine(rows: Rows) -> list[Any]:
    features, target = rows
    columns = numbers(features.shape[1], ["a", "b", "c"])
    definition = define("tree", {"estimator": "tree", "grid": {"max_depth": [1, 2, 4, 8]}})
    problem = Problem(Builder(definition, columns), features, target, features, 7)
    outcomes = fit(problem, expand(definition.grid, 0, "grid"))
    assert all(outcome.error is None for outcome in outcomes), outcomes
    return [outcome.model[-1] for outcome in outcomes]


def last_instead_of_first(self: Visit, features: Any) -> int:
    return next(feature for feature in self.features if feature in features)


def another_rounding(counts: list[np.ndarray], size: np.ndarray) -> np.ndarray:
    """As if the sum were computed with fused operations."""
    precise = [np.asarray(count, np.longdouble) for count in counts]
    rest = size - sum(precise)
    squares = rest * rest + sum(count * count for count in precise)
    return ((squares / np.maximum(size * size, 1.0) - 1.0) * size).astype(np.float64)


def another_gini(counts: np.ndarray) -> np.ndarray:
    return tree_splits.gini(counts) / 2


@pytest.mark.usefixtures("_unchecked")
@pytest.mark.parametrize(
    ("owner", "name", "replacement"),
    [
        (Visit, "first", last_instead_of_first),
        (tree_splits, "minus_impurity", another_rounding),
        (tree_depths, "gini", another_gini),
        (tree_depths, "NODE_DTYPE", None),
    ],
    ids=["order of features", "rounding", "impurity", "error"],
)
def test_the_engine_uses_scikit_learns_fits_if_its_own_trees_differ(
    owner: Any, name: str, replacement: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if another version of scikit-learn grew other trees; the rows fitted here have no ties."""
    monkeypatch.setattr(owner, name, replacement)
    assert tree_depths.is_exact() is False
    rng = np.random.default_rng(2)
    features = rng.normal(size=(60, 2))
    rows = features, (features[:, 0] > 0).astype(int)
    for model, depth in zip(fitted_by_engine(rows), [1, 2, 4, 8], strict=True):
        own = DecisionTreeClassifier(max_depth=depth, random_state=7).fit(*rows)
        assert_same(model, own, features)


@pytest.mark.usefixtures("_unchecked")
def test_the_engine_uses_its_own_trees_if_they_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tree_depths.is_exact() is True
    rows = table(_real, 2)
    expected = [
        DecisionTreeClassifier(max_depth=d, random_state=7).fit(*rows) for d in (1, 2, 4, 8)
    ]
    monkeypatch.setattr(DecisionTreeClassifier, "fit", None)
    for model, own in zip(fitted_by_engine(rows), expected, strict=True):
        assert_same(model, own, rows[0])
