"""The optimum of logistic regression, by rows and by columns, on any shape."""

from typing import Any

import numpy as np
import pytest

from heldout.numerics.engines import logistic
from heldout.numerics.logistic import by_columns, by_rows, by_scores
from heldout.numerics.logistic.by_columns import ByColumns
from heldout.numerics.logistic.by_rows import ByRows
from heldout.numerics.logistic.loss import Loss
from heldout.numerics.logistic.newton import Points, Solution, minimise
from heldout.numerics.products import products

SHAPES = [(40, 6), (40, 39), (12, 60), (40, 400)]


def case(shape: tuple[int, int], classes: int, separable: bool = False) -> tuple[np.ndarray, Loss]:
    """Rows of different weights, whose means are not zero."""
    generator = np.random.default_rng(3)
    rows = generator.normal(loc=0.5, size=shape)
    score = rows[:, 0] + (0 if separable else generator.normal(size=len(rows)))
    codes = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
    return rows, Loss(codes, classes, generator.uniform(0.5, 2, size=len(rows)))


def by_rows_of(rows: np.ndarray, loss: Loss) -> ByRows:
    return ByRows(products(rows, rows, scaled=False).gram, loss)


def solved_by_rows(rows: np.ndarray, loss: Loss, cs: list[float]) -> list[Solution]:
    """By rows, as coefficients of rows that are not centred."""
    means, optima = rows.mean(axis=0), by_rows_of(rows, loss)
    solutions = []
    for c, found in zip(cs, optima.solve(cs, 1e-10, 100), strict=True):
        assert found is not None
        assert optima.slope(found, c) < 1e-9
        coef = (rows - means).T @ found.weights
        solutions.append(Solution(coef, found.intercept - means @ coef, found.steps))
    return solutions


def steepest(rows: np.ndarray, loss: Loss, found: Any, c: float) -> float:
    """The largest derivative of sum of losses + ‖W‖²/2C, by differences of the loss itself."""

    def value(coef: np.ndarray, intercept: np.ndarray) -> float:
        return loss.at(rows @ coef + intercept)[0] + float((coef**2).sum()) / (2 * c)

    step, slopes = 1e-4, []
    for j in range(len(found.intercept)):
        for place in (*range(min(6, len(found.coef))), None):
            coefs = [found.coef.copy(), found.coef.copy()]
            intercepts = [found.intercept.copy(), found.intercept.copy()]
            for sign, coef, intercept in zip((1, -1), coefs, intercepts, strict=True):
                if place is None:
                    intercept[j] += sign * step
                else:
                    coef[place, j] += sign * step
            ends = [value(a, b) for a, b in zip(coefs, intercepts, strict=True)]
            slopes.append((ends[0] - ends[1]) / (2 * step))
    return float(np.abs(slopes).max())


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("separable", [False, True])
def test_rows_columns_and_products_find_the_same_optimum(
    shape: tuple[int, int], classes: int, separable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, loss = case(shape, classes, separable)
    cs = [1e-3, 1.0, 1e3]
    whole = ByColumns(rows, loss).solve(cs, 1e-10, 100)
    scores = solved_by_rows(rows, loss, cs)
    monkeypatch.setattr(by_columns, "DENSE", 0)
    multiplied = ByColumns(rows, loss).solve(cs, 1e-10, 100)
    monkeypatch.setattr(by_rows, "inverse_of", lambda *given: None)
    for c, factored, *others in zip(
        cs, solved_by_rows(rows, loss, cs), whole, scores, multiplied, strict=True
    ):
        assert steepest(rows, loss, factored, c) < 1e-5
        for other in others:
            assert other is not None
            np.testing.assert_allclose(other.coef, factored.coef, rtol=0, atol=1e-7)
            np.testing.assert_allclose(other.intercept, factored.intercept, rtol=0, atol=1e-7)
        assert max(factored.steps, others[0].steps) < 30


@pytest.mark.parametrize("classes", [2, 5])
def test_scores_are_found_themselves_where_rows_are_far_from_combinations(classes: int) -> None:
    rows, loss = case((40, 400), classes)
    assert by_rows_of(rows, loss)._inverse is not None
    again = np.vstack([rows, rows[:1]])
    weights = np.ones(41)
    assert by_rows_of(again, Loss(np.arange(41) % classes, classes, weights))._inverse is None
    rows[:, 0] *= 1e4
    assert by_rows_of(rows, loss)._inverse is None


@pytest.mark.parametrize("classes", [2, 5])
def test_a_point_is_as_high_by_scores_as_by_factors_and_no_less_steep(classes: int) -> None:
    rows, loss = case((40, 400), classes)
    gram, cs = products(rows, rows, scaled=False).gram, np.array([0.01, 2.0])
    inverse = by_scores.inverse_of(gram, classes > 2)
    assert inverse is not None
    alpha = np.random.default_rng(4).normal(size=(2, 41, loss.columns)) * 0.01
    alpha[:, :-1] -= alpha[:, :-1].mean(axis=1, keepdims=True)
    scores = cs[:, None, None] * (gram @ alpha[:, :-1]) + alpha[:, -1:]
    here = by_rows._ByFactors(gram, loss, cs).at(alpha, np.arange(2))
    there = by_scores.ByScores(gram, inverse, loss, cs).at(scores, np.arange(2))
    np.testing.assert_allclose(here.scores, scores, rtol=1e-12)
    np.testing.assert_allclose(there.value, here.value, rtol=1e-10)
    np.testing.assert_allclose(there.slope, here.slope, atol=1e-10)
    assert (there.steepness >= here.steepness).all()
    assert (there.steepness < 4 * here.steepness).all()


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("shape", [(40, 400), (40, 41), (40, 6)], ids=str)
def test_how_many_are_solved_side_by_side_changes_no_bit(
    shape: tuple[int, int], classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, loss = case(shape, classes)
    cs = [10.0**i for i in range(-4, 5)]
    kind: Any = ByColumns if shape[1] < 40 else by_rows_of
    together = kind(rows, loss).solve(cs, 1e-10, 100)
    monkeypatch.setattr(by_rows, "AT_ONCE", 2 * classes * 40)
    monkeypatch.setattr(by_columns, "AT_ONCE", 0)
    for one, other in zip(together, kind(rows, loss).solve(cs, 1e-10, 100), strict=True):
        assert one is not None
        assert other is not None
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one.intercept, other.intercept)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_loss_is_minus_the_logarithm_of_the_share(classes: int) -> None:
    """Also of scores whose powers are too large for numbers."""
    codes = np.arange(8) % classes
    columns = 1 if classes == 2 else classes
    scores = np.linspace(-3, 2, 8 * columns).reshape(8, columns)
    loss = Loss(codes, classes, np.full(8, 2.0))
    total, shares = loss.at(scores)
    powers = np.exp(np.column_stack([np.zeros(8), scores]) if classes == 2 else scores)
    expected = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, expected[:, -columns:], rtol=1e-14)
    assert total == pytest.approx(-2 * np.log(expected[np.arange(8), codes]).sum(), rel=1e-13)
    for sign in (-1, 1):
        assert np.isfinite(loss.at(sign * 1e4 * np.ones((8, columns)))[0])


