"""Lasso and elastic net by their columns in use: optimal, whatever the table, and each α on its own."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.linear_model import enet_path

from heldout.numerics.engines import active_set
from heldout.numerics.engines.active_set import ActiveSets
from heldout.numerics.engines.gram import Gram

N = 40
SHARES = (1.0, 0.9, 0.3)
PARTS = (1.5, 1.0, 0.5, 0.5, 0.1, 0.01, 1e-4, 1e-7)
"""α as shares of the smallest one at which all coefficients are 0."""


def normal(columns: int) -> np.ndarray:
    return np.random.default_rng(columns).normal(size=(N, columns))


def one_hot(levels: int) -> np.ndarray:
    codes = np.random.default_rng(levels).integers(0, levels, N)
    return (codes[:, None] == np.arange(levels)).astype(float)


def factorial() -> np.ndarray:
    """All of ±1 in three columns, and their products: every correlation ties with others."""
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    three = np.tile(signs, (5, 1)).astype(float)
    return np.column_stack([three, three[:, 0] * three[:, 1], three.prod(axis=1)])


def missing() -> np.ndarray:
    """Filled with the median, and an indicator."""
    values, absent = normal(6), normal(7)[:, :6] > 0.8
    return np.hstack([np.where(absent, 0.0, values), absent])


TABLES: dict[str, Callable[[], np.ndarray]] = {
    "tall": lambda: normal(5),
    "square": lambda: normal(N),
    "wide": lambda: normal(300),
    "duplicates": lambda: np.hstack([normal(30), normal(30), -normal(30)[:, :5]]),
    "constant columns": lambda: np.hstack([normal(5), np.ones((N, 2)), np.full((N, 1), 1e5)]),
    "one-hot": lambda: np.hstack([normal(4), *map(one_hot, (2, 3, 4, 2, 7))]),
    "only one-hot": lambda: np.hstack(list(map(one_hot, (2, 3, 4, 5, 6, 8, 9)))),
    "binary": lambda: (normal(60) > 0).astype(float),
    "whole numbers": lambda: np.round(normal(60)),
    "factorial": factorial,
    "low rank": lambda: normal(3) @ np.random.default_rng(0).normal(size=(3, 50)),
    "correlated": lambda: normal(60) / 10 + normal(1),
    "scales": lambda: normal(30) * 10.0 ** (np.arange(30) % 11 - 5),
    "missing values": missing,
}


def centred(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    target = features[:, 0] - features[:, -1] + normal(1)[:, 0] * features.std(axis=0)[0]
    return np.asfortranarray(features - features.mean(axis=0)), target - target.mean()


def largest(rows: np.ndarray, target: np.ndarray) -> float:
    return float(np.abs(rows.T @ target).max() / len(rows))


def excess(
    rows: np.ndarray, target: np.ndarray, coefs: np.ndarray, alpha: float, share: float
) -> float:
    """How far the conditions of the optimum are missed, as a share of the largest correlation."""
    slopes = rows.T @ (target - rows @ coefs) / len(rows) - alpha * (1 - share) * coefs
    used = coefs != 0
    off = np.abs(slopes[used] - alpha * share * np.sign(coefs[used])).max(initial=0.0)
    beyond = np.abs(slopes).max() - alpha * share
    return max(float(off), float(beyond)) / largest(rows, target)


def objective(
    rows: np.ndarray, target: np.ndarray, coefs: np.ndarray, alpha: float, share: float
) -> float:
    loss = ((target - rows @ coefs) ** 2).mean() / 2
    penalty = share * np.abs(coefs).sum() + (1 - share) / 2 * (coefs**2).sum()
    return float(loss + alpha * penalty)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("table", TABLES)
def test_every_solution_is_optimal(table: str, share: float) -> None:
    rows, target = centred(TABLES[table]())
    alphas = [part * largest(rows, target) / share for part in PARTS]
    for alpha, coefs in zip(
        alphas, ActiveSets(rows, target, share).coefficients(alphas), strict=True
    ):
        assert coefs is not None
        assert excess(rows, target, coefs, alpha, share) < 3e-12


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("table", TABLES)
def test_a_cold_coordinate_descent_finds_nothing_better(table: str, share: float) -> None:
    rows, target = centred(TABLES[table]())
    alphas = [part * largest(rows, target) / share for part in (0.5, 0.1)]
    for alpha, coefs in zip(
        alphas, ActiveSets(rows, target, share).coefficients(alphas), strict=True
    ):
        _, own, _ = enet_path(
            rows, target, l1_ratio=share, alphas=[alpha], tol=1e-12, max_iter=10**5
        )
        scale = objective(rows, target, 0 * own[:, 0], alpha, share)
        assert coefs is not None
        ours, theirs = (objective(rows, target, b, alpha, share) for b in (coefs, own[:, 0]))
        assert abs(ours - theirs) <= 1e-9 * scale
        if share < 1:  # then the solution is unique
            np.testing.assert_allclose(rows @ coefs, rows @ own[:, 0], atol=1e-4 * scale**0.5)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("table", TABLES)
def test_an_alpha_has_the_same_bits_whatever_others_are_asked_for(table: str, share: float) -> None:
    rows, target = centred(TABLES[table]())
    alphas = [part * largest(rows, target) / share for part in PARTS]
    together = list(ActiveSets(rows, target, share).coefficients(alphas))
    for alpha, coefs in zip(alphas, together, strict=True):
        [alone] = ActiveSets(rows, target, share).coefficients([alpha])
        np.testing.assert_array_equal(alone, coefs)


@pytest.mark.parametrize("table", ["tall", "wide", "duplicates", "one-hot", "correlated"])
def test_one_by_one_leads_to_the_same(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in one step from nothing to a small penalty."""
    rows, target = centred(TABLES[table]())
    alphas = [part * largest(rows, target) for part in (0.3, 1e-3)]
    monkeypatch.setattr(active_set, "ROUNDS", 0)
    for alpha in alphas:
        for smallest in (active_set.SMALLEST, 1.0):
            monkeypatch.setattr(active_set, "SMALLEST", smallest)
            [coefs] = ActiveSets(rows, target, 1.0).coefficients([alpha])
            assert coefs is not None
            assert excess(rows, target, coefs, alpha, 1.0) < 3e-12


