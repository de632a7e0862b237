"""Cells of composed learners: keys, checks before the first fit, stored models, predictions of new rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from mixed_table import TRAIN, table_for

from heldout.cells.fit import Fitter, fit_model
from heldout.cells.in_memory import InMemoryCells
from heldout.cells.plan import Plan, columns_of
from heldout.cells.preflight import checked_builders
from heldout.cells.store import Store
from heldout.data.prepared import Prepared
from heldout.errors import HeldoutError
from heldout.learners.learner import define
from heldout.numerics.builders import builder_of
from heldout.numerics.engines.registry import numeric_code
from heldout.provenance import library_versions
from heldout.resampling.split import Resample, resamples
from heldout.selection.final import Predictor

FOLD = Resample("fold", np.arange(TRAIN), {"fold": np.arange(TRAIN, 90)})
LEARNERS = {
    "piped": {"steps": ["prepare", "kbest", "logistic"], "grid": {"kbest__k": [2, 4], "C": [1.0]}},
    "sure": {"estimator": "svm", "calibrate": "sigmoid", "grid": {"C": [1.0]}},
    "boosted": {"estimator": "lightgbm", "grid": {"n_estimators": [3]}},
    "more": {"steps": ["oversample", "prepare", "tree"], "grid": {"max_depth": [2]}},
}


def plan_of(table: Prepared, blocks: dict[str, Any], sets: Sequence[Resample] = (FOLD,)) -> Plan:
    learners = [define(name, block) for name, block in blocks.items()]
    return Plan("t", 19, table, learners, [*sets], numeric_code(), library_versions())


def refusal(table: Prepared, block: dict[str, Any], needs: str = "label") -> str:
    with pytest.raises(HeldoutError) as raised:
        checked_builders(plan_of(table, {"mine": block}), needs)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def fitted(plan: Plan, folder: Path) -> Fitter:
    fitter = Fitter(plan, Store(folder / "cells"), "all", "label")
    for learner in plan.learners:
        for resample in plan.resamples:
            fitter.ensure(learner, resample, learner.thetas(plan.seed))
    assert not fitter.batch.failures
    return fitter


def test_stored_cells_are_those_in_memory_and_models_are_read_back(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    plan = plan_of(table, LEARNERS)
    fitter = fitted(plan, tmp_path)
    builders = checked_builders(plan, "proba")
    thetas = {one.name: one.thetas(19) for one in plan.learners}
    cells = InMemoryCells(table, builders, thetas, plan.task, plan.seed)
    assert len(fitter.batch.cells) == 5
    for cell, record in fitter.batch.cells:
        stored = fitter.store.predictions(cell, record.score)
        said = cells.predictions(cell.learner, cell.theta, FOLD)
        np.testing.assert_array_equal(stored.proba, said.proba)
        learner = plan.learner(cell.learner)
        [keys] = plan.keys(learner, FOLD, [cell.theta])
        model, _ = fitter.store.fitted_model(cell, keys)
        rows = table.frame if builders[cell.learner].takes_frame else table.features
        proba = model.predict_proba(rows[TRAIN:])
        np.testing.assert_array_equal(proba, said.proba)


def test_a_changed_step_fits_that_learner_only(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    assert fitted(plan_of(table, LEARNERS), tmp_path).batch.fitted == 5
    assert fitted(plan_of(table, LEARNERS), tmp_path).batch.fitted == 0
    step = {"step": "oversample", "params": {"shrinkage": 0.1}}
    changed = {**LEARNERS["more"], "steps": ["prepare", step, "tree"]}
    assert fitted(plan_of(table, {**LEARNERS, "more": changed}), tmp_path).batch.fitted == 1


def test_groups_are_in_the_keys_of_calibrated_learners_only(tmp_path: Path) -> None:
    one = table_for(tmp_path / "one", "rare", groups="group")
    other = replace(one, rows=one.rows.copy())
    other.rows["unit"][:6] = 0
    blocks = {"plain": {"estimator": "svm"}, "sure": {"estimator": "svm", "calibrate": "sigmoid"}}
    for name, same in (("plain", True), ("sure", False)):
        found = []
        for table in (one, other):
            plan = plan_of(table, blocks)
            found.append(plan.keys(plan.learner(name), FOLD, [{"C": 1.0}]))
        assert (found[0] == found[1]) is same


def test_members_of_leave_one_out_are_fitted_one_by_one(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    sets = resamples("loo", 90, {"loo": {"row": np.arange(90), "fold": np.arange(90) + 1}})
    block = {"estimator": "ridge", "target": "log", "grid": {"alpha": [1.0]}}
    plan = plan_of(table, {"mine": block}, sets)
    fitter = fitted(plan, tmp_path)
    [(cell, record)] = fitter.batch.cells
    stored = fitter.store.predictions(cell, record.score).value
    member = sets[0].members[7]
    outcome = fit_model(plan, plan.learner("mine"), member, {"alpha": 1.0})
    row = np.concatenate(list(member.held.values()))
    np.testing.assert_allclose(stored[row], outcome.model.predict(table.features[row]), atol=1e-12)


@pytest.mark.parametrize("name", ["piped", "boosted", "sure"])
def test_new_rows_are_found_by_name_and_unknown_levels_are_taken(tmp_path: Path, name: str) -> None:
    table = table_for(tmp_path, "rare")
    plan = plan_of(table, LEARNERS)
    theta = plan.learner(name).thetas(19)[0]
    model = fit_model(plan, plan.learner(name), FOLD, theta).model
    predictor = Predictor(model, table.facts["schema"])
    frame = pd.read_parquet(tmp_path / "table.parquet")
    known = predictor.predict_proba(frame)
    rows = table.frame if getattr(model[0], "takes_frame", False) else table.features
    np.testing.assert_array_equal(known, model.predict_proba(rows))
    mixed = frame[frame.columns[::-1]].assign(extra=1)
    np.testing.assert_array_equal(predictor.predict_proba(mixed), known)
    strange = frame.assign(colour="mauve", when=None)
    assert np.isfinite(predictor.predict_proba(strange)).all()


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"steps": ["scale", "logistic"]}, "learners.mine.steps: a trial on "),
        ({"steps": ["onehot", "logistic"], "grid": {"C": [1]}}, None),
        ({"steps": [{"columns": {"numbers": "scale"}}, "logistic"]}, "begin with the step prepare"),
        (
            {"steps": ["prepare", "kbest", "knn"], "grid": {"kbset__k": [1]}},
            "no step 'kbset'; did you mean 'kbest'?",
        ),
        ({"steps": ["prepare", "knn"], "grid": {"n_neigbors": [1]}}, "did you mean 'n_neighbors'?"),
        (
            {"steps": ["prepare", "kbest", "knn"], "grid": {"kbest__k": [-1]}},
            "learner 'mine' refuses θ",
        ),
        ({"estimator": "svm", "target": "log"}, "learners.mine.target: is for numbers"),
        ({"steps": ["sklearn.linear_model.Ridge", "knn"]}, "Ridge has no transform"),
    ],
)
def test_mistakes_are_told_before_the_first_fit(
    tmp_path: Path, block: dict[str, Any], message: str | None
) -> None:
    table = table_for(tmp_path, "rare")
    if message is None:
        checked_builders(plan_of(table, {"mine": block}), "label")
    else:
        assert message in refusal(table, block)


def test_targets_that_have_no_logarithm_are_counted(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    other = replace(table, target=np.where(np.arange(90) < 2, 0.0, table.target))
    block = {"estimator": "ridge", "target": "log"}
    told = "log needs a target that is positive, and 'score' is not in 2 of 90 rows"
    assert told in refusal(other, block, "value")
    assert "log1p takes 0 too" in refusal(other, block, "value")
    checked_builders(plan_of(other, {"mine": {**block, "target": "log1p"}}), "value")
    calibrated = {"estimator": "ridge", "calibrate": "sigmoid"}
    assert "learners.mine.calibrate: is for classes" in refusal(table, calibrated, "value")


def test_probabilities_of_learners_without_them_by_calibration_only(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    for block in ({"estimator": "svm"}, {"steps": ["prepare", "svm"]}):
        assert "set calibrate: sigmoid" in refusal(table, block, "proba")
        plan = plan_of(table, {"mine": {**block, "calibrate": "sigmoid"}})
        assert checked_builders(plan, "proba")


def test_weights_are_refused_where_a_step_samples_rows(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare", weights="weight")
    sampled = {"steps": ["prepare", "oversample", "logistic"]}
    assert "a step samples rows, and new rows have no weights" in refusal(table, sampled)
    calibrated = {"steps": ["prepare", "svm"], "calibrate": "sigmoid"}
    assert "calibrate with steps passes no weights on" in refusal(table, calibrated)
    assert "KNeighborsClassifier takes no weights" in refusal(table, {"steps": ["prepare", "knn"]})
    assert checked_builders(plan_of(table, {"mine": {"steps": ["prepare", "tree"]}}), "label")


def test_further_rows_of_an_audit_become_a_frame(tmp_path: Path) -> None:
    table = table_for(tmp_path, "rare")
    plan = plan_of(table, {"piped": LEARNERS["piped"]})
    builders = {"piped": builder_of(plan.learners[0], columns_of(table))}
    further = np.array(table.features[:5])
    thetas = {"piped": plan.learners[0].thetas(19)}
    cells = InMemoryCells(table, builders, thetas, plan.task, plan.seed, further=lambda *_: further)
    said = cells.further_predictions("piped", thetas["piped"][0], FOLD)
    model = fit_model(plan, plan.learners[0], FOLD, thetas["piped"][0]).model
    np.testing.assert_array_equal(said.proba, model.predict_proba(table.frame[:5]))
