"""Theorems on simulated data: seeded, with tolerances of four Monte Carlo standard errors."""

from typing import Any

import numpy as np
import pytest
from memory_table import MemoryTable, kfold_split, loo_split_of

from heldout.estimates.algorithm import evidence_for
from heldout.estimates.corrections import bbc, tibshirani
from heldout.estimates.evidence import Evidence
from heldout.estimates.intervals import bounds_of
from heldout.estimates.nested import InnerTables, outer_folds
from heldout.estimates.out_of_fold import OutOfFold
from heldout.estimates.rules import Rule
from heldout.measures.registry import LOSSES
from heldout.resampling.kinds import FOLDS, LOO, PAIRS
from heldout.resampling.units import draw_folds

LEVEL = 0.95


def near(values: list[float], truth: float) -> bool:
    """Within four Monte Carlo standard errors."""
    return abs(np.mean(values) - truth) <= 4 * np.std(values, ddof=1) / np.sqrt(len(values))


# --- least squares with Gaussian data: E[risk at size m] is known -----------------------------


def ols_risk(m: int, p: int) -> float:
    """σ² = 1: (1 + 1/m)(m − 2)/(m − p − 2) for p Gaussian features and an intercept."""
    return (1 + 1 / m) * (m - 2) / (m - p - 2)


def ols_table(
    generator: np.random.Generator, n: int, p: int, splits: Any, kinds: Any
) -> MemoryTable:
    design = np.column_stack([np.ones(n), generator.normal(size=(n, p))])
    target = design @ np.arange(1.0, p + 2) + generator.normal(size=n)

    def losses(_: Any, train: np.ndarray, held: np.ndarray) -> np.ndarray:
        weights = np.linalg.lstsq(design[train], target[train], rcond=None)[0]
        return (target[held] - design[held] @ weights) ** 2

    return MemoryTable(n, losses, {"ols": [{}]}, splits, kinds, LOSSES["squared"])


@pytest.mark.parametrize(
    ("estimator", "kind", "n", "m"), [("loo", LOO, 21, 20), ("kfold", FOLDS, 40, 20)]
)
def test_least_squares_risk_is_met(estimator: str, kind: str, n: int, m: int) -> None:
    generator = np.random.default_rng(11)
    splits = {"kfold": kfold_split(np.arange(40) % 2), "loo": loo_split_of(21)}
    values = [
        evidence_for(ols_table(generator, n, 3, splits, [kind]), estimator, "ols", {}).risk
        for _ in range(1500)
    ]
    assert near(values, ols_risk(m, 3))
    if estimator == "kfold":
        assert not near(values, ols_risk(n, 3)), "two folds are pessimistic, visibly"


# --- pure noise: nested CV is honest, min-CV is not -------------------------------------------


def noise_table(generator: np.random.Generator, n: int, thetas: int, k: int) -> MemoryTable:
    """Θ random directions; A_θ turns each into the sign rule that errs least in training."""
    features = generator.normal(size=(n, thetas)) > 0
    labels = generator.random(n) > 0.5

    def losses(theta: dict[str, int], train: np.ndarray, held: np.ndarray) -> np.ndarray:
        column = features[:, theta["column"]]
        agrees = (column[train] == labels[train]).mean() >= 0.5
        return ((column[held] == labels[held]) != agrees).astype(float)

    fold = draw_folds(np.arange(n), None, k, int(generator.integers(2**31)))
    grid = {"signs": [{"column": i} for i in range(thetas)]}
    return MemoryTable(n, losses, grid, {"kfold": kfold_split(fold)}, [FOLDS, PAIRS])


def test_on_noise_nested_is_chance_and_min_cv_is_optimistic() -> None:
    generator = np.random.default_rng(5)
    nested, min_cv, corrected = [], [], []
    for _ in range(150):
        loss_table: Any = noise_table(generator, 40, 15, 5)
        folds = outer_folds(InnerTables(loss_table), "nested_cv", ["signs"], Rule())
        nested.append(float(np.mean([fold.losses.mean() for fold in folds])))
        thetas = loss_table.thetas["signs"]
        means = np.stack(
            [evidence_for(loss_table, "kfold", "signs", t).set_means for t in thetas], axis=1
        )
        losses = OutOfFold(loss_table).by_row("signs")
        min_cv.append(float(means.mean(axis=0).min()))
        corrected.append(float(bbc(losses, np.arange(40), seed=1, draws=200).mean()))
    assert near(nested, 0.5)
    assert np.mean(min_cv) < 0.5 - 10 * np.std(min_cv) / np.sqrt(150)
    assert abs(np.mean(corrected) - 0.5) < 0.25 * (0.5 - np.mean(min_cv)), (
        "most of the bias is gone"
    )


