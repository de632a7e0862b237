"""Leave-one-out without refitting equals a fit for every row, or is not done."""

from typing import Any

import numpy as np
import pytest
from engine_tables import table
from fitting import fit
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heldout.learners.grid import expand
from heldout.learners.learner import define
from heldout.numerics.engines import leave_one_out
from heldout.numerics.pipeline import Builder, Columns
from heldout.numerics.problem import Outcome, Problem
from heldout.resampling.split import resamples

SEED = 123


def left_out(builder: Builder, data: Any, chunk: Any, thetas: Any) -> list[Outcome] | None:
    """All θ of a chunk of leave-one-out, if that is exact without refitting."""
    held = list(chunk.held.values())
    return leave_one_out.run(builder, data.features, data.target, held, thetas)


def chunk_of(n: int) -> Any:
    """Leave-one-out of n rows."""
    [chunk] = resamples("loo", n, {"loo": {"row": np.arange(n), "fold": np.arange(n) + 1}})
    return chunk


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize(
    ("learner", "grid", "make"),
    [
        ("ridge", {"alpha": [1e-4, 1.0, 50.0]}, lambda t: Ridge(**t)),
        ("ridge", {}, lambda t: Ridge()),
        ("linear", {}, lambda t: LinearRegression()),
    ],
)
def test_ridge_and_least_squares_equal_refitting(
    scale: bool, learner: str, grid: Any, make: Any
) -> None:
    data = table(False, n=40)
    data.features[:, 2] *= 1e3
    definition = define(learner, {"estimator": learner, "grid": grid, "scale": scale})
    builder = Builder(definition, data.columns)
    thetas = expand(grid, 0, "grid")
    chunk = chunk_of(40)
    assert left_out(builder, data, chunk, thetas) is not None
    for outcome in left_out(builder, data, chunk, thetas) or []:
        model = make_pipeline(*([StandardScaler()] if scale else []), make(outcome.theta))
        expected = cross_val_predict(model, data.features, data.target, cv=LeaveOneOut())
        np.testing.assert_allclose(outcome.predictions.value, expected, rtol=1e-9, atol=1e-9)
        assert 0 < outcome.seconds < 60


@pytest.mark.parametrize("at_once", [1, 1000])
def test_how_many_rows_are_left_out_side_by_side_changes_no_bit(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table(False, n=40)
    builder = Builder(define("ridge", {"estimator": "ridge"}), data.columns)
    thetas = [{"alpha": 1e-3}, {"alpha": 10.0}]
    whole = left_out(builder, data, chunk_of(40), thetas)
    monkeypatch.setattr(leave_one_out, "AT_ONCE", at_once)
    shapes = []
    original = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda many: shapes.append(many.shape) or original(many))
    parts = left_out(builder, data, chunk_of(40), thetas)
    assert whole is not None
    assert parts is not None
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.predictions.value, other.predictions.value)
    assert shapes
    assert all(np.prod(shape) <= max(at_once, shape[1] ** 2) for shape in shapes)


@pytest.mark.parametrize("odd", [0.1, 1.0, 1000.0])
def test_a_column_that_is_constant_but_for_one_row_needs_refitting(odd: float) -> None:
    data = table(False, n=50)
    data.features[:, 3] = 0.3
    builder = Builder(define("ridge", {"estimator": "ridge"}), data.columns)
    chunk = chunk_of(50)
    found = left_out(builder, data, chunk, [{"alpha": 1.0}])
    assert found is not None, "a column that is constant in all rows needs no refitting"
    model = make_pipeline(StandardScaler(), Ridge())
    expected = cross_val_predict(model, data.features, data.target, cv=LeaveOneOut())
    np.testing.assert_allclose(found[0].predictions.value, expected, rtol=1e-9)
    data.features[17, 3] += odd
    assert left_out(builder, data, chunk, [{"alpha": 1.0}]) is None


