"""The engine of support vector machines: the models and predictions of separate fits, to the last bit."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from fitting import fit, numbers
from sklearn import svm as sklearn_svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from heldout.learners.grid import expand
from heldout.learners.learner import Learner, define
from heldout.numerics.engines import kernel_matrix
from heldout.numerics.engines.kernel_matrix import Kernel, Rows
from heldout.numerics.engines.registry import engine_of
from heldout.numerics.pipeline import Builder
from heldout.numerics.predict import predict
from heldout.numerics.problem import Outcome, Problem

HELD, SEED = 40, 3
CLASSIFIERS = {"SVC": {"C": [0.1, 1.0, 50.0]}, "NuSVC": {"nu": [0.1, 0.3]}}
REGRESSORS = {
    "SVR": {"C": [0.3, 20.0], "epsilon": [0.01, 0.2]},
    "NuSVR": {"C": [1.0, 5.0], "nu": [0.2, 0.6]},
}


def rows(n: int = 140, p: int = 5) -> np.ndarray:
    return np.random.default_rng(8).normal(size=(n, p))


def score(features: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(9).normal(scale=0.4, size=len(features))
    return features[:, 0] - features[:, 1] ** 2 + noise


def labels(features: np.ndarray, count: int) -> np.ndarray:
    scores = score(features)
    return np.digitize(scores, np.quantile(scores, np.arange(1, count) / count))


def definition(kind: str, grid: Any = None, **params: Any) -> Learner:
    block = {"estimator": f"sklearn.svm.{kind}", "scale": False, "params": params}
    return define("l", {**block, "grid": grid or {}})


def problem(learner: Learner, features: np.ndarray, target: np.ndarray, held: int) -> Problem:
    """The last `held` rows are held out; if there are none, the training rows are predicted."""
    count, width = features.shape
    count_classes = int(target.max()) + 1 if target.dtype.kind == "i" else 0
    classes = ["a", "b", "c", "d"][:count_classes] or None
    train = np.array(features[: count - held])
    predicted = features[count - held :] if held else train
    return Problem(
        Builder(learner, numbers(width, classes)), train, target[: count - held], predicted, SEED
    )


def outcomes(
    kind: str, grid: Any, features: np.ndarray, target: np.ndarray, held: int = HELD, **params: Any
) -> tuple[Problem, list[Outcome]]:
    learner = definition(kind, grid, **params)
    given = problem(learner, features, target, held)
    return given, fit(given, expand(learner.grid, 0, "grid"))


def own_fit(given: Problem, theta: dict[str, Any]) -> Any:
    builder = given.builder
    model: Any = builder.estimator(builder.recipe(theta), given.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(given.train_features, given.train_target)


def check(given: Problem, outcome: Outcome) -> None:
    """Every attribute, and every prediction in the form in which the generic engine gives it."""
    assert outcome.error is None
    assert outcome.engine == "svm"
    own, model = own_fit(given, outcome.theta), outcome.model[-1]
    assert list(vars(model)) == list(vars(own))
    for name, value in vars(own).items():
        assert type(vars(model)[name]) is type(value), name
        np.testing.assert_array_equal(vars(model)[name], value, err_msg=name, strict=True)
    expected = predict(own, given.held_features, given.builder.columns.classes).arrays()
    assert outcome.predictions is not None
    found = outcome.predictions.arrays()
    assert list(found) == list(expected)
    for name, array in expected.items():
        tolerance = 0 if name == "label" else 1e-10
        np.testing.assert_allclose(found[name], array, rtol=0, atol=tolerance, strict=True)


# --- all that a separate fit gives ----------------------------------------------------------------


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS])
def test_a_model_is_that_of_its_own_fit(kind: str, kernel: str, gamma: Any) -> None:
    features = rows()
    grid, target = (
        (CLASSIFIERS[kind], labels(features, 3))
        if kind in CLASSIFIERS
        else (REGRESSORS[kind], score(features))
    )
    given, found = outcomes(
        kind, grid, features, target, kernel=kernel, gamma=gamma, coef0=0.4, max_iter=5000
    )
    for outcome in found:
        check(given, outcome)


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("weights", [None, "balanced", {"a": 3.0}])
def test_classes_are_decided_as_by_separate_fits(count: int, shape: str, weights: Any) -> None:
    features = rows()
    grid = {"C": [0.05, 5.0], "tol": [1e-3, 1e-6], "shrinking": [True, False]}
    given, found = outcomes(
        "SVC",
        grid,
        features,
        labels(features, count),
        decision_function_shape=shape,
        class_weight=weights,
    )
    assert len(found) == 8
    for outcome in found:
        check(given, outcome)


@pytest.mark.parametrize("degree", [0, 1, 2, 5])
@pytest.mark.parametrize("coef0", [0.0, -0.5])
def test_powers(degree: int, coef0: float) -> None:
    features = rows()
    given, found = outcomes(
        "SVC",
        {"C": [1.0], "degree": [degree]},
        features,
        labels(features, 2),
        kernel="poly",
        coef0=coef0,
        max_iter=2000,
    )
    check(given, found[0])


def test_the_solver_stops_after_max_iter() -> None:
    features = rows()
    grid = {"C": [10.0], "max_iter": [7, 100_000]}
    given, found = outcomes("SVC", grid, features, labels(features, 2))
    for outcome in found:
        check(given, outcome)
    assert [outcome.model[-1].fit_status_ for outcome in found] == [1, 0]


@pytest.mark.parametrize("kind", ["SVC", "SVR"])
def test_the_training_rows_themselves(kind: str) -> None:
    features = rows()
    target = labels(features, 3) if kind == "SVC" else score(features)
    given, found = outcomes(kind, {"C": [0.5, 5.0]}, features, target, held=0)
    for outcome in found:
        check(given, outcome)


def test_without_support_vectors_the_intercept_is_predicted() -> None:
    features = rows()
    given, found = outcomes("SVR", {"epsilon": [100.0]}, features, score(features))
    check(given, found[0])
    assert len(found[0].model[-1].support_) == 0


@pytest.mark.parametrize("missing", [0, 1, 3])
def test_a_class_that_training_lacks(missing: int) -> None:
    features = rows()
    target = labels(features, 4)
    train = target[:-HELD]
    train[train == missing] = 2
    given, found = outcomes("SVC", {"C": [0.5, 5.0]}, features, target)
    for outcome in found:
        check(given, outcome)
        assert missing not in outcome.model[-1].classes_


# --- ties -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("count", [2, 3])
def test_equal_rows_and_tied_votes(kernel: str, count: int) -> None:
    """Few whole numbers, as in a bootstrap sample: half of the rows are repeated."""
    features = rows(p=2).round()
    features = np.concatenate([features, features])
    target = labels(features, count)
    given, found = outcomes("SVC", {"C": [0.1, 1.0]}, features, target, kernel=kernel)
    for outcome in found:
        check(given, outcome)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("points", [2, 3])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_a_row_halfway_between_classes_gets_libsvms_label(
    kernel: str, points: int, shape: str
) -> None:
    """The decision function is zero there, except for rounding to one side or the other."""
    turns = np.arange(points) * 2 * np.pi / points + 0.1
    corners = np.column_stack([np.cos(turns), np.sin(turns)])
    halfway = (corners + np.roll(corners, 1, axis=0)) / 2
    predicted = np.concatenate([[[0.0, 0.0]], halfway, 3 * halfway, -7 * halfway])
    given, [outcome] = outcomes(
        "SVC",
        {"C": [1.0]},
        np.concatenate([corners, predicted]),
        np.arange(points + len(predicted)) % points,
        held=len(predicted),
        kernel=kernel,
        decision_function_shape=shape,
    )
    check(given, outcome)
    assert outcome.predictions is not None
    own = own_fit(given, outcome.theta).decision_function(predicted)
    np.testing.assert_array_equal(outcome.predictions.decision, own)


# --- rows that a matrix product cannot separate ----------------------------------------------------


@pytest.mark.parametrize("kind", ["SVC", "SVR"])
def test_rows_too_close_for_a_matrix_product_get_fits_of_their_own(kind: str) -> None:
    features = rows() * 0.01 + 1e4
    assert Kernel("rbf", 1000.0, 0.0, 3).gram(Rows.of(features)) is None
    target = labels(rows(), 3) if kind == "SVC" else score(rows())
    given, found = outcomes(kind, {"C": [1.0, 9.0]}, features, target, gamma=1000.0)
    for outcome in found:
        check(given, outcome)


def test_columns_that_are_constant() -> None:
    features = np.ones((60, 2))
    given, [outcome] = outcomes("SVC", {"C": [1.0]}, features, np.arange(60) % 2)
    check(given, outcome)
    assert Kernel.of(SVC(), features).gamma == outcome.model[-1]._gamma == 1.0


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["SVC", "SVR"])
@pytest.mark.parametrize("largest", [100 * 100 - 1, 100 * 100])
def test_a_matrix_that_is_too_large_is_not_computed(
    kind: str, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 training rows: too many, or just few enough if the held-out rows are not kept."""
    features = rows()
    target = labels(features, 3) if kind == "SVC" else score(features)
    _, usual = outcomes(kind, {"C": [0.5, 5.0]}, features, target)
    monkeypatch.setattr(kernel_matrix, "LARGEST", largest)
    made = Kernel("rbf", 0.2, 0.0, 3).gram(Rows.of(features[:100]))
    assert (made is None) == (largest < 100 * 100)
    given, found = outcomes(kind, {"C": [0.5, 5.0]}, features, target)
    for one, other in zip(found, usual, strict=True):
        check(given, one)
        assert one.predictions is not None
        assert other.predictions is not None
        for name, array in other.predictions.arrays().items():
            atol = 0 if made is not None else 1e-10
            np.testing.assert_allclose(one.predictions.arrays()[name], array, rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("held", "largest", "times"),
    [(HELD, 100 * 140, 1), (HELD, 100 * 140 - 1, 3), (0, 140 * 140, 0)],
)
def test_the_kernel_of_held_out_rows_is_computed_once_if_memory_allows(
    held: int, largest: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of training rows is the matrix of the fit."""
    made = []
    original = Kernel.blocks
    monkeypatch.setattr(kernel_matrix, "LARGEST", largest)
    monkeypatch.setattr(Kernel, "blocks", lambda *given: made.append(1) or original(*given))
    features = rows()
    outcomes("SVC", {"C": [0.5, 1.0, 5.0]}, features, labels(features, 3), held=held)
    assert len(made) == times


def test_a_model_takes_no_more_bytes_than_its_own_fit() -> None:
    features = rows()
    given, [outcome] = outcomes("SVC", {"C": [1.0]}, features, labels(features, 3))
    own = own_fit(given, outcome.theta)
    assert len(pickle.dumps(outcome.model[-1])) == len(pickle.dumps(own))


def test_one_matrix_serves_all_that_share_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    original = Kernel.gram
    monkeypatch.setattr(
        Kernel, "gram", lambda self, rows: made.append(self) or original(self, rows)
    )
    features = rows()
    grid = {"C": [1.0, 9.0], "class_weight": [None, "balanced"], "gamma": [0.1, 0.2], "tol": [0.01]}
    _, found = outcomes("SVC", grid, features, labels(features, 3))
    assert len(found) == 8
    assert [kernel.gamma for kernel in made] == [0.1, 0.2]


# --- errors, and what is left to the generic engine -----------------------------------------------


def test_one_class_gives_scikit_learns_error() -> None:
    features = rows()
    given, found = outcomes("SVC", {"C": [1.0, 2.0]}, features, np.ones(140, int))
    with pytest.raises(ValueError, match="number of classes") as expected:
        own_fit(given, {"C": 1.0})
    assert [str(outcome.error) for outcome in found] == [str(expected.value)] * 2


def test_an_infeasible_nu_ends_its_theta_only() -> None:
    features = rows()
    target = (np.arange(140) % 10 == 0).astype(int)
    given, found = outcomes("NuSVC", {"nu": [0.1, 0.9, 0.15]}, features, target)
    by_nu = {outcome.theta["nu"]: outcome for outcome in found}
    assert "nu is infeasible" in str(by_nu[0.9].error)
    check(given, by_nu[0.1])
    check(given, by_nu[0.15])


@pytest.mark.parametrize(
    ("params", "engine"),
    [
        ({}, "svm"),
        ({"kernel": "sigmoid", "gamma": "auto", "cache_size": 10}, "svm"),
        ({"probability": False}, "svm"),
        ({"probability": True}, "generic"),
        ({"break_ties": True}, "generic"),
        ({"break_ties": False}, "svm"),
        ({"kernel": "precomputed"}, "generic"),
    ],
)
def test_what_the_engine_serves(params: dict[str, Any], engine: str) -> None:
    assert engine_of(definition("SVC", **params), True, {"C": 1.0}) == engine
    assert engine_of(definition("SVC"), True, {"C": 1.0, **params}) == engine


@pytest.mark.parametrize(
    ("kind", "engine"),
    [("LinearSVC", "linear_svm"), ("LinearSVR", "linear_svm"), ("OneClassSVM", "generic")],
)
def test_other_estimators_are_not_served(kind: str, engine: str) -> None:
    assert hasattr(sklearn_svm, kind)
    assert engine_of(definition(kind), True, {}) == engine


def test_the_model_predicts_new_rows_like_its_own_fit() -> None:
    """The kernel matrix is no longer needed."""
    features = rows()
    given, [outcome] = outcomes("SVC", {"C": [2.0]}, features, labels(features, 3), kernel="linear")
    model, fresh = outcome.model[-1], rows(n=30)[::-1] * 2
    own = SVC(C=2.0, kernel="linear").fit(given.train_features, given.train_target)
    assert model.predict(fresh).tolist() == own.predict(fresh).tolist()
    assert model.decision_function(fresh).tobytes() == own.decision_function(fresh).tobytes()
    assert model.coef_.tobytes() == own.coef_.tobytes()
    assert model.n_support_.tolist() == own.n_support_.tolist()
