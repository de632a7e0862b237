"""Comparisons of learners and corrections of min-CV, by hand."""

import numpy as np
import pytest
from scipy import stats

from heldout.estimates import corrections
from heldout.estimates.alike import like_the_best
from heldout.estimates.comparisons import (
    Comparison,
    Contestant,
    Field,
    compare,
    holm,
    holm_shares,
)
from heldout.estimates.corrections import bbc, tibshirani
from heldout.estimates.noise import HeldOut

LEVEL = 0.9


def field_of(n: int, k: int, repeats: int = 1, bound: float | None = None) -> Field:
    """Rows 0 … n−1 in k equal folds, the same in every partition."""
    held = HeldOut.of(np.split(np.arange(n), k))
    return Field([held] * repeats, k, bound, LEVEL)


def draws(n: int, repeats: int, seed: int) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).gamma(2.0, size=(repeats, n)))


def values(k: int, repeats: int, seed: int) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).normal(size=(repeats, k, k)))


def plain_se(a: Contestant, b: Contestant, k: int) -> float:
    """SE in plain loops, for equal folds."""
    noises, jackknives = [], []
    for r, (x, y) in enumerate(zip(a.losses, b.losses, strict=True)):
        d = [p - q for p, q in zip(x, y, strict=True)]
        mean = sum(d) / len(d)
        noises.append(sum((one - mean) ** 2 for one in d) / len(d) ** 2)
        if a.values is not None and b.values is not None:
            m = a.values[r] - b.values[r]
            total = 0.0
            for j in range(k):
                gaps = [
                    m[i, j] - np.mean([m[i, o] for o in range(k) if o != i])
                    for i in range(k)
                    if i != j
                ]
                total += np.mean(gaps) ** 2
            jackknives.append((k - 1) / k * total)
    noise, share = np.mean(noises), (k - 1) / 8 * (a.selection + b.selection)
    if not jackknives:
        return float(np.sqrt(2 * noise + share))
    return float(np.sqrt(1.25 * noise + np.mean(jackknives) + share))


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("repeats", [1, 3])
def test_every_number_of_a_comparison(pairs: bool, repeats: int) -> None:
    n, k = 20, 4
    a, b = (
        Contestant(
            draws(n, repeats, seed), values(k, repeats, seed + 9) if pairs else None, seed / 50
        )
        for seed in (1, 2)
    )
    [found] = compare({"a": a, "b": b}, field_of(n, k, repeats))
    mean = np.mean([x.mean() - y.mean() for x, y in zip(a.losses, b.losses, strict=True)])
    se = plain_se(a, b, k)
    posterior = stats.norm(loc=mean, scale=se)
    assert (found.learner_a, found.learner_b, found.n) == ("a", "b", n)
    assert (found.difference, found.se) == pytest.approx((mean, se), rel=1e-10)
    assert (found.ci_low, found.ci_high) == pytest.approx(posterior.interval(LEVEL))
    assert (found.holm_low, found.holm_high) == (found.ci_low, found.ci_high), "one pair only"
    assert found.p == found.p_holm == pytest.approx(2 * stats.norm.sf(abs(mean / se)))
    assert found.prob_a_better == pytest.approx(posterior.cdf(0))
    assert found.note is None


def constant(a: float, b: float, bound: float | None) -> Comparison:
    contestants = {
        name: Contestant([np.full(50, loss)], None, 0.0) for name, loss in (("a", a), ("b", b))
    }
    [found] = compare(contestants, field_of(50, 5, bound=bound))
    return found


def test_differences_that_do_not_vary_are_not_certain() -> None:
    """Every row has the difference c: at most u = z²/(n/1.44 + z²) of all rows have another one."""
    z = stats.norm.ppf(1 - (1 - LEVEL) / 2)
    other = z**2 / (50 / 1.44 + z**2)
    less = constant(0.0, 1.0, bound=1.0)
    assert (less.difference, less.ci_low) == (-1.0, -1.0)
    assert less.ci_high == pytest.approx(-1 + 2 * other)
    assert less.p == pytest.approx(2 * stats.norm.sf(np.sqrt(50 / 1.44)))
    assert 0 < less.p < 1e-6
    assert less.told_apart
    same = constant(0.0, 0.0, bound=1.0)
    assert (same.difference, same.p, same.prob_a_better) == (0.0, 1.0, 0.5)
    assert (same.ci_low, same.ci_high) == pytest.approx((-other, other))
    assert same.note == "the same loss on every row"
    unbounded = constant(2.0, 1.5, bound=None)
    assert (unbounded.difference, unbounded.ci_low, unbounded.ci_high) == (0.5, None, None)
    assert (unbounded.p, unbounded.told_apart) == (1.0, False)
    assert unbounded.note == "the same difference on every row"


