"""Histogram boosting on shared bins gives the bits of separate cold fits of scikit-learn's estimator."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.ensemble._hist_gradient_boosting import binning
from threadpoolctl import threadpool_limits

from heldout.learners.learner import define
from heldout.numerics import run
from heldout.numerics.builders import builder_of
from heldout.numerics.cut import Cut
from heldout.numerics.engines.registry import by_engine
from heldout.numerics.pipeline import Columns
from heldout.numerics.problem import Outcome, Problem, TrainingSet, TrainingSets
from heldout.numerics.sklearn_internals import boosting_bins, boosting_routes

N = 360
FIXED = {"early_stopping": False, "random_state": 5, "min_samples_leaf": 4}
GRID = {"max_iter": [3, 1, 6], "max_leaf_nodes": [4, 9]}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(1):  # as in the workflow
        yield


def table_of(name: str, n: int = N) -> np.ndarray:
    """A matrix with a property that bins might get wrong."""
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(n, 4))
    if name == "ties":
        rows = np.round(rows)
        rows[:, 3] = 2.5
    elif name == "missing":
        rows[generator.random(rows.shape) < 0.2] = np.nan
        rows[:, 3] = np.where(rows[:, 3] > 0, np.nan, 1.0)
    elif name == "infinite":
        rows[generator.random(rows.shape) < 0.1] = np.inf
        rows[generator.random(rows.shape) < 0.1] = -np.inf
    elif name == "spread":
        rows = np.sign(rows) * np.exp(30 * np.abs(rows))
    return rows


TABLES = ["plain", "ties", "missing", "infinite", "spread"]


def target_of(rows: np.ndarray, classes: int) -> np.ndarray:
    """A noisy score of two columns, or a class of it; 0 classes: the score."""
    known = np.clip(np.nan_to_num(rows), -9, 9)
    score = known[:, 0] - known[:, 1] + np.random.default_rng(2).normal(size=len(rows))
    if not classes:
        return np.asarray(score)
    return (np.argsort(np.argsort(score)) * classes // len(score)).astype(np.uint8)


def sets_of(n: int) -> list[TrainingSet]:
    """A training set with two held-out sets, one with one, and one that predicts itself."""
    fold = np.random.default_rng(3).permutation(np.arange(n) % 4)
    held = [np.flatnonzero(fold == i).astype(np.int32) for i in (0, 1)]
    rest, three = np.flatnonzero(fold > 1), np.flatnonzero(fold != 2)
    return [
        TrainingSet("pair", rest, held),
        TrainingSet("one", three, [np.flatnonzero(fold == 2)]),
        TrainingSet("itself", rest, [rest]),
    ]


def fitted(
    rows: np.ndarray,
    target: np.ndarray,
    block: dict[str, Any],
    weights: np.ndarray | None = None,
    categories: frozenset[int] = frozenset(),
) -> Iterator[tuple[Problem, Outcome]]:
    """Every θ on every training set, as a fitting job does it."""
    classes = (
        [str(code) for code in range(int(target.max()) + 1)] if target.dtype.kind == "u" else None
    )
    names = [f"x{i}" for i in range(rows.shape[1])]
    columns = Columns(names, frozenset(range(rows.shape[1])) - categories, classes)
    learner = define("mine", {"estimator": "boosting", **block})
    builder, thetas = builder_of(learner, columns), learner.thetas(1)
    engines = by_engine(learner, classes is not None, thetas, weights is not None)
    table = TrainingSets(rows, target, weights=weights)
    for one in sets_of(len(rows)):
        problem = table.problem(builder, one, seed=5)
        for outcome in run.fit(problem, engines):
            assert outcome.error is None, outcome.error
            yield problem, outcome


def hold(problem: Problem, outcome: Outcome, given: dict[str, Any]) -> None:
    """Compare predictions, trees and thresholds with a fit of its own, bit by bit."""
    classes = problem.builder.columns.classes
    kind = HistGradientBoostingRegressor if classes is None else HistGradientBoostingClassifier
    own = kind(**{**FIXED, **given, **outcome.theta})
    weights = {} if problem.weights is None else {"sample_weight": problem.weights}
    # Categories come last in the rows that heldout makes.
    before = outcome.model[:-1].transform
    own.fit(before(problem.train_features), problem.train_target, **weights)
    held, model, said = before(problem.held_features), outcome.model[-1], outcome.predictions
    assert said is not None
    if classes is None:
        assert np.array_equal(said.value, own.predict(held))
    else:
        assert np.array_equal(said.label, own.predict(held))
        assert np.array_equal(said.proba, own.predict_proba(held))
        assert np.array_equal(said.decision, own.decision_function(held))
    assert list(vars(model)) == list(vars(own))
    for ours, theirs in zip(model._predictors, own._predictors, strict=True):
        assert all(np.array_equal(a.nodes, b.nodes) for a, b in zip(ours, theirs, strict=True))
    both = model._bin_mapper.bin_thresholds_, own._bin_mapper.bin_thresholds_
    assert all(np.array_equal(a, b) for a, b in zip(*both, strict=True))
    assert list(vars(model._bin_mapper)) == list(vars(own._bin_mapper))  # files have the order


def hold_all(rows: np.ndarray, target: np.ndarray, grid: dict[str, Any], **params: Any) -> None:
    """Compare every θ on every training set."""
    block = {"params": {**FIXED, **params}, "grid": grid}
    for problem, outcome in fitted(rows, target, block):
        assert outcome.engine == "boosting"
        hold(problem, outcome, params)


@pytest.fixture(params=["few rows", "many rows"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways of tables that are too large for tests, on small ones: blocks of columns and of rows, cells, routes."""
    if request.param == "many rows":
        monkeypatch.setattr(boosting_bins, "BLOCK", 400)
        monkeypatch.setattr(boosting_bins, "ENOUGH", 0)
        monkeypatch.setattr(boosting_routes, "ROWS", 37)
        monkeypatch.setattr(boosting_routes, "FEW", 0)
    return str(request.param)


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("name", TABLES)
def test_every_model_is_that_of_a_fit_by_itself(name: str, classes: int, size: str) -> None:
    rows = table_of(name)
    hold_all(rows, target_of(rows, classes), GRID)


