"""Intervals and comparisons over time: their formula, their coverage, and what is refused."""

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from heldout.estimates.cosine import averages, cosine_se
from heldout.estimates.evidence import Evidence, facts_of
from heldout.estimates.holds import HOLDS, IN_TIME
from heldout.estimates.interval_registry import INTERVALS
from heldout.estimates.intervals import bounds_of, reason_against, valid_intervals
from heldout.estimates.recommended import reason_for_none, recommended
from heldout.estimates.registry import ESTIMATORS
from heldout.estimates.time_comparisons import compare_in_time
from heldout.estimates.time_intervals import cosine_t, series_of
from heldout.measures.registry import LOSSES

REPO = Path(__file__).parents[2]
sys.path.insert(0, str(REPO / "benchmarks"))
from time_coverage import autoregression, series_coverage, table_coverage  # noqa: E402

DRAWS = 20_000
ERROR = 4 * np.sqrt(0.05 * 0.95 / DRAWS)
"""Four Monte Carlo standard errors of a coverage of .95."""


def blocks(values: np.ndarray, estimator: str = "rolling", loss: str = "zero_one") -> Evidence:
    losses = [np.array([one]) for one in values]
    facts = facts_of(LOSSES[loss], None, None) | {"bound": None, "negative": True, "heavy": None}
    return Evidence(estimator, losses, [np.arange(1)] * len(values), in_order=True, **facts)


def one_set(losses: Any, times: Any, estimator: str = "test", loss: str = "squared") -> Evidence:
    return Evidence(
        estimator, [np.asarray(losses, float)], [np.arange(len(losses))],
        times=np.asarray(times, float), in_order=True, **facts_of(LOSSES[loss], None, [9, 9]),
    )  # fmt: skip


# --- the formula -----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 6, 9, 20, 51])
def test_the_standard_error_is_the_formula(count: int) -> None:
    x = np.random.default_rng(count).normal(size=count) + 5
    terms = max(2, int(np.floor(0.4 * count ** (2 / 3))))
    waves = [
        np.sqrt(2 / count)
        * sum(np.cos(np.pi * j * (t - 0.5) / count) * x[t - 1] for t in range(1, count + 1))
        for j in range(1, terms + 1)
    ]
    assert averages(count) == terms
    assert cosine_se(x) == pytest.approx(np.sqrt(np.mean(np.square(waves)) / count), rel=1e-9)


def test_the_interval_has_quantiles_of_as_many_degrees_of_freedom() -> None:
    x = np.random.default_rng(1).normal(size=50)
    se, low, high = bounds_of("cosine_t", blocks(x), 0.9)
    half = stats.t.ppf(0.95, 5) * se
    assert (low, high) == pytest.approx((x.mean() - half, x.mean() + half))


def test_rows_of_one_stamp_are_one_value() -> None:
    draw = np.random.default_rng(2)
    losses, times = draw.random(60), np.repeat(np.arange(20), 3)
    mixed = draw.permutation(60)
    means = losses.reshape(20, 3).mean(axis=1)
    found = series_of(one_set(losses[mixed], times[mixed]))
    assert found == pytest.approx(means)


def test_stamps_of_unequal_size_count_by_their_rows() -> None:
    """The mean of the values is the estimate, and a stamp's part in it is that of its rows."""
    losses, times = np.array([1.0, 2.0, 6.0, 3.0, 4.0]), np.array([0, 0, 0, 1, 2])
    evidence = one_set(losses, times)
    found = series_of(evidence)
    assert found.mean() == pytest.approx(evidence.risk)
    assert found - evidence.risk == pytest.approx(
        (np.array([9, 3, 4]) - 3.2 * np.array([3, 1, 1])) / (5 / 3)
    )


