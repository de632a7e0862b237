"""Rows in time order: nothing is trained on what came later, and gaps and windows are kept to the unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit

from heldout.errors import HeldoutError
from heldout.resampling.prefixes import earlier, prefixes
from heldout.resampling.rolling import known_before, latest_holdout, latest_share, rolling_split
from heldout.resampling.rows import Rows
from heldout.resampling.spans import Span, check_unit, span_of
from heldout.resampling.split import resamples
from heldout.resampling.stamps import Stamps

TIMES = st.lists(st.integers(0, 40), min_size=12, max_size=60).filter(lambda t: len(set(t)) >= 8)
"""Whole numbers, many of them more than once."""
WINDOWS = st.one_of(
    st.just(Span()), st.integers(1, 4).map(lambda b: Span(blocks=b)),
    st.integers(5, 30).map(lambda t: Span(time=float(t))),
)  # fmt: skip
GAPS = st.one_of(
    st.integers(0, 2).map(lambda b: Span(blocks=b)),
    st.integers(0, 12).map(lambda t: Span(time=float(t))),
)


def rows_at(times, unit=None, code=None):
    time = np.asarray(times, float)
    unit = np.arange(len(time)) if unit is None else np.asarray(unit)
    classes = None if code is None else ["a", "b"]
    return Rows(unit, code=code, classes=classes, time=time)


def blocks_of(rows, blocks, window, gap):
    """The split and its blocks; nothing where the window holds no rows."""
    try:
        split = rolling_split(rows, blocks, window, gap)
    except HeldoutError:
        return None, []
    return split, prefixes(split)


@given(TIMES, st.integers(2, 6), WINDOWS, GAPS)
def test_no_training_row_is_later_than_the_gap_before_its_block(times, blocks, window, gap):
    rows = rows_at(times)
    split, found = blocks_of(rows, blocks, window, gap)
    for one in found:
        start = rows.time[one.rows].min()
        newest = rows.time[one.train].max()
        assert newest < start
        assert not set(one.train) & set(one.rows)
        if gap.time is not None:
            assert newest < start - gap.time or (gap.time == 0 and newest < start)
        else:
            assert split["block"][one.train].max() <= one.number - 1 - gap.blocks


@given(TIMES, st.integers(2, 6), WINDOWS, GAPS)
def test_training_rows_are_all_that_gap_and_window_allow(times, blocks, window, gap):
    """By a loop over rows that knows nothing of ranks."""
    rows = rows_at(times)
    split, found = blocks_of(rows, blocks, window, gap)
    for one in found:
        block, start = split["block"], rows.time[split["block"] == one.number].min()
        if gap.time is not None:
            known = [i for i in range(rows.n) if rows.time[i] < start - gap.time]
            now = start - gap.time
        else:
            known = [i for i in range(rows.n) if block[i] <= one.number - 1 - gap.blocks]
            now = min(rows.time[i] for i in range(rows.n) if block[i] == one.number - gap.blocks)
        if window.time is not None:
            known = [i for i in known if rows.time[i] >= now - window.time]
        elif window.blocks is not None:
            last = max(block[i] for i in known)
            known = [i for i in known if block[i] > last - window.blocks]
        assert one.train.tolist() == known


@given(TIMES, st.integers(2, 6))
def test_rows_of_one_stamp_are_in_one_block_and_blocks_follow_each_other(times, blocks):
    split = rolling_split(rows_at(times), blocks, Span(), Span())
    for stamp in set(times):
        assert len(set(split["block"][np.asarray(times) == stamp])) == 1
    order = np.argsort(times, kind="stable")
    assert (np.diff(split["block"][order]) >= 0).all()
    assert set(split["block"]) == set(range(1, blocks + 1))


@given(st.integers(3, 6), st.integers(0, 2), st.integers(2, 5))
def test_equal_blocks_are_those_of_scikit_learn(blocks, gap, size):
    """TimeSeriesSplit counts its gap in rows; equal blocks of `size` rows make it the same."""
    n = (blocks + gap) * size
    wanted = list(
        TimeSeriesSplit(n_splits=blocks - 1, test_size=size, gap=gap * size).split(np.zeros(n))
    )
    found = prefixes(rolling_split(rows_at(range(n)), blocks + gap, Span(), Span(blocks=gap)))
    assert len(found) == len(wanted)
    for one, (train, test) in zip(found, wanted, strict=True):
        assert one.train.tolist() == train.tolist()
        assert one.rows.tolist() == test.tolist()


@given(st.integers(3, 6), st.integers(1, 2), st.integers(2, 5))
def test_a_sliding_window_is_that_of_scikit_learn(blocks, window, size):
    n = blocks * size
    given_window = TimeSeriesSplit(
        n_splits=blocks - 1, test_size=size, max_train_size=window * size
    )
    wanted = [train.tolist() for train, _ in given_window.split(np.zeros(n))]
    split = rolling_split(rows_at(range(n)), blocks, Span(blocks=window), Span())
    assert [one.train.tolist() for one in prefixes(split)] == wanted
    assert split["row"][split["final"] == 1].tolist() == list(range(n))[-window * size :]


def test_the_order_of_the_table_does_not_matter():
    times = np.random.default_rng(1).permutation(30)
    split = rolling_split(rows_at(times), 5, Span(), Span(time=2.0))
    in_order = rolling_split(rows_at(range(30)), 5, Span(), Span(time=2.0))
    for name in ("block", "train_from", "train_to"):
        assert split[name][np.argsort(times)].tolist() == in_order[name].tolist()


@pytest.mark.parametrize("unit", [0.1, 86400.0])
def test_a_gap_in_time_is_kept_in_spite_of_rounding(unit):
    """0.8 − 0.1 is above 0.7 in floating point; the row at 0.7 lies in the gap all the same."""
    rows = rows_at([i * unit for i in range(40)])
    for one in prefixes(rolling_split(rows, 10, Span(time=6 * unit), Span(time=3 * unit))):
        first = int(one.rows.min())
        assert one.train.tolist() == list(range(max(0, first - 9), first - 3))


def test_theta_is_chosen_by_blocks_that_were_over():
    found = prefixes(rolling_split(rows_at(range(30)), 10, Span(), Span(blocks=1)))
    assert [one.number for one in found] == list(range(3, 11))
    known = [[found[i].number for i in earlier(found, one)] for one in found]
    assert known == [[], [], [3], [3, 4], [3, 4, 5], [3, 4, 5, 6], [*range(3, 8)], [*range(3, 9)]]


@pytest.mark.parametrize("gap", [1.0, 2.0])
def test_with_a_gap_in_time_a_block_counts_when_its_last_row_is_old_enough(gap):
    found = prefixes(rolling_split(rows_at(range(30)), 10, Span(), Span(time=gap)))
    for one in found:
        start = float(one.rows.min())
        known = [found[i] for i in earlier(found, one)]
        assert all(block.rows.max() < start - gap for block in known)
        assert known == [block for block in found if block.rows.max() < start - gap]


def test_blocks_without_classes_are_refused_before_any_fit():
    code = np.array([0] * 10 + [0, 1] * 10)
    with pytest.raises(HeldoutError, match="all training rows of block 2 are of class 'a'"):
        rolling_split(rows_at(range(30), code=code), 5, Span(), Span())


def test_a_hole_in_time_that_empties_a_window_is_refused():
    times = [*range(10), *range(100, 110)]
    with pytest.raises(HeldoutError, match="block 3 has no training rows in its window"):
        rolling_split(rows_at(times), 4, Span(time=20.0), Span())


# --- groups --------------------------------------------------------------------------------------


def test_cuts_keep_groups_whole():
    """Three rows a group, which follow each other: 10 groups in 4 blocks."""
    unit = np.repeat(np.arange(10), 3)
    split = rolling_split(rows_at(range(30), unit), 4, Span(), Span())
    assert all(len(set(split["block"][unit == one])) == 1 for one in unit)
    assert np.bincount(split["block"])[1:].tolist() == [6, 9, 6, 9]


def test_a_group_that_spans_blocks_is_refused():
    unit = np.arange(30)
    unit[[2, 20]] = 99
    with pytest.raises(
        HeldoutError,
        match="the group of 2 rows at 2 times, of 30 times in 5 parts, spans several blocks",
    ):
        rolling_split(rows_at(range(30), unit), 5, Span(), Span())


@pytest.mark.parametrize(("tied", "refused"), [(12, False), (13, True)])
def test_a_group_may_tie_as_many_rows_as_two_blocks_hold(tied, refused):
    """Thirty rows in five blocks: twelve in two."""
    unit = np.arange(30)
    unit[[2, 1 + tied]] = 99
    if refused:
        with pytest.raises(HeldoutError, match="spans several blocks"):
            rolling_split(rows_at(range(30), unit), 5, Span(), Span())
    else:
        split = rolling_split(rows_at(range(30), unit), 5, Span(), Span())
        assert len(set(split["block"][unit == 99])) == 1


def test_a_group_of_two_large_stamps_spans_blocks_too():
    """Two stamps of eight rows each, tied by a group, in five blocks of six rows."""
    unit, time = np.arange(30), np.concatenate([np.zeros(8), np.ones(8), np.arange(2.0, 16)])
    rolling_split(rows_at(time, unit), 5, Span(), Span())
    unit[[0, 8]] = 99
    with pytest.raises(HeldoutError, match="of 2 rows at 2 times"):
        rolling_split(rows_at(time, unit), 5, Span(), Span())


def test_a_block_may_be_one_stamp():
    split = rolling_split(rows_at(range(5)), 5, Span(), Span())
    assert split["block"].tolist() == [1, 2, 3, 4, 5]


def test_windows_in_time_are_half_open():
    """Of daily rows, a window of ten holds ten: before a block, before held-out rows, and at the end."""
    window = Span(time=10.0)
    split = rolling_split(rows_at(range(30)), 3, window, Span())
    assert (split["train_from"][-1], split["train_to"][-1]) == (10, 20)
    assert np.flatnonzero(split["final"]).tolist() == [*range(20, 30)]
    stamps = Stamps(np.arange(30.0), np.arange(30))
    assert np.flatnonzero(known_before(stamps, 30.0, 3, window, Span())).tolist() == [
        *range(20, 30)
    ]


# --- latest share --------------------------------------------------------------------------------


@given(TIMES, st.floats(0.05, 0.6))
def test_the_latest_share_is_later_than_all_others(times, share):
    latest = latest_share(Stamps(np.asarray(times, float), np.arange(len(times))), share)
    assert 0 < latest.sum() < len(times)
    assert np.asarray(times)[latest].min() > np.asarray(times)[~latest].max()


def test_the_share_is_as_near_as_whole_stamps_allow():
    stamps = Stamps(np.repeat([1.0, 2.0, 3.0], [70, 15, 15]), np.arange(100))
    assert latest_share(stamps, 0.2).sum() == 15
    assert latest_share(stamps, 0.25).sum() == 30


def test_the_development_set_is_the_latest_share_after_the_gap():
    split = latest_holdout(rows_at(range(20)), 0.25, 3, Span(), Span(time=3.0))
    [dev] = resamples("dev", 20, {"holdout": split})
    assert dev.train.tolist() == list(range(12))
    assert dev.held["dev"].tolist() == list(range(15, 20))


def test_a_window_holds_for_the_development_set_too():
    split = latest_holdout(rows_at(range(20)), 0.2, 8, Span(blocks=3), Span(blocks=0))
    [dev] = resamples("dev", 20, {"holdout": split})
    assert dev.train.tolist() == list(range(10, 16))


def test_a_gap_in_blocks_is_cut_from_the_rows_before():
    stamps = Stamps(np.arange(24.0), np.arange(24))
    known = known_before(stamps, 24.0, blocks=10, window=Span(), gap=Span(blocks=2))
    assert np.flatnonzero(known).tolist() == list(range(20))


# --- bad input -----------------------------------------------------------------------------------


def test_stamps_that_cannot_fill_the_blocks_are_refused():
    with pytest.raises(HeldoutError, match="3 time stamps cannot fill 10 blocks"):
        rolling_split(rows_at([1, 2, 3] * 10), 10, Span(), Span())


@pytest.mark.parametrize("text", ["7 days", "d", "-3d", "3", "1e3s", ""])
def test_spans_that_are_not_understood_are_refused(text):
    with pytest.raises(HeldoutError, match=r"rolling.gap: .* neither blocks \(2\) nor time"):
        span_of(text, "rolling.gap")


@pytest.mark.parametrize(
    ("text", "time"), [("90s", 90), ("5min", 300), ("2h", 7200), ("1.5d", 129600), ("2 w", 1209600)]
)
def test_units_of_time(text, time):
    assert span_of(text, "gap").time == time


def test_dates_have_no_units_and_numbers_no_days():
    check_unit(span_of("7d", "gap"), True, "gap")
    check_unit(span_of("7 units", "gap"), False, "gap")
    with pytest.raises(HeldoutError, match="the time column has dates"):
        check_unit(span_of("7 units", "gap"), True, "gap")
    with pytest.raises(HeldoutError, match="the time column has numbers; write 7 units"):
        check_unit(span_of("7d", "gap"), False, "gap")