@pytest.mark.parametrize("classes", [0, 2])
def test_more_rows_than_thresholds_are_learned_from(classes: int) -> None:
    """scikit-learn draws 200,000 rows, with the model's seed."""
    rows = table_of("missing", 280_000)[:, :2]
    hold_all(rows, target_of(rows, classes), {"max_iter": [1, 2], "max_leaf_nodes": [3, 5]})


@pytest.mark.parametrize(
    "params",
    [
        {"class_weight": {"0": 1, "1": 3}},
        {"max_features": 0.5},
        {"max_leaf_nodes": None, "max_depth": 3},
        {"monotonic_cst": [1, -1, 0, 0]},
        {"interaction_cst": [[0, 1], [2, 3]]},
    ],
    ids=lambda params: next(iter(params)),
)
def test_other_parameters_of_the_model(params: dict[str, Any], size: str) -> None:
    rows = table_of("missing")
    target = target_of(rows, 2)
    block = {
        "params": {**FIXED, **params},
        "grid": {"max_iter": [4, 2], "learning_rate": [0.1, 0.3]},
    }
    by_code = {0: 1, 1: 3} if "class_weight" in params else None
    for problem, outcome in fitted(rows, target, block):
        hold(problem, outcome, params if by_code is None else {"class_weight": by_code})


def test_bins_are_shared_by_those_that_agree_on_them_only(size: str) -> None:
    rows = table_of("plain")
    grid = {"max_iter": [2, 3], "max_bins": [5, 255], "max_leaf_nodes": [4, 6]}
    hold_all(rows, target_of(rows, 2), grid)


@pytest.mark.parametrize("classes", [0, 2])
def test_categories_with_levels_that_training_lacks(classes: int, size: str) -> None:
    rows = table_of("missing")
    rows[:, 1] = np.random.default_rng(4).integers(0, 9, size=N)
    rows[sets_of(N)[0].train, 1] %= 8
    rows[::11, 1] = np.nan
    block = {"params": FIXED, "grid": GRID}
    target = target_of(rows, classes)
    for problem, outcome in fitted(rows, target, block, categories=frozenset({1})):
        assert outcome.engine == "boosting"
        hold(problem, outcome, {"categorical_features": [3]})


def test_weights() -> None:
    rows = table_of("ties")
    weights = np.random.default_rng(6).integers(0, 3, size=N).astype(float)
    block = {"params": FIXED, "grid": GRID}
    for problem, outcome in fitted(rows, target_of(rows, 2), block, weights):
        hold(problem, outcome, {})


def test_rows_of_numbers_are_never_copied_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(cut: Cut) -> None:
        raise AssertionError("copied")

    rows = table_of("missing")
    monkeypatch.setattr(Cut, "array", property(refuse))
    found = list(fitted(rows, target_of(rows, 2), {"params": FIXED, "grid": GRID}))
    assert len(found) == 18


