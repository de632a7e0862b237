"""The keys of a cell depend on all that can change it, and on nothing else."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from heldout.cells.key import Keyring, Keys
from heldout.learners.learner import Learner, define
from heldout.numerics.engines.registry import ENGINES
from heldout.resampling.split import Resample

CODE = {name: f"code of {name}" for name in ENGINES}
LEARNER = define("knn", None)
FOLD = Resample("fold", np.array([0, 1, 2]), {"fold": np.array([3, 4])})
MEMBERS = Resample("loo", np.array([], int), FOLD.held, [FOLD])
THETA = {"n_neighbors": 3}


def keys(
    *,
    data: str = "data",
    classification: bool = True,
    code: dict[str, str] = CODE,
    versions: str = "1.0",
    learner: Learner = LEARNER,
    resample: Resample = FOLD,
    theta: Any = THETA,
    seed: int = 7,
    weighted: bool = False,
) -> Keys:
    keyring = Keyring(data, classification, code, versions, weighted)
    [made] = keyring.keys(learner, resample, [theta], seed)
    return made


@pytest.mark.parametrize(
    "change",
    [
        {"data": "other"},
        {"classification": False},
        {"code": CODE | {"knn": "other"}},
        {"versions": "1.1"},
        {"learner": replace(LEARNER, params={"weights": "uniform"})},
        {"learner": replace(LEARNER, scale=False)},
        {"learner": replace(LEARNER, polynomial=True)},
        {"learner": replace(LEARNER, source="other")},
        {"learner": replace(LEARNER, classifier="mine.KNN")},
        {"resample": replace(FOLD, train=np.array([0, 1, 5]))},
        {"resample": replace(FOLD, train=np.array([0, 2, 1]))},
        {"theta": {"n_neighbors": 4}},
        {"seed": 8},
    ],
    ids=str,
)
def test_what_changes_the_model(change: Any) -> None:
    assert keys(**change).fit != keys().fit
    assert keys(**change).cell != keys().cell


@pytest.mark.parametrize(
    "held",
    [{"fold": np.array([3, 5])}, {"other": FOLD.held["fold"]}, {**FOLD.held, "train": FOLD.train}],
)
def test_what_is_predicted_changes_the_cell_but_not_the_model(held: Any) -> None:
    changed = keys(resample=replace(FOLD, held=held))
    assert changed.fit == keys().fit
    assert changed.cell != keys().cell


@pytest.mark.parametrize(
    "change",
    [
        {"code": CODE | {"ridge": "other", "leave_one_out": "other"}},
        {"learner": replace(LEARNER, grid={"n_neighbors": [3, 4]})},
        {"learner": replace(LEARNER, simpler={}, instead="another hint")},
        {"learner": replace(LEARNER, name="another name")},
        {"resample": replace(FOLD, name="another name")},
        {"resample": replace(FOLD, train=FOLD.train.astype(np.int32))},
    ],
    ids=str,
)
def test_what_changes_no_number_changes_no_key(change: Any) -> None:
    """Names seed a fit; the seed is in the key."""
    assert keys(**change) == keys()


@pytest.mark.parametrize("engine", ["knn", "leave_one_out"])
def test_members_of_leave_one_out_depend_on_both_engines(engine: str) -> None:
    """Rows are left out without refitting where that is exact, and by refitting elsewhere."""
    changed = keys(resample=MEMBERS, code=CODE | {engine: "other"})
    assert changed.fit != keys(resample=MEMBERS).fit
    other = keys(resample=MEMBERS, code=CODE | {"ridge": "other"})
    assert other == keys(resample=MEMBERS)


def test_each_theta_has_its_own_keys_in_order() -> None:
    thetas = [{"n_neighbors": 3}, {"n_neighbors": 4}]
    made = Keyring("data", True, CODE, "1.0").keys(LEARNER, FOLD, thetas, 7)
    assert made == [keys(theta=theta) for theta in thetas]


@pytest.mark.parametrize("resample", [FOLD, MEMBERS], ids=["fold", "members"])
def test_cells_with_weights_depend_on_the_generic_engine_alone(resample: Resample) -> None:
    def changed(engine: str) -> bool:
        own = keys(resample=resample, weighted=True)
        return own != keys(resample=resample, weighted=True, code=CODE | {engine: "other"})

    assert [engine for engine in CODE if changed(engine)] == ["generic"]
