"""The preprocessing of features equals scikit-learn's own transformers, to the last bit."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from heldout.numerics import preprocessing
from heldout.numerics.preprocessing import Preprocessor


def by_scikit_learn(numbers, categories, scale, max_levels=100):
    """The same from scikit-learn's parts."""
    steps = [SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)]
    if scale:
        steps.append(StandardScaler())
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=max_levels, sparse_output=False
    )
    parts = [("numbers", make_pipeline(*steps), numbers), ("categories", one_hot, categories)]
    return ColumnTransformer([part for part in parts if part[2]], sparse_threshold=0)


def table(seed, rows, numbers, categories, missing=0.2, levels=4):
    """Numbers of very different size and place, some missing, then category codes."""
    generator = np.random.default_rng(seed)
    left = generator.normal(size=(rows, numbers)) * 10.0 ** generator.integers(-9, 9, size=numbers)
    left += generator.choice([0.0, 0.1, 1e4, 1e9], size=numbers)
    right = generator.integers(levels, size=(rows, categories)).astype(float)
    whole = np.hstack([left, right])
    whole[generator.random(whole.shape) < missing] = np.nan
    return whole, list(range(numbers)), list(range(numbers, numbers + categories))


SHAPES = {
    "seed": st.integers(0, 2**31 - 1),
    "rows": st.integers(4, 40),
    "numbers": st.integers(0, 4),
    "categories": st.integers(0, 3),
    "scale": st.booleans(),
    "missing": st.sampled_from([0.0, 0.2]),
}


@given(**SHAPES)
def test_equal_to_scikit_learn_on_training_and_on_new_rows(
    seed, rows, numbers, categories, scale, missing
):
    if numbers + categories == 0:
        return
    whole, left, right = table(seed, rows, numbers, categories, missing)
    # scikit-learn's indicator refuses columns that are whole in training and not in new rows.
    new, _, _ = table(seed + 1, 10, numbers, categories, missing, levels=6)
    new[:, left] = np.where(
        np.isnan(whole[:, left]).any(axis=0), new[:, left], np.nan_to_num(new[:, left])
    )
    ours, theirs = Preprocessor(left, right, scale), by_scikit_learn(left, right, scale)
    _assert_equal(ours, theirs, whole, new)


def _assert_equal(ours, theirs, train, new):
    with warnings.catch_warnings(action="ignore"):  # about categories unseen in training
        assert ours.fit_transform(train).tobytes() == theirs.fit_transform(train).tobytes()
        assert ours.transform(new).tobytes() == theirs.transform(new).tobytes()
        assert ours.transform(train).tobytes() == theirs.transform(train).tobytes()


@given(st.integers(0, 2**31 - 1), st.integers(2, 12))
def test_rare_levels_share_a_column_as_in_scikit_learn(seed, max_levels):
    whole, _, right = table(seed, 60, 0, 2, levels=9)
    new, _, _ = table(seed + 1, 20, 0, 2, levels=12)
    ours = Preprocessor([], right, False, max_levels)
    _assert_equal(ours, by_scikit_learn([], right, False, max_levels), whole, new)


def test_fit_and_fit_transform_learn_the_same():
    whole, left, right = table(1, 20, 2, 1)
    one = Preprocessor(left, right, True).fit(whole)
    other = Preprocessor(left, right, True)
    assert one.transform(whole).tobytes() == other.fit_transform(whole).tobytes()


def test_a_column_that_is_empty_in_training_is_zero():
    train = np.array([[np.nan, 1.0], [np.nan, 3.0]])
    step = Preprocessor([0, 1], [])
    assert step.fit_transform(train).tolist() == [[0, 1, 1], [0, 3, 1]]
    assert step.transform(np.array([[5.0, np.nan]])).tolist() == [[5, 2, 0]]


def test_a_value_missing_only_in_new_rows_is_filled_without_an_indicator():
    step = Preprocessor([0], []).fit(np.array([[1.0], [2.0], [9.0]]))
    assert step.transform(np.array([[np.nan], [5.0]])).tolist() == [[2], [5]]


def test_missing_is_a_level_and_an_unseen_level_is_nothing():
    step = Preprocessor([], [0]).fit(np.array([[0.0], [1.0], [np.nan]]))
    shown = step.transform(np.array([[1.0], [np.nan], [7.0]]))
    assert shown.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("rows", [3, 7, 10])
