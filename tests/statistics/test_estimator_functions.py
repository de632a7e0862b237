"""Estimators of a fixed and of a tuned θ on a table of losses small enough to compute by hand."""

from typing import Any

import numpy as np
import pytest
from memory_table import MemoryTable, kfold_split

from heldout.estimates import fixed, tuned
from heldout.estimates.algorithm import Algorithm
from heldout.estimates.procedures import Procedures
from heldout.estimates.rules import Rule
from heldout.measures.registry import LOSSES
from heldout.resampling.kinds import DEV, FOLDS, FOLDS_WHOLE, FULL

SIZES = {"equal": np.array([0, 0, 1, 1, 2, 2]), "unequal": np.array([0, 0, 0, 1, 1, 2])}
THETAS = [{"scale": 3.0}, {"scale": 1.0}, {"scale": 2.0}]


def losses_of(theta: dict[str, float], train: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Made up: depends on θ, on the size of the training set, and on the row."""
    return theta["scale"] * (held + 1.0) / len(train)


def small_table(folds: str, *kinds: str) -> Any:
    splits = {"kfold": kfold_split(SIZES[folds]), "holdout": {"held_out": np.array([0, 1] * 3)}}
    splits["holdout"]["row"] = np.arange(6)
    thetas = {"a": THETAS, "b": [{"scale": 0.5}]}
    return MemoryTable(6, losses_of, thetas, splits, kinds, LOSSES["squared"])


def fold_means(fold: np.ndarray, scale: float) -> list[float]:
    return [
        float(
            losses_of({"scale": scale}, np.flatnonzero(fold != k), np.flatnonzero(fold == k)).mean()
        )
        for k in range(3)
    ]


def procedures(loss_table: Any) -> Procedures:
    selected = {"a": ("a", THETAS[1]), "b": ("b", {"scale": 0.5}), "all": ("b", {"scale": 0.5})}
    return Procedures(loss_table, selected, ["min_cv"], Rule(), 0.9, seed=1)


def test_training_is_the_mean_over_all_rows() -> None:
    found = fixed.training(Algorithm(small_table("equal", FULL), "a", THETAS[0]), "training")
    assert (found.risk, found.n, found.evidence) == (3.0 * 3.5 / 6, 6, None)


def test_pooled_kfold_is_a_row_only_where_folds_are_unequal() -> None:
    equal = Algorithm(small_table("equal", FOLDS), "a", THETAS[0])
    assert fixed.kfold_pooled(equal, "kfold_pooled") is None
    found = fixed.kfold_pooled(Algorithm(small_table("unequal", FOLDS), "a", THETAS[0]), "")
    assert found is not None
    pooled = 3.0 * np.mean([1 / 3, 2 / 3, 3 / 3, 4 / 4, 5 / 4, 6 / 5])
    assert (found.risk, found.n) == (pytest.approx(pooled), 6)


def test_adjusted_kfold_is_burmans_formula() -> None:
    loss_table = small_table("unequal", FULL, FOLDS_WHOLE)
    found = fixed.kfold_adjusted(Algorithm(loss_table, "a", THETAS[0]), "kfold_adjusted")
    on_all_rows = np.mean([3.0 * 3.5 / size for size in (3, 4, 5)])
    expected = np.mean(fold_means(SIZES["unequal"], 3.0)) + 3.0 * 3.5 / 6 - on_all_rows
    assert (found.risk, found.n) == (pytest.approx(expected), 6)


@pytest.mark.parametrize("folds", ["equal", "unequal"])
def test_min_cv_takes_the_smallest_of_each_learner_and_of_all(folds: str) -> None:
    of = procedures(small_table(folds, FOLDS))
    mine, both = tuned.min_cv(of, "a", "min_cv"), tuned.min_cv(of, "all", "min_cv")
    assert mine.chosen == ("a", {"scale": 1.0})
    assert mine.risk == pytest.approx(np.mean(fold_means(SIZES[folds], 1.0)))
    assert both.chosen == ("b", {"scale": 0.5})
    assert (both.risk, both.n) == (pytest.approx(mine.risk / 2), 6)
    assert tuned.min_cv_tt(of, "a", "min_cv_tt").risk == pytest.approx(mine.risk), "no regret"


def test_min_cv_bbc_chooses_the_same_theta_in_every_bag() -> None:
    """One θ is best on every row, so that only the mean of the rows left out is drawn."""
    of = procedures(small_table("equal", FOLDS))
    found = tuned.min_cv_bbc(of, "a", "min_cv_bbc")
    assert found.chosen == ("a", {"scale": 1.0})
    assert found.evidence is not None
    assert found.evidence.bootstrap_risks is not None
    assert found.risk == pytest.approx(found.evidence.bootstrap_risks.mean())
    assert found.evidence.losses[0].tolist() == pytest.approx([(row + 1) / 4 for row in range(6)])
    assert found.risk == pytest.approx(3.5 / 4, abs=0.05)


def test_the_best_theta_on_the_development_set() -> None:
    of = procedures(small_table("equal", DEV))
    mine, both = (tuned.best_on_dev(of, name, "holdout") for name in ("a", "all"))
    assert (mine.chosen, both.chosen) == (("a", {"scale": 1.0}), ("b", {"scale": 0.5}))
    assert (mine.risk, mine.n) == (pytest.approx((2 + 4 + 6) / 3 / 3), 3)
    assert both.evidence is not None
    assert both.evidence.divisor == 4, "the union bound covers every θ of every learner"
