"""Paired differences of held-out losses, and the best constant prediction."""

import numpy as np
import pytest

from heldout.estimates.constant import best_constant
from heldout.estimates.evidence import Evidence
from heldout.estimates.paired import gain, noise_se
from heldout.measures.registry import LOSSES, loss_for
from heldout.measures.spec import LossSpec

ROWS = [np.arange(0, 3), np.arange(3, 6)]


def evidence(values: list[float], units: list[int] | None = None, **more: object) -> Evidence:
    parts = np.split(np.array(values, float), 2)
    ids = ROWS if units is None else np.split(np.array(units), 2)
    return Evidence("kfold", parts, ids, ROWS, **more)  # type: ignore[arg-type]


def test_a_constant_difference_is_one_without_noise() -> None:
    better, other = evidence([1, 2, 3, 4, 5, 6]), evidence([2, 3, 4, 5, 6, 7])
    assert gain(better, other) == pytest.approx((1.0, 0.0))
    assert gain(other, better) == pytest.approx((-1.0, 0.0))


def test_rounding_is_no_difference() -> None:
    one = evidence([0.3, 0.2, 0.1, 0.4, 0.5, 0.6])
    other = evidence([0.1 + 0.2, 0.2, 0.1, 0.4, 0.5, 0.6])
    assert gain(one, other) == (0.0, 0.0)


def test_the_noise_is_that_of_the_differences() -> None:
    a, b = np.array([1.0, 0, 1, 0, 0, 1]), np.array([0.0, 0, 1, 1, 0, 0])
    difference, se = gain(evidence([*a]), evidence([*b]))
    gaps = b - a
    assert difference == pytest.approx(gaps.mean())
    assert se == pytest.approx(np.sqrt(((gaps - gaps.mean()) ** 2).sum()) / 6)


def test_groups_are_the_units() -> None:
    values = [1.0, 1, 0, 0, 0, 0]
    grouped = noise_se(evidence(values, [1, 1, 2, 3, 3, 4]))
    assert grouped is not None
    single = noise_se(evidence(values))
    assert single is not None
    assert grouped > single
    assert noise_se(evidence(values, [1] * 6)) is None


def test_blocks_of_time_are_the_values() -> None:
    few = [np.array([1.0]), np.array([2.0])]
    ids = [np.array([0]), np.array([1])]
    assert noise_se(Evidence("rolling", few, ids, in_order=True)) is None
    many = [np.array([one]) for one in (1.0, 3, 2, 5, 4, 6)]
    found = noise_se(Evidence("rolling", many, [np.array([i]) for i in range(6)], in_order=True))
    assert found == pytest.approx(1.0522, abs=1e-4)


@pytest.mark.parametrize("name", ["squared", "absolute", "quantile"])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_constant_is_better(name: str, weighted: bool) -> None:
    loss = loss_for(LossSpec(name, {"quantile": 0.8} if name == "quantile" else {}), None)
    generator = np.random.default_rng(2)
    target = generator.normal(size=21)
    weights = generator.uniform(0.1, 3, size=21) if weighted else None
    [found] = best_constant(loss, target, weights, 0).value  # type: ignore[misc]
    own = np.ones(21) if weights is None else weights

    def risk(value: float) -> float:
        gap = target - value
        losses = {
            "squared": gap**2,
            "absolute": np.abs(gap),
            "quantile": np.maximum(0.8 * gap, -0.2 * gap),
        }[name]
        return float((losses * own).sum())

    others = [risk(one) for one in [*target, *np.linspace(-3, 3, 601)]]
    assert risk(found) <= min(others) + 1e-9


def test_between_two_values_the_middle_is_taken() -> None:
    even = best_constant(LOSSES["absolute"], np.array([4.0, 1.0, 2.0, 9.0]), None, 0)
    assert even.value is not None
    assert even.value.tolist() == [3.0]


def test_costs_decide_on_the_label() -> None:
    given = {"costs": {"a": {"b": 1}, "b": {"a": 9}}}
    loss = loss_for(LossSpec("costs", given), ["a", "b"], [8, 2])
    found = best_constant(loss, np.array([0] * 8 + [1] * 2), None, 2)
    assert found.label is not None
    assert found.label.tolist() == [1], "8 errors at 1 are cheaper than 2 at 9"
