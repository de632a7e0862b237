"""Checks of the table see texts, and go through wide tables."""

from types import SimpleNamespace

import numpy as np
import pytest
from tables import prepared

from heldout.checks.copies import no_duplicates
from heldout.checks.groups import groups_declared, no_hidden_groups
from heldout.checks.leaks import no_feature_is_the_target

ROWS = 40


def context(table):
    return SimpleNamespace(loss_table=SimpleNamespace(table=table))


def test_rows_that_differ_in_a_free_text_only_are_no_duplicates(tmp_path):
    said = [f"w {i}" for i in range(ROWS)]
    columns = {"x": [1.0] * ROWS, "said": said, "y": ["a", "b"] * 20}
    table = prepared(tmp_path, columns, types={"said": "text"})
    assert no_duplicates(context(table)).status == "pass"
    twice = said[: ROWS // 2] * 2
    same = prepared(tmp_path, {**columns, "said": twice}, types={"said": "text"})
    assert no_duplicates(context(same)).message.startswith("40 of 40 rows (100.0%; 40 equal")


def test_rows_of_different_times_are_no_duplicates(tmp_path):
    columns = {"x": [1.0] * ROWS, "when": list(range(ROWS)), "y": ["a", "b"] * (ROWS // 2)}
    assert no_duplicates(context(prepared(tmp_path, columns, time="when"))).status == "na"


@pytest.mark.parametrize(
    ("feature", "target", "leaks"),
    [
        ([i % 3 for i in range(ROWS)], ["xyz"[i % 3] for i in range(ROWS)], True),
        ([i % 4 for i in range(ROWS)], ["xy"[i % 2] for i in range(ROWS)], True),
        ([i % 2 for i in range(ROWS)], ["wxyz"[i % 4] for i in range(ROWS)], False),
        ([(i * 7) % 3 for i in range(ROWS - 1)] + [1], ["xyz"[i % 3] for i in range(ROWS)], False),
        ([3.0 * i - 7 for i in range(ROWS)], list(range(ROWS)), True),
        ([float(i) ** 3 for i in range(ROWS)], list(range(ROWS)), True),
        ([None, *range(1, ROWS)], list(range(ROWS)), True),
    ],
)
def test_a_feature_that_is_the_target_is_found_among_others(tmp_path, feature, target, leaks):
    columns = {f"x{i}": np.random.default_rng(i).normal(size=ROWS) for i in range(5)}
    table = prepared(tmp_path, {**columns, "leak": feature, "y": target})
    outcome = no_feature_is_the_target(context(table))
    assert (outcome.status != "pass") is leaks
    assert ("'leak'" in outcome.message) is leaks


@pytest.mark.parametrize("classes", [2, ROWS])
def test_twenty_thousand_columns_of_noise_pass(classes):
    g = np.random.default_rng(0)
    names = [f"x{i}" for i in range(20_000)]
    features = g.integers(2, size=(ROWS, 20_000)).astype(float) if classes == 2 else None
    table = SimpleNamespace(
        features=g.normal(size=(ROWS, 20_000)) if features is None else features,
        target=np.arange(ROWS) % classes,
        rows={"unit": np.arange(ROWS)},
        names=names,
        facts={"schema": {"columns": [{"name": name, "kind": "number"} for name in names]}},
        classification=classes == 2,
        n=ROWS,
        grouped=False,
        strings=None,
        times=None,
        unused={},
    )
    for check in (no_duplicates, no_feature_is_the_target, groups_declared, no_hidden_groups):
        assert check(context(table)).status == "pass"
