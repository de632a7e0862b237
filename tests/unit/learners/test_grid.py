"""Grids: every rule, their errors, and draws that only ever grow."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.errors import HeldoutError
from heldout.learners.grid import endless_axis, expand, size
from heldout.names import canonical


def values(axis, seed=0):
    return [theta["x"] for theta in expand({"x": axis}, seed, "grid")]


def test_an_empty_grid_holds_the_one_theta_without_names():
    assert expand({}, 0, "grid") == [{}]


def test_a_list_is_taken_as_it_is_and_each_value_once():
    assert values([3, 1, None, "a", 1, [1, 2]]) == [3, 1, None, "a", [1, 2]]


def test_keys_are_sorted_and_the_last_one_runs_fastest():
    thetas = expand({"b": [1, 2], "a": [3, 4]}, 0, "grid")
    assert thetas == [{"a": a, "b": b} for a in (3, 4) for b in (1, 2)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"range": [1, 4]}, [1, 2, 3]),
        ({"range": [0, 10, 5]}, [0, 5]),
        ({"range": [3, 0, -1]}, [3, 2, 1]),
        ({"linspace": [0, 1, 3]}, [0.0, 0.5, 1.0]),
        ({"linspace": [1, 1, 1]}, [1.0]),
        ({"linspace": [2, -2, 3]}, [2.0, 0.0, -2.0]),
        ({"logspace": [-1, 1, 3]}, [0.1, 1.0, 10.0]),
        ({"logspace": [2, 5, 1]}, [100.0]),
    ],
)
def test_rules(rule, expected):
    found = values(rule)
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


@given(st.floats(-5, 5), st.floats(-5, 5), st.integers(2, 20))
def test_linspace_ends_exactly_at_its_ends(start, stop, count):
    found = values({"linspace": [start, stop, count]})
    assert (found[0], found[-1]) == (start, stop)
    assert len(found) <= count


DISTRIBUTIONS = st.sampled_from(
    [
        {"uniform": [-1, 2.5]},
        {"loguniform": [1e-3, 10]},
        {"integer": [2, 60]},
        {"choice": ["a", "b", 3]},
        ["a", "b", 3],
    ]
)


@given(DISTRIBUTIONS, st.integers(1, 20), st.integers(1, 20), st.integers(0, 3))
def test_more_draws_keep_the_earlier_ones(distribution, fewer, more, seed):
    few, many = (
        values({"random": distribution, "n": n}, seed) for n in sorted((fewer, fewer + more))
    )
    assert many[: len(few)] == few


@given(DISTRIBUTIONS, DISTRIBUTIONS, st.integers(1, 20), st.integers(1, 20))
def test_more_joint_draws_keep_the_earlier_ones(one, other, fewer, more):
    few, many = (
        expand({"random": {"a": one, "b": other}, "n": n}, 7, "grid") for n in (fewer, fewer + more)
    )
    assert many[: len(few)] == few


def test_a_hyper_parameter_added_to_joint_draws_leaves_the_others_alone():
    one = {"a": {"uniform": [0, 1]}}
    few = expand({"random": one, "n": 5}, 7, "grid")
    both = expand({"random": one | {"b": {"uniform": [0, 1]}}, "n": 5}, 7, "grid")
    assert [theta["a"] for theta in both] == [theta["a"] for theta in few]
    assert all(theta["a"] != theta["b"] for theta in both)


def test_draws_lie_where_they_should():
    assert all(-1 <= v <= 2.5 for v in values({"random": {"uniform": [-1, 2.5]}, "n": 200}))
    assert set(values({"random": {"integer": [2, 5]}, "n": 200})) == {2, 3, 4}
    assert set(values({"random": {"integer": [0.5, 2.5]}, "n": 200})) == {1, 2}
    assert set(values({"random": ["a", "b"], "n": 50})) == {"a", "b"}
    logs = [math.log10(v) for v in values({"random": {"loguniform": [1e-4, 1e4]}, "n": 1000})]
    assert -4 <= min(logs) < -3.9 < 3.9 < max(logs) <= 4
    # The mean of 1000 uniform draws from [-4, 4] has standard deviation 0.07.
    assert abs(sum(logs) / len(logs)) < 0.35


def test_draws_depend_on_the_seed_and_on_the_place():
    axis = {"random": {"uniform": [0, 1]}, "n": 3}
    here = expand({"x": axis}, 0, "here")
    assert expand({"x": axis}, 1, "here") != here
    assert expand({"x": axis}, 0, "there") != here
    assert expand({"x": axis}, 0, "here") == here


def test_random_axes_and_lists_may_be_mixed():
    thetas = expand({"a": [1, 2], "b": {"random": {"uniform": [0, 1]}, "n": 3}}, 0, "grid")
    assert len(thetas) == 6
    assert len({canonical(theta) for theta in thetas}) == 6


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ([], "grid.x: the list of values is empty"),
        (5, "expected a list of values or a rule, found 5"),
        ("abc", "expected a list of values or a rule, found 'abc'"),
        ({"rnge": [1, 2]}, "unknown rule 'rnge'; did you mean 'range'?"),
        ({"range": [1]}, "range takes 2 to 3 numbers"),
        ({"range": [1, 2, 3, 4]}, "range takes 2 to 3 numbers"),
        ({"range": [0, 1.5]}, "range takes whole numbers"),
        ({"range": [0, 5, 0]}, "a step that is not 0"),
        ({"range": [5, 5]}, "holds no value"),
        ({"range": "1, 5"}, "range takes 2 to 3 numbers"),
        ({"range": [True, 5]}, "range takes 2 to 3 numbers"),
        ({"linspace": [0, 1, 0]}, "at least 1"),
        ({"linspace": [0, 1, 2.5]}, "at least 1"),
        ({"linspace": [0, math.inf, 3]}, "linspace takes 3 to 3 numbers"),
        ({"logspace": [0, "a", 3]}, "logspace takes 3 to 3 numbers"),
        ({"logspace": [0, 400, 3]}, "10 to the 400 is too large"),
        ({"range": [1, 2], "linspace": [0, 1, 2]}, "expected one rule"),
        ({"random": {"uniform": [0, 1]}}, "random draws are written {random: …, n: 40}"),
        ({"random": {"uniform": [0, 1]}, "n": 0}, "grid.x.n: expected a number of draws"),
        ({"random": {"uniform": [0, 1]}, "n": True}, "grid.x.n: expected a number of draws"),
        ({"random": {"uniform": [0, 1]}, "n": 2.0}, "grid.x.n: expected a number of draws"),
        ({"random": {"unifrm": [0, 1]}, "n": 2}, "'unifrm'; did you mean 'uniform'?"),
        ({"random": {"uniform": [1, 0]}, "n": 2}, "low < high"),
        ({"random": {"uniform": [0]}, "n": 2}, "low < high"),
        ({"random": {"uniform": 3}, "n": 2}, "uniform takes a list"),
        ({"random": {"loguniform": [0, 1]}, "n": 2}, "loguniform needs positive bounds"),
        ({"random": {"integer": [1.2, 1.9]}, "n": 2}, "no whole number from 1.2 to below 1.9"),
        ({"random": {}, "n": 2}, "expected one distribution"),
        ({"random": [], "n": 2}, "choice takes a list"),
    ],
)
def test_errors_say_where_and_what(axis, message):
    with pytest.raises(HeldoutError) as error:
        values(axis)
    assert "grid.x" in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize("axes", [{}, [1, 2], 5])
def test_joint_draws_need_distributions(axes):
    with pytest.raises(HeldoutError, match=r"grid\.random: expected one distribution per"):
        expand({"random": axes, "n": 3}, 0, "grid")


def test_an_endless_axis_has_a_start_and_a_step():
    assert endless_axis({"k": {"from": 1}}, "grid") == ("k", 1, 1)
    assert endless_axis({"k": {"from": 0, "step": 2}}, "grid") == ("k", 0, 2)
    assert endless_axis({"k": [1, 2]}, "grid") is None
    assert endless_axis({}, "grid") is None


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"k": {"from": 1}, "j": [1]}, "must be the only one"),
        ({"k": {"from": 1.5}}, "grid.k: expected {from: 1}"),
        ({"k": {"from": 1, "step": 0}}, "grid.k: expected {from: 1}"),
        ({"k": {"from": 1, "to": 3}}, "grid.k: expected {from: 1}"),
    ],
)
def test_endless_axes_are_checked(grid, message):
    with pytest.raises(HeldoutError) as error:
        endless_axis(grid, "grid")
    assert message in str(error.value)


HUGE = 10**9


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"x": {"range": [0, HUGE]}}, "grid.x: asks for 1000000000 values; the limit is 100000"),
        ({"x": {"range": [0, 2 * HUGE, 2]}}, "grid.x: asks for 1000000000 values"),
        ({"x": {"range": [HUGE, 0, -1]}}, "grid.x: asks for 1000000000 values"),
        ({"x": {"range": [0, 10**4000]}}, "grid.x: asks for about 10^4000 values"),
        ({"x": {"linspace": [0, 1, HUGE]}}, "grid.x: asks for 1000000000 values"),
        ({"x": {"logspace": [0, 1, HUGE]}}, "grid.x: asks for 1000000000 values"),
        ({"x": {"random": [1, 2], "n": HUGE}}, "grid.x.n: asks for 1000000000 draws"),
        ({"random": {"x": [1, 2]}, "n": HUGE}, "grid.n: asks for 1000000000 draws"),
        (
            {name: {"range": [0, 1000]} for name in "abc"},
            "grid: asks for 1000000000 values of θ (1000 × 1000 × 1000); the limit is 100000",
        ),
    ],
)
def test_more_values_than_can_be_listed_are_refused_before_they_are(grid, message):
    for count in (size, lambda given, where: expand(given, 0, where)):
        with pytest.raises(HeldoutError) as error:
            count(grid, "grid")
        assert message in str(error.value)


@pytest.mark.parametrize(
    "axis",
    [
        [3, 1, 1],
        {"range": [1, 31]},
        {"range": [1, 31, 4]},
        {"range": [31, 1, -7]},
        {"linspace": [0, 1, 11]},
        {"logspace": [-3, 3, 13]},
        {"random": {"uniform": [0, 1]}, "n": 40},
    ],
)
def test_values_are_counted_as_they_are_listed(axis):
    listed = [theta for theta in expand({"x": axis, "y": [1, 2]}, 0, "grid") if theta["y"] == 1]
    assert size({"x": axis, "y": [1, 2]}, "grid") == 2 * (3 if axis == [3, 1, 1] else len(listed))
    assert size({}, "grid") == 1


@pytest.mark.parametrize("bound", [10**400, -(10**400)])
def test_bounds_beyond_all_floating_point_numbers_are_refused(bound):
    with pytest.raises(HeldoutError, match=r"grid\.x: linspace takes 3 to 3 numbers"):
        expand({"x": {"linspace": [0, bound, 3]}}, 0, "grid")
