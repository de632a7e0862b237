"""Every engine gives what brute force gives: separate scikit-learn fits on the same rows."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fitting import fit, numbers
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
)
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.cells.model_file import SHARED, ModelPickler, open_model
from heldout.learners.grid import expand
from heldout.learners.learner import Learner, define
from heldout.numerics.engines import leave_one_out
from heldout.numerics.neighbors import nearest
from heldout.numerics.pipeline import Builder
from heldout.numerics.predict import predict
from heldout.numerics.problem import Outcome, Problem
from heldout.resampling.split import resamples

SEED = 123


def table(classification: bool, n: int = 90, p: int = 4) -> Any:
    """Looks like a prepared table of numbers."""
    generator = np.random.default_rng(5)
    features = generator.normal(size=(n, p))
    score = features[:, 0] - features[:, 1] ** 2 + generator.normal(scale=0.5, size=n)
    target: Any = np.digitize(score, [-1.5, 0.0]) if classification else score
    classes = ["low", "mid", "high"] if classification else None
    return SimpleNamespace(features=features, target=target, columns=numbers(p, classes))


def left_out(builder: Builder, data: Any, chunk: Any, thetas: Any) -> list[Outcome] | None:
    """All θ of a chunk of leave-one-out, if that is exact without refitting."""
    held = list(chunk.held.values())
    return leave_one_out.run(builder, data.features, data.target, held, thetas)


def problem_for(definition: Learner, data: Any) -> Problem:
    train, held = np.arange(60), np.arange(60, 90)
    builder = Builder(definition, data.columns)
    return Problem(builder, data.features[train], data.target[train], data.features[held], SEED)


def outcomes(
    learner: str, block: dict[str, Any], classification: bool
) -> tuple[Any, list[Outcome]]:
    data = table(classification)
    definition = define(learner, block)
    thetas = expand(definition.grid, 0, "grid")
    found = fit(problem_for(definition, data), thetas)
    assert all(outcome.error is None for outcome in found), found
    assert sorted(str(o.theta) for o in found) == sorted(map(str, thetas))
    return data, found


Make = Any
CASES: list[tuple[str, dict[str, Any], bool, str, Make, float]] = [
    ("knn", {"grid": {"n_neighbors": [1, 2, 5, 30]}}, True, "knn",
     lambda t: make_pipeline(StandardScaler(), KNeighborsClassifier(**t)), 1e-12),
    ("knn", {"grid": {"n_neighbors": [1, 7]}, "scale": False}, False, "knn",
     lambda t: KNeighborsRegressor(**t), 1e-12),
    ("ridge", {"grid": {"alpha": [1e-3, 1.0, 100.0]}}, False, "ridge",
     lambda t: make_pipeline(StandardScaler(), Ridge(**t)), 1e-10),
    ("ridge", {"grid": {"alpha": [0.1, 10.0]}, "params": {"fit_intercept": False}}, False, "ridge",
     lambda t: make_pipeline(StandardScaler(), Ridge(fit_intercept=False, **t)), 1e-10),
    ("ridge", {"grid": {"alpha": [0.1, 10.0]}}, True, "ridge",
     lambda t: make_pipeline(StandardScaler(), RidgeClassifier(**t)), 1e-10),
    ("linear", {"grid": {"fit_intercept": [True, False]}}, False, "linear",
     lambda t: LinearRegression(**t), 1e-12),
    ("lasso", {"grid": {"alpha": [0.01, 0.3, 0.1]}}, False, "lasso",
     lambda t: make_pipeline(StandardScaler(), Lasso(tol=1e-8, max_iter=100_000, **t)), 1e-6),
    ("net", {"estimator": "sklearn.linear_model.ElasticNet", "params": {"tol": 1e-9},
             "grid": {"alpha": [0.01, 0.3], "l1_ratio": [0.2, 0.9]}}, False, "lasso",
     lambda t: make_pipeline(StandardScaler(), ElasticNet(tol=1e-9, **t)), 1e-6),
    ("logistic", {"grid": {"C": [100.0, 0.01, 1.0]}}, True, "logistic",
     lambda t: make_pipeline(
         StandardScaler(), LogisticRegression(solver="newton-cholesky", tol=1e-10, **t)), 1e-6),
    ("svm", {"grid": {"C": [0.1, 10.0], "gamma": ["scale", 0.5]}}, True, "svm",
     lambda t: make_pipeline(StandardScaler(), SVC(**t)), 0),
    ("svm", {"grid": {"C": [0.1, 10.0]}, "params": {"kernel": "linear"}}, True, "svm",
     lambda t: make_pipeline(StandardScaler(), SVC(kernel="linear", **t)), 0),
    ("svm", {"grid": {"C": [0.3, 3.0], "epsilon": [0.01, 0.2]}}, False, "svm",
     lambda t: make_pipeline(StandardScaler(), SVR(**t)), 1e-12),
    ("nu", {"estimator": "sklearn.svm.NuSVC", "grid": {"nu": [0.1, 0.3], "gamma": [0.1, 1.0]}},
     True, "svm", lambda t: make_pipeline(StandardScaler(), NuSVC(**t)), 0),
    ("tree", {"grid": {"max_depth": [1, 3, 40, None]}}, True, "tree",
     lambda t: DecisionTreeClassifier(random_state=SEED, **t), 0),
    ("tree", {"grid": {"ccp_alpha": [0.0, 0.01, 0.05]}, "params": {"min_samples_leaf": 2}}, False,
     "tree", lambda t: DecisionTreeRegressor(min_samples_leaf=2, random_state=SEED, **t), 0),
    ("tree", {"grid": {"ccp_alpha": [0.0, 0.02], "max_depth": [2, 5]}}, True, "tree",
     lambda t: DecisionTreeClassifier(random_state=SEED, **t), 0),
    ("forest", {"grid": {"n_estimators": [3, 12, 1]}}, True, "forest",
     lambda t: RandomForestClassifier(random_state=SEED, **t), 1e-12),
    ("extra", {"estimator": "sklearn.ensemble.ExtraTreesRegressor",
               "grid": {"n_estimators": [2, 7], "max_depth": [2, 4]}}, False, "forest",
     lambda t: ExtraTreesRegressor(random_state=SEED, **t), 1e-12),
    ("boosting", {"grid": {"max_iter": [2, 9]}}, True, "boosting",
     lambda t: HistGradientBoostingClassifier(early_stopping=False, random_state=SEED, **t), 1e-12),
    ("boosting", {"grid": {"max_iter": [1, 5]}}, False, "boosting",
     lambda t: HistGradientBoostingRegressor(early_stopping=False, random_state=SEED, **t), 1e-12),
    ("gbm", {"estimator": "sklearn.ensemble.GradientBoostingClassifier",
             "grid": {"n_estimators": [2, 6]}}, True, "boosting",
     lambda t: GradientBoostingClassifier(random_state=SEED, **t), 1e-12),
    ("gbm", {"estimator": "sklearn.ensemble.GradientBoostingRegressor",
             "grid": {"n_estimators": [2, 6], "subsample": [0.5, 1.0]}}, False, "boosting",
     lambda t: GradientBoostingRegressor(random_state=SEED, **t), 1e-12),
    ("polynomial", {"grid": {"poly__degree": [3, 1, 2]}}, False, "polynomial",
     lambda t: make_pipeline(StandardScaler(), PolynomialFeatures(t["poly__degree"]),
                             LinearRegression()), 1e-8),
    ("svm", {"grid": {"C": [0.1, 10.0]}, "params": {"break_ties": True}}, True, "generic",
     lambda t: make_pipeline(StandardScaler(), SVC(break_ties=True, **t)), 0),
    ("knn", {"grid": {"n_neighbors": [3], "weights": ["distance"]}}, True, "generic",
     lambda t: make_pipeline(StandardScaler(), KNeighborsClassifier(**t)), 1e-12),
]  # fmt: skip


def ids() -> Iterator[str]:
    for name, block, classification, *_ in CASES:
        yield f"{name}-{'-'.join(block['grid'])}-{'classes' if classification else 'numbers'}"


@pytest.mark.parametrize(
    ("learner", "block", "classification", "engine", "make", "tolerance"), CASES, ids=list(ids())
)
def test_engine_equals_brute_force(
    learner: str,
    block: dict[str, Any],
    classification: bool,
    engine: str,
    make: Make,
    tolerance: float,
) -> None:
    data, found = outcomes(learner, {"estimator": learner, **block}, classification)
    for outcome in found:
        assert outcome.engine == engine
        model = make(outcome.theta).fit(data.features[:60], data.target[:60])
        said = outcome.predictions
        assert said is not None
        held = data.features[60:]
        if not classification:
            np.testing.assert_allclose(
                said.value, model.predict(held), rtol=tolerance, atol=tolerance
            )
            continue
        assert (said.label == model.predict(held)).all()
        if hasattr(model, "predict_proba"):
            np.testing.assert_allclose(
                said.proba, model.predict_proba(held), rtol=0, atol=tolerance
            )


@pytest.mark.parametrize("case", CASES, ids=list(ids()))
def test_the_stored_model_says_what_the_engine_said(case: Any, tmp_path: Any) -> None:
    learner, block, classification, *_ = case
    data, found = outcomes(learner, {"estimator": learner, **block}, classification)
    for outcome in found:
        pickled = ModelPickler().dump(outcome.model, outcome.shared)
        path = tmp_path / "learner" / "theta" / "full.model"
        pickled.save(str(tmp_path / SHARED), str(path))
        model = open_model(path, pickled.digest)
        said = model.predict(data.features[60:])
        expected = outcome.predictions.label if classification else outcome.predictions.value
        np.testing.assert_allclose(said, expected, rtol=1e-12, atol=1e-12)


CHAINED = ("lasso", "logistic", "polynomial")
"""Engines whose θ build on one another: alone or among others they agree to their tolerance."""


@pytest.mark.parametrize("case", [case for case in CASES if case[3] not in CHAINED])
def test_a_theta_alone_gives_the_same_bits_as_among_others(case: Any) -> None:
    learner, block, classification, *_ = case
    definition = define(learner, {"estimator": learner, **block})
    data = table(classification)
    thetas = expand(definition.grid, 0, "grid")
    together = {str(o.theta): o for o in fit(problem_for(definition, data), thetas)}
    for theta in thetas:
        [alone] = fit(problem_for(definition, data), [theta])
        for name, array in alone.predictions.arrays().items():
            assert np.array_equal(array, together[str(theta)].predictions.arrays()[name])


def test_an_error_ends_its_theta_only() -> None:
    grid = {"n_neighbors": [3, 61], "weights": ["distance"]}
    definition = define("knn", {"estimator": "knn", "grid": grid})
    thetas = expand(definition.grid, 0, "grid")
    found = list(fit(problem_for(definition, table(True)), thetas))
    by_k = {outcome.theta["n_neighbors"]: outcome for outcome in found}
    assert by_k[3].error is None
    assert isinstance(by_k[61].error, ValueError)


# --- neighbours: ties by (distance, index) ------------------------------------------------------


def brute_nearest(train: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    distances = ((train - query) ** 2).sum(axis=1)
    return sorted(range(len(train)), key=lambda i: (distances[i], i))[:k]


@pytest.mark.parametrize("make", [SVC, NuSVC])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_labels_by_the_sign_are_those_of_predict(make: Any, kernel: str) -> None:
    """Also where the decision function is zero: halfway between two points."""
    features, target = np.random.default_rng(2).normal(size=(40, 3)), np.repeat([1, 0], 20)
    pair = np.array([[-1.0], [1.0]]), np.array([0, 1])
    for train, labels, rows in ((features, target, -features), (*pair, np.array([[0.0], [-0.5]]))):
        model = make(kernel=kernel).fit(train, labels)
        said = predict(model, rows, ["no", "yes"])
        assert said.decision is not None
        assert said.label is not None
        assert said.label.tolist() == model.predict(rows).tolist()
    assert said.decision[0] == 0


@pytest.mark.parametrize("rare", [0.5, 0.03])
@pytest.mark.parametrize("separable", [False, True])
@pytest.mark.parametrize("weights", [None, "balanced"])
def test_two_classes_are_told_apart_as_by_separate_fits(
    rare: float, separable: bool, weights: str | None
) -> None:
    """Collinear columns, hopeless and perfect separation, any C: the same probabilities."""
    data = table(False)
    data.features = np.column_stack([data.features, data.features[:, 0] * 3])
    noise = 0 if separable else np.random.default_rng(1).normal(size=90)
    score = data.features[:, 0] + noise
    data.target = (score > np.quantile(score, 1 - rare)).astype(int)
    data.columns = numbers(5, ["no", "yes"])
    block = {"grid": {"C": [1e4, 1e-4, 1.0, 30.0]}, "params": {"class_weight": weights}}
    problem = problem_for(define("logistic", {"estimator": "logistic", **block}), data)
    thetas = expand(block["grid"], 0, "grid")
    for outcome in fit(problem, thetas):
        assert outcome.error is None
        assert outcome.engine == "logistic"
        alone = make_pipeline(
            StandardScaler(),
            LogisticRegression(
                solver="newton-cholesky",
                tol=1e-10,
                max_iter=1000,
                class_weight=weights,
                **outcome.theta,
            ),
        ).fit(problem.train_features, problem.train_target)
        expected = alone.predict_proba(problem.held_features)
        assert outcome.predictions is not None
        np.testing.assert_allclose(outcome.predictions.proba, expected, atol=1e-6)
        model = outcome.model[-1]
        assert model.n_iter_[0] <= 1000
        assert model.predict(outcome.model[:-1].transform(problem.held_features)).tolist() == (
            alone.predict(problem.held_features).tolist()
        )


@pytest.mark.parametrize("queries", [5, 200])
@pytest.mark.parametrize("k", [1, 4, 30])
def test_neighbours_break_ties_by_index(queries: int, k: int) -> None:
    """Small whole numbers: most distances are tied, more than the search's margin can hold."""
    generator = np.random.default_rng(0)
    train = generator.integers(0, 3, size=(150, 3)).astype(float)
    asked = generator.integers(0, 3, size=(queries, 3)).astype(float)
    found = nearest(train, asked, k)
    assert found.tolist() == [brute_nearest(train, query, k) for query in asked]


