"""Which training sets a fitting job gets."""

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from heldout.cells.fit import share
from heldout.learners.learner import define
from heldout.resampling import kinds
from heldout.resampling.split import Resample, resamples

N = 100
KFOLD = {
    "repeat": np.ones(N, int),
    "row": np.arange(N),
    "fold": np.random.default_rng(0).permutation(np.arange(N) % 5) + 1,
}


def plan_of(*found: str, learners: int = 2) -> Any:
    sets = [one for kind in found for one in resamples(kind, N, {"kfold": KFOLD, "loo": KFOLD})]
    names = [f"l{i}" for i in range(learners)]
    return SimpleNamespace(
        resamples=sets, learners=[define(name, {"estimator": "knn"}) for name in names]
    )


def shares(plan: Any, batches: int) -> list[list[tuple[Resample, str]]]:
    return [
        [(one, learner.name) for one, learner in share(plan, batch, batches)]
        for batch in range(1, batches + 1)
    ]


@pytest.mark.parametrize("batches", [1, 2, 3, 7, 15, 16, 29, 40])
def test_every_set_and_learner_is_in_one_batch(batches: int) -> None:
    plan = plan_of(kinds.FOLDS, kinds.PAIRS)
    found = [(one.name, name) for part in shares(plan, batches) for one, name in part]
    every = itertools.product([one.name for one in plan.resamples], ["l0", "l1"])
    assert sorted(found) == sorted(every)


@pytest.mark.parametrize("batches", [2, 3, 4])
def test_batches_train_on_about_as_many_rows(batches: int) -> None:
    """Five folds of 80 rows and ten pairs of 60: no two batches are further apart than one set."""
    rows = [
        sum(len(one.train) for one, _ in part)
        for part in shares(plan_of(kinds.FOLDS, kinds.PAIRS), batches)
    ]
    assert sum(rows) == 2 * (5 * 80 + 10 * 60)
    assert max(rows) - min(rows) <= 2 * 80


def test_learners_of_a_set_stay_together_and_sets_in_order() -> None:
    plan = plan_of(kinds.FOLDS, kinds.PAIRS)
    names = [one.name for one in plan.resamples]
    for part in shares(plan, 4):
        places = [names.index(one.name) for one, _ in part]
        assert places == sorted(places)
        assert [name for _, name in part] == ["l0", "l1"] * (len(part) // 2)


def test_left_out_rows_count_by_the_fits_that_they_are() -> None:
    plan = plan_of(kinds.FOLDS, kinds.LOO, learners=1)
    with_members, others = shares(plan, 2)
    if not any(one.members for one, _ in with_members):
        with_members, others = others, with_members
    assert [bool(one.members) for one, _ in with_members] == [True]
    assert len(others) == 5
