"""A model that is in the store is not fitted again when only what it predicts has changed."""

from typing import Any

import numpy as np
import pytest
from tables import prepared

from heldout.cells.fit import Fitter
from heldout.cells.plan import Plan
from heldout.cells.store import Store
from heldout.learners.learner import Learner, define
from heldout.numerics.engines.registry import numeric_code
from heldout.provenance import library_versions
from heldout.resampling.split import TRAIN, Resample

N = 60
THETAS = [{"max_iter": 3, "C": 1.0}, {"max_iter": 500, "C": 1.0}]


@pytest.fixture
def plan(tmp_path: Any) -> Plan:
    generator = np.random.default_rng(3)
    label = generator.permutation(np.repeat(["no", "yes"], N // 2))
    columns = {
        "a": generator.normal(size=N) * 100,
        "b": (label == "yes") + generator.normal(size=N),
    }
    table = prepared(tmp_path, {**columns, "y": label.tolist()})
    block = {"estimator": "sklearn.linear_model.LogisticRegression", "scale": False, "grid": {}}
    return Plan("t", 19, table, [define("l", block)], [], numeric_code(), library_versions())


def ensured(plan: Plan, folder: Any, resample: Resample) -> Fitter:
    fitter = Fitter(plan, Store(folder / "cells"), "all", "label", [resample])
    learner: Learner = plan.learners[0]
    fitter.ensure(learner, resample, THETAS)
    assert not fitter.batch.failures
    return fitter


def test_more_rows_to_predict_need_no_fit(plan: Plan, tmp_path: Any) -> None:
    train, held = np.arange(40), np.arange(40, N)
    fold = Resample("k3.r1.f01", train, {"k3.r1.f01": held})
    first = ensured(plan, tmp_path, fold)
    assert first.batch.fitted == 2
    whole = Resample(fold.name, train, {**fold.held, TRAIN: train})
    second = ensured(plan, tmp_path, whole)
    assert second.batch.fitted == 0
    for (cell, record), (_, before) in zip(second.batch.cells, first.batch.cells, strict=True):
        assert record.key != before.key
        assert record.engine == "stored"
        assert (record.seconds, record.warnings) == (before.seconds, before.warnings)
        predictions = second.store.predictions(cell, record.score)
        assert predictions.label is not None
        assert len(predictions.label) == N
    again = ensured(plan, tmp_path, whole)
    assert (again.batch.fitted, len(again.batch.cells)) == (0, 2)


def test_a_cell_keeps_the_warnings_of_its_fit(plan: Plan, tmp_path: Any) -> None:
    fold = Resample("dev", np.arange(40), {"dev": np.arange(40, N)})
    for _ in range(2):  # fitted, then found in the store
        records = {
            cell.theta["max_iter"]: r for cell, r in ensured(plan, tmp_path, fold).batch.cells
        }
        [warning] = records[3].warnings
        assert warning.category == "ConvergenceWarning"
        assert "failed to converge" in warning.message
        assert "\n" not in warning.message
        assert warning.times == 1
        assert records[500].warnings == ()