@pytest.mark.parametrize(
    ("shape", "columns", "by_rows_is_less"),
    [((30, 2000), 1, True), ((300, 30), 1, False), ((55, 50), 1, True),
     ((60, 50), 1, False), ((100, 50), 7, True), ((60, 10), 7, False)],
)  # fmt: skip
def test_what_costs_less_is_chosen(
    shape: tuple[int, int], columns: int, by_rows_is_less: bool
) -> None:
    assert logistic._by_rows_is_less(shape, columns) == by_rows_is_less


def test_too_few_steps_do_not_reach_the_optimum() -> None:
    rows, loss = case((40, 6), 3)
    for optima in (by_rows_of(rows, loss), ByColumns(rows, loss)):
        assert optima.solve([1e-4], 1e-10, 1) == [None]
        assert optima.solve([1.0], 1e-10, 30) != [None]


def test_numbers_that_overflow_have_no_optimum() -> None:
    rows, loss = case((10, 20), 2)
    with np.errstate(all="ignore"):
        assert by_rows_of(rows * 1e200, loss).solve([1.0], 1e-10, 100) == [None]


class Steep:
    """√(1 + x²), whose curvature shrinks away from 0: whole steps from afar go too far. And (x − 1)²."""

    def start(self) -> Any:
        return np.array([[[4.0]], [[4.0]]]), np.zeros(2, bool)

    def at(self, parameters: np.ndarray, which: np.ndarray) -> Points:
        x, first = parameters[:, 0, 0], which == 0
        value = np.where(first, np.hypot(1, x), (x - 1) ** 2)
        slope = np.where(first, x / np.hypot(1, x), 2 * (x - 1))
        wide = slope[:, None, None]
        return Points(parameters, parameters, parameters, value, wide, np.abs(slope), value)

    def factor(self, points: Points, which: np.ndarray) -> np.ndarray:
        return np.ones(len(which), bool)

    def towards(self, points: Points, which: np.ndarray) -> np.ndarray:
        x = points.parameters
        return -points.slope * np.where(which[:, None, None] == 0, (1 + x * x) ** 1.5, 0.5)


def test_steps_that_go_too_far_are_halved() -> None:
    """Newton's own steps on √(1 + x²) from 4 diverge; beside it one step is enough."""
    halved, whole = minimise(Steep(), 1e-10, 50)
    assert halved is not None
    assert abs(halved[0][0, 0]) < 1e-8
    assert halved[1] < 15
    assert whole is not None
    assert whole[0][0, 0] == pytest.approx(1, abs=1e-12)
    assert whole[1] < 4


def test_no_more_steps_are_taken_than_allowed() -> None:
    halved, _ = minimise(Steep(), 1e-10, 50)
    assert halved is not None
    steps = halved[1]
    assert minimise(Steep(), 1e-10, steps)[0] is not None
    assert minimise(Steep(), 1e-10, steps - 1)[0] is None
    taken: list[bool] = []

    class Counted(Steep):
        def towards(self, points: Points, which: np.ndarray) -> np.ndarray:
            taken.append(0 in which)
            return super().towards(points, which)

    minimise(Counted(), 1e-10, 50)
    assert sum(taken) == steps
