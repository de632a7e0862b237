"""Comparisons of learners and corrections of min-CV, by hand."""

import numpy as np
import pytest
from scipy import stats

from heldout.estimates.comparisons import compare, holm
from heldout.estimates.corrections import bbc, tibshirani

LEVEL = 0.9


def test_every_number_of_a_comparison() -> None:
    a, b = np.array([0.1, 0.4, 0.2, 0.3]), np.array([0.3, 0.3, 0.5, 0.4])
    [found] = compare({"a": a, "b": b}, ratio=1 / 3, level=LEVEL)
    mean, sd = (a - b).mean(), (a - b).std(ddof=1)
    se = sd * np.sqrt(1 / 4 + 1 / 3)
    posterior = stats.t(3, loc=mean, scale=se)
    assert (found.learner_a, found.learner_b, found.n) == ("a", "b", 4)
    assert (found.difference, found.se) == pytest.approx((mean, se))
    assert (found.ci_low, found.ci_high) == pytest.approx(posterior.interval(LEVEL))
    assert found.p == found.p_holm == pytest.approx(2 * stats.t.sf(abs(mean / se), 3))
    assert found.prob_a_better == pytest.approx(posterior.cdf(0))
    assert found.prob_a_better > 0.5, "a has the smaller risk"


def test_differences_that_do_not_vary() -> None:
    ones = np.ones(5)
    [less] = compare({"a": ones, "b": 2 * ones}, ratio=0.25, level=LEVEL)
    assert (less.difference, less.se, less.ci_low, less.ci_high) == (-1.0, 0.0, -1.0, -1.0)
    assert (less.p, less.p_holm, less.prob_a_better) == (0.0, 0.0, 1.0)
    [more] = compare({"a": 1.5 * ones, "b": ones}, ratio=0.25, level=LEVEL)
    assert (more.difference, more.p, more.prob_a_better) == (0.5, 0.0, 0.0)
    [same] = compare({"a": ones, "b": ones}, ratio=0.25, level=LEVEL)
    assert (same.difference, same.p, same.p_holm, same.prob_a_better) == (0.0, 1.0, 1.0, 0.5)


def test_three_learners_make_three_pairs_adjusted_together() -> None:
    generator = np.random.default_rng(0)
    risks = {
        name: generator.normal(size=6) + shift for name, shift in zip("abc", (0, 1, 4), strict=True)
    }
    found = compare(risks, ratio=0.2, level=LEVEL)
    assert [(one.learner_a, one.learner_b) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [one.p_holm for one in found] == holm([one.p for one in found])
    assert min(one.p_holm for one in found) == pytest.approx(3 * min(one.p for one in found))


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