@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9, -3e-9])
def test_a_constant_column_is_centred_and_not_scaled(constant, rows):
    train = np.full((rows, 1), constant)
    step = Preprocessor([0], [], scale=True)
    theirs = by_scikit_learn([0], [], True)
    assert step.fit_transform(train).tobytes() == theirs.fit_transform(train).tobytes()
    assert np.abs(step.transform(train)).max() <= abs(constant) * 1e-15


def test_a_column_that_is_constant_but_for_rounding_is_not_scaled():
    train = np.array([[1e9], [np.nextafter(1e9, 2e9)]] * 5)
    step = Preprocessor([0], [], scale=True)
    theirs = by_scikit_learn([0], [], True)
    assert step.fit_transform(train).tobytes() == theirs.fit_transform(train).tobytes()
    assert np.abs(step.transform(train)).max() < 1e-6


def test_the_input_is_not_changed():
    whole, left, right = table(2, 20, 2, 2)
    before = whole.copy()
    Preprocessor(left, right, True).fit_transform(whole)
    assert whole.tobytes() == before.tobytes()


def test_it_can_be_cloned_and_set_like_any_transformer():
    from sklearn.base import clone

    step = clone(Preprocessor([0], [1], scale=True)).set_params(max_levels=3)
    usual = {"dates": (), "many": (), "native": False}
    given = {"numbers": [0], "categories": [1], "scale": True, "max_levels": 3}
    assert step.get_params() == given | usual


@pytest.mark.parametrize("columns", [2, 3, 5, 6])
@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_columns_in_blocks_give_the_same_bits_as_all_at_once(monkeypatch, columns, gaps):
    """What does not stay in the processor's cache, or would take much memory, is worked on block by block."""
    generator = np.random.default_rng(columns)
    rows = generator.normal(3.0, 2.0, size=(400, columns)) * 10.0 ** np.arange(columns)
    if gaps:
        rows[generator.random(rows.shape) < 0.1] = np.nan
    once, parts = (Preprocessor(numbers=range(columns), scale=True) for _ in range(2))
    expected = once.fit_transform(rows)
    monkeypatch.setattr(preprocessing, "NEAR", 800)
    monkeypatch.setattr(preprocessing, "LINE", 2)
    assert [block.stop - block.start for block in preprocessing._blocks(rows)][:-1] == [2] * (
        columns // 2 - 1
    )
    assert parts.fit_transform(rows).tobytes() == expected.tobytes()
    assert parts.medians_.tobytes() == once.medians_.tobytes()


@pytest.mark.parametrize(
    ("rows", "block", "expected"),
    [(400, 2**22, 81), (10**5, 2**22, 8), (10**5, 3 * 10**5, 3), (10**7, 8, 2)],
)
def test_blocks_are_as_wide_as_cache_or_memory_allow(monkeypatch, rows, block, expected):
    monkeypatch.setattr(preprocessing, "BLOCK", block)
    first = next(iter(preprocessing._blocks(np.broadcast_to(0.0, (rows, 300)))))
    assert first.stop - first.start == expected


@given(st.integers(0, 2**31 - 1), st.integers(1, 9), st.integers(1, 5))
def test_medians_are_those_of_numpy(seed, rows, columns):
    """Of what is not missing; also of even numbers of rows, and where all are missing."""
    generator = np.random.default_rng(seed)
    numbers = generator.normal(size=(rows, columns)).round(1)
    numbers[generator.random(numbers.shape) < 0.3] = np.nan
    given = numbers.copy()
    found = Preprocessor(numbers=range(columns)).fit(numbers).medians_
    with warnings.catch_warnings(action="ignore"):
        assert found.tolist() == np.nan_to_num(np.nanmedian(numbers, axis=0)).tolist()
    assert numbers.tobytes() == given.tobytes()


def test_rows_are_neither_changed_nor_given_away():
    """Rows that are scaled are not copied before; those that are not scaled are."""
    rows = np.random.default_rng(0).normal(size=(30, 3))
    before = rows.copy()
    for scale in (False, True):
        found = Preprocessor(numbers=range(3), scale=scale).fit_transform(rows)
        assert not np.shares_memory(found, rows)
        found[:] = 7.0
        assert rows.tobytes() == before.tobytes()


def test_numbers_that_a_model_takes_as_they_are_are_not_copied():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    assert Preprocessor(numbers=range(3), native=True).fit_transform(rows) is rows
    some = Preprocessor(numbers=[0, 2], native=True).fit_transform(rows)
    assert some.tolist() == rows[:, [0, 2]].tolist()
    turned = Preprocessor(numbers=[0, 2], categories=[1], native=True).fit_transform(rows)
    assert turned.tolist() == rows[:, [0, 2, 1]].tolist()