@pytest.mark.parametrize("classification", [True, False])
@pytest.mark.parametrize("values", ["real", "few", "equal"])
@pytest.mark.parametrize("ks", [[1, 4, 30, 78], [4, 1]])
def test_neighbours_equal_refitting(classification: bool, values: str, ks: list[int]) -> None:
    """To the last bit, also where rows are equal and distances tied."""
    data = table(classification, n=80)
    if values == "few":
        data.features = data.features.round()
    if values == "equal":
        data.features[:40] = 0.0
    block = {"estimator": "knn", "scale": False, "grid": {"n_neighbors": ks}}
    builder = Builder(define("knn", block), data.columns)
    thetas = [*expand(block["grid"], 0, "grid"), {}]
    chunk = chunk_of(80)
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
    assert left_out(builder, data, chunk, [{"n_neighbors": 80}]) is None, "the fits give the error"
    assert left_out(builder, data, chunk, [{"n_neighbors": 3, "weights": "distance"}]) is None
    assert left_out(builder, data, chunk, [{"n_neighbors": 3, "p": 1}]) is None
    assert left_out(builder, data, chunk, [{"n_neighbors": 3, "weights": "uniform"}]) is not None
    scaled = Builder(define("knn", {**block, "scale": True}), data.columns)
    assert left_out(scaled, data, chunk, thetas) is None


def test_what_is_not_exact_needs_refitting() -> None:
    data = table(False, n=40)
    ridge = define("ridge", {"estimator": "ridge", "params": {"positive": True}, "grid": {}})
    chunk = chunk_of(40)
    assert left_out(Builder(ridge, data.columns), data, chunk, [{}]) is None
    grouped = {"loo": {"row": np.arange(40), "fold": np.arange(40) // 2 + 1}}
    [pairs] = resamples("loo", 40, grouped)
    linear = Builder(define("linear", None), data.columns)
    assert left_out(linear, data, pairs, [{}]) is None
    data.features[:, 3] = data.features[:, 0]
    assert left_out(linear, data, chunk, [{}]) is None, "collinear: no unique solution"
    data.features[0, 0] = np.nan
    assert left_out(linear, data, chunk, [{}]) is None


@pytest.mark.parametrize(
    "column",
    [
        lambda noise: np.where(np.arange(40) == 17, 1000.0, 1e-6 * noise),
        lambda noise: 1e9 + 1e-5 * noise,
    ],
    ids=["but for one row", "but for the last digits"],
)
def test_a_column_that_is_nearly_constant_needs_refitting(column: Any) -> None:
    """Its scale without one row would be mostly rounding error."""
    data = table(False, n=40)
    data.features[:, 3] = column(np.random.default_rng(1).normal(size=40))
    builder = Builder(define("ridge", None), data.columns)
    assert left_out(builder, data, chunk_of(40), [{"alpha": 1.0}]) is None
    unscaled = Builder(define("ridge", {"estimator": "ridge", "scale": False}), data.columns)
    assert left_out(unscaled, data, chunk_of(40), [{"alpha": 1.0}]) is not None


def test_more_columns_than_rows_are_refitted() -> None:
    ridge = define("ridge", None)
    for columns, refitted in ((29, False), (30, True)):
        data = table(False, n=30, p=columns)
        builder = Builder(ridge, data.columns)
        assert (left_out(builder, data, chunk_of(30), [{"alpha": 1.0}]) is None) == refitted


def test_least_squares_with_nearly_collinear_columns_needs_refitting() -> None:
    data = table(False, n=40)
    data.features *= 1e3
    noise = np.random.default_rng(1).normal(size=40)
    linear = Builder(define("linear", None), data.columns)
    data.features[:, 3] = data.features[:, 0] + 10 * noise
    assert left_out(linear, data, chunk_of(40), [{}]) is not None
    data.features[:, 3] = data.features[:, 0] + 1e-3 * noise
    assert left_out(linear, data, chunk_of(40), [{}]) is None


def test_other_learners_and_columns_need_refitting() -> None:
    data, chunk = table(False, n=40), chunk_of(40)
    linear, ridge = define("linear", None), Builder(define("ridge", None), data.columns)
    names, numbers = data.columns.names, data.columns.numbers
    assert left_out(Builder(linear, data.columns), data, chunk, [{}]) is not None
    category = Builder(linear, Columns(names, numbers - {3}, None))
    assert left_out(category, data, chunk, [{}]) is None
    polynomial = Builder(define("polynomial", None), data.columns)
    assert left_out(polynomial, data, chunk, [{}]) is None
    assert left_out(ridge, data, chunk, [{"alpha": 1.0, "prepare__max_levels": 3}]) is None
    assert left_out(ridge, data, chunk, [{"alpha": 0.0}]) is None
    assert left_out(ridge, data, chunk, [{"alpha": 1.0}, {"alpha": 1.0, "tol": 1e-3}]) is None