@pytest.mark.parametrize("outlier", [0.0, 1e12])
@pytest.mark.parametrize("offset", [0.0, 1.7e9])
def test_neighbours_are_right_far_from_zero(offset: float, outlier: float) -> None:
    """A column like seconds since 1970: their squares leave no digit for the distances."""
    generator = np.random.default_rng(3)
    train, asked = generator.normal(size=(300, 3)), generator.normal(size=(90, 3))
    train[7, 1] += outlier
    train[:, 0] += offset
    asked[:, 0] += offset
    found = nearest(train, asked, 5)
    assert found.tolist() == [brute_nearest(train, query, 5) for query in asked]


def test_too_many_neighbours_is_an_error() -> None:
    with pytest.raises(ValueError, match="more than the 3 training rows"):
        nearest(np.zeros((3, 1)), np.zeros((1, 1)), 4)


# --- leave-one-out without refitting ------------------------------------------------------------


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize(
    ("learner", "grid", "make"),
    [
        ("ridge", {"alpha": [1e-4, 1.0, 50.0]}, lambda t: Ridge(**t)),
        ("linear", {}, lambda t: LinearRegression()),
    ],
)
def test_leave_one_out_equals_refitting(scale: bool, learner: str, grid: Any, make: Make) -> None:
    data = table(False, n=40)
    data.features[:, 2] *= 1e3
    definition = define(learner, {"estimator": learner, "grid": grid, "scale": scale})
    builder = Builder(definition, data.columns)
    thetas = expand(grid, 0, "grid")
    [chunk] = resamples("loo", 40, {"loo": {"row": np.arange(40), "fold": np.arange(40) + 1}})
    assert left_out(builder, data, chunk, thetas) is not None
    for outcome in left_out(builder, data, chunk, thetas) or []:
        model = make_pipeline(*([StandardScaler()] if scale else []), make(outcome.theta))
        expected = cross_val_predict(model, data.features, data.target, cv=LeaveOneOut())
        np.testing.assert_allclose(outcome.predictions.value, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("odd", [0.1, 1.0, 1000.0])
def test_leave_one_out_refits_where_a_column_is_constant_but_for_one_row(odd: float) -> None:
    data = table(False, n=50)
    data.features[:, 3] = 0.3
    builder = Builder(define("ridge", {"estimator": "ridge"}), data.columns)
    [chunk] = resamples("loo", 50, {"loo": {"row": np.arange(50), "fold": np.arange(50) + 1}})
    found = left_out(builder, data, chunk, [{"alpha": 1.0}])
    assert found is not None, "constant in all rows: that is no problem"
    model = make_pipeline(StandardScaler(), Ridge())
    expected = cross_val_predict(model, data.features, data.target, cv=LeaveOneOut())
    np.testing.assert_allclose(found[0].predictions.value, expected, rtol=1e-9)
    data.features[17, 3] += odd
    assert left_out(builder, data, chunk, [{"alpha": 1.0}]) is None


@pytest.mark.parametrize("columns", [4, 70])
def test_least_squares_without_a_unique_solution_is_scikit_learns(columns: int) -> None:
    """Collinear columns, and more columns than rows."""
    data = table(False, p=columns)
    data.features[:, 3] = 2 * data.features[:, 0]
    problem = problem_for(define("linear", {"estimator": "linear"}), data)
    [outcome] = fit(problem, [{}])
    own = LinearRegression().fit(problem.train_features, problem.train_target)
    np.testing.assert_array_equal(outcome.predictions.value, own.predict(problem.held_features))


def test_neighbours_do_not_depend_on_how_many_are_asked_for() -> None:
    """Sums are rounded alike: decimals with many ties."""
    rows = np.random.default_rng(0).normal(size=(400, 6)).round(1)
    together = nearest(rows, rows, 10)
    for i, row in enumerate(rows):
        assert together[i].tolist() == nearest(rows, row[None], 10)[0].tolist()


@pytest.mark.parametrize("classification", [True, False])
@pytest.mark.parametrize("values", ["real", "few", "equal"])
def test_leave_one_out_of_neighbours_equals_refitting(classification: bool, values: str) -> None:
    """To the last bit, also where rows are alike and distances tied."""
    data = table(classification, n=80)
    if values == "few":
        data.features = data.features.round()
    if values == "equal":
        data.features[:40] = 0.0
    block = {"estimator": "knn", "scale": False, "grid": {"n_neighbors": [1, 4, 30, 78]}}
    builder = Builder(define("knn", block), data.columns)
    thetas = expand(block["grid"], 0, "grid")
    [chunk] = resamples("loo", 80, {"loo": {"row": np.arange(80), "fold": np.arange(80) + 1}})
    assert left_out(builder, data, chunk, thetas) is not None
    found = left_out(builder, data, chunk, thetas)
    assert found is not None
    for outcome in found:
        for row, part in enumerate(chunk.members):
            train = data.features[part.train], data.target[part.train]
            problem = Problem(builder, *train, data.features[[row]], SEED)
            [alone] = fit(problem, [outcome.theta])
            for name, array in alone.predictions.arrays().items():
                assert outcome.predictions.arrays()[name][row].tolist() == array[0].tolist()
    assert left_out(builder, data, chunk, [{"n_neighbors": 80}]) is None, "an error, then"
    scaled = Builder(define("knn", {**block, "scale": True}), data.columns)
    assert left_out(scaled, data, chunk, thetas) is None


def test_leave_one_out_gives_way_where_it_is_not_exact() -> None:
    data = table(False, n=40)
    ridge = define("ridge", {"estimator": "ridge", "params": {"positive": True}, "grid": {}})
    [chunk] = resamples("loo", 40, {"loo": {"row": np.arange(40), "fold": np.arange(40) + 1}})
    assert left_out(Builder(ridge, data.columns), data, chunk, [{}]) is None
    grouped = {"loo": {"row": np.arange(40), "fold": np.arange(40) // 2 + 1}}
    [pairs] = resamples("loo", 40, grouped)
    linear = Builder(define("linear", None), data.columns)
    assert left_out(linear, data, pairs, [{}]) is None
    data.features[:, 3] = data.features[:, 0]
    assert left_out(linear, data, chunk, [{}]) is None, "collinear: no unique solution"
    data.features[0, 0] = np.nan
    assert left_out(linear, data, chunk, [{}]) is None
