"""Every engine gives what brute force gives: separate scikit-learn fits on the same rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from engine_tables import table
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
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.cells.model_file import SHARED, ModelPickler, open_model
from heldout.learners.grid import expand
from heldout.learners.learner import Learner, define
from heldout.numerics.engines import generic
from heldout.numerics.pipeline import Builder
from heldout.numerics.predict import predict
from heldout.numerics.problem import Outcome, Problem, TrainingSet, TrainingSets

SEED = 123


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
        predicted = outcome.predictions
        assert predicted is not None
        held = data.features[60:]
        if not classification:
            np.testing.assert_allclose(
                predicted.value, model.predict(held), rtol=tolerance, atol=tolerance
            )
            continue
        assert (predicted.label == model.predict(held)).all()
        if hasattr(model, "predict_proba"):
            np.testing.assert_allclose(
                predicted.proba, model.predict_proba(held), rtol=0, atol=tolerance
            )


@pytest.mark.parametrize("case", CASES, ids=list(ids()))
def test_the_stored_model_predicts_what_the_engine_predicted(case: Any, tmp_path: Any) -> None:
    learner, block, classification, *_ = case
    data, found = outcomes(learner, {"estimator": learner, **block}, classification)
    for outcome in found:
        pickled = ModelPickler().dump(outcome.model, outcome.shared)
        path = tmp_path / "learner" / "theta" / "full.model"
        pickled.save(str(tmp_path / SHARED), str(path))
        model = open_model(path, pickled.digest)
        predicted = model.predict(data.features[60:])
        expected = outcome.predictions.label if classification else outcome.predictions.value
        np.testing.assert_allclose(predicted, expected, rtol=1e-12, atol=1e-12)


def test_an_error_ends_its_theta_only() -> None:
    grid = {"n_neighbors": [3, 61], "weights": ["distance"]}
    definition = define("knn", {"estimator": "knn", "grid": grid})
    thetas = expand(definition.grid, 0, "grid")
    found = list(fit(problem_for(definition, table(True)), thetas))
    by_k = {outcome.theta["n_neighbors"]: outcome for outcome in found}
    assert by_k[3].error is None
    assert isinstance(by_k[61].error, ValueError)


@pytest.mark.parametrize("make", [SVC, NuSVC])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_labels_by_the_sign_are_those_of_predict(make: Any, kernel: str) -> None:
    """Also where the decision function is zero: halfway between two points."""
    features, target = np.random.default_rng(2).normal(size=(40, 3)), np.repeat([1, 0], 20)
    pair = np.array([[-1.0], [1.0]]), np.array([0, 1])
    for train, labels, rows in ((features, target, -features), (*pair, np.array([[0.0], [-0.5]]))):
        model = make(kernel=kernel).fit(train, labels)
        predicted = predict(model, rows, ["no", "yes"])
        assert predicted.decision is not None
        assert predicted.label is not None
        assert predicted.label.tolist() == model.predict(rows).tolist()
    assert predicted.decision[0] == 0


@pytest.mark.parametrize("rare", [0.5, 0.03])
@pytest.mark.parametrize("separable", [False, True])
@pytest.mark.parametrize("weights", [None, "balanced"])
def test_two_classes_get_the_probabilities_of_separate_fits(
    rare: float, separable: bool, weights: str | None
) -> None:
    """Also with collinear columns, rare classes, perfect separation, and any C."""
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


@pytest.mark.parametrize("columns", [4, 70])
def test_least_squares_without_a_unique_solution_is_scikit_learns(columns: int) -> None:
    """Collinear columns, and more columns than rows."""
    data = table(False, p=columns)
    data.features[:, 3] = 2 * data.features[:, 0]
    problem = problem_for(define("linear", {"estimator": "linear"}), data)
    [outcome] = fit(problem, [{}])
    own = LinearRegression().fit(problem.train_features, problem.train_target)
    np.testing.assert_array_equal(outcome.predictions.value, own.predict(problem.held_features))


def test_large_preprocessed_rows_are_made_again_instead_of_kept(monkeypatch: Any) -> None:
    data = table(False)
    scaled, plain = (
        define(name, {"estimator": "ridge", "scale": name == "scaled"})
        for name in ("scaled", "plain")
    )
    sets = TrainingSets(data.features, data.target)
    one = TrainingSet("one", np.arange(60), [np.arange(60, 90)])
    for most, kept in ((generic.KEPT, 2), (0, 1)):
        monkeypatch.setattr(generic, "KEPT", most)
        problems = [sets.problem(Builder(d, data.columns), one, SEED) for d in (scaled, plain)]
        found = [fit(problem, [{"alpha": 1.0}])[0].predictions.value for problem in problems]
        assert len(problems[1].preprocessed) == kept
        alone = [fit(problem_for(d, data), [{"alpha": 1.0}])[0] for d in (scaled, plain)]
        assert [f.tolist() for f in found] == [o.predictions.value.tolist() for o in alone]
        sets = TrainingSets(data.features, data.target)