@pytest.mark.parametrize("noise", [1e-4, 1e-6, 1e-8, 1e-12])
def test_columns_that_are_nearly_equal(noise: float) -> None:
    """What tells them apart is noise, so a slope may be beyond λ₁ by a millionth of it."""
    features = normal(60)
    rows, target = centred(np.hstack([features, features + noise * normal(61)[:, :60]]))
    alphas = [part * largest(rows, target) for part in (0.5, 0.1, 0.01)]
    for alpha, coefs in zip(
        alphas, ActiveSets(rows, target, 1.0).coefficients(alphas), strict=True
    ):
        assert coefs is not None
        assert excess(rows, target, coefs, alpha, 1.0) < 3e-12 + active_set.CLOSE * alpha / largest(
            rows, target
        )


def test_columns_that_are_one_but_for_noise() -> None:
    """Nothing may be found among them; what is found is optimal."""
    found = []
    for seed in range(60):
        generator = np.random.default_rng(seed)
        features = generator.normal(size=(20, 1)) + 1e-6 * generator.normal(size=(20, 40))
        rows = features - features.mean(axis=0)
        target = rows[:, 0] + (noise := generator.normal(size=20)) - noise.mean()
        alphas = [part * largest(rows, target) for part in (0.5, 1e-3, 1e-6)]
        for alpha, coefs in zip(
            alphas, ActiveSets(rows, target, 1.0).coefficients(alphas), strict=True
        ):
            found.append(coefs is not None)
            if coefs is not None:
                assert excess(rows, target, coefs, alpha, 1.0) < 2 * active_set.CLOSE
    assert not all(found)
    assert any(found)


def test_above_the_largest_penalty_nothing_is_in_use() -> None:
    rows, target = centred(normal(5))
    most = largest(rows, target)
    above, below = ActiveSets(rows, target, 1.0).coefficients([1.000001 * most, 0.999999 * most])
    assert above is not None
    assert below is not None
    assert np.count_nonzero(above) == 0
    assert np.count_nonzero(below) == 1


def test_without_a_penalty_these_are_least_squares() -> None:
    rows, target = centred(normal(5))
    [coefs] = ActiveSets(rows, target, 1.0).coefficients([0.0])
    assert coefs is not None
    np.testing.assert_allclose(coefs, np.linalg.lstsq(rows, target)[0], atol=1e-12)


@pytest.mark.parametrize("share", SHARES)
def test_a_constant_target_needs_no_column(share: float) -> None:
    rows, _ = centred(normal(5))
    for coefs in ActiveSets(rows, np.zeros(N), share).coefficients([1.0, 0.0]):
        assert coefs is not None
        assert not coefs.any()


def test_where_no_solution_is_found_there_is_none_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """And those above it stay: too many columns in use is not a matter of the α asked for."""
    monkeypatch.setattr(active_set, "MOST", 10)
    rows, target = centred(normal(300))
    alphas = [part * largest(rows, target) for part in (0.9, 1e-3, 1e-4)]
    first, *others = ActiveSets(rows, target, 1.0).coefficients(alphas)
    assert first is not None
    assert others == [None, None]


@pytest.mark.parametrize("columns", [3, 70])
def test_products_of_columns(columns: int) -> None:
    rows = normal(columns)
    gram, whole = Gram(rows), rows.T @ rows / N
    for some in ([0, 2], [2, 1], [0, 1, 2]):
        chosen = np.array(some)
        expected = whole[np.ix_(chosen, chosen)]
        np.testing.assert_allclose(gram.among(chosen), expected, atol=1e-12)
        np.testing.assert_allclose(gram.among(chosen, 2.0), expected + 2 * np.eye(len(some)))
        coefs = np.arange(1.0, len(some) + 1)
        np.testing.assert_allclose(gram.times(chosen, coefs), whole[:, chosen] @ coefs)
    with gram.for_now():
        inside = gram.among(np.array([1, 0, 2]))
    np.testing.assert_array_equal(gram.among(np.array([1, 0, 2])), inside)
