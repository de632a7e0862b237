"""H009 and H023: rows that belong together though nobody declared it."""

from types import SimpleNamespace

import numpy as np
import pytest
from tables import prepared

from heldout.checks.groups import groups_declared, no_hidden_groups

N = 320


@pytest.fixture
def outcomes(tmp_path):
    def of(further, **request):
        generator = np.random.default_rng(4)
        own = np.arange(N) // 4
        x = generator.normal(size=N)[own] + 0.1 * generator.normal(size=N)
        y = generator.normal(size=N)[own] + 0.3 * generator.normal(size=N)
        columns = {"x": x.tolist(), "when": list(range(N)), "y": y.tolist()} | further
        table = prepared(tmp_path, columns, **request)
        context = SimpleNamespace(loss_table=SimpleNamespace(table=table))
        return groups_declared(context), no_hidden_groups(context)

    return of


FOURS = [f"c{i // 4}" for i in range(N)]


def test_a_telling_name_rings_as_h009_with_numbers(outcomes):
    named, hidden = outcomes({"patient": FOURS})
    assert named.status == "fail"
    assert named.message.startswith("'patient' has 80 values in 320 rows: ")
    assert (
        "Without rows of the same value, a nearest neighbour has a squared error of"
        in named.message
    )
    assert hidden.status == "pass"
    assert "see H009" in hidden.message


def test_a_dropped_column_rings_too(outcomes):
    named, _ = outcomes({"patient": FOURS}, drop=["patient"])
    assert named.message.startswith("'patient' (dropped) has 80 values in 320 rows: ")


def test_values_alone_ring_as_h023(outcomes):
    for drop in ([], ["mark"]):
        named, hidden = outcomes({"mark": FOURS}, drop=drop)
        assert named.status == "pass"
        assert hidden.status == "fail"
        assert hidden.message.startswith("'mark'")
        assert "name it under groups" in hidden.message


def test_further_columns_are_named(outcomes):
    coarse = [f"h{i // 40}" for i in range(N)]
    named, _ = outcomes({"hospital": coarse, "patient": FOURS})
    assert named.message.startswith("'patient' ")
    assert named.message.endswith("Look at 'hospital' too")


def test_a_name_without_repeated_values_passes(outcomes):
    named, _ = outcomes({"patient": [f"p{i}" for i in range(N)]})
    assert named.status == "pass"
    named, _ = outcomes(
        {"demo_group": ["a", "b"] * (N // 2), "user_rating": [i % 7 for i in range(N)]}
    )
    assert named.status == "pass"
    named, _ = outcomes({"group": ["a", "b"] * (N // 2)})
    assert named.status == "pass"


def test_values_at_random_pass(outcomes):
    mixed = np.random.default_rng(8).permutation(FOURS).tolist()
    assert outcomes({"mark": mixed})[1].status == "pass"


def test_declared_groups_and_time_leave_nothing_to_say(outcomes):
    named, hidden = outcomes({"patient": FOURS}, groups="patient")
    assert (named.status, hidden.status) == ("na", "na")
    named, hidden = outcomes({"mark": FOURS, "patient": FOURS}, time="when")
    assert (named.status, hidden.status) == ("fail", "na")