# --- coverage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "rho", "least"),
    [
        *((8, 0, 0.95), (10, 0, 0.95), (20, 0, 0.95), (50, 0, 0.95)),
        *((8, 0.5, 0.92), (10, 0.5, 0.93), (20, 0.5, 0.943), (50, 0.5, 0.94)),
    ],
)
def test_series_are_covered(count: int, rho: float, least: float) -> None:
    found, _ = series_coverage(count, rho, DRAWS, 3, skewed=False)
    assert found == pytest.approx(least, abs=ERROR)


def test_tables_are_covered_through_heldouts_own_estimates() -> None:
    draws = 30
    least = 0.95 - 4 * np.sqrt(0.05 * 0.95 / draws)
    found = table_coverage(150, 8, 0.5, False, draws)
    assert set(found) == {"rolling", "nested_rolling", "test", "holdout"}
    assert min(coverage for coverage, _ in found.values()) >= least


def study() -> list[dict[str, str]]:
    with (REPO / "docs" / "time_coverage.csv").open() as file:
        return list(csv.DictReader(file))


def test_what_is_recommended_over_time_held_in_the_study() -> None:
    tables = [row for row in study() if row["problem"] in ("ridge", "sign")]
    seen = {(row["estimator"], row["interval"]) for row in tables}
    assert {pair for pair, evidence in HOLDS.items() if evidence == IN_TIME} == seen
    assert min(float(row["coverage"]) for row in tables if float(row["correlation"]) <= 0.5) >= 0.92
    assert min(float(row["coverage"]) for row in tables) >= 0.88


def test_the_page_says_what_the_study_found() -> None:
    page = (REPO / "docs" / "time.md").read_text()
    for problem, rho, start in (
        ("series", "0.000", "Gaussian, ρ = 0 "), ("series", "0.500", "Gaussian, ρ = .5 "),
        ("series", "0.800", "Gaussian, ρ = .8 "), ("skewed series", "0.800", "mean squares"),
    ):  # fmt: skip
        [line] = [line for line in page.splitlines() if line.startswith(f"| {start}")]
        values = [
            row["coverage"][1:]
            for row in study()
            if (row["problem"], row["correlation"]) == (problem, rho)
        ]
        assert [cell.strip() for cell in line.split("|")[2:-1]] == values


# --- comparisons -----------------------------------------------------------------------------------


def test_differences_are_compared_by_the_same_interval() -> None:
    draw = np.random.default_rng(5)
    a, b = draw.normal(size=(2, 12)) + np.array([[0.0], [1.0]])
    [found] = compare_in_time({"a": blocks(a), "b": blocks(b)}, None, 0.95)
    se = cosine_se(a - b)
    assert found.se == pytest.approx(se)
    assert found.p == pytest.approx(2 * stats.t.sf(abs((a - b).mean()) / se, averages(12)))
    half = stats.t.ppf(0.975, averages(12)) * se
    assert (found.ci_low, found.ci_high) == pytest.approx(
        ((a - b).mean() - half, (a - b).mean() + half)
    )


def test_learners_that_are_alike_are_seldom_told_apart() -> None:
    """Three learners, dependent blocks: the familywise error is about 5 % (four Monte Carlo errors)."""
    draws, draw = 300, np.random.default_rng(6)
    told = 0
    for _ in range(draws):
        series = autoregression((20, 3), 0.5, draw)
        given = {name: blocks(series[:, i]) for i, name in enumerate("abc")}
        told += any(one.told_apart for one in compare_in_time(given, None, 0.95))
    assert told / draws <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / draws)


def test_few_blocks_compare_nothing() -> None:
    [found] = compare_in_time({"a": blocks(np.arange(5.0)), "b": blocks(np.zeros(5))}, None, 0.95)
    assert (found.ci_low, found.told_apart, found.note) == (None, False, "needs 6 blocks, found 5")


def test_equal_learners_are_not_told_apart() -> None:
    [found] = compare_in_time(
        {"a": blocks(np.arange(8.0)), "b": blocks(np.arange(8.0))}, None, 0.95
    )
    assert (found.p, found.told_apart, found.note) == (
        1.0,
        False,
        "the same difference in every block",
    )


