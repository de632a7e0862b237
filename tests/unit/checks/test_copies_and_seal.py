"""The checks of copies and of the size of the test set, in each of their states."""

from types import SimpleNamespace

import numpy as np
import pytest
from tables import prepared

from heldout.checks.copies import no_duplicates, no_sealed_copies
from heldout.checks.sealed import test_set_large_enough as large_enough
from heldout.data.copies import Copies
from heldout.data.sealed_facts import SealedFacts

ROWS = 200


def context(table=None, sealed=None, estimates=()):
    return SimpleNamespace(
        loss_table=SimpleNamespace(table=table), sealed=sealed, estimates=estimates
    )


def columns():
    generator = np.random.default_rng(4)
    x = {f"x{i}": generator.normal(size=ROWS) for i in range(4)}
    return {**x, "y": ["a", "b"] * (ROWS // 2)}


def with_copies(count, change=0.0):
    """The first rows again as the last ones."""
    given = columns()
    for name, values in given.items():
        values[ROWS - count :] = values[:count] if name == "y" else values[:count] + change
    return given


def test_copies_ring_and_say_how_many(tmp_path):
    found = no_duplicates(context(prepared(tmp_path, with_copies(10))))
    assert found.status == "fail"
    assert found.message.startswith(
        "20 of 200 rows (10.0%; 20 equal in all columns, 0 nearly) have"
    )
    near = no_duplicates(context(prepared(tmp_path, with_copies(10, 1e-4))))
    assert near.status == "fail"
    assert "0 equal in all columns, 20 nearly" in near.message


def test_without_copies_and_in_one_group_it_passes(tmp_path):
    assert no_duplicates(context(prepared(tmp_path, columns()))).status == "pass"
    who = [f"p{i % 190}" for i in range(ROWS)]
    grouped = prepared(tmp_path, {**with_copies(10), "who": who}, groups="who")
    assert no_duplicates(context(grouped)).status == "pass"
    other = [f"p{i}" for i in range(ROWS)]
    apart = prepared(tmp_path, {**with_copies(10), "who": other}, groups="who")
    assert "in another group" in no_duplicates(context(apart)).message


def test_a_few_copies_pass_with_their_number(tmp_path):
    generator = np.random.default_rng(4)
    given = {f"x{i}": generator.normal(size=400) for i in range(4)}
    for values in given.values():
        values[399] = values[0]
    table = prepared(tmp_path, {**given, "y": ["a"] + ["b", "a"] * 199 + ["a"]})
    found = no_duplicates(context(table))
    assert found.status == "pass"
    assert found.message.startswith("2 of 400 rows (0.5%; 2 equal")


def sealed(copies=None, rows=40, units=40, classes=2):
    return SealedFacts(rows, units, classes, copies)


@pytest.mark.parametrize(
    ("facts", "status", "message"),
    [
        (None, "na", "no sealed test"),
        (sealed(), "na", "later times"),
        (sealed(Copies(40, 0, 0)), "pass", "no sealed row is a copy of an unsealed one"),
        (sealed(Copies(40, 0, 1)), "pass", "1 of 40 sealed rows (2.5%; 0 equal"),
        (sealed(Copies(40, 3, 2)), "fail", "5 of 40 sealed rows (12.5%; 3 equal"),
        (sealed(Copies(5000, 50, 0, 0.5)), "fail", "about 2.0% of the sealed rows (50 equal"),
        (sealed(Copies(5000, 0, 0, 0.5)), "pass", "in a sample of 5,000"),
    ],
)
def test_copies_of_sealed_rows(facts, status, message):
    found = no_sealed_copies(context(sealed=facts))
    assert found.status == status
    assert message in found.message


@pytest.mark.parametrize(
    ("facts", "grouped", "classes", "status", "message"),
    [
        (None, False, ["a", "b"], "na", "no sealed test"),
        (sealed(rows=3, units=3), False, ["a", "b"], "fail", "3 rows sealed, fewer than 10"),
        (sealed(rows=9, units=9), False, None, "fail", "fewer than 10"),
        (sealed(rows=10, units=10), False, ["a", "b"], "pass", "10 rows sealed"),
        (sealed(rows=20, units=20), False, ["a", "b"], "pass", "20 rows sealed"),
        (sealed(rows=90, units=4), True, ["a", "b"], "fail", "4 groups sealed, fewer than 5"),
        (sealed(rows=90, units=5), True, ["a", "b"], "pass", "5 groups sealed"),
        (sealed(rows=7, units=7), True, ["a", "b"], "fail", "7 rows sealed, fewer than 10"),
        (sealed(classes=1), False, ["a", "b"], "fail", "are of one class"),
        (sealed(classes=None), False, None, "pass", "40 rows"),
    ],
)
def test_the_size_of_the_test_set(facts, grouped, classes, status, message):
    table = SimpleNamespace(grouped=grouped, classes=classes)
    found = large_enough(context(table, facts))
    assert found.status == status
    assert message in found.message


def row(learner, estimator, recommended, low):
    return SimpleNamespace(
        learner=learner, estimator=estimator, recommended=recommended, ci_low=low, ci_high=0.75
    )


def test_the_interval_of_the_test_is_said_if_there_is_one():
    table = SimpleNamespace(grouped=False, classes=None)
    others = [row("knn", "test", True, 0.1), row("all", "kfold", True, 0.1)]
    rows = [*others, row("all", "test", False, 0.2), row("all", "test", True, 0.3)]
    few = sealed(rows=3, units=3)
    assert "(its interval: 0.3 to 0.75)" in large_enough(context(table, few, rows)).message
    assert "interval" not in large_enough(context(table, few, others)).message
    assert (
        "interval"
        not in large_enough(context(table, few, [row("all", "test", True, None)])).message
    )
