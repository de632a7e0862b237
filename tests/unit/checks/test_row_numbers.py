"""H024: features that count the rows, and those by which a table happens to be sorted."""

import numpy as np
import pytest
from bare_tables import bare_context, bare_table

from heldout.checks.row_numbers import counting, no_feature_counts_the_rows

N = 120
G = np.random.default_rng(2)
X = G.normal(size=(N, 3))
SOURCE = np.sort(G.choice(160, N, replace=False))
"""A quarter of the rows is sealed."""


def outcome(feature, target=None, source=SOURCE, **more):
    features = np.c_[X, feature]
    target = G.integers(2, size=len(features)) if target is None else target
    return no_feature_counts_the_rows(
        bare_context(bare_table(features, target, source=source, **more))
    )


@pytest.mark.parametrize(
    "numbers",
    [
        SOURCE + 1.0,
        9000.0 - SOURCE,
        1000.0 + SOURCE + 500 * (SOURCE > 80),
        np.where(SOURCE[7] == SOURCE, np.nan, SOURCE),
        np.cumsum(G.integers(5, 40, size=160))[SOURCE].astype(float),
    ],
)
def test_numbers_of_rows(numbers):
    found = outcome(numbers)
    assert found.status == "fail"
    assert "'x3' counts the rows" in found.message


@pytest.mark.parametrize(
    "numbers",
    [
        np.sort(G.integers(18, 90, size=N)),
        np.sort(G.normal(size=N)),
        np.unique(np.round(np.exp(G.normal(10, 1, size=3 * N))))[: 2 * N : 2],
        G.permutation(N),
        np.full(N, np.nan),
        np.sort(np.unique(np.round(G.normal(0, 1e5, size=N)))),
    ],
)
def test_other_numbers_pass(numbers):
    assert outcome(np.asarray(numbers, float)).status == "pass"


def test_dates_written_as_numbers_are_left_to_h019():
    days = [20240101 + 100 * (i // 28 % 12) + 10_000 * (i // 336) + i % 28 for i in range(160)]
    seconds = 1.7e9 + 86_400 * np.arange(160)
    for dates in (days, seconds):
        assert outcome(np.asarray(dates, float)[SOURCE]).status == "pass"


def test_the_message_says_whether_the_target_goes_with_the_order():
    by_class = outcome(SOURCE, np.repeat([0, 1], N // 2)).message
    assert "the target goes with that order (AUC 0.00 for class 'class 0')" in by_class
    number = outcome(SOURCE, np.arange(N) * -1.5).message
    assert "the target goes with that order (rank correlation -1.00)" in number
    assert "does not go with that order" in outcome(SOURCE, G.normal(size=N)).message


def test_years_are_left_to_h019_and_time_and_few_rows_do_not_apply():
    table = bare_table(np.c_[X, SOURCE], G.normal(size=N), source=SOURCE)
    table.names[3] = "year"
    assert counting(table) == []
    assert outcome(SOURCE, times=np.arange(N)).status == "na"
    few = bare_table(np.arange(12.0)[:, None], np.arange(12) % 2)
    assert no_feature_counts_the_rows(bare_context(few)).status == "na"
