"""Cells of rows with weights: integer weights equal repeated rows, and who takes none is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tables import prepared

from heldout.cells.fit import Fitter, fit_model
from heldout.cells.in_memory import InMemoryCells
from heldout.cells.plan import Plan, columns_of
from heldout.cells.preflight import checked_builders
from heldout.cells.store import Store
from heldout.data.prepared import Prepared
from heldout.errors import HeldoutError
from heldout.learners.catalogue import CATALOG
from heldout.learners.learner import define
from heldout.names import Theta
from heldout.numerics.engines.registry import numeric_code
from heldout.numerics.pipeline import Builder
from heldout.predictions import Predictions
from heldout.provenance import library_versions
from heldout.resampling.split import Resample, resamples

N, HELD = 50, 10
"""The rows, and how many of them, the first ones, are held out."""
GENERATOR = np.random.default_rng(8)
WEIGHTS = GENERATOR.integers(1, 4, size=N)
REPEATED = np.concatenate([np.arange(HELD), np.repeat(np.arange(HELD, N), WEIGHTS[HELD:])])
X = GENERATOR.normal(size=(N, 2)) * [1, 50]
COLUMNS = {
    "a": X[:, 0],
    "b": X[:, 1],
    "y": X[:, 0] + X[:, 1] / 50 + GENERATOR.normal(size=N),
    "w": WEIGHTS,
}
LEARNERS = {
    "ridge": {"estimator": "ridge", "grid": {"alpha": [0.1, 10.0]}},
    "tree": {"estimator": "tree", "grid": {"max_depth": [2, 4]}},
    "poly": {"estimator": "polynomial", "grid": {"poly__degree": [1, 2]}},
}


def plan_of(
    table: Prepared, sets: list[Resample], blocks: dict[str, dict[str, Any]] = LEARNERS
) -> Plan:
    learners = [define(name, block) for name, block in blocks.items()]
    return Plan("t", 19, table, learners, sets, numeric_code(), library_versions())


def held_first(n: int) -> Resample:
    return Resample("fold", np.arange(HELD, n), {"fold": np.arange(HELD)})


def leave_one_out(n: int) -> list[Resample]:
    return resamples("loo", n, {"loo": {"row": np.arange(n), "fold": np.arange(n) + 1}})


def weighted_table(folder: Path, weights: Any = WEIGHTS) -> Prepared:
    return prepared(folder, COLUMNS | {"w": weights}, weights="w")


def stored(plan: Plan, folder: Path) -> dict[tuple[str, str, str], np.ndarray]:
    fitter = Fitter(plan, Store(folder), "all", "value")
    for learner in plan.learners:
        for resample in plan.resamples:
            fitter.ensure(learner, resample, learner.thetas(plan.seed))
    assert not fitter.batch.failures
    return {
        (cell.learner, str(cell.theta), cell.held_out): value(
            fitter.store.predictions(cell, record.score)
        )
        for cell, record in fitter.batch.cells
    }


def in_memory(plan: Plan) -> dict[tuple[str, str, str], np.ndarray]:
    builders = {one.name: Builder(one, columns_of(plan.table)) for one in plan.learners}
    thetas = {one.name: one.thetas(plan.seed) for one in plan.learners}
    cells = InMemoryCells(plan.table, builders, thetas, plan.task, plan.seed)
    return {
        (name, str(theta), one.name): value(cells.predictions(name, theta, one))
        for name, grid in thetas.items()
        for theta in grid
        for one in plan.resamples
    }


def value(predictions: Predictions) -> np.ndarray:
    assert predictions.value is not None
    return predictions.value


def test_cells_of_weighted_rows_are_those_of_repeated_rows(tmp_path: Path) -> None:
    weighted = stored(plan_of(weighted_table(tmp_path), [held_first(N)]), tmp_path / "one")
    rows = {name: np.asarray(column)[REPEATED] for name, column in COLUMNS.items()}
    table = prepared(tmp_path, rows, drop=["w"])
    repeated = stored(plan_of(table, [held_first(len(REPEATED))]), tmp_path / "other")
    assert len(weighted) == 6
    for cell, found in weighted.items():
        np.testing.assert_allclose(found, repeated[cell], rtol=1e-8, atol=1e-8)


def test_cells_in_memory_have_the_numbers_of_the_store(tmp_path: Path) -> None:
    plan = plan_of(weighted_table(tmp_path), [held_first(N), *leave_one_out(N)])
    found, kept = in_memory(plan), stored(plan, tmp_path / "cells")
    assert found.keys() == kept.keys()
    for cell, array in found.items():
        np.testing.assert_array_equal(array, kept[cell])


def test_leave_one_out_has_no_closed_form(tmp_path: Path) -> None:
    ridge = {"ridge": LEARNERS["ridge"]}
    plan = plan_of(weighted_table(tmp_path), leave_one_out(N), ridge)
    found = stored(plan, tmp_path / "cells")
    builder = Builder(plan.learners[0], columns_of(plan.table))
    theta: Theta = {"alpha": 10.0}
    rest = np.arange(1, N)
    recipe = builder.recipe(theta)
    steps = builder.preprocessing(recipe)
    features = np.asarray(plan.table.features)
    train = steps[0].fit_transform(features[rest], None, WEIGHTS[rest].astype(float))
    model: Any = builder.estimator(recipe, 0)
    model.fit(train, plan.table.target[rest], sample_weight=WEIGHTS[rest])
    expected = model.predict(steps[0].transform(features[:1]))
    left_out = found["ridge", str(theta), plan.resamples[0].name][0]
    np.testing.assert_allclose(left_out, expected[0], rtol=1e-10)


def test_the_final_model_is_fitted_with_weights(tmp_path: Path) -> None:
    everything = Resample("full", np.arange(N), {"train": np.arange(N)})
    plan = plan_of(weighted_table(tmp_path), [everything])
    model = fit_model(plan, plan.learner("ridge"), everything, {"alpha": 0.1}).model
    means = np.average(X, axis=0, weights=WEIGHTS)
    np.testing.assert_allclose(model[0].means_, means)
    np.testing.assert_allclose(
        model[-1].intercept_, np.average(COLUMNS["y"], weights=WEIGHTS), rtol=1e-10
    )


def test_another_weight_is_another_key(tmp_path: Path) -> None:
    other = WEIGHTS + (np.arange(N) == 3)
    tables = [weighted_table(tmp_path), weighted_table(tmp_path, other)]
    plans = [plan_of(table, [held_first(N)]) for table in tables]
    one, two = (plan.keys(plan.learners[0], plan.resamples[0], [{"alpha": 1.0}]) for plan in plans)
    assert one != two


# --- refusals ------------------------------------------------------------------------------


def refusal(plan: Plan) -> str:
    with pytest.raises(HeldoutError) as error:
        checked_builders(plan, "value")
    return str(error.value)


@pytest.mark.parametrize("estimator", ["knn", "sklearn.gaussian_process.GaussianProcessRegressor"])
def test_a_learner_that_takes_no_weights_is_refused_by_name(tmp_path: Path, estimator: str) -> None:
    blocks = {**LEARNERS, "mine": {"estimator": estimator}}
    found = refusal(plan_of(weighted_table(tmp_path), [held_first(N)], blocks))
    assert found.startswith("learners.mine: ")
    assert "takes no weights, and the rows have some (weights: w); take 'mine' out of" in found


def test_it_is_not_refused_where_all_weights_are_the_same(tmp_path: Path) -> None:
    table = weighted_table(tmp_path, np.full(N, 7))
    assert list(
        checked_builders(plan_of(table, [held_first(N)], {"knn": {"estimator": "knn"}}), "value")
    )


@pytest.mark.parametrize("target", ["y", "label"])
def test_every_learner_of_the_catalogue_but_one_takes_weights(tmp_path: Path, target: str) -> None:
    columns = COLUMNS | {"label": np.where(COLUMNS["y"] > 0, "yes", "no")}
    table = prepared(tmp_path, columns, target=target, weights="w")
    names = [
        name
        for name, entry in CATALOG.items()
        if name != "knn" and (entry.classifier if table.classification else entry.regressor)
    ]
    plan = plan_of(table, [held_first(N)], {name: {"estimator": name} for name in names})
    assert list(checked_builders(plan, None)) == names


@pytest.mark.parametrize(
    ("rows", "which"), [(slice(HELD), "held-out"), (slice(HELD, N), "training")]
)
def test_a_set_without_weight_is_refused(tmp_path: Path, rows: slice, which: str) -> None:
    weights = WEIGHTS.copy()
    weights[rows] = 0
    found = refusal(plan_of(weighted_table(tmp_path, weights), [held_first(N)]))
    assert found.startswith(
        f"weights: the {which} rows of 'fold' all have weight 0 in 'w', so that"
    )


def test_single_rows_without_weight_may_be_left_out(tmp_path: Path) -> None:
    table = weighted_table(tmp_path, WEIGHTS * (np.arange(N) > 3))
    assert checked_builders(plan_of(table, leave_one_out(N)), "value")