def test_tibshirani_over_corrects_with_small_folds_and_many_thetas() -> None:
    generator = np.random.default_rng(8)
    losses = generator.random((200, 40, 15)) < 0.5
    large = [tibshirani(one.reshape(4, 10, 15).mean(axis=1)) for one in losses]
    small = [tibshirani(one.reshape(20, 2, 15).mean(axis=1)) for one in losses]
    assert np.mean(large) == pytest.approx(0.5, abs=0.05)
    assert np.mean(small) > 0.6


# --- coverage ---------------------------------------------------------------------------------


def coverage(hits: list[bool]) -> tuple[float, float]:
    """The share of hits and its Monte Carlo standard error (at the nominal level)."""
    return float(np.mean(hits)), float(np.sqrt(LEVEL * (1 - LEVEL) / len(hits)))


@pytest.mark.parametrize("name", ["clopper_pearson", "wilson", "hoeffding", "empirical_bernstein"])
@pytest.mark.parametrize("truth", [0.02, 0.3])
def test_coverage_of_test_set_intervals(name: str, truth: float) -> None:
    generator = np.random.default_rng(2)
    hits = []
    for _ in range(2000):
        losses = (generator.random(60) < truth).astype(float)
        evidence = Evidence("test", [losses], [np.arange(60)], bound=1.0, binary=True)
        _, low, high = bounds_of(name, evidence, LEVEL)
        hits.append(low <= truth <= high)
    share, error = coverage(hits)
    floor = 0.88 if name == "wilson" else LEVEL
    assert share >= floor - 4 * error, "exact methods keep the level, Wilson keeps it nearly"
    if name in ("hoeffding", "empirical_bernstein"):
        assert share > 0.99, "distribution-free intervals are wide"


@pytest.mark.parametrize("name", ["t", "bootstrap_percentile"])
def test_coverage_for_squared_losses(name: str) -> None:
    generator = np.random.default_rng(3)
    hits = []
    for i in range(600):
        losses = generator.normal(size=80) ** 2
        evidence = Evidence("test", [losses], [np.arange(80)], seed=i)
        _, low, high = bounds_of(name, evidence, LEVEL)
        hits.append(low <= 1.0 <= high)
    share, error = coverage(hits)
    assert 0.90 - 4 * error <= share <= LEVEL + 4 * error, "skewed losses cost a few per cent"


def test_coverage_of_groups() -> None:
    """Losses within a group are equal: the group must be the unit, and rows as units cover too seldom."""
    generator = np.random.default_rng(4)
    by_group, by_row = [], []
    for _ in range(1000):
        losses = np.repeat(generator.normal(1.0, 1.0, size=25), 8)
        groups = np.repeat(np.arange(25), 8)
        for units, hits in ((groups, by_group), (np.arange(200), by_row)):
            _, low, high = bounds_of("t", Evidence("test", [losses], [units]), LEVEL)
            hits.append(low <= 1.0 <= high)
    share, error = coverage(by_group)
    assert abs(share - LEVEL) <= 4 * error
    assert np.mean(by_row) < 0.6


def test_coverage_of_cross_validation_intervals() -> None:
    """Bayle's interval covers the average risk of the K models; Nadeau–Bengio E[risk]."""
    generator = np.random.default_rng(6)
    n, p, k = 100, 3, 10
    splits = {"kfold": kfold_split(np.arange(n) % k)}
    bayle, corrected = [], []
    for _ in range(500):
        loss_table = ols_table(generator, n, p, splits, [FOLDS])
        evidence = evidence_for(loss_table, "kfold", "ols", {})  # type: ignore[arg-type]
        _, low, high = bounds_of("nadeau_bengio", evidence, LEVEL)
        corrected.append(low <= ols_risk(90, p) <= high)
        _, low, high = bounds_of("bayle_all_pairs", evidence, LEVEL)
        bayle.append(low <= ols_risk(90, p) <= high)
    share, error = coverage(corrected)
    assert share >= LEVEL - 4 * error
    share, error = coverage(bayle)
    assert share >= 0.93 - 4 * error, "asymptotic, and the risks of these models hardly vary"