def test_differences_that_vary_by_rounding_do_not_vary() -> None:
    """|y − 0.1| − |y − 0.3| is 0.2 up to the last digit."""
    y = np.random.default_rng(2).integers(1, 21, size=50).astype(float)
    contestants = {
        name: Contestant([np.abs(y - value)], None, 0.0) for name, value in (("a", 0.1), ("b", 0.3))
    }
    assert np.ptp(contestants["a"].losses[0] - contestants["b"].losses[0]) > 0
    [found] = compare(contestants, field_of(50, 5, bound=None))
    assert (found.ci_low, found.ci_high, found.p, found.told_apart) == (None, None, 1.0, False)
    assert found.note == "the same difference on every row"


def test_the_p_value_is_where_the_interval_reaches_zero() -> None:
    """A small constant difference: its interval at 1 − p ends at 0."""
    found = constant(0.0, 0.1, bound=1.0)
    z = stats.norm.isf(found.p / 2)
    other = z**2 / (50 / 1.44 + z**2)
    assert found.difference + other * (1 - found.difference) == pytest.approx(0.0, abs=1e-12)


def test_intervals_stay_in_the_range_of_differences() -> None:
    a, b = np.zeros(10), np.ones(10)
    b[0] = 0.0
    contestants = {"a": Contestant([a], None, 0.0), "b": Contestant([b], None, 0.0)}
    [found] = compare(contestants, field_of(10, 5, bound=1.0))
    assert found.ci_low == -1.0
    assert found.ci_high < 0


def test_three_learners_make_three_pairs_adjusted_together() -> None:
    generator = np.random.default_rng(0)
    contestants = {
        name: Contestant([generator.normal(size=60) + shift], None, 0.0)
        for name, shift in zip("abc", (0, 0.1, 4), strict=True)
    }
    found = compare(contestants, field_of(60, 5))
    assert [(one.learner_a, one.learner_b) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [one.p_holm for one in found] == holm([one.p for one in found])
    assert min(one.p_holm for one in found) == pytest.approx(3 * min(one.p for one in found))
    for one in found:
        assert one.told_apart == (one.p_holm < 1 - LEVEL)
        assert one.told_apart == (not one.holm_low <= 0 <= one.holm_high)
        assert one.holm_low <= one.ci_low <= one.ci_high <= one.holm_high
    told_apart = {(one.learner_a, one.learner_b): one.told_apart for one in found}
    assert like_the_best(told_apart, "a") == ["b"]
    assert like_the_best(told_apart, "c") == []


def test_heavy_tails_are_said() -> None:
    a, b = draws(20, 1, 1), draws(20, 1, 2)
    contestants = {"a": Contestant(a, None, 0.0, "heavy"), "b": Contestant(b, None, 0.0)}
    [found] = compare(contestants, field_of(20, 4))
    assert found.note == "heavy"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.3], [1]),
        ([0.01, 0.02, 0.5], [1 / 3, 1 / 2, 1]),
        ([0.01, 0.03, 0.04], [1 / 3, 1 / 2, 1 / 2]),
        ([0.5, 0.04, 0.6], [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_holm_shares_stop_at_the_first_that_is_not_rejected(
    values: list[float], expected: list[float]
) -> None:
    assert holm_shares(values, 0.05) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.01], [0.01]),
        ([0.01, 0.02, 0.03, 0.005], [0.03, 0.04, 0.04, 0.02]),
        ([0.5, 0.01, 0.6], [1.0, 0.03, 1.0]),
        ([0.04, 0.015], [0.04, 0.03]),
    ],
)
def test_holm_by_hand(values: list[float], expected: list[float]) -> None:
    """Times the number of hypotheses left, never below a smaller p-value's, at most 1."""
    assert holm(values) == pytest.approx(expected)


def test_tibshirani_by_hand() -> None:
    """Risks 0.3, 0.25 and 0.5; θ₂ is beaten by 0.1 in the first fold and by 0 in the second."""
    fold_means = np.array([[0.1, 0.2, 0.4], [0.5, 0.3, 0.6]])
    assert tibshirani(fold_means) == pytest.approx(0.25 + (0.1 + 0.0) / 2)


def test_bbc_draws_as_many_as_asked_and_the_first_ones_stay() -> None:
    losses = np.random.default_rng(1).random((12, 3))
    few, many = (bbc(losses, np.arange(12), seed=5, draws=draws) for draws in (100, 250))
    assert (len(few), len(many)) == (100, 250)
    assert np.array_equal(few, many[:100])
    assert len(bbc(losses, np.arange(12), seed=5)) == 1000


def test_bbc_of_one_theta_is_the_mean_of_the_units_left_out() -> None:
    """With losses 0 and 1 on two units, a bag of one unit twice leaves out the other: 0 or 1."""
    losses, units = np.array([[0.0], [1.0], [1.0]]), np.array([7, 9, 9])
    found = bbc(losses, units, seed=2, draws=500)
    assert set(found.tolist()) == {0.0, 1.0}, "bags that leave out nothing are drawn anew"
    assert found.mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(500))


