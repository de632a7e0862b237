"""Names decide what is fitted again: equal things have equal names, different things never do."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.names import canonical, digest, seed_for, theta_name

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
)
VALUES = SCALARS | st.lists(SCALARS, max_size=3)
THETAS = st.dictionaries(st.text(min_size=1, max_size=6), VALUES, max_size=4)
LOOKALIKES = [1, 1.0, "1", "1.0", True, "true", None, "null", "1,b=1", "x", "x,b=1", [1], "[1]"]


@given(THETAS)
def test_canonical_does_not_depend_on_the_order_of_keys(theta):
    backwards = dict(reversed(list(theta.items())))
    assert canonical(theta) == canonical(backwards)


@given(THETAS)
def test_canonical_is_json_of_the_same_value(theta):
    assert json.loads(canonical(theta)) == theta


def test_canonical_has_no_spaces_and_keeps_letters_of_every_alphabet():
    assert canonical({"b": [1, 2], "a": "é"}) == '{"a":"é","b":[1,2]}'


def test_parts_of_a_digest_do_not_run_into_one_another():
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")


def test_a_digest_is_the_same_on_every_machine():
    assert digest("a", b"b") == "6a93c5780b9861cdd8d2761a748d9591"


@given(THETAS, THETAS)
def test_different_thetas_have_different_folders(one, other):
    if canonical(one) != canonical(other):
        assert theta_name(one) != theta_name(other)


def test_lookalike_thetas_have_different_folders():
    pairs = [{"a": one, "b": other} for one in LOOKALIKES for other in LOOKALIKES]
    thetas = [{}, *({key: one} for key in ("a", "a=1,b") for one in LOOKALIKES), *pairs]
    assert len({theta_name(theta) for theta in thetas}) == len(thetas)


@given(THETAS)
def test_a_folder_name_is_safe_everywhere(theta):
    name = theta_name(theta)
    assert re.fullmatch(r"[A-Za-z0-9._=,+~-]{1,100}", name)
    assert name not in {".", ".."}


@pytest.mark.parametrize(
    ("theta", "name"),
    [
        ({}, "default"),
        ({"n_neighbors": 5}, "n_neighbors=5"),
        ({"C": 0.1, "kernel": "rbf"}, "C=0.1,kernel=rbf"),
        ({"max_depth": None, "warm": True}, "max_depth=null,warm=true"),
        ({"criterion": "log_loss"}, "criterion=log_loss"),
    ],
)
def test_common_folder_names_are_readable(theta, name):
    assert theta_name(theta) == name


def test_a_long_theta_keeps_its_start_and_ends_in_a_digest():
    many = theta_name({"features": [f"column_{i}" for i in range(50)]})
    assert many.startswith("features=_column_0")
    plain = theta_name({"solver": "a" * 300})
    assert plain.startswith("solver=aaa")
    assert max(len(many), len(plain)) <= 80


def test_seeds_depend_on_every_name_and_on_their_order():
    seeds = {
        seed_for(1, "a", "b"),
        seed_for(2, "a", "b"),
        seed_for(1, "b", "a"),
        seed_for(1, "ab"),
        seed_for(1, "a"),
    }
    assert len(seeds) == 5


@given(st.integers(min_value=0), st.lists(st.text(max_size=5), max_size=3))
def test_seeds_are_valid_for_scikit_learn(root, names):
    assert 0 <= seed_for(root, *names) < 2**31
    assert seed_for(root, *names) == seed_for(root, *names)
