"""Sets that a score is not defined on are refused before the first fit, in one clear line."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from heldout.cells.sets_check import check_sets
from heldout.errors import HeldoutError
from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.resampling.split import TRAIN, Resample

CLASSES = np.array([0, 0, 1, 0, 1, 0])
NUMBERS = np.array([1.0, 2.0, 3.0, 5.0, 5.0, 5.0])


def plan(target: np.ndarray, *held: list[int]) -> Any:
    classes = ["no", "yes"] if target is CLASSES else None
    table = SimpleNamespace(target=target, classes=classes, weights=None, times=None)
    sets = {f"f{i}": np.array(rows) for i, rows in enumerate(held, 1)}
    everything = np.arange(len(target))
    resamples = [
        Resample(name, np.setdiff1d(everything, rows), {TRAIN: everything[:1], name: rows})
        for name, rows in sets.items()
    ]
    return SimpleNamespace(table=table, resamples=resamples)


def loss(name: str, target: np.ndarray) -> Any:
    return loss_for(LossSpec(name), ["no", "yes"] if target is CLASSES else None)


REFUSED = {
    "no positive row": (
        "roc_auc", plan(CLASSES, [0, 2], [1, 3]),
        "loss: 'roc_auc' is not defined on held-out set 'f2', which has no row of class 'yes'; use fewer "
        "folds (kfold.k) or a larger share, kfold.stratify: true, or another loss",
    ),
    "no negative row": ("balanced_accuracy", plan(CLASSES, [2, 4]), "no row of class 'no'"),
    "one row": ("f1", plan(CLASSES, [0, 2], [1]), "held-out set 'f2' has one row"),
    "one number": ("r2", plan(NUMBERS, [0]), "held-out set 'f1' has one row"),
    "equal numbers": (
        "r2", plan(NUMBERS, [0, 1], [3, 4, 5]),
        "loss: 'r2' is not defined on held-out set 'f2', where all targets are 5; use fewer folds",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "given", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(name: str, given: Any, message: str) -> None:
    with pytest.raises(HeldoutError) as error:
        check_sets(loss(name, given.table.target), given)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("name", "target"), [("roc_auc", CLASSES), ("r2", NUMBERS)])
def test_in_time_order_fewer_blocks_are_advised(name: str, target: np.ndarray) -> None:
    given = plan(target, [3, 5])
    given.table.times = np.arange(6.0)
    with pytest.raises(HeldoutError, match=r"use fewer blocks \(rolling.blocks\)") as error:
        check_sets(loss(name, target), given)
    assert "kfold" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("zero_one", plan(CLASSES, [1])),
        ("roc_auc", plan(CLASSES, [0, 2], [3, 4])),
        ("f1", plan(CLASSES, [1, 3])),
        ("r2", plan(NUMBERS, [0, 1], [2, 3])),
        ("neg_root_mean_squared_error", plan(NUMBERS, [3, 4])),
    ],
)
def test_what_is_not(name: str, given: Any) -> None:
    check_sets(loss(name, given.table.target), given)


@pytest.mark.parametrize(("name", "refused"), [("rand_score", True), ("roc_auc", False)])
def test_scores_that_take_no_weights_are_refused_where_rows_have_some(
    name: str, refused: bool
) -> None:
    given = plan(CLASSES, [0, 2], [3, 4])
    given.table.weights = np.arange(1.0, 7.0)
    if not refused:
        check_sets(loss(name, CLASSES), given)
        return
    with pytest.raises(HeldoutError, match="'rand_score' takes no weights; remove weights"):
        check_sets(loss(name, CLASSES), given)