# --- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in INTERVALS if name != "cosine_t"])
def test_in_time_order_every_other_interval_is_refused(name: str) -> None:
    for estimator in INTERVALS[name].derived_for:
        if ESTIMATORS[estimator].in_time:
            evidence = one_set(np.arange(30) % 7, np.arange(30), estimator)
            assert "rows are in time order" in str(reason_against(name, evidence))
            assert list(valid_intervals(evidence)) == ["cosine_t"]


def test_without_time_order_this_one_is_refused() -> None:
    plain = Evidence("test", [np.arange(9.0)], [np.arange(9)])
    assert reason_against("cosine_t", plain) == "cosine_t is for rows in time order"


def test_few_stamps_say_so() -> None:
    evidence = one_set([1.0, 2.0, 3.0, 2.0, 1.0], [1, 2, 3, 4, 5])
    assert recommended(evidence) is None
    assert reason_for_none(evidence) == "no interval: needs 6 time stamps, found 5"


def test_scores_and_weights_have_no_recommended_interval() -> None:
    evidence = one_set(np.random.default_rng(1).random(30), np.arange(30), loss="brier")
    assert recommended(evidence) == "cosine_t"
    weighted = Evidence(**{**vars_of(evidence), "effective": 20.0})
    assert "rows with weights" in str(reason_for_none(weighted))
    ranked = Evidence(**{**vars_of(evidence), "family": "auc"})
    assert reason_for_none(ranked) == "no interval: not derived for scores of one set in time order"


def vars_of(evidence: Evidence) -> dict[str, Any]:
    return {name: getattr(evidence, name) for name in Evidence.__dataclass_fields__}


# --- by hand -------------------------------------------------------------------------------------

SIX = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 6.0])


def se_of_six(x: np.ndarray) -> float:
    waves = [sum(np.cos(np.pi * j * (t - 0.5) / 6) * x[t - 1] for t in range(1, 7)) for j in (1, 2)]
    return float(np.sqrt(2 / 6 * np.mean(np.square(waves)) / 6))


@pytest.mark.parametrize("bound", [None, 9.0])
def test_only_losses_without_an_upper_bound_have_a_longer_upper_part(bound: float | None) -> None:
    facts = facts_of(LOSSES["squared"], None, None) | {"bound": bound}
    one = Evidence(
        "rolling", [np.array([x]) for x in SIX], [np.arange(1)] * 6, in_order=True, **facts
    )
    se, low, high = cosine_t(one, 0.05)
    half = stats.t.ppf(0.975, 2) * se_of_six(SIX)
    assert se == pytest.approx(se_of_six(SIX))
    assert high == pytest.approx(3.5 + half + (half**2 / 7 if bound is None else 0))
    assert low == pytest.approx(max(3.5 - half, 0) if bound is None else 3.5 - half)


def test_six_blocks_are_compared_and_holm_divides_the_error_among_pairs() -> None:
    series = {"a": SIX, "b": SIX[::-1] / 2, "c": SIX + np.array([4, 5, 4, 5, 4, 5])}
    given = {name: blocks(values) for name, values in series.items()}
    found = compare_in_time(given, None, 0.95)
    first = min(found, key=lambda one: one.p)
    gaps = series[first.learner_a] - series[first.learner_b]
    se = se_of_six(gaps)
    assert first.se == pytest.approx(se)
    p = 2 * stats.t.sf(abs(gaps.mean()) / se, 2)
    assert first.p == pytest.approx(p)
    assert first.prob_a_better == pytest.approx(p / 2 if gaps.mean() > 0 else 1 - p / 2)
    half = stats.t.ppf(1 - 0.05 / 6, 2) * se
    assert (first.holm_low, first.holm_high) == pytest.approx(
        (gaps.mean() - half, gaps.mean() + half)
    )
    worse = compare_in_time({"c": given["c"], "a": given["a"]}, None, 0.95)[0]
    assert worse.difference > 0
    assert worse.prob_a_better == pytest.approx(worse.p / 2)