def test_bbc_chooses_in_the_bag_and_judges_outside_it() -> None:
    """θ₁ is right on unit 0 only, θ₂ on unit 1 only: the choice in the bag fails outside it."""
    losses = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert bbc(losses, np.arange(2), seed=3, draws=200).tolist() == [1.0] * 200


def test_groups_are_the_units_and_have_their_degrees_of_freedom() -> None:
    """Twelve groups of two rows: t₁₁ in place of the normal distribution, for ends and p alike."""
    units = np.split(np.repeat(np.arange(12), 2), 4)
    field = Field([HeldOut.of(units)], 4, None, LEVEL)
    a, b = (Contestant(draws(24, 1, seed), None, 0.0) for seed in (1, 2))
    [found] = compare({"a": a, "b": b}, field)
    gaps = a.losses[0] - b.losses[0]
    sums = (gaps - gaps.mean()).reshape(12, 2).sum(axis=1)
    se = np.sqrt(2 * 12 / 11 * (sums**2).sum()) / 24
    assert found.se == pytest.approx(se, rel=1e-12)
    half = stats.t.ppf(0.95, 11) * se
    assert (found.ci_low, found.ci_high) == pytest.approx(
        (gaps.mean() - half, gaps.mean() + half), rel=1e-12
    )
    assert found.p == pytest.approx(2 * stats.t.sf(abs(gaps.mean()) / se, 11), rel=1e-12)


def test_which_one_is_better() -> None:
    """The probability is that of the smaller risk, whichever comes first."""
    worse, better = (
        Contestant([losses], None, 0.0) for losses in (np.arange(20) / 40, np.zeros(20))
    )
    [first] = compare({"a": worse, "b": better}, field_of(20, 4))
    [second] = compare({"b": better, "a": worse}, field_of(20, 4))
    assert first.prob_a_better == pytest.approx(first.p / 2, rel=1e-12)
    assert second.prob_a_better == pytest.approx(1 - first.p / 2, rel=1e-12)
    assert 0 < first.p < 0.05


def test_constant_differences_are_measured_by_the_range_of_the_loss() -> None:
    """The same losses in other units have the same p-value."""
    plain, doubled = constant(0.0, 0.1, bound=1.0), constant(0.0, 0.2, bound=2.0)
    assert doubled.p == pytest.approx(plain.p, rel=1e-12)
    assert doubled.ci_high == pytest.approx(2 * plain.ci_high, rel=1e-12)


def test_adjusted_intervals_exclude_zero_just_where_learners_are_told_apart() -> None:
    generator = np.random.default_rng(4)
    contestants = {
        name: Contestant([generator.gamma(2.0, size=60) + shift], None, 0.0)
        for name, shift in (("a", 0.0), ("b", 0.1), ("c", 0.7), ("d", 1.1), ("e", 4.0))
    }
    found = compare(contestants, field_of(60, 4))
    apart = [one.told_apart for one in found]
    assert 2 < sum(apart) < len(found)
    assert [one.holm_low > 0 or one.holm_high < 0 for one in found] == apart
    smallest = min(found, key=lambda one: one.p)
    z = stats.norm.ppf(1 - (1 - LEVEL) / len(found) / 2)
    assert smallest.holm_high - smallest.holm_low == pytest.approx(2 * z * smallest.se, rel=1e-12)
    left = len(found) - sum(apart)  # all pairs that are not told apart share δ/left
    largest = max(found, key=lambda one: one.p)
    z = stats.norm.ppf(1 - (1 - LEVEL) / left / 2)
    assert largest.holm_high - largest.holm_low == pytest.approx(2 * z * largest.se, rel=1e-12)
    assert holm([0.5, 0.01, 0.6]) == pytest.approx([1.0, 0.03, 1.0])


def test_bags_of_many_units_are_drawn_as_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each bag has as many units as there are, and each unit is left out by (1 − 1/n)ⁿ of them."""
    generator, units, draws = np.random.default_rng(2), 40, 4000
    monkeypatch.setattr(corrections, "MANY", units)
    bags = np.concatenate([corrections._bags(generator, units, 100) for _ in range(draws)])
    assert bags.shape == (draws, units)
    assert (bags.sum(axis=1) == units).all()
    expected = (1 - 1 / units) ** units
    error = np.sqrt(expected * (1 - expected) / draws)
    assert np.abs((bags == 0).mean(axis=0) - expected).max() < 4 * error
    losses = np.random.default_rng(1).random((units, 3))
    few = bbc(losses, np.arange(units), seed=5, draws=draws)
    monkeypatch.setattr(corrections, "MANY", units + 1)
    assert corrections._bags(generator, units, 100).shape == (100, units)
    many = bbc(losses, np.arange(units), seed=5, draws=draws)
    assert abs(few.mean() - many.mean()) < 4 * few.std() * np.sqrt(2 / draws)
