"""Formulas written out once more, in the plainest way, and known values."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from memory_table import MemoryTable, kfold_split
from scipy import stats

from heldout.checks.grid import excess_bound
from heldout.estimates.algorithm import evidence_for
from heldout.estimates.bootstrap import no_information_risk, point_632, point_632plus
from heldout.estimates.comparisons import holm
from heldout.estimates.corrections import bbc
from heldout.estimates.evidence import Evidence
from heldout.estimates.intervals import bounds_of, opening_divisor, standard_error
from heldout.estimates.nested import inner_table
from heldout.measures.registry import LOSSES, loss_for
from heldout.predictions import Predictions
from heldout.resampling.kinds import FOLDS, PAIRS
from heldout.selection import test as sealed_test
from heldout.selection.sealed_predictions import SealedPredictions
from heldout.selection.spec import SealedTestSpec

LEVEL = 0.9
SPEC = SealedTestSpec("t", 19, LEVEL)
KNN: dict[str, Any] = {"learner": "knn", "theta": {}}


def evidence(estimator: str, losses: list[np.ndarray], **more: Any) -> Evidence:
    ends = np.cumsum([0, *map(len, losses)])
    units = [np.arange(ends[i], ends[i + 1]) for i in range(len(losses))]
    return Evidence(estimator, losses, units, **more)


def folds(seed: int = 0) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.exponential(size=size) for size in (7, 8, 8, 7)]


# --- intervals ----------------------------------------------------------------------------------


def test_t_against_scipy() -> None:
    losses = np.concatenate(folds())
    once = bounds_of("t", evidence("test", [losses]), LEVEL)
    expected = stats.ttest_1samp(losses, 0).confidence_interval(LEVEL)
    assert once[1:] == pytest.approx((expected.low, expected.high))
    part = bounds_of("t", evidence("test", [losses], divisor=4), LEVEL)
    wider = stats.ttest_1samp(losses, 0).confidence_interval(1 - 0.1 / 4)
    assert part[1:] == pytest.approx((wider.low, wider.high))


def test_the_first_opening_keeps_delta_and_all_together_use_one_and_a_half() -> None:
    assert opening_divisor(1) == 1
    parts = [Fraction(1, opening_divisor(count)) for count in range(1, 1001)]
    assert parts[1:] == [Fraction(1, t) - Fraction(1, t + 1) for t in range(2, 1001)]
    assert sum(parts) == Fraction(3, 2) - Fraction(1, 1001)


@pytest.mark.parametrize(("count", "delta"), [(1, 0.1), (2, 0.1 / 6), (3, 0.1 / 12), (7, 0.1 / 56)])
def test_the_interval_of_the_test_at_each_opening(count: int, delta: float) -> None:
    """Five errors in thirty rows: the ends have tails of δ/2 for the δ of this opening."""
    target = np.repeat([0, 1], [5, 25])
    one = np.arange(30)
    found = SealedPredictions(one, one, target, Predictions(label=np.ones(30, int)), ["a", "b"])
    rows = sealed_test.test_rows(found, KNN, LOSSES["zero_one"], SPEC, count)
    assert {row.learner for row in rows} == {"knn", "all"}
    exact = next(row for row in rows if row.interval == "clopper_pearson")
    assert exact.risk == 5 / 30
    assert exact.level == LEVEL
    assert stats.binom.sf(4, 30, exact.ci_low) == pytest.approx(delta / 2)
    assert stats.binom.cdf(5, 30, exact.ci_high) == pytest.approx(delta / 2)


def test_the_test_of_numbers_has_squared_losses_unless_told_otherwise() -> None:
    one = np.arange(4)
    found = SealedPredictions(one, one, one + 2.0, Predictions(value=one * 1.0), None)
    loss = loss_for(None, found.classes)
    rows = sealed_test.test_rows(found, KNN, loss, SPEC, 1)
    assert {row.risk for row in rows} == {4.0}


def test_no_interval_of_the_test_is_recommended_where_one_row_has_most_of_the_loss() -> None:
    one = np.arange(20)
    target = np.linspace(0.5, 1.5, 20)
    for largest, recommended in ((1.5, True), (90.0, False)):
        target[-1] = largest
        found = SealedPredictions(one, one, target, Predictions(value=np.zeros(20)), None)
        rows = sealed_test.test_rows(found, KNN, LOSSES["squared"], SPEC, 1)
        assert any(row.recommended for row in rows) == recommended


def test_a_refused_opening_gives_no_estimate() -> None:
    none = np.arange(0)
    found = SealedPredictions(none, none, none, Predictions(), ["a", "b"])
    assert sealed_test.test_rows(found, KNN, LOSSES["zero_one"], SPEC, 2) == []


def test_bound_on_the_excess_risk_of_the_development_set() -> None:
    """Shalev-Shwartz & Ben-David 2014, Corollary 4.6."""
    assert excess_bound(200, 10, 0.05, 1.0) == pytest.approx(np.sqrt(2 / 200 * np.log(20 / 0.05)))


# --- bootstrap ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("training", "per_row", "gamma", "expected"),
    [
        (0.0, 0.5, 0.5, 0.5),
        (0.2, 0.2, 0.5, 0.2),
        (0.3, 0.2, 0.5, (1 - 0.632) * 0.3 + 0.632 * 0.2),
        (0.0, 0.7, 0.5, 0.5),
        (0.1, 0.3, 0.05, (1 - 0.632) * 0.1 + 0.632 * 0.05),
    ],
)
def test_632plus_in_its_corners(
    training: float, per_row: float, gamma: float, expected: float
) -> None:
    assert point_632plus(training, per_row, gamma) == pytest.approx(expected)
    assert point_632(training, per_row) == pytest.approx(0.368 * training + 0.632 * per_row)


def test_no_information_risk_of_zero_one_loss() -> None:
    """γ = Σ_c p_c(1 − q_c)."""
    target, label = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1])
    found = no_information_risk(LOSSES["zero_one"], target, Predictions(label=label))
    p, q = np.array([2, 1, 1]) / 4, np.array([1, 3, 0]) / 4
    assert found == pytest.approx((p * (1 - q)).sum())


# --- corrections and comparisons ----------------------------------------------------------------


def test_bbc_against_a_plain_loop() -> None:
    generator = np.random.default_rng(1)
    losses, units = generator.random((30, 4)), np.repeat(np.arange(15), 2)
    scores = []
    for _ in range(4000):
        drawn = generator.integers(15, size=15)
        rows = np.concatenate([np.flatnonzero(units == u) for u in drawn])
        out = np.flatnonzero(~np.isin(units, drawn))
        scores.append(losses[out, losses[rows].mean(axis=0).argmin()].mean())
    found = bbc(losses, units, seed=3, draws=4000)
    error = np.std(scores) / np.sqrt(4000) * np.sqrt(2)
    assert abs(found.mean() - np.mean(scores)) < 4 * error
    given = Evidence("min_cv_bbc", [losses[:, 0]], [units], bootstrap_risks=found)
    _, low, high = bounds_of("bbc", given, LEVEL)
    assert low == pytest.approx(np.quantile(scores, 0.05), abs=0.03)
    assert high == pytest.approx(np.quantile(scores, 0.95), abs=0.03)


def test_holm_known_values() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])


# --- nested tables and the nested-CV standard error ---------------------------------------------


def line_table(n: int = 24, k: int = 4) -> MemoryTable:
    generator = np.random.default_rng(9)
    x = generator.normal(size=n)
    y = 2 * x + generator.normal(size=n)

    def losses(theta: dict[str, float], train: np.ndarray, held: np.ndarray) -> np.ndarray:
        slope = x[train] @ y[train] / (x[train] @ x[train] + theta["ridge"])
        return (y[held] - slope * x[held]) ** 2

    thetas = {"line": [{"ridge": 0.0}, {"ridge": 5.0}]}
    split = {"kfold": kfold_split(np.arange(n) % k)}
    return MemoryTable(n, losses, thetas, split, [FOLDS, PAIRS], LOSSES["squared"])


def test_inner_curves_equal_the_evidence_of_the_inner_folds() -> None:
    loss_table: Any = line_table()
    [partition] = loss_table.partitions
    curve = inner_table(loss_table, "line", partition).curve(1, [0, 2, 3])
    for theta, risk, error in zip(curve.thetas, curve.risks, curve.errors, strict=True):
        losses = []
        for j in (0, 2, 3):
            pair = loss_table.resample(partition.set_name(1, j))
            losses.append(loss_table.losses("line", theta, pair)[partition.set_name(j)])
        given = evidence("kfold", losses)
        assert risk == pytest.approx(given.risk)
        assert error == pytest.approx(standard_error(given))


def test_bates_against_the_formula() -> None:
    loss_table: Any = line_table()
    [partition] = loss_table.partitions
    theta, k, n = {"ridge": 0.0}, 4, 24
    a, b, inner_all, outer_means = [], [], [], []
    for fold in range(k):
        inner = np.concatenate(
            [
                loss_table.losses("line", theta, loss_table.resample(partition.set_name(fold, j)))[
                    partition.set_name(j)
                ]
                for j in range(k)
                if j != fold
            ]
        )
        name = partition.set_name(fold)
        outer = loss_table.losses("line", theta, loss_table.resample(name))[name]
        a.append((inner.mean() - outer.mean()) ** 2)
        b.append(outer.var(ddof=1) / len(outer))
        inner_all.append(inner)
        outer_means.append(outer.mean())
    naive = np.concatenate(inner_all).std(ddof=1) / np.sqrt(n)
    mse = (k - 1) / k * np.mean(np.array(a) - np.array(b))
    se = min(max(np.sqrt(max(0, mse)), naive), np.sqrt(k) * naive)
    nested = np.mean([inner.mean() for inner in inner_all])
    centre = nested - (1 + ((k - 2) / k) ** 1.5) * (nested - np.mean(outer_means))
    found = bounds_of("bates", evidence_for(loss_table, "kfold", "line", theta), LEVEL)
    assert found[0] == pytest.approx(se)
    assert found[2] == pytest.approx(centre + stats.norm.ppf(0.95) * se)
