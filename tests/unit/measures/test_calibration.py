"""Probabilities judged: bins, calibration error, Brier score and recalibration, against plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from heldout.measures import calibration as measure
from heldout.measures.calibration import Bin

EXACT = {"rel": 1e-12, "abs": 1e-12}


def drawn(count: int, seed: int = 0, digits: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes and probabilities that are a little off; rounded ones have ties."""
    rng = np.random.default_rng(seed)
    predicted = rng.beta(0.7, 1.3, count)
    positive = rng.random(count) < predicted**1.3
    return positive, predicted if digits is None else np.round(predicted, digits)


def expit(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


CASES = [drawn(237), drawn(64, 1, 1), drawn(19, 2, 2), drawn(1000, 3, 2), drawn(5, 4)]


# --- bins ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "bins"), [(1, 1), (7, 1), (15, 1), (16, 2), (79, 9), (80, 10), (83, 10), (1000, 10)]
)
def test_bins_without_ties_have_equal_counts(count: int, bins: int) -> None:
    found = np.bincount(measure.bin_numbers(np.random.default_rng(0).random(count)))
    assert len(found) == bins
    assert found.sum() == count
    assert found.max() - found.min() <= 1


@given(st.lists(st.integers(0, 12), min_size=1, max_size=200))
@settings(max_examples=60, deadline=None)
def test_bins_keep_ties_together_and_the_order(values: list[int]) -> None:
    predicted = np.array(values) / 12
    bins = measure.bin_numbers(predicted)
    for i, j in itertools.combinations(range(len(values)), 2):
        if values[i] == values[j]:
            assert bins[i] == bins[j]
        elif values[i] < values[j]:
            assert bins[i] <= bins[j]
    assert set(bins) == set(range(max(bins) + 1))
    assert max(bins) < measure.BINS


def test_a_tie_goes_where_its_middle_row_goes() -> None:
    predicted = np.concatenate([np.full(41, 0.0), np.linspace(0.1, 0.9, 39)])
    bins = measure.bin_numbers(predicted)  # ten bins of eight; rows 0 to 40 are one
    assert np.bincount(bins).tolist() == [41, 7, 8, 8, 8, 8]


@pytest.mark.parametrize(("positive", "predicted"), CASES)
def test_a_bin_is_summarised_as_by_a_loop(positive: np.ndarray, predicted: np.ndarray) -> None:
    bins = measure.bin_numbers(predicted)
    table = measure.bin_table(positive, predicted, bins)
    assert len(table) == len(set(bins))
    for number, found in enumerate(table):
        rows = [i for i in range(len(bins)) if bins[i] == number]
        assert found.count == len(rows)
        assert found.low == min(predicted[i] for i in rows)
        assert found.high == max(predicted[i] for i in rows)
        mean = sum(float(predicted[i]) for i in rows) / len(rows)
        share = sum(bool(positive[i]) for i in rows) / len(rows)
        assert (found.predicted, found.observed) == pytest.approx((mean, share), **EXACT)


# --- calibration error -----------------------------------------------------------------------


def plain_error(positive: np.ndarray, predicted: np.ndarray, bins: np.ndarray) -> float:
    total = 0.0
    for number in set(bins.tolist()):
        rows = [i for i in range(len(bins)) if bins[i] == number]
        p = sum(float(predicted[i]) for i in rows) / len(rows)
        y = sum(float(positive[i]) for i in rows) / len(rows)
        total += len(rows) / len(bins) * abs(p - y)
    return total


@pytest.mark.parametrize(("positive", "predicted"), CASES)
def test_the_calibration_error_is_that_of_a_loop(
    positive: np.ndarray, predicted: np.ndarray
) -> None:
    bins = measure.bin_numbers(predicted)
    found = measure.calibration_error(positive, predicted, bins)
    assert found == pytest.approx(plain_error(positive, predicted, bins), **EXACT)


