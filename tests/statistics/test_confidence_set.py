"""The confidence set of θ: plain loops, invariances, and how often it keeps the best θ."""

import time
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from heldout.estimates import confidence_set
from heldout.estimates.confidence_set import (
    centred,
    p_values,
    rivals_among,
    squared_distances,
)

ALPHA = 0.05
Case = tuple[np.ndarray, np.ndarray, np.ndarray, int]


def looped(case: Case, seed: int, draws: int, rivals: list[int] | None = None) -> list[float]:
    """Every pair, unit and draw by itself; the bound in place of draws where it is tiny."""
    losses, around, unit, k = case
    n, thetas = losses.shape
    names = sorted(set(unit.tolist()))
    generator = np.random.default_rng(seed)
    zeta = generator.standard_normal((draws, len(names)))
    chi = generator.chisquare(len(names) - k, size=draws)
    found = []
    for m in range(thetas):
        ratios, drawn = [], []
        for j in range(thetas) if rivals is None else rivals:
            change = around[:, m] - around[:, j]
            u = np.array([sum(change[unit == name]) for name in names])
            if j == m or np.abs(u).max() < 1e-10:
                continue
            se = np.sqrt(sum(u**2) / n**2 * len(names) / (len(names) - k))
            ratios.append((losses[:, m] - losses[:, j]).mean() / se)
            drawn.append([sum(zeta[b] * u) / np.sqrt(sum(u**2)) for b in range(draws)])
        pairs = thetas - 1 if rivals is None else len(set(rivals) - {m})
        found.append(looped_p(ratios, drawn, chi, len(names) - k, pairs))
    return found


def looped_p(
    ratios: list[float], drawn: list[list[float]], chi: np.ndarray, freedom: int, pairs: int
) -> float:
    if not ratios:
        return 1.0
    bound = pairs * stats.t.sf(max(ratios), freedom)
    if bound < 1e-4:
        return float(bound)
    largest = np.max(drawn, axis=0) / np.sqrt(chi / freedom)
    return float(np.mean(largest >= max(ratios)))


def made(
    seed: int, fold: np.ndarray, thetas: int, unit: np.ndarray | None = None, apart: float = 0.1
) -> Case:
    """Correlated losses whose means are a little apart."""
    generator, n = np.random.default_rng(seed), len(fold)
    losses = generator.random((n, 1)) + 0.5 * generator.random((n, thetas))
    losses += apart * np.linspace(0, 1, thetas)
    return losses, centred(losses, fold), np.arange(n) if unit is None else unit, fold.max() + 1


UNEQUAL = np.repeat([0, 1, 2, 3], [3, 9, 5, 11])


def rows() -> Case:
    return made(0, np.arange(30) % 5, thetas=6)


def unequal_folds() -> Case:
    return made(1, UNEQUAL, thetas=5)


def groups() -> Case:
    unit = np.repeat([7, 2, 9, 4, 1, 8, 30, 5, 6, 3], [3, 4, 5, 1, 4, 2, 2, 2, 3, 2])
    return made(2, UNEQUAL, thetas=5, unit=unit)


def one_unit_more_than_folds() -> Case:
    return made(3, UNEQUAL, thetas=4, unit=np.repeat([0, 1, 2, 3, 4], [3, 9, 5, 4, 7]))


def ties() -> Case:
    fold = np.arange(40) % 4
    losses = (np.random.default_rng(4).random((40, 8)) < 0.3).astype(float)
    return losses, centred(losses, fold), np.arange(40), 4


def duplicates_and_shifts() -> Case:
    """Columns 0, 2 and 5 are the same; 4 is column 1 and a constant, so that their difference is."""
    losses, _, unit, k = rows()
    losses[:, 2] = losses[:, 5] = losses[:, 0]
    losses[:, 4] = losses[:, 1] + 0.1
    return losses, centred(losses, np.arange(30) % 5), unit, k


