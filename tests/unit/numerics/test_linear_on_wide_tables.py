"""Linear models on tables with more columns than rows equal separate fits of scikit-learn from nothing."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fitting import fit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.svm import LinearSVC, LinearSVR

from heldout.learners.learner import define
from heldout.numerics.engines import linear_svm
from heldout.numerics.pipeline import Builder, Columns
from heldout.numerics.problem import Problem

ROWS, TRAIN, WIDE, NUMBERS = 36, 26, 60, 40


def plain(generator: np.random.Generator) -> np.ndarray:
    return generator.normal(size=(ROWS, WIDE))


def tied(generator: np.random.Generator) -> np.ndarray:
    """Equal and collinear columns, equal rows, columns without any difference, and other units."""
    values = generator.normal(size=(ROWS, WIDE)).round()
    values[:, 5] = values[:, 4]
    values[:, 6] = 3 * values[:, 4] - values[:, 7]
    values[:, 8], values[:, 9] = 2.5, 0.0
    values[:, 10] *= 1e6
    values[:6] = values[6:12]
    return values


def incomplete(generator: np.random.Generator) -> np.ndarray:
    values = generator.normal(size=(ROWS, WIDE))
    values[generator.random(values.shape) < 0.1] = np.nan
    values[:, 3] = np.nan
    return values


def one_hot(generator: np.random.Generator) -> np.ndarray:
    """A third of the columns are categories, one with a level in a single row."""
    values = generator.normal(size=(ROWS, WIDE))
    values[:, NUMBERS:] = generator.integers(0, 4, size=(ROWS, WIDE - NUMBERS))
    values[0, NUMBERS] = 9
    return values


TABLES = {one.__name__: one for one in (plain, tied, incomplete, one_hot)}


def problem(table: str, block: dict[str, Any], classes: list[str] | None) -> Problem:
    """The first rows train."""
    generator = np.random.default_rng(8)
    values = TABLES[table](generator)
    score = np.nan_to_num(values[:, 0] - values[:, 1]) + generator.normal(size=ROWS)
    if classes is None:
        target = score
    else:
        target = np.searchsorted(
            np.quantile(score, np.linspace(0, 1, len(classes) + 1)[1:-1]), score
        )
    numbers = frozenset(range(NUMBERS if table == "one_hot" else WIDE))
    columns = Columns([f"x{i}" for i in range(WIDE)], numbers, classes)
    builder = Builder(define("l", {"grid": {}, **block}), columns)
    return Problem(builder, values[:TRAIN], target[:TRAIN], values[TRAIN:], 1)


CS = [1e-4, 0.02, 1.0, 30.0, 1e4]
CLASSES = [["no", "yes"], ["high", "low", "mid"]]
LEARNERS = {"logistic": "C", "ridge": "alpha", "sklearn.svm.LinearSVC": "C"}
"""With the parameter of their penalty."""


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("classes", CLASSES, ids=len)
@pytest.mark.parametrize("weights", [None, "balanced"])
def test_logistic_equals_separate_fits(table: str, classes: list[str], weights: Any) -> None:
    block = {"estimator": "logistic", "params": {"class_weight": weights}}
    given = problem(table, block, classes)
    for outcome in fit(given, [{"C": c} for c in CS]):
        assert outcome.error is None
        assert (outcome.engine, outcome.warnings) == ("logistic", ())
        steps, model = outcome.model[:-1], outcome.model[-1]
        train, held = steps.transform(given.train_features), steps.transform(given.held_features)
        own = LogisticRegression(
            solver="newton-cholesky", tol=1e-12, max_iter=1000, class_weight=weights, C=model.C
        )
        proba = own.fit(train, given.train_target).predict_proba(held)
        predicted = outcome.predictions
        assert predicted is not None
        np.testing.assert_allclose(predicted.proba, proba, rtol=0, atol=1e-7)
        # Equal rows have large weights that cancel: in products of rows here, in coefficients there.
        np.testing.assert_allclose(model.predict_proba(held), predicted.proba, rtol=0, atol=1e-11)
        assert predicted.label is not None
        assert model.predict(held).tolist() == predicted.label.tolist()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("classes", [None, *CLASSES], ids=str)
def test_ridge_equals_separate_fits(table: str, classes: list[str] | None) -> None:
    given = problem(table, {"estimator": "ridge"}, classes)
    for outcome in fit(given, [{"alpha": alpha} for alpha in (1e-3, 1.0, 1e3)]):
        assert (outcome.error, outcome.engine) == (None, "ridge")
        steps, model = outcome.model[:-1], outcome.model[-1]
        train, held = steps.transform(given.train_features), steps.transform(given.held_features)
        kind = Ridge if classes is None else RidgeClassifier
        own = kind(alpha=model.alpha, solver="svd").fit(train, given.train_target)
        predicted = outcome.predictions
        assert predicted is not None
        if classes is None:
            np.testing.assert_allclose(predicted.value, own.predict(held), rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(model.predict(held), predicted.value, rtol=0, atol=1e-11)
        else:
            np.testing.assert_allclose(predicted.decision, own.decision_function(held), atol=1e-8)
            assert predicted.label is not None
            assert model.predict(held).tolist() == predicted.label.tolist()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("classes", CLASSES, ids=len)
@pytest.mark.parametrize(
    "theta",
    [
        *({"C": c, "loss": loss} for c in (1e-4, 0.1, 30.0) for loss in ("hinge", "squared_hinge")),
        {"C": 1.0, "class_weight": "balanced", "intercept_scaling": 3.0},
        {"C": 0.1, "fit_intercept": False},
        {"C": 0.1, "tol": 1e-12, "max_iter": 7},
    ],
    ids=str,
)
def test_linear_svm_takes_the_steps_of_the_library(
    table: str, classes: list[str], theta: dict[str, Any]
) -> None:
    given = problem(table, {"estimator": "sklearn.svm.LinearSVC"}, classes)
    [outcome] = fit(given, [theta])
    assert (outcome.error, outcome.engine) == (None, "linear_svm")
    steps, model = outcome.model[:-1], outcome.model[-1]
    train, held = steps.transform(given.train_features), steps.transform(given.held_features)
    own = LinearSVC(random_state=given.seed, **theta)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        own.fit(train, given.train_target)
    assert [one.message for one in outcome.warnings] == [str(one.message) for one in caught][:1]
    assert model.get_params() == own.get_params()
    assert (model.n_iter_, model.n_features_in_) == (own.n_iter_, own.n_features_in_)
    np.testing.assert_allclose(model.coef_, own.coef_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, own.intercept_, rtol=0, atol=1e-10)
    predicted = outcome.predictions
    assert predicted is not None
    assert predicted.label is not None
    np.testing.assert_allclose(predicted.decision, own.decision_function(held), rtol=0, atol=1e-10)
    assert own.predict(held).tolist() == predicted.label.tolist()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "theta",
    [
        *({"C": c, "epsilon": epsilon} for c in (1e-3, 0.1) for epsilon in (0.0, 0.2)),
        {"loss": "squared_epsilon_insensitive", "C": 0.1, "dual": "auto"},
        {"fit_intercept": False, "C": 0.1},
    ],
    ids=str,
)
def test_linear_svm_of_a_number_takes_them_too(table: str, theta: dict[str, Any]) -> None:
    given = problem(table, {"estimator": "sklearn.svm.LinearSVR"}, None)
    [outcome] = fit(given, [theta])
    assert (outcome.error, outcome.engine) == (None, "linear_svm")
    steps, model = outcome.model[:-1], outcome.model[-1]
    train, held = steps.transform(given.train_features), steps.transform(given.held_features)
    own = LinearSVR(random_state=given.seed, **theta).fit(train, given.train_target)
    assert model.get_params() == own.get_params()
    assert (model.n_iter_, model.coef_.shape) == (own.n_iter_, own.coef_.shape)
    assert outcome.predictions is not None
    np.testing.assert_allclose(outcome.predictions.value, own.predict(held), rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.predict(held), own.predict(held), rtol=0, atol=1e-10)


LINEAR_SVM: dict[str, Any] = {"estimator": "sklearn.svm.LinearSVC", "scale": False}


def by_hand(train: np.ndarray, target: list[int], classes: int) -> Problem:
    columns = Columns(
        [f"x{i}" for i in range(train.shape[1])],
        frozenset(range(train.shape[1])),
        [str(code) for code in range(classes)],
    )
    return Problem(Builder(define("l", LINEAR_SVM), columns), train, np.array(target), -train, 1)


@pytest.mark.parametrize(
    "train", [np.zeros((4, 9)), np.random.default_rng(1).normal(size=(12, 23))], ids=str
)
def test_linear_svm_leaves_to_the_library_what_is_not_wide(train: np.ndarray) -> None:
    target = [0, 1, 2, 1] * (len(train) // 4)
    [outcome] = fit(by_hand(train, target, 3), [{"C": 2.0}])
    assert (outcome.error, outcome.engine) == (None, "linear_svm")
    own = LinearSVC(C=2.0, random_state=1).fit(train, target)
    assert outcome.model[-1].coef_.tobytes() == own.coef_.tobytes()
    assert outcome.predictions.decision.tobytes() == own.decision_function(-train).tobytes()


def test_linear_svm_leaves_to_the_library_what_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train, target = np.random.default_rng(1).normal(size=(8, 16)), [0, 1] * 4
    own = LinearSVC(random_state=1).fit(train, target)
    for most, exactly in ((7, True), (8, False)):
        monkeypatch.setattr(linear_svm, "MOST", most)
        [outcome] = fit(by_hand(train, target, 2), [{}])
        assert (outcome.model[-1].coef_.tobytes() == own.coef_.tobytes()) == exactly


def unlike(what: str) -> np.ndarray:
    """Rows that are very long, or all but equal."""
    rows = np.random.default_rng(1).normal(size=(20, 60))
    if what == "a value":
        rows[3, 5] = 1e9
    elif what == "a row":
        rows[3] *= 1e9
    elif what == "a short row":
        rows[3] *= 1e-9
    elif what == "no row":
        rows[3:5] = 0.0
    elif what == "a column":
        rows[:, 5] *= 1e10
    elif what == "copies":
        rows[10:] = rows[:10]
    elif what == "multiples":
        rows[10:] = 1e8 * rows[:10]
    elif what == "near copies":
        rows[10:] = rows[:10] + 1e-5 * rows[10:]
    elif what == "too large":
        rows *= 1e160
    return rows


@pytest.mark.parametrize(
    ("what", "by_products"),
    [("a value", True), ("a row", True), ("a short row", True), ("no row", True), ("copies", True), ("multiples", True),
     ("a column", False), ("near copies", False), ("too large", False)],
)  # fmt: skip
def test_linear_svm_is_the_librarys_where_rows_are_very_unlike(
    what: str, by_products: bool
) -> None:
    """Products of rows that cannot tell them apart are not used."""
    train, target = unlike(what), [0, 1] * 5 + [0, 1] * 5
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        own = LinearSVC(random_state=1).fit(train, target)
        [outcome] = fit(by_hand(train, target, 2), [{}])
        assert (linear_svm._Factor.of(train) is not None) == by_products
    expected, found = own.decision_function(-train), outcome.predictions.decision
    if by_products:
        assert outcome.model[-1].n_iter_ == own.n_iter_
        rounding = 1e-10 + 1e-15 * np.linalg.norm(train, axis=1)
        assert (np.abs(found - expected) <= rounding).all()
    else:
        assert found.tobytes() == expected.tobytes()


def test_linear_svm_chooses_the_first_of_two_classes_where_it_cannot_tell() -> None:
    train = np.random.default_rng(1).normal(size=(6, 20))
    given = replace(by_hand(train, [0, 1] * 3, 2), held_features=np.zeros((1, 20)))
    [outcome] = fit(given, [{"fit_intercept": False}])
    assert outcome.predictions.decision.tolist() == [0.0]
    assert outcome.predictions.label.tolist() == outcome.model.predict(np.zeros((1, 20))).tolist()


def test_linear_svm_without_one_of_the_classes() -> None:
    train = np.random.default_rng(1).normal(size=(6, 20))
    [outcome] = fit(by_hand(train, [0, 2, 2, 0, 2, 0], 3), [{}])
    assert outcome.predictions.decision is None
    own = LinearSVC(random_state=1).fit(train, [0, 2, 2, 0, 2, 0])
    assert outcome.predictions.label.tolist() == own.predict(-train).tolist()
    [outcome] = fit(by_hand(train, [1] * 6, 3), [{}])
    assert "at least 2 classes" in str(outcome.error)


@pytest.mark.parametrize(
    "more", [{"dual": False}, {"penalty": "l1", "dual": False}, {"multi_class": "crammer_singer"}]
)
def test_other_solvers_of_linear_svm_are_the_librarys(more: dict[str, Any]) -> None:
    given = problem("plain", {"estimator": "sklearn.svm.LinearSVC", "params": more}, CLASSES[1])
    assert [one.engine for one in fit(given, [{"C": 0.1}])] == ["generic"]


@pytest.mark.parametrize("classes", CLASSES, ids=len)
@pytest.mark.parametrize("learner", LEARNERS)
def test_any_part_of_a_grid_in_any_order_gives_the_same_bits(
    learner: str, classes: list[str]
) -> None:
    name = LEARNERS[learner]
    grid = [{name: value} for value in (1e-2, 1.0, 50.0)]
    given = problem("plain", {"estimator": learner}, classes)
    whole = {outcome.theta[name]: outcome for outcome in fit(given, grid)}
    for part in ([grid[2], grid[0]], grid[1:2], [grid[2], grid[1], grid[0]]):
        for outcome in fit(given, part):
            other = whole[outcome.theta[name]].predictions.arrays()
            for kind, values in outcome.predictions.arrays().items():
                assert np.array_equal(values, other[kind])
