"""Selection rules by hand: ties, one standard error, simplicity, and the choice between learners."""

import numpy as np
import pytest

from heldout.estimates.rules import (
    Curve,
    Rule,
    Scan,
    first_local_min,
    simplicity,
    smallest,
    within_one_se,
)


@pytest.mark.parametrize(
    ("risks", "expected"),
    [
        ([0.3, 0.1, 0.2], 1),
        ([0.2, 0.1, 0.1], 1),
        ([0.1 + 0.2, 0.3], 0),
        ([0.3, 0.1 + 0.2], 0),
        ([0.3 + 1e-9, 0.3], 1),
        ([1e-13, 0.0], 1),
        ([1e-15, 0.0], 0),
        ([1e6 + 1e-7, 1e6], 0),
        ([-2.0 + 1e-12, -2.0], 0),
    ],
)
def test_the_smallest_is_the_first_of_those_equal_up_to_rounding(
    risks: list[float], expected: int
) -> None:
    assert smallest(risks) == expected
    assert smallest(np.array(risks)) == expected


def test_one_standard_error_rule() -> None:
    risks, errors = [0.5, 0.30, 0.20, 0.25, 0.45], [0.9, 0.9, 0.1, 0.9, 0.9]
    simple_first = [(float(i),) for i in range(5)]
    assert within_one_se(risks, errors, simple_first) == 1, "the limit itself is within"
    assert within_one_se(risks, errors, simple_first[::-1]) == 3
    assert within_one_se(risks, [None] * 5, simple_first) == 2, "without an error, the smallest"
    assert within_one_se([0.2, 0.25, 0.1], [0.5] * 3, [(1.0,)] * 3) == 2, "equally simple: the risk"
    assert within_one_se([0.1, 0.1], [0.5] * 2, [(1.0,)] * 2) == 0, "and then the position"


def test_simplicity_orders_by_the_declared_directions() -> None:
    assert simplicity({"k": 5, "depth": 2}, {"k": "larger"}) == (-5.0,)
    assert simplicity({"k": 5, "depth": 2}, {"depth": "smaller", "k": "larger"}) == (2.0, -5.0)
    assert simplicity({"depth": None}, {"depth": "smaller"}) == (float("inf"),)
    assert simplicity({"k": 5}, {"absent": "smaller"}) == ()


def test_one_se_uses_the_order_of_the_learner() -> None:
    thetas = [{"k": 1}, {"k": 5}, {"k": 9}]
    curve = Curve("knn", thetas, [0.2, 0.1, 0.15], [0.06] * 3)
    larger = {"knn": {"k": "larger"}, "tree": {"k": "smaller"}}
    assert Rule("one_se", simpler=larger).pick(curve) == 2
    assert Rule("one_se", simpler={"knn": {"k": "smaller"}}).pick(curve) == 1
    assert Rule("min").pick(curve) == 1
    assert Rule("first_local_min", patience=1).pick(curve) == 1
    rising = Curve("knn", thetas, [0.2, 0.3, 0.1], [0.06] * 3)
    assert Rule("first_local_min", patience=1).pick(rising) == 0


def test_the_learner_with_the_smallest_chosen_risk_wins() -> None:
    a = Curve("a", [{"d": 0}, {"d": 1}], [0.4, 0.2], [0.0, 0.0])
    b = Curve("b", [{"d": 0}, {"d": 1}], [0.1, 0.3], [0.0, 0.0])
    c = Curve("c", [{"d": 0}], [0.1], [0.0])
    assert Rule().choose([a, b, c]) == (b, 0)
    assert Rule().choose([a]) == (a, 1)


def test_a_scan_counts_rises_above_one_standard_error_of_the_best() -> None:
    assert Rule().patience == 3
    assert first_local_min([1.0, 1.5, 1.5], [0.5] * 3, 2) == Scan(0, 2), "the limit is no rise"
    assert first_local_min([1.0, 1.5, 1.5], [0.4, 9, 9], 2) == Scan(0, 0), "the error of the best"
    assert first_local_min([1.0, 1.0, 2.0], [None] * 3, 3) == Scan(0, 2), "an equal risk is no rise"
    assert first_local_min([1.0, 1.5], [None] * 2, 2) == Scan(0, 1), "without an error, any rise"