def repeats() -> Case:
    """Two partitions: the losses differ, and so do the folds they are centred in."""
    (first, a, unit, k), (second, b, _, _) = rows(), made(5, np.arange(30) // 6, thetas=6)
    return (first + second) / 2, (a + b) / 2, unit, k


def some_clearly_out() -> Case:
    return made(6, np.arange(30) % 5, thetas=7, apart=0.6)


def one_has_diverged() -> Case:
    """A θ with enormous losses says nothing about the differences of the others."""
    losses, _, unit, k = rows()
    losses[:, 3] *= 1e14
    return losses, centred(losses, np.arange(30) % 5), unit, k


def two() -> Case:
    return made(7, UNEQUAL, thetas=2)


@pytest.mark.parametrize(
    "case",
    [
        rows,
        unequal_folds,
        groups,
        one_unit_more_than_folds,
        ties,
        duplicates_and_shifts,
        repeats,
        some_clearly_out,
        one_has_diverged,
        two,
    ],
)
def test_equals_plain_loops(case: Callable[[], Case]) -> None:
    losses, around, unit, k = case()
    expected = looped(case(), seed=5, draws=300)
    found = p_values(losses, around, unit, k, seed=5, draws=300)
    assert found.tolist() == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert len(set(expected)) > 1, "the case says something"


@pytest.mark.parametrize("case", [rows, groups, duplicates_and_shifts, repeats, some_clearly_out])
def test_equals_plain_loops_where_some_are_compared_with(case: Callable[[], Case]) -> None:
    losses, around, unit, k = case()
    some = [0, 1, 4]
    expected = looped(case(), seed=5, draws=300, rivals=some)
    found = p_values(losses, around, unit, k, seed=5, draws=300, rivals=np.array(some))
    assert found.tolist() == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert len(set(expected)) > 1, "the case says something"


def test_many_theta_are_compared_with_some_of_every_learner() -> None:
    found = rivals_among([3000, 3, 1])
    assert found[0] == 0
    assert {2999, 3000, 3001, 3002, 3003} <= set(found.tolist())
    assert len(found) == 250 // 3 + 3 + 1
    assert np.all(np.diff(found) > 0)
    assert rivals_among([1999, 1]).tolist() == list(range(2000))
    assert len(rivals_among([2000, 1])) == 126


def test_many_theta_are_told_apart_by_those_they_are_compared_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A grid so dense that neighbours are the same to many digits, of which the first ones are the best."""
    losses, around, unit, k = made(8, np.arange(60) % 5, thetas=2)
    steps = np.linspace(0, 1, 300)[None, :]
    losses, around = (one[:, :1] + steps * (one[:, 1:] - one[:, :1]) for one in (losses, around))
    losses = losses + 0.3 * steps
    whole = p_values(losses, around, unit, k, seed=5)
    monkeypatch.setattr(confidence_set, "MANY", 100)
    monkeypatch.setattr(confidence_set, "RIVALS", 50)
    found = p_values(losses, around, unit, k, seed=5)
    assert np.abs(found - whole).max() < 0.1
    assert (found < 0.05).sum() > 50
    assert (found > 0.5).any()


def test_the_cases_have_bounds_and_shares() -> None:
    found = p_values(*some_clearly_out(), seed=5, draws=300)
    assert ((found > 0) & (found < 1e-4)).sum() >= 2
    assert (found > 1e-4).sum() >= 2


def test_the_statistic_of_rows() -> None:
    """Of two θ the p-value is that of √(n−K)·mean/sd against t with n−K degrees, up to the draws."""
    losses, around, unit, k = two()
    change, inner = losses[:, 1] - losses[:, 0], around[:, 1] - around[:, 0]
    expected = stats.t.sf(np.sqrt(28 - 4) * change.mean() / np.sqrt((inner**2).mean()), 24)
    found = p_values(losses, around, unit, k, seed=1, draws=20_000)
    errors = 4 * np.sqrt(expected * (1 - expected) / 20_000)
    assert 0.02 < expected < 0.98
    assert found.tolist() == pytest.approx([1 - expected, expected], abs=errors)


def test_500_draws_unless_told_and_the_seed_draws_them() -> None:
    case = rows()
    found = p_values(*case, seed=1)
    assert np.allclose(found * 500, np.round(found * 500), atol=1e-9)
    assert not np.allclose(found * 250, np.round(found * 250), atol=1e-9)
    assert found.tolist() == p_values(*case, seed=1, draws=500).tolist()
    assert found.tolist() != p_values(*case, seed=2).tolist()


def test_centred_within_folds() -> None:
    losses = np.random.default_rng(8).random((28, 3))
    found = centred(losses, UNEQUAL + 5)
    for fold in range(4):
        inside = fold == UNEQUAL
        expected = losses[inside] - losses[inside].mean(axis=0)
        assert found[inside] == pytest.approx(expected, abs=1e-15)


def test_a_constant_for_each_row_changes_nothing() -> None:
    losses, around, unit, k = groups()
    easy = losses + 50 * np.random.default_rng(9).normal(size=(28, 1))
    expected = p_values(losses, around, unit, k, seed=3)
    assert p_values(easy, centred(easy, UNEQUAL), unit, k, seed=3).tolist() == expected.tolist()


def test_an_enormous_constant_costs_no_digits() -> None:
    """Every number here is exact in floating point, so that no draw may come out otherwise."""
    fold, unit = np.arange(32) % 4, np.arange(32)
    losses = np.random.default_rng(17).integers(1024, size=(32, 8)) / 1024
    hard = losses + 2.0**35 * np.random.default_rng(18).integers(1, 4, size=(32, 1))
    expected = p_values(losses, centred(losses, fold), unit, 4, seed=3, draws=20_000)
    found = p_values(hard, centred(hard, fold), unit, 4, seed=3, draws=20_000)
    assert found.tolist() == expected.tolist()


def test_neither_the_order_of_the_columns_nor_the_unit_of_the_losses_matters() -> None:
    losses, around, unit, k = groups()
    expected = p_values(losses, around, unit, k, seed=3)
    for scale in (1e-9, 1e9):
        assert (
            p_values(scale * losses, scale * around, unit, k, seed=3).tolist() == expected.tolist()
        )
    order = [3, 0, 4, 2, 1]
    found = p_values(losses[:, order], around[:, order], unit, k, seed=3)
    assert found.tolist() == expected[order].tolist()


def test_columns_that_do_not_differ_are_all_kept() -> None:
    """Also where they differ by rounding, or by a constant; and a single one."""
    column = np.random.default_rng(10).random((20, 1))
    fold = np.arange(20) % 4
    for losses in (
        column,
        np.repeat(column, 3, axis=1),
        np.zeros((20, 3)),
        column * (1 + np.array([0, 3e-16, 7e-16])),
        column + np.array([0, 0.1, 0.7]),
        np.tile([0.1, 0.3, 0.7], (20, 1)),
    ):
        found = p_values(losses, centred(losses, fold), np.arange(20), 4, seed=0)
        assert found.tolist() == [1.0] * losses.shape[1]


def test_a_tiny_difference_is_one() -> None:
    """A millionth of the losses' size is a difference, if it is steady."""
    generator = np.random.default_rng(11)
    losses = np.repeat(generator.random((40, 1)), 2, axis=1)
    losses[:, 1] += 1e-6 * (1 + generator.random(40))
    fold = np.arange(40) % 4
    best, other = p_values(losses, centred(losses, fold), np.arange(40), 4, seed=0)
    assert (best > 0.5, other < 1e-4) == (True, True)


@pytest.mark.parametrize("units", [3, 4])
def test_refuses_as_many_folds_as_units(units: int) -> None:
    losses = np.random.default_rng(12).random((20, 2))
    unit = np.arange(20) % units
    with pytest.raises(ValueError, match=f"{units} units in 4 folds"):
        p_values(losses, centred(losses, unit), unit, 4, seed=0)


def test_distances_keep_their_digits() -> None:
    """Far points that are close to each other, in nested clusters, and equal ones."""
    generator = np.random.default_rng(13)
    points = np.zeros((40, 50))
    for scale, clusters in ((1.0, 3), (1e-3, 6), (1e-6, 12), (1e-9, 40)):
        points += scale * generator.normal(size=(clusters, 50))[np.arange(40) % clusters]
    points[7] = points[3]
    points -= points[5]
    differences = points[:, None] - points
    found = squared_distances(points)
    assert np.allclose(found, (differences**2).sum(axis=2), rtol=1e-10, atol=0)
    assert found[7, 3] == found[3, 7] == 0


# --- how often the best is kept -------------------------------------------------------------------


def kept_shares(
    losses_of: Callable[[np.random.Generator], np.ndarray], unit: np.ndarray, k: int, samples: int
) -> np.ndarray:
    """For each θ the share of samples in which it is in the set; folds of whole units."""
    generator, kept = np.random.default_rng(14), []
    for seed in range(samples):
        losses = losses_of(generator)
        around = centred(losses, unit % k)
        kept.append(p_values(losses, around, unit, k, seed, draws=300) > ALPHA)
    return np.mean(kept, axis=0)


def error_of(samples: int) -> float:
    return float(np.sqrt(ALPHA * (1 - ALPHA) / samples))


def test_keeps_the_best_and_drops_the_bad() -> None:
    """Ten θ, correlated losses, n = 60: three good ones, the first the best, and two bad ones."""
    risks = np.array([0, 0.05, 0.1, 0.2, 0.2, 0.3, 0.4, 0.5, 1.5, 2])

    def losses_of(generator: np.random.Generator) -> np.ndarray:
        shared, spreads = generator.normal(size=(60, 1)), np.linspace(1, 0.4, 10)
        return risks + shared + spreads * generator.normal(size=(60, 10))

    kept = kept_shares(losses_of, np.arange(60), 5, samples=400)
    assert kept[0] >= 1 - ALPHA - 4 * error_of(400), "measured .99"
    assert kept[8:].max() < 0.02
    assert kept[5] < kept[1]


def test_keeps_each_of_equals() -> None:
    """All risks are equal, the hardest case: each θ is kept in 95 %, or a little less often."""

    def losses_of(generator: np.random.Generator) -> np.ndarray:
        return generator.normal(size=(30, 1)) + generator.normal(size=(30, 10))

    kept = kept_shares(losses_of, np.arange(30), 5, samples=400)
    error = error_of(400 * 10) * 2
    assert abs(kept.mean() - (1 - ALPHA)) < 4 * error, "ten columns, about as good as 1,000 draws"


def test_coin_flips() -> None:
    """Zero-one losses of ten θ that all guess: each is in the set in 93 % or more."""

    def losses_of(generator: np.random.Generator) -> np.ndarray:
        return (generator.random((60, 10)) < 0.5).astype(float)

    kept = kept_shares(losses_of, np.arange(60), 5, samples=300)
    assert kept.mean() > 0.93 - 4 * error_of(1000)
    assert kept.mean() < 0.99


def test_groups_are_the_unit() -> None:
    """Rows of a group share their losses' noise; with rows as units the best is lost too often."""
    unit = np.repeat(np.arange(30), 6)

    def losses_of(generator: np.random.Generator) -> np.ndarray:
        return generator.normal(size=(30, 5))[unit] + 0.3 * generator.normal(size=(180, 5))

    kept = kept_shares(losses_of, unit, 5, samples=300)
    assert kept.mean() >= 1 - ALPHA - 4 * error_of(600)
    generator, alone = np.random.default_rng(15), []
    for seed in range(100):
        losses = losses_of(generator)
        around = centred(losses, unit % 5)
        alone.append(p_values(losses, around, np.arange(180), 5, seed, draws=200) > ALPHA)
    assert np.mean(alone) < 0.75


def test_many_columns_take_seconds() -> None:
    losses = np.random.default_rng(16).random((1000, 500))
    start = time.monotonic()
    p_values(losses, centred(losses, np.arange(1000) % 5), np.arange(1000), 5, seed=0)
    assert time.monotonic() - start < 5, "0.3 s on a quiet machine"
