"""Linear models on tables with more columns than rows equal separate fits of scikit-learn from nothing."""

from typing import Any

import numpy as np
import pytest
from fitting import fit
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier

from heldout.learners.learner import define
from heldout.numerics.pipeline import Builder, Columns
from heldout.numerics.problem import Problem

ROWS, TRAIN, WIDE, NUMBERS = 36, 26, 44, 30


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


@pytest.mark.parametrize("classes", CLASSES, ids=len)
@pytest.mark.parametrize("learner", ["logistic", "ridge"])
def test_any_part_of_a_grid_in_any_order_gives_the_same_bits(
    learner: str, classes: list[str]
) -> None:
    name = "C" if learner == "logistic" else "alpha"
    grid = [{name: value} for value in (1e-2, 1.0, 50.0)]
    given = problem("plain", {"estimator": learner}, classes)
    whole = {outcome.theta[name]: outcome for outcome in fit(given, grid)}
    for part in ([grid[2], grid[0]], grid[1:2], [grid[2], grid[1], grid[0]]):
        for outcome in fit(given, part):
            other = whole[outcome.theta[name]].predictions.arrays()
            for kind, values in outcome.predictions.arrays().items():
                assert np.array_equal(values, other[kind])
