"""Dates and categories with many levels: equal to pandas, scikit-learn and plain counting."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

from heldout.numerics.encodings import BUCKETS, buckets_of, counts_of, date_parts, level_counts
from heldout.numerics.preprocessing import Preprocessor

SECONDS = st.floats(-6e9, 6e9).map(lambda x: float(np.round(x * 1e3) / 1e3))
CODES = st.lists(st.one_of(st.integers(0, 5).map(float), st.just(np.nan)), min_size=1, max_size=30)


def by_pandas(seconds, hours):
    """The same parts from pandas' own accessors."""
    dates = pd.Series(pd.to_datetime(np.round(np.asarray(seconds) * 1e6), unit="us"))
    days = (dates - pd.Timestamp(0)) / pd.Timedelta("1D")
    parts = [
        days,
        dates.dt.year,
        dates.dt.month,
        dates.dt.day,
        dates.dt.day_of_week,
        dates.dt.day_of_year,
    ]
    return np.column_stack([*parts, dates.dt.hour] if hours else parts).astype(float)


@given(st.lists(st.one_of(SECONDS, st.just(np.nan)), min_size=1), st.booleans())
def test_the_parts_of_dates_are_those_of_pandas(seconds, hours):
    ours = date_parts(np.array(seconds, float), hours)
    np.testing.assert_allclose(ours, by_pandas(seconds, hours), rtol=1e-12, atol=1e-9)


@given(CODES, CODES)
def test_counts_are_those_of_a_loop(train, new):
    names = [None if np.isnan(code) else code for code in new]
    counter = Counter(None if np.isnan(code) else code for code in train)
    expected = [counter[name] for name in names]
    assert counts_of(np.array(new), level_counts(np.array(train))).tolist() == expected


@given(st.lists(st.integers(0, 2**52 - 1), min_size=1))
def test_a_level_is_in_the_bucket_of_its_number(numbers):
    shown = buckets_of(np.array([*numbers, np.nan], float))
    assert shown[:-1].argmax(axis=1).tolist() == [number % BUCKETS for number in numbers]
    assert shown.sum(axis=1).tolist() == [*[1.0] * len(numbers), 0.0]


def table(seed, rows):
    """A number, a date, a category of few and one of many levels; some values missing."""
    g = np.random.default_rng(seed)
    columns = [
        g.normal(size=rows),
        np.floor(g.uniform(0, 2e9, rows) / 86400) * 86400,
        g.integers(3, size=rows),
        g.integers(1000, 1006, size=rows),
        g.uniform(0, 2e9, rows),
    ]
    whole = np.column_stack(columns).astype(float)
    whole[g.random(whole.shape) < 0.1] = np.nan
    return whole


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_preprocessor_equals_scikit_learn_on_the_same_parts(scale, weighted):
    train, new = table(1, 60), table(2, 20)
    weights = np.random.default_rng(3).uniform(0.5, 2, 60) if weighted else None
    step = Preprocessor([0], [2], scale, dates=[1, 4], many=[3])
    plain = Preprocessor([0], [2], scale)
    ours = step.fit_transform(train, None, weights), step.transform(new)
    theirs = plain.fit_transform(train, None, weights), plain.transform(new)
    imputer, scaler = SimpleImputer(strategy="median"), StandardScaler()
    counter = level_counts(train[:, 3])
    further = []
    for rows, fit in ((train, True), (new, False)):
        parts = np.hstack([by_pandas(rows[:, 1], False), by_pandas(rows[:, 4], True)])
        filled = imputer.fit_transform(parts) if fit else imputer.transform(parts)
        gone = np.isnan(rows[:, [1, 4]]).astype(float)
        block = np.hstack([filled, gone, counts_of(rows[:, 3], counter)[:, None]])
        if scale:
            block = (
                scaler.fit(block, None, weights).transform(block)
                if fit
                else scaler.transform(block)
            )
        further.append(block)
    for got, usual, block, rows in zip(ours, theirs, further, (train, new), strict=True):
        assert got.shape[1] == 2 + 13 + 2 + 1 + 4 + BUCKETS
        assert got[:, :2].tobytes() == usual[:, :2].tobytes()
        np.testing.assert_allclose(got[:, 2:18], block, rtol=1e-9, atol=1e-9)
        assert got[:, 18:22].tobytes() == usual[:, 2:].tobytes()
        assert np.array_equal(got[:, 22:], buckets_of(rows[:, 3]))


def test_only_training_rows_decide_about_hours_medians_and_counts():
    train = np.array([[0.0, 7.0], [86400.0, 7.0]])
    step = Preprocessor(dates=[0], many=[1]).fit(train)
    shown = step.transform(np.array([[3600.0, 8.0], [np.nan, np.nan]]))
    assert shown.shape == (2, 6 + 1 + BUCKETS), "no hour, no indicator: training has neither"
    assert shown[:, 0].tolist() == [3600 / 86400, 0.5]
    assert shown[:, 6].tolist() == [0, 0]


def test_native_columns_are_left_as_they_are():
    rows = table(1, 30)
    step = Preprocessor([0], [2], dates=[1], many=[3], native=True)
    shown = step.fit_transform(rows)
    assert np.array_equal(shown[:, :2], rows[:, [0, 2]], equal_nan=True)
    assert np.array_equal(shown[:, 2:8], by_pandas(rows[:, 1], False), equal_nan=True)
    assert step.transform(rows).tobytes() == shown.tobytes()


def test_a_model_of_an_earlier_version_still_transforms():
    step = Preprocessor([0], [1]).fit(np.array([[1.0, 0.0], [2.0, 1.0]]))
    for name in ("dates", "many", "native", "hours_", "counts_"):
        del step.__dict__[name]
    assert step.transform(np.array([[3.0, 1.0]])).tolist() == [[3, 0, 1]]


def test_a_category_with_many_levels_becomes_a_count_and_32_indicators() -> None:
    levels = np.arange(80.0)[:, None] * 1e9 + 7
    step = Preprocessor(many=[0])
    assert step.fit_transform(levels).shape == (80, 1 + 32)
    assert step.transform(levels[:3]).shape == (3, 1 + 32)


def test_dates_alone_become_the_same_parts_in_new_rows() -> None:
    days = np.arange(40.0)[:, None] * 86400
    step = Preprocessor(dates=[0])
    np.testing.assert_array_equal(step.fit_transform(days)[:5], step.transform(days[:5]))
