"""The recommended interval of nested CV covers, and comparisons keep their level, on small samples.

Seeded simulations with known truth; the tolerance is four Monte Carlo standard errors. The whole study
is in benchmarks/coverage.py, its results in docs/coverage.md.
"""

from typing import Any

import numpy as np
import pytest
from memory_table import MemoryTable, kfold_split

from heldout.estimates.procedures import ALL, Procedures
from heldout.estimates.rules import Rule
from heldout.measures.registry import LOSSES
from heldout.resampling.kinds import FOLDS, PAIRS
from heldout.resampling.split import Split

LEVEL = 0.95
DRAWS = 250
ERROR = float(np.sqrt(LEVEL * (1 - LEVEL) / DRAWS))
FEATURES = 8


def split_of(n: int, k: int, repeats: int, generator: np.random.Generator) -> Split:
    parts = [kfold_split(generator.permutation(np.arange(n) % k)) for _ in range(repeats)]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in ("row", "fold")}
    return columns | {"repeat": np.repeat(np.arange(repeats) + 1, n)}


class Ridge:
    """y = xβ + noise; each learner sees half of the features, which count the same."""

    alphas = (0.1, 1.0, 10.0, 100.0)

    def __init__(self, n: int, generator: np.random.Generator):
        self.x = generator.normal(size=(n, 2 * FEATURES))
        self.beta = np.full(2 * FEATURES, 0.3)
        self.y = self.x @ self.beta + generator.normal(size=n)

    def fit(self, theta: dict[str, float], train: np.ndarray) -> np.ndarray:
        start = int(theta["half"]) * FEATURES
        x = self.x[train, start : start + FEATURES]
        weights = np.zeros(2 * FEATURES)
        gram = x.T @ x + theta["alpha"] * np.eye(FEATURES)
        weights[start : start + FEATURES] = np.linalg.solve(gram, x.T @ self.y[train])
        return weights

    def losses(self, theta: dict[str, float], train: np.ndarray, held: np.ndarray) -> np.ndarray:
        return (self.y[held] - self.x[held] @ self.fit(theta, train)) ** 2

    def risk(self, theta: dict[str, float]) -> float:
        gap = self.fit(theta, np.arange(len(self.y))) - self.beta
        return float(1 + gap @ gap)


def procedures(problem: Ridge, repeats: int, generator: np.random.Generator) -> Procedures:
    n = len(problem.y)
    thetas = {
        name: [{"half": half, "alpha": alpha} for alpha in problem.alphas]
        for half, name in enumerate("ab")
    }
    splits = {"kfold": split_of(n, 5, repeats, generator)}
    table: Any = MemoryTable(n, problem.losses, thetas, splits, [FOLDS, PAIRS], LOSSES["squared"])
    chosen = {name: (name, grid[0]) for name, grid in thetas.items()}
    found = Procedures(table, chosen, ["kfold", "nested_cv"], Rule(), LEVEL, seed=1)
    for name in "ab":
        choice = found.cv_choice(name)
        found.selected[name] = choice.pairs[choice.best]
    return found


def interval(found: Procedures, name: str) -> Any:
    rows = found.rows()
    return {
        row.interval: row for row in rows if (row.learner, row.estimator) == (name, "nested_cv")
    }


@pytest.mark.parametrize(("n", "repeats"), [(30, 1), (60, 1), (30, 3)])
def test_the_recommended_interval_of_nested_cv_covers(n: int, repeats: int) -> None:
    generator = np.random.default_rng(n + repeats)
    rows, truths = [], []
    for _ in range(DRAWS):
        problem = Ridge(n, generator)
        found = procedures(problem, repeats, generator)
        rows.append(interval(found, "a"))
        truths.append(problem.risk(found.selected["a"][1]))

    def coverage(name: str, truth: Any) -> float:
        ends = np.array([(one[name].ci_low, one[name].ci_high) for one in rows])
        return float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())

    assert coverage("tuned_jackknife", np.array(truths)) >= LEVEL - 4 * ERROR
    assert coverage("tuned_jackknife", np.mean(truths)) >= LEVEL - 4 * ERROR
    if repeats == 1:
        assert coverage("bayle_all_pairs", np.array(truths)) < LEVEL - 4 * ERROR, (
            "the test can fail"
        )


def test_coin_flips_are_covered_and_k_fold_at_the_best_is_not_recommended() -> None:
    """Forty classifiers that guess: the best looks much better than one half."""
    generator = np.random.default_rng(5)
    hits, plain = [], []
    for _ in range(DRAWS):
        columns, labels = generator.integers(2, size=(40, 40)), generator.integers(2, size=40)

        def losses(
            theta: Any, train: np.ndarray, held: np.ndarray, x: Any = columns, y: Any = labels
        ) -> np.ndarray:
            agrees = (x[train, theta["i"]] == y[train]).mean() >= 0.5
            return ((x[held, theta["i"]] == y[held]) != agrees).astype(float)

        thetas = {"signs": [{"i": i} for i in range(40)]}
        split = {"kfold": split_of(40, 5, 1, generator)}
        table: Any = MemoryTable(40, losses, thetas, split, [FOLDS, PAIRS])
        found = Procedures(table, {}, ["kfold", "nested_cv"], Rule(), LEVEL, seed=1)
        choice = found.cv_choice("signs")
        found.selected["signs"] = choice.pairs[choice.best]
        rows = {(row.estimator, row.interval): row for row in found.rows()}
        nested, kfold = (rows[name, "tuned_jackknife"] for name in ("nested_cv", "kfold"))
        assert (nested.recommended, kfold.recommended) == (True, False)
        hits.append(nested.ci_low <= 0.5 <= nested.ci_high)
        plain.append(kfold.ci_low <= 0.5 <= kfold.ci_high)
    assert np.mean(hits) >= LEVEL - 4 * ERROR
    assert np.mean(plain) < 0.5


@pytest.mark.parametrize("repeats", [1, 3])
def test_equal_learners_are_seldom_told_apart(repeats: int) -> None:
    generator = np.random.default_rng(repeats)
    rejected = []
    for _ in range(DRAWS):
        [one] = procedures(Ridge(50, generator), repeats, generator).comparisons()
        assert one.learner_a != ALL
        rejected.append(one.p < 1 - LEVEL)
    assert np.mean(rejected) <= 1 - LEVEL + 4 * ERROR