def test_features_of_a_grid_have_bins_of_their_own(size: str) -> None:
    rows = table_of("missing")
    target = target_of(rows, 2)
    block = {
        "params": FIXED,
        "grid": {"max_iter": [2, 4], "features": [["x0", "x2"], ["x1", "x2"]]},
    }
    for problem, outcome in fitted(rows, target, block):
        columns = [int(name[1]) for name in outcome.theta["features"]]
        own = HistGradientBoostingClassifier(**FIXED, max_iter=outcome.theta["max_iter"])
        own.fit(problem.train_features[:, columns], problem.train_target)
        assert outcome.predictions is not None
        held = problem.held_features[:, columns]
        assert np.array_equal(outcome.predictions.decision, own.decision_function(held))


# --- bins of a column -----------------------------------------------------------------------------


THRESHOLDS = {
    "even": np.linspace(-2, 2, 254),
    "two": np.array([0.0, 1.0]),
    "tiny": np.array([0.0, 5e-324]),
    "with a gap": np.array([-1.0, -0.5, 1e6]),
    "huge": np.array([-1e308, 0.0, 1e308]),
    "crowded": np.append(np.linspace(0, 1e-3, 100), 1e6),
    "one": np.array([0.5]),
    "none": np.array([]),
}
SLOW = {"crowded", "huge", "tiny", "one", "none"}


@pytest.mark.parametrize("name", THRESHOLDS)
def test_a_bin_is_the_number_of_thresholds_below(name: str) -> None:
    thresholds = THRESHOLDS[name]
    near = np.concatenate(
        [thresholds, np.nextafter(thresholds, np.inf), np.nextafter(thresholds, -np.inf)]
    )
    further = [0.0, -0.0, np.inf, -np.inf, 1e308, -1e308, 5e-324]
    values = np.concatenate([near, further, np.random.default_rng(0).normal(size=500)])
    expected = np.searchsorted(thresholds, values)
    found = boosting_bins.by_cells(values, thresholds, 255)
    assert (found is None) == (name in SLOW)
    if found is not None:
        assert np.array_equal(found, expected)
        some = np.append(values, np.nan)
        with_missing = boosting_bins.by_cells(some, thresholds, 255)
        assert with_missing is not None
        assert np.array_equal(with_missing, np.append(expected, 255))


# --- what a later version of scikit-learn might do ------------------------------------------------


KINDS = [HistGradientBoostingClassifier, HistGradientBoostingRegressor]


@pytest.mark.parametrize("kind", KINDS)
def test_self_checks_of_this_version(kind: type) -> None:
    assert boosting_bins.is_exact(kind) is True
    assert boosting_routes.is_exact(kind) is True


@pytest.fixture
def again() -> Iterator[None]:
    """Self-checks are made again, before and after."""
    checks = boosting_bins.is_exact, boosting_routes.is_exact
    for check in checks:
        check.cache_clear()
    yield
    for check in checks:
        check.cache_clear()


def still_right(classes: int) -> None:
    rows = table_of("missing")
    hold_all(rows, target_of(rows, classes), GRID)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mapper_that_learns_something_else(
    kind: type, again: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = binning._BinMapper.fit

    def fit(mapper: Any, *rows: Any, **further: Any) -> Any:
        mapper.scale_ = 2
        return original(mapper, *rows, **further)

    monkeypatch.setattr(binning._BinMapper, "fit", fit)
    assert boosting_bins.is_exact(kind) is False
    still_right(2 if kind is KINDS[0] else 0)


@pytest.mark.parametrize("kind", KINDS)
def test_values_on_a_threshold_that_go_into_the_next_bin(
    kind: type, again: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = boosting_bins.by_cells

    def by_cells(values: np.ndarray, thresholds: np.ndarray, missing: int) -> np.ndarray | None:
        return original(np.nextafter(values, np.inf), thresholds, missing)

    monkeypatch.setattr(boosting_bins, "by_cells", by_cells)
    assert boosting_bins.is_exact(kind) is False
    still_right(2 if kind is KINDS[0] else 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["_goes_left", "_by_category", "_absent_in"])
def test_trees_that_are_read_in_another_way(
    part: str, kind: type, again: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = getattr(boosting_routes._Part, part)

    def wrong(*given: Any) -> Any:
        found = original(*given)
        return None if part == "_absent_in" else found ^ np.uint8(1)

    monkeypatch.setattr(boosting_routes._Part, part, wrong)
    assert boosting_routes.is_exact(kind) is False
    still_right(2 if kind is KINDS[0] else 0)
