"""Both ends and the standard error of every interval, against scipy or the formula written out."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from heldout.estimates.evidence import Evidence, FoldPairs
from heldout.estimates.intervals import bounds_of

LEVEL = 0.9
Z = stats.norm.ppf(0.95)


def one_set(losses: np.ndarray, units: np.ndarray | None = None, **more: Any) -> Evidence:
    """A test set; each row its own unit unless units are given."""
    return Evidence("test", [losses], [np.arange(len(losses)) if units is None else units], **more)


def several_sets(estimator: str, losses: list[np.ndarray], **more: Any) -> Evidence:
    ends = np.cumsum([0, *map(len, losses)])
    units = [np.arange(low, high) for low, high in itertools.pairwise(ends)]
    return Evidence(estimator, losses, units, **more)


def unequal_folds() -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    return [5 + generator.normal(size=size) for size in (6, 8, 9, 7)]


def around(centre: float, half: float, se: float | None) -> Any:
    return pytest.approx((se, centre - half, centre + half), rel=1e-12, abs=1e-15)


# --- one sample --------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", [1.0, 2.0])
def test_hoeffding_and_empirical_bernstein(bound: float) -> None:
    """Many losses in the middle of the range: neither end is cut off."""
    losses = bound * np.random.default_rng(1).uniform(0.3, 0.7, size=900)
    n, mean, log_term = 900, losses.mean(), np.log(4 / 0.1)
    half = bound * np.sqrt(np.log(2 / 0.1) / (2 * n))
    assert bounds_of("hoeffding", one_set(losses, bound=bound), LEVEL) == (
        None,
        pytest.approx(mean - half),
        pytest.approx(mean + half),
    )
    half = np.sqrt(2 * losses.var(ddof=1) * log_term / n) + 7 * bound * log_term / (3 * (n - 1))
    assert 0 < mean - half < mean + half < bound
    assert bounds_of("empirical_bernstein", one_set(losses, bound=bound), LEVEL) == (
        None,
        pytest.approx(mean - half, rel=1e-12),
        pytest.approx(mean + half, rel=1e-12),
    )


def test_bounds_are_cut_to_the_range_of_the_loss() -> None:
    given = one_set(np.array([0.0, 2.0, 0.0, 2.0]), bound=2.0)
    assert bounds_of("hoeffding", given, LEVEL) == (None, 0.0, 2.0)


@pytest.mark.parametrize("errors", [0, 1, 3, 19, 20])
def test_binomial_intervals_at_every_kind_of_count(errors: int) -> None:
    losses = np.repeat([1.0, 0.0], [errors, 20 - errors])
    given = one_set(losses, bound=1.0, binary=True)
    share = errors / 20
    for name, method in (("clopper_pearson", "exact"), ("wilson", "wilson")):
        expected = stats.binomtest(errors, 20).proportion_ci(LEVEL, method=method)  # type: ignore[arg-type]
        se, low, high = bounds_of(name, given, LEVEL)
        assert se == pytest.approx(np.sqrt(share * (1 - share) / 20))
        assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


def test_t_of_groups_is_the_linearised_ratio() -> None:
    """Σ losses / Σ sizes over groups, by the usual variance of a ratio."""
    generator = np.random.default_rng(2)
    units = np.repeat(np.arange(6), [1, 4, 2, 5, 3, 3])
    losses = 9 + generator.normal(size=18)
    sums = np.array([losses[units == unit].sum() for unit in range(6)])
    sizes = np.bincount(units)
    residuals = sums - losses.mean() * sizes
    se = np.sqrt(6 / 5 * (residuals**2).sum()) / 18
    half = stats.t.ppf(0.95, 5) * se
    assert bounds_of("t", one_set(losses, units), LEVEL) == around(losses.mean(), half, se)


def test_bootstrap_percentile_draws_groups_with_replacement() -> None:
    generator = np.random.default_rng(3)
    units = np.repeat(np.arange(8), [1, 4, 2, 5, 3, 3, 2, 1])
    losses = 4 + generator.normal(size=21)
    by_unit = [losses[units == unit] for unit in range(8)]
    draws = np.random.default_rng(17)
    means = [
        np.concatenate([by_unit[i] for i in draws.integers(8, size=8)]).mean() for _ in range(2000)
    ]
    found = bounds_of("bootstrap_percentile", one_set(losses, units, seed=17), LEVEL)
    expected = (np.std(means, ddof=1), *np.quantile(means, [0.05, 0.95]))
    assert found == pytest.approx(expected, rel=1e-12)


# --- cross-validation --------------------------------------------------------------------------


def test_nadeau_bengio() -> None:
    means = np.array([fold.mean() for fold in unequal_folds()])
    se = np.sqrt(means.var(ddof=1) * (1 / 4 + 1 / 3))
    given = several_sets("kfold", unequal_folds(), ratio=1 / 3)
    half = stats.t.ppf(0.95, 3) * se
    assert bounds_of("nadeau_bengio", given, LEVEL) == around(means.mean(), half, se)


def test_conservative_z() -> None:
    halves = np.array([[1.0, 1.4], [0.9, 1.1], [1.2, 1.0]])
    given = several_sets("montecarlo", unequal_folds(), halves=halves, ratio=0.25)
    se = np.sqrt(max((0.16 + 0.04 + 0.04) / 6, weighted_noise(unequal_folds())))
    mean = np.mean([fold.mean() for fold in unequal_folds()])
    assert bounds_of("conservative_z", given, LEVEL) == around(mean, Z * se, se)


def weighted_noise(folds: list[np.ndarray]) -> float:
    """Σ (ℓ − C)²/(K·n_fold)²: the variance of the mean over folds."""
    centre = np.mean([fold.mean() for fold in folds])
    return sum(((fold - centre) ** 2).sum() / (len(folds) * len(fold)) ** 2 for fold in folds)


def test_bayle_of_unequal_folds_is_centred_at_the_estimate() -> None:
    folds = unequal_folds()
    given, mean = several_sets("kfold", folds), np.mean([fold.mean() for fold in folds])
    se = np.sqrt(weighted_noise(folds))
    assert bounds_of("bayle_all_pairs", given, LEVEL) == around(mean, Z * se, se)
    se = np.sqrt(sum(fold.var(ddof=1) / len(fold) for fold in folds)) / 4
    assert bounds_of("bayle_within_fold", given, LEVEL) == around(mean, Z * se, se)


def test_bayle_of_equal_folds_is_the_published_formula() -> None:
    pooled = 5 + np.random.default_rng(0).normal(size=30)
    given = several_sets("kfold", np.split(pooled, 5))
    se = pooled.std() / np.sqrt(30)
    assert bounds_of("bayle_all_pairs", given, LEVEL) == around(pooled.mean(), Z * se, se)
    se = np.sqrt(np.mean([fold.var(ddof=1) for fold in np.split(pooled, 5)]) / 30)
    assert bounds_of("bayle_within_fold", given, LEVEL) == around(pooled.mean(), Z * se, se)


def test_the_jackknife_of_plain_k_fold_by_the_range_of_the_loss() -> None:
    """SE² = 2·noise. Losses ≥ 0 have a skewed upper end, those that may be negative none."""
    folds = unequal_folds()
    mean, se = np.mean([fold.mean() for fold in folds]), np.sqrt(2 * weighted_noise(folds))
    half = Z * se
    given = several_sets("kfold", folds)
    high = mean + half + half**2 / (2 * mean)
    assert bounds_of("tuned_jackknife", given, LEVEL) == pytest.approx(
        (se, mean - half, high), rel=1e-12
    )
    given = several_sets("kfold", [fold - 6 for fold in folds], negative=True)
    assert bounds_of("tuned_jackknife", given, LEVEL) == around(mean - 6, half, se)
    given = several_sets("kfold", [fold / 10 for fold in folds], bound=2.0)
    share, z = mean / 20, Z
    count = share * (1 - share) / (se / 20) ** 2
    low, high = (
        2
        * (
            share
            + z**2 / (2 * count)
            + np.array([-1, 1]) * z * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
        )
        / (1 + z**2 / count)
    )
    assert bounds_of("tuned_jackknife", given, LEVEL) == pytest.approx(
        (se / 10, low, high), rel=1e-12
    )


@pytest.mark.parametrize("name", ["nadeau_bengio", "conservative_z"])
def test_sets_that_hardly_differ_get_the_test_noise(name: str) -> None:
    """Stratified sets have nearly equal means, and halves of them too: the rows still vary."""
    folds = [np.array([4.0, 6.0, 5.0]), np.array([6.0, 5.0, 4.0]), np.array([5.0, 4.0, 6.0])]
    halves = np.array([[5.0, 5.0], [5.0, 5.0]])
    given = several_sets("montecarlo", folds, ratio=0.5, halves=halves)
    se = np.sqrt(weighted_noise(folds))
    quantile = stats.t.ppf(0.95, 2) if name == "nadeau_bengio" else Z
    assert bounds_of(name, given, LEVEL) == around(5.0, quantile * se, se)


def bates_of(inner: list[np.ndarray], outer: list[np.ndarray]) -> tuple[float, float, float]:
    """The estimate of Bates, Hastie & Tibshirani 2023 before its clipping: √MSE, naive se, centre."""
    k, n = len(outer), sum(map(len, outer))
    gaps = []
    for i in range(k):
        held = outer[i]
        spread = held.var(ddof=1) / len(held) if len(held) > 1 else 0
        gaps.append((inner[i].mean() - held.mean()) ** 2 - spread)
    root = np.sqrt(max(0, (k - 1) / k * np.mean(gaps)))
    naive = np.concatenate(inner).std(ddof=1) / np.sqrt(n)
    nested, plain = (np.mean([x.mean() for x in sets]) for sets in (inner, outer))
    return root, naive, nested - (1 + ((k - 2) / k) ** 1.5) * (nested - plain)


@pytest.mark.parametrize(
    ("shift", "sizes", "regime"),
    [
        (0.0, (5, 5, 5, 5), "naive"),
        (0.75, (5, 5, 5, 5), "between"),
        (9.0, (5, 5, 5, 5), "ceiling"),
        (0.9, (1, 2, 1, 2), "between"),
    ],
)
def test_bates_in_each_regime(shift: float, sizes: tuple[int, ...], regime: str) -> None:
    """√MSE is used between the naive standard error and √K times it."""
    generator = np.random.default_rng(4)
    outer = [20 + generator.normal(size=size) for size in sizes]
    inner = [20 + shift + generator.normal(size=3 * size) for size in sizes]
    n = sum(sizes)
    root, naive, centre = bates_of(inner, outer)
    se = {"naive": naive, "between": root, "ceiling": 2 * naive}[regime]
    assert naive <= se <= 2 * naive
    assert (root < naive, root > 2 * naive) == (regime == "naive", regime == "ceiling")
    given = several_sets("kfold", outer, fold_pairs=lambda: FoldPairs(4, n, inner, outer))
    found, low, high = bounds_of("bates", given, LEVEL)
    assert found == pytest.approx(se)
    assert low == pytest.approx(min(centre - Z * se, given.risk)), "extended to the estimate"
    assert high == pytest.approx(max(centre + Z * se, given.risk))


def test_bbc_takes_percentiles() -> None:
    risks = np.random.default_rng(5).exponential(size=400)
    given = several_sets("min_cv_bbc", [risks], bootstrap_risks=risks)
    expected = (risks.std(ddof=1), *np.quantile(risks, [0.05, 0.95]))
    assert bounds_of("bbc", given, LEVEL) == pytest.approx(expected)