def test_the_error_by_chance_is_that_of_all_outcomes() -> None:
    predicted = np.array([0.0, 0.05, 0.3, 0.55, 0.7, 0.8, 0.85, 0.99, 1.0])
    bins = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    mean = square = 0.0
    for outcome in itertools.product((0, 1), repeat=len(predicted)):
        chance = math.prod(
            p if y else 1 - p for p, y in zip(predicted.tolist(), outcome, strict=True)
        )
        error = plain_error(np.array(outcome), predicted, bins)
        mean, square = mean + chance * error, square + chance * error**2
    found = measure.error_by_chance(predicted, bins)
    assert found == pytest.approx((mean, math.sqrt(square - mean**2)), rel=1e-10)


def test_the_error_by_chance_is_that_of_simulated_outcomes() -> None:
    """Within four Monte Carlo standard errors."""
    _, predicted = drawn(400)
    bins, draws = measure.bin_numbers(predicted), 4000
    rng = np.random.default_rng(1)
    errors = np.array(
        [
            measure.calibration_error(rng.random(400) < predicted, predicted, bins)
            for _ in range(draws)
        ]
    )
    mean, sd = measure.error_by_chance(predicted, bins)
    assert abs(errors.mean() - mean) < 4 * sd / math.sqrt(draws)
    assert abs(errors.std() - sd) < 4 * sd / math.sqrt(2 * draws)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.93])
def test_many_coins_deviate_as_the_normal_distribution_says(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    coins = np.full(int(1.1 * measure.NORMAL / (share * (1 - share))), share)
    quick = measure.mean_deviation(coins)
    assert quick == math.sqrt(2 * len(coins) * share * (1 - share) / math.pi)
    monkeypatch.setattr(measure, "NORMAL", math.inf)
    assert quick == pytest.approx(measure.mean_deviation(coins), rel=1e-3)


def test_probabilities_outside_of_0_and_1_are_certain_ones() -> None:
    predicted = np.array([-0.2, 0.5, 1.2])
    found = measure.error_by_chance(predicted, np.array([0, 0, 0]))
    assert found == pytest.approx((1 / 6, 0.0), **EXACT)


def test_certain_probabilities_have_no_error_by_chance() -> None:
    assert measure.error_by_chance(np.array([0.0, 0.0, 1.0]), np.array([0, 0, 1])) == (0.0, 0.0)


# --- Brier score -----------------------------------------------------------------------------


@pytest.mark.parametrize(("positive", "predicted"), CASES)
def test_the_parts_of_the_brier_score_are_those_of_a_loop(
    positive: np.ndarray, predicted: np.ndarray
) -> None:
    bins, n = measure.bin_numbers(predicted), len(predicted)
    found = measure.brier_parts(positive, predicted, bins)
    share = sum(map(float, positive)) / n
    parts = {"reliability": 0.0, "resolution": 0.0, "variance": 0.0, "covariance": 0.0}
    for one in range(max(bins) + 1):
        rows = [i for i in range(n) if bins[i] == one]
        p = sum(float(predicted[i]) for i in rows) / len(rows)
        y = sum(float(positive[i]) for i in rows) / len(rows)
        parts["reliability"] += len(rows) * (p - y) ** 2 / n
        parts["resolution"] += len(rows) * (y - share) ** 2 / n
        for i in rows:
            parts["variance"] += (predicted[i] - p) ** 2 / n
            parts["covariance"] += 2 * (positive[i] - y) * (predicted[i] - p) / n
    for name, value in parts.items():
        assert getattr(found, name) == pytest.approx(value, **EXACT)
    assert found.uncertainty == pytest.approx(share * (1 - share), **EXACT)
    score = sum((predicted[i] - positive[i]) ** 2 for i in range(n)) / n
    assert found.score == pytest.approx(score, **EXACT)


@pytest.mark.parametrize(("positive", "predicted"), CASES)
def test_the_parts_add_up_to_the_brier_score(positive: np.ndarray, predicted: np.ndarray) -> None:
    found = measure.brier_parts(positive, predicted, measure.bin_numbers(predicted))
    three = found.reliability - found.resolution + found.uncertainty
    assert three + found.variance - found.covariance == pytest.approx(found.score, **EXACT)


# --- recalibration ---------------------------------------------------------------------------


@pytest.mark.parametrize(("positive", "predicted"), CASES[:4])
def test_the_slope_is_that_of_scikit_learn(positive: np.ndarray, predicted: np.ndarray) -> None:
    p = np.clip(predicted, 1e-12, 1 - 1e-12)
    x = np.log(p / (1 - p))[:, None]
    fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(x, positive)
    found = measure.slope(positive, predicted)
    assert found.value == pytest.approx(fit.coef_[0, 0], rel=1e-5)
    weight = fit.predict_proba(x).prod(axis=1)
    design = np.column_stack([np.ones(len(x)), x])
    variance = np.linalg.inv(design.T @ (weight[:, None] * design))
    assert found.se == pytest.approx(math.sqrt(variance[1, 1]), rel=1e-4)


@pytest.mark.parametrize(("positive", "predicted"), CASES[:4])
def test_in_the_large_the_mean_probability_is_the_share(
    positive: np.ndarray, predicted: np.ndarray
) -> None:
    found = measure.in_the_large(positive, predicted)
    assert found.value is not None
    p = np.clip(predicted, 1e-12, 1 - 1e-12)
    moved = expit(np.log(p / (1 - p)) + found.value)
    assert moved.mean() == pytest.approx(positive.mean(), rel=1e-9)
    assert found.se == pytest.approx(1 / math.sqrt((moved * (1 - moved)).sum()), rel=1e-9)


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 0.0), (2.0, 0.0), (0.5, 0.0), (1.0, 0.7)])
def test_known_distortions_are_found(factor: float, shift: float) -> None:
    """Within four standard errors: logits times f have the slope 1/f, logits plus s the intercept −s."""
    rng = np.random.default_rng(7)
    logit = rng.normal(-0.5, 1.5, 20_000)
    positive = rng.random(20_000) < expit(logit)
    predicted = expit(factor * logit + shift)
    slope = measure.slope(positive, predicted)
    assert slope.value is not None
    assert slope.se is not None
    assert abs(slope.value - 1 / factor) < 4 * slope.se < 0.2
    if factor == 1:
        large = measure.in_the_large(positive, predicted)
        assert large.value is not None
        assert large.se is not None
        assert abs(large.value + shift) < 4 * large.se < 0.1


