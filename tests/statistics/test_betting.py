"""The betting interval: against plain loops on a grid, and its coverage and length by simulation."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from heldout.estimates.betting import betting
from heldout.estimates.evidence import Bounds, Evidence
from heldout.estimates.sample_intervals import empirical_bernstein, hoeffding

DELTA = 0.05
STEP = 1 / 400

Draw = Callable[[np.random.Generator, int], np.ndarray]
SOURCES: dict[str, tuple[float, Draw]] = {
    "rare": (0.02, lambda generator, n: (generator.random(n) < 0.02).astype(float)),
    "beta": (0.2, lambda generator, n: generator.beta(2, 8, size=n)),
    "uniform": (0.5, lambda generator, n: generator.random(n)),
}


def survives(values: list[float], m: float, delta: float) -> bool:
    """Whether neither gambler's capital ever reaches 2/δ, one value after another."""
    up = down = 1.0
    total, spread = 0.5, 0.25
    for seen, value in enumerate(values, start=1):
        bet = math.sqrt(2 * math.log(2 / delta) / (len(values) * spread / seen))
        up *= 1 + min(bet, 0.75 / m) * (value - m)
        down *= 1 - min(bet, 0.75 / (1 - m)) * (value - m)
        if max(up, down) >= 2 / delta:
            return False
        total += value
        spread += (value - total / (seen + 1)) ** 2
    return True


def samples() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(1)
    return {
        "one": np.array([0.3]),
        "two": np.array([0.0, 1.0]),
        "skewed": generator.beta(0.3, 2, size=25),
        "narrow": generator.beta(40, 20, size=60),
        "coins": (generator.random(50) < 0.4).astype(float),
        "high": 1 - 0.2 * generator.random(40),
    }


@pytest.mark.parametrize("name", samples())
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_ends_are_those_of_a_grid(name: str, delta: float) -> None:
    """Every m between the ends survives, and none outside them."""
    values = samples()[name]
    order = np.random.default_rng(8).permutation(values).tolist()
    grid = np.arange(STEP / 2, 1, STEP)
    kept = grid[[survives(order, m, delta) for m in grid]]
    low, high = betting(values, delta, seed=8)
    assert kept[0] - STEP <= low <= kept[0]
    assert kept[-1] <= high <= kept[-1] + STEP


@pytest.mark.parametrize("name", ["narrow", "coins"])
def test_ends_are_found_to_the_last_digits(name: str) -> None:
    values = samples()[name]
    order = np.random.default_rng(8).permutation(values).tolist()
    low, high = betting(values, DELTA, seed=8)
    for end, inside in ((low, 1e-12), (high, -1e-12)):
        assert survives(order, end + inside, DELTA)
        assert not survives(order, end - inside, DELTA)


def test_mirrored_values_have_the_mirrored_interval() -> None:
    values = samples()["skewed"]
    low, high = betting(values, DELTA, seed=3)
    assert betting(1 - values, DELTA, seed=3) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_the_seed_draws_the_order() -> None:
    values = samples()["skewed"]
    assert betting(values, DELTA, seed=1) == betting(values, DELTA, seed=1)
    assert betting(values, DELTA, seed=1) != betting(values, DELTA, seed=2)
    assert betting(np.sort(values), DELTA, seed=1) != betting(values, DELTA, seed=1)


@pytest.mark.parametrize("n", [1, 2, 5, 30, 200])
@pytest.mark.parametrize("value", [0.0, 1e-9, 0.3, 0.5, 1.0])
def test_equal_values_leave_a_proper_interval(n: int, value: float) -> None:
    low, high = betting(np.full(n, value), DELTA, seed=0)
    assert 0 <= low <= value <= high <= 1
    assert high - low > 1 / n / 2, "the interval of n equal values is of the order of 1/n"
    assert (value > 0) or low == 0
    assert (value < 1) or high == 1
    if n == 200:
        assert high - low < 0.1


def test_the_mean_is_inside_even_if_the_order_was_unlucky() -> None:
    """At δ = .9 many orders leave the mean out or the interval empty; it is widened to the mean."""
    values = np.repeat([0.0, 1.0], 20)
    ends = []
    for seed in range(200):
        order = np.random.default_rng(seed).permutation(values).tolist()
        low, high = betting(values, 0.9, seed)
        assert low <= 0.5 <= high
        ends.append((0.5 in (low, high), survives(order, 0.5, 0.9)))
    assert {at_the_end for at_the_end, _ in ends} == {True, False}
    assert all(at_the_end != survived for at_the_end, survived in ends)


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("n", [10, 60])
def test_coverage(name: str, n: int) -> None:
    """At least 1 − δ, up to four Monte Carlo errors; measured .98 to 1."""
    truth, draw = SOURCES[name]
    generator, hits = np.random.default_rng(4), []
    for seed in range(400):
        low, high = betting(draw(generator, n), DELTA, seed)
        hits.append(low <= truth <= high)
    assert np.mean(hits) >= 1 - DELTA - 4 * np.sqrt(DELTA * (1 - DELTA) / 400)


def length(bounds: Bounds) -> float:
    """Of an interval cut to [0, 1]."""
    return min(1.0, bounds[2]) - max(0.0, bounds[1])


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("n", [30, 300])
def test_shorter_than_hoeffding_and_bernstein(name: str, n: int) -> None:
    generator, lengths = np.random.default_rng(5), []
    for seed in range(60):
        values = SOURCES[name][1](generator, n)
        given = Evidence("test", [values], [np.arange(n)], bound=1.0)
        low, high = betting(values, DELTA, seed)
        others = (length(method(given, DELTA)) for method in (hoeffding, empirical_bernstein))
        lengths.append((high - low, *others))
    betted, *others = np.mean(lengths, axis=0)
    assert betted < 0.9 * min(others)


def test_a_hundred_thousand_values() -> None:
    low, high = betting(np.random.default_rng(6).random(100_000), DELTA, seed=0)
    assert low < 0.5 < high < low + 0.01
