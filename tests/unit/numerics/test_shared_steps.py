"""What θ share is fitted once; and no θ's numbers depend on which others are fitted beside it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mixed_table import SEED, TRAIN, outcomes_of, predictions_of, table_for
from mutating_models import Moved

from heldout.cells.plan import columns_of
from heldout.data.prepared import Prepared
from heldout.learners.learner import define
from heldout.names import canonical
from heldout.numerics import run
from heldout.numerics.builders import builder_of
from heldout.numerics.problem import TrainingSet, TrainingSets

HALVED, MOVED, DOUBLING = (f"mutating_models.{name}" for name in ("Halved", "Moved", "Doubling"))
BLOCKS: list[dict[str, Any]] = [
    {"steps": [HALVED, "prepare", "ridge"], "grid": {"prepare__scale": [True, False]}},
    {"steps": ["prepare", MOVED, "ridge"], "grid": {"alpha": [1.0, 9.0], "moved__by": [1, 2, 3]}},
    {"steps": ["prepare", {"step": "scale", "params": {"copy": False}}, DOUBLING], "grid": {"alpha": [1, 9]}},
    {"steps": ["prepare", DOUBLING], "grid": {"alpha": [1.0, 9.0]}},
    {"steps": ["prepare", {"step": "ridge", "params": {"copy_X": False}}], "grid": {"alpha": [1, 9]}},
    {"estimator": "ridge", "params": {"copy_X": False}, "grid": {"alpha": [1.0, 9.0]}},
    {"estimator": DOUBLING, "grid": {"alpha": [1.0, 9.0]}, "target": "log"},
]  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS)
def test_a_theta_fitted_alone_gives_the_same_numbers(tmp_path: Path, block: dict[str, Any]) -> None:
    table = table_for(tmp_path, "score")
    together = outcomes_of(table, block)
    for outcome in together:
        alone = {**block, "grid": {name: [value] for name, value in outcome.theta.items()}}
        np.testing.assert_array_equal(outcome.predictions.value, predictions_of(table, alone).value)


def by_two_learners(table: Prepared, first: dict[str, Any], second: dict[str, Any]) -> np.ndarray:
    sets = TrainingSets(table.features, table.target, frame=lambda: table.frame)
    fold = TrainingSet("fold", np.arange(TRAIN), [np.arange(TRAIN, table.n)])
    for name, block in (("first", first), ("second", second)):
        builder = builder_of(define(name, block), columns_of(table))
        [outcome] = run.fit(sets.problem(builder, fold, SEED), {"steps": [{}]})
    assert outcome.predictions is not None
    assert outcome.predictions.value is not None
    return outcome.predictions.value


def test_a_step_that_changes_its_rows_changes_none_of_another_learner(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    prepare = {"step": "prepare", "params": {"scale": False}}
    plain = {"steps": [prepare, "ridge"]}
    changing = {"steps": [HALVED, prepare, "ridge"]}
    np.testing.assert_array_equal(
        by_two_learners(table, changing, plain), by_two_learners(table, plain, plain)
    )


@pytest.mark.parametrize("model", ["ridge", {"step": "ridge", "name": "a"}])
def test_steps_that_theta_share_are_fitted_once(tmp_path: Path, model: Any) -> None:
    table = table_for(tmp_path, "score")
    prefix = "a__" if isinstance(model, dict) else ""
    grid = {f"{prefix}alpha": [1.0, 2.0, 3.0], "kbest__k": [1, 2], "moved__by": [1, 2, 3, 4, 5, 6]}
    block = {"steps": ["prepare", MOVED, "kbest", model], "grid": grid}
    Moved.fits.clear()
    found = outcomes_of(table, block)
    assert sorted(Moved.fits) == [1, 2, 3, 4, 5, 6]
    thetas = {canonical(theta) for theta in define("mine", block).thetas(SEED)}
    assert {canonical(outcome.theta) for outcome in found} == thetas
    preprocessings = {id(outcome.model[0]) for outcome in found}
    assert len(preprocessings) == 1
    assert len({id(outcome.model["kbest"]) for outcome in found}) == 12


def test_a_wrong_theta_fails_alone(tmp_path: Path) -> None:
    table = table_for(tmp_path, "score")
    block = {"steps": ["prepare", "kbest", "ridge"], "grid": {"kbest__k": [2, 3]}}
    builder = builder_of(define("mine", block), columns_of(table))
    sets = TrainingSets(table.features, table.target, frame=lambda: table.frame)
    fold = TrainingSet("fold", np.arange(TRAIN), [np.arange(TRAIN, table.n)])
    thetas = [{"kbest__k": 2}, {"kbset__k": 2}, {"kbest__k": 3}]
    outcomes = list(run.fit(sets.problem(builder, fold, SEED), {"steps": thetas}))
    failed = [canonical(one.theta) for one in outcomes if one.error is not None]
    assert failed == ['{"kbset__k":2}']
    assert len(outcomes) == 3