def test_standard_errors_are_the_spread_of_the_estimates() -> None:
    """Within four Monte Carlo standard errors, of rows and of groups whose rows are alike."""
    rng = np.random.default_rng(11)
    for size in (1, 5):
        units = np.repeat(np.arange(120), size)
        found: dict[str, list[tuple[float, float]]] = {"slope": [], "in_the_large": []}
        for _ in range(300):
            logit = np.repeat(rng.normal(0, 1.2, 120), size)
            positive = np.repeat(rng.random(120), size) < expit(logit)
            for name, values in found.items():
                one = getattr(measure, name)(positive, expit(logit), units if size > 1 else None)
                assert one.value is not None
                assert one.se is not None
                values.append((one.value, one.se))
        for values in found.values():
            spread = np.std([value for value, _ in values])
            typical = np.median([se for _, se in values])
            assert abs(typical / spread - 1) < 4 / math.sqrt(2 * 300)


def test_groups_of_one_row_give_the_sandwich() -> None:
    positive, predicted = drawn(300, 5)
    p = np.clip(predicted, 1e-12, 1 - 1e-12)
    design = np.column_stack([np.ones(300), np.log(p / (1 - p))])
    fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(design[:, 1:], positive)
    mu = fit.predict_proba(design[:, 1:])[:, 1]
    bread = np.linalg.inv(design.T @ ((mu * (1 - mu))[:, None] * design))
    scores = design * (positive - mu)[:, None]
    variance = 300 / 299 * bread @ (scores.T @ scores) @ bread
    found = measure.slope(positive, predicted, np.arange(300)[::-1])
    assert found.se == pytest.approx(math.sqrt(variance[1, 1]), rel=1e-4)


