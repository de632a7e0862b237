"""Cells in memory have the numbers of cells in the store."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tables import prepared

from heldout.cells.fit import Fitter
from heldout.cells.in_memory import InMemoryCells
from heldout.cells.plan import Plan, columns_of
from heldout.cells.store import Store
from heldout.errors import HeldoutError
from heldout.learners.learner import define
from heldout.names import Theta
from heldout.numerics import run
from heldout.numerics.engines.registry import numeric_code
from heldout.numerics.pipeline import Builder
from heldout.predictions import Predictions
from heldout.provenance import library_versions
from heldout.resampling.split import TRAIN, Resample, resamples

N = 40
LEARNERS = {
    "forest": {"estimator": "forest", "grid": {"n_estimators": [2, 4]}},
    "knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 3]}, "scale": False},
    "svm": {"estimator": "svm", "grid": {"C": [0.5, 5.0]}},
}


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    generator = np.random.default_rng(3)
    label = generator.permutation(np.repeat(["no", "yes"], N // 2))
    columns = {"a": generator.normal(size=N), "b": (label == "yes") + generator.normal(size=N)}
    table = prepared(tmp_path, {**columns, "y": label.tolist()})
    loo = {"row": np.arange(N), "fold": np.arange(N) + 1}
    fold = Resample(
        "k4.r1.f01", np.arange(30), {"k4.r1.f01": np.arange(30, N), TRAIN: np.arange(30)}
    )
    sets = [fold, *resamples("loo", N, {"loo": loo})]
    learners = [define(name, block) for name, block in LEARNERS.items()]
    return Plan("t", 19, table, learners, sets, numeric_code(), library_versions())


def in_memory(plan: Plan, **options: Any) -> InMemoryCells:
    builders = {one.name: Builder(one, columns_of(plan.table)) for one in plan.learners}
    thetas = {one.name: one.thetas(plan.seed) for one in plan.learners}
    return InMemoryCells(plan.table, builders, thetas, plan.task, plan.seed, **options)


def assert_same(one: Predictions, other: Predictions) -> None:
    assert list(one.arrays()) == list(other.arrays())
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name])


def every_cell(plan: Plan, check: Callable[[Any, Theta, Resample], None]) -> None:
    for learner in plan.learners:
        for resample in plan.resamples:
            for theta in learner.thetas(plan.seed):
                check(learner, theta, resample)


@pytest.mark.parametrize("together", [True, False])
def test_numbers_are_those_of_the_store(plan: Plan, tmp_path: Path, together: bool) -> None:
    """Also leave-one-out, with and without refitting, and whether θ are fitted together or alone."""
    cells = in_memory(plan, every_theta=lambda resample: together)
    fitter = Fitter(plan, Store(tmp_path / "cells"), "none", "label")
    for learner in plan.learners:
        for resample in plan.resamples:
            fitter.ensure(learner, resample, learner.thetas(plan.seed))
    seals = {str(cell): (cell, record.score) for cell, record in fitter.batch.cells}

    def check(learner: Any, theta: Theta, resample: Resample) -> None:
        cell, seal = next(
            (cell, seal)
            for cell, seal in seals.values()
            if (cell.learner, cell.theta, cell.held_out) == (learner.name, theta, resample.name)
        )
        found = cells.predictions(learner.name, theta, resample)
        assert_same(found, fitter.store.predictions(cell, seal))

    every_cell(plan, check)


@pytest.mark.parametrize(("together", "fits"), [(True, 1), (False, 2)])
def test_each_model_is_fitted_once(
    plan: Plan, together: bool, fits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    original = run.fit
    monkeypatch.setattr(
        run, "fit", lambda *given, **more: calls.append(1) or original(*given, **more)
    )
    cells = in_memory(plan, every_theta=lambda resample: together)
    fold = plan.resamples[0]
    for _ in range(2):
        for theta in ({"C": 0.5}, {"C": 5.0}):
            cells.predictions("svm", theta, fold)
    assert len(calls) == fits


def test_a_theta_that_is_not_in_the_grid(plan: Plan) -> None:
    cells = in_memory(plan, every_theta=lambda resample: False)
    assert cells.predictions("svm", {"C": 77.0}, plan.resamples[0]).label is not None


def test_further_rows_are_predicted_by_the_same_models(plan: Plan) -> None:
    fold = plan.resamples[0]
    further = np.array([[5.0, 5.0], [-5.0, -5.0]])
    cells = in_memory(plan, further=lambda learner, resample: further)
    builder = Builder(plan.learners[2], columns_of(plan.table))
    for theta in plan.learners[2].thetas(plan.seed):
        assert_same(
            cells.predictions("svm", theta, fold), in_memory(plan).predictions("svm", theta, fold)
        )
        found = cells.further_predictions("svm", theta, fold)
        assert found.decision is not None
        steps = builder.preprocessing(builder.recipe(theta))
        train = steps.fit_transform(plan.table.features[fold.train])
        model: Any = builder.estimator(builder.recipe(theta), 0)
        model.fit(train, plan.table.target[fold.train])
        expected = model.decision_function(steps.transform(further))
        np.testing.assert_allclose(found.decision, expected, rtol=0, atol=1e-9)


def test_an_error_names_the_cell(plan: Plan) -> None:
    cells = in_memory(plan, every_theta=lambda resample: False)
    for resample in plan.resamples:
        with pytest.raises(
            HeldoutError,
            match=rf"learner 'knn', θ = {{\"n_neighbors\":99}}, held-out set '{resample.name}', seed 19: ValueError",
        ):
            cells.predictions("knn", {"n_neighbors": 99}, resample)
