"""The optimum of logistic regression, by rows and by columns, on any shape."""

from typing import Any

import numpy as np
import pytest

from heldout.numerics.engines import logistic
from heldout.numerics.logistic import by_columns
from heldout.numerics.logistic.by_columns import ByColumns
from heldout.numerics.logistic.by_rows import ByRows
from heldout.numerics.logistic.loss import Loss
from heldout.numerics.logistic.newton import Point, minimise

SHAPES = [(40, 6), (40, 39), (12, 60)]


def case(shape: tuple[int, int], classes: int, separable: bool = False) -> tuple[np.ndarray, Loss]:
    """Rows of different weights, whose means are not zero."""
    generator = np.random.default_rng(3)
    rows = generator.normal(loc=0.5, size=shape)
    score = rows[:, 0] + (0 if separable else generator.normal(size=len(rows)))
    codes = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
    return rows, Loss(codes, classes, generator.uniform(0.5, 2, size=len(rows)))


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
    for c in (1e-3, 1.0, 1e3):
        by_rows = ByRows(rows, loss).solve(c, 1e-10, 100)
        whole = ByColumns(rows, loss).solve(c, 1e-10, 100)
        monkeypatch.setattr(by_columns, "DENSE", 0)
        by_products = ByColumns(rows, loss).solve(c, 1e-10, 100)
        monkeypatch.undo()
        assert by_rows is not None
        assert steepest(rows, loss, by_rows, c) < 1e-5
        for other in (whole, by_products):
            assert other is not None
            np.testing.assert_allclose(other.coef, by_rows.coef, rtol=0, atol=1e-7)
            np.testing.assert_allclose(other.intercept, by_rows.intercept, rtol=0, atol=1e-7)
        assert max(by_rows.steps, whole.steps if whole else 0) < 30


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
    ("shape", "classes", "chosen"),
    [((30, 2000), 2, ByRows), ((300, 30), 2, ByColumns), ((55, 50), 2, ByRows),
     ((60, 50), 2, ByColumns), ((100, 50), 7, ByRows), ((60, 10), 7, ByColumns)],
)  # fmt: skip
def test_what_costs_less_is_chosen(shape: tuple[int, int], classes: int, chosen: type) -> None:
    assert type(logistic._optima(*case(shape, classes))) is chosen


def test_too_few_steps_do_not_reach_the_optimum() -> None:
    rows, loss = case((40, 6), 3)
    for optima in (ByRows(rows, loss), ByColumns(rows, loss)):
        assert optima.solve(1e-4, 1e-10, 1) is None
        assert optima.solve(1.0, 1e-10, 30) is not None


def test_numbers_that_overflow_have_no_optimum() -> None:
    rows, loss = case((10, 20), 2)
    with np.errstate(all="ignore"):
        assert ByRows(rows * 1e200, loss).solve(1.0, 1e-10, 100) is None


class Steep:
    """√(1 + x²), whose curvature shrinks away from 0: whole steps from afar go too far."""

    def start(self) -> Any:
        return np.array([[4.0]]), None

    def at(self, parameters: np.ndarray) -> Point:
        x = float(parameters[0, 0])
        slope = np.array([[x / np.hypot(1, x)]])
        return Point(parameters, parameters, parameters, np.hypot(1, x), slope, abs(slope[0, 0]))

    def step_by_curvature(self, point: Point) -> Any:
        x = float(point.parameters[0, 0])
        return lambda now: -now.slope * (1 + x * x) ** 1.5


def test_steps_that_go_too_far_are_halved() -> None:
    """Newton's own steps on √(1 + x²) from 4 diverge."""
    found = minimise(Steep(), 1e-10, 50)
    assert found is not None
    assert abs(found[0][0, 0]) < 1e-8
    assert found[1] < 15