def test_one_group_has_no_standard_error() -> None:
    positive, predicted = drawn(50)
    found = measure.slope(positive, predicted, np.zeros(50))
    assert found.value == measure.slope(positive, predicted).value
    assert found.se is None


def test_two_groups_have_one() -> None:
    positive, predicted = drawn(50)
    assert measure.in_the_large(positive, predicted, np.arange(50) % 2).se is not None


@pytest.mark.parametrize(
    ("positive", "predicted", "reason"),
    [
        ([1, 1, 1], [0.2, 0.5, 0.7], "every row is of the class"),
        ([0, 0, 0], [0.2, 0.5, 0.7], "no row is of the class"),
        ([0, 1, 0], [0.5, 0.5, 0.5], "all probabilities are equal"),
        ([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], "without an error"),
        ([0, 0, 1, 1], [0.1, 0.2, 0.2, 0.4], "without an error"),
        ([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4], "without an error"),
        ([1, 1, 0, 0], [0.1, 0.2, 0.2, 0.4], "without an error"),
    ],
)
def test_a_slope_that_is_not_finite_has_a_reason(
    positive: list[int], predicted: list[float], reason: str
) -> None:
    found = measure.slope(np.array(positive), np.array(predicted))
    assert found.value is None
    assert found.se is None
    assert reason in found.reason


def test_one_class_has_no_intercept_and_separated_classes_have_one() -> None:
    one = measure.in_the_large(np.ones(3), np.array([0.2, 0.5, 0.7]))
    assert (one.value, one.reason) == (None, "every row is of the class")
    apart = measure.in_the_large(np.array([0, 0, 1]), np.array([0.2, 0.5, 0.7]))
    assert apart.value is not None
    assert apart.reason == ""


def test_a_fit_that_does_not_converge_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    positive, predicted = drawn(100)
    monkeypatch.setattr(measure, "STEPS", 2)
    assert measure.slope(positive, predicted).reason == "the fit did not converge"

    def singular(*_: np.ndarray) -> None:
        raise np.linalg.LinAlgError

    monkeypatch.undo()
    monkeypatch.setattr(np.linalg, "solve", singular)
    assert measure.slope(positive, predicted).reason == "the fit did not converge"


@pytest.mark.parametrize("seed", range(20))
def test_certain_and_wrong_probabilities_still_give_the_best_fit(seed: int) -> None:
    """At the solution the residuals are orthogonal to the design, whatever the probabilities."""
    rng = np.random.default_rng(seed)
    predicted = rng.choice([0.0, 1e-300, 1e-9, 0.5, 1 - 1e-9, 1.0], 60)
    positive = rng.random(60) < np.where(rng.random(60) < 0.1, 1 - predicted, predicted)
    x = np.log(np.clip(predicted, 1e-12, 1 - 1e-12)) - np.log1p(-np.clip(predicted, 1e-12, 1 - 1e-12))  # fmt: skip
    large = measure.in_the_large(positive, predicted)
    assert large.value is not None
    assert (positive - expit(x + large.value)).sum() == pytest.approx(0, abs=1e-6)
    slope = measure.slope(positive, predicted)
    assert slope.value is not None
    # the intercept that goes with this slope is the root of a monotone function
    low, high = -100.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        above = expit(np.clip(middle + slope.value * x, -700, 700)).sum() > positive.sum()
        low, high = (low, middle) if above else (middle, high)
    residual = positive - expit(np.clip(low + slope.value * x, -700, 700))
    assert residual @ x == pytest.approx(0, abs=1e-5)


def test_rare_classes_and_tiny_probabilities_converge() -> None:
    positive = np.arange(100) == 0
    found = measure.in_the_large(positive, np.full(100, 1e-30))
    assert found.value == pytest.approx(math.log(1 / 99) - math.log(1e-12), rel=1e-9)


def test_a_bin_is_its_numbers() -> None:
    assert measure.bin_table(np.array([1, 0]), np.array([0.25, 0.75]), np.array([0, 0])) == [
        Bin(low=0.25, high=0.75, predicted=0.5, observed=0.5, count=2)
    ]
