"""The time column: read once, in every row, no feature; the latest rows are sealed, those in the gap left out."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from tables import prepared, write_csv, write_parquet

from heldout.data.prepare import prepare
from heldout.data.prepared import open_prepared
from heldout.data.request import Request
from heldout.data.time_order import times_of
from heldout.data.vault import SOURCE_ROW, read_sealed
from heldout.errors import HeldoutError
from heldout.resampling.spec import Rolling

N = 50
ORDER = np.random.default_rng(1).permutation(N)
DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=int(i)) for i in ORDER]
COLUMNS = {"x": [float(i % 7) for i in range(N)], "y": [float(i % 5) for i in range(N)]}


def in_time(values=DAYS, **more):
    return COLUMNS | {"when": values} | more


def refusal(folder, columns, **given):
    with pytest.raises(HeldoutError) as error:
        prepared(folder, columns, **{"time": "when", "test": 0.2} | given)
    assert not (folder / "data").exists()
    return str(error.value)


def sealed_rows(folder):
    return read_sealed(folder / "vault").column(SOURCE_ROW).to_pylist()


def test_the_latest_rows_are_sealed_and_time_is_no_feature(tmp_path):
    table = prepared(tmp_path, in_time(), time="when", test=0.2)
    assert table.names == ["x"]
    assert sorted(ORDER[sealed_rows(tmp_path)]) == list(range(40, 50))
    assert sorted(ORDER[table.rows["source"]]) == list(range(40))
    assert table.dates
    assert (table.times == [86400.0 * (19723 + int(i)) for i in ORDER if i < 40]).all()
    assert table.facts["notes"] == [
        "time: 'when' puts the rows in order, from 2024-01-01 to 2024-02-09, and is no feature"
    ]


def test_rows_in_the_gap_are_neither_trained_on_nor_sealed(tmp_path):
    rolling = Rolling(gap="7d")
    table = prepared(tmp_path, in_time(), time="when", test=0.2, rolling=rolling)
    assert sorted(ORDER[table.rows["source"]]) == list(range(33))
    assert len(sealed_rows(tmp_path)) == 10
    assert table.facts["time"]["left_out"] == 7
    assert (
        "7 rows lie in the gap before the sealed rows (rolling.gap: 7d)" in table.facts["notes"][1]
    )


def test_a_gap_in_blocks_before_the_sealed_rows(tmp_path):
    rolling = Rolling(blocks=8, gap=2)
    table = prepared(tmp_path, in_time(), time="when", test=0.2, rolling=rolling)
    assert sorted(ORDER[table.rows["source"]]) == list(range(32))


def test_the_split_does_not_change_the_digest(tmp_path):
    found = [
        prepared(tmp_path / str(gap), in_time(), time="when", test=0, rolling=Rolling(gap=gap))
        for gap in (0, 2)
        if (tmp_path / str(gap)).mkdir() is None
    ]
    assert found[0].digest == found[1].digest


@pytest.mark.parametrize(
    "texts",
    [
        [day.isoformat() for day in DAYS],
        [f"{day} 12:30" for day in DAYS],
        [f"{day}T12:30:00.25Z" for day in DAYS],
        [str(2000 + i) for i in ORDER],
        [f"{i / 8}" for i in ORDER],
        [f"{1990 + i // 12}-{i % 12 + 1:02d}" for i in ORDER],
    ],
    ids=["days", "minutes", "zoned", "years", "numbers", "months"],
)
def test_texts_put_rows_in_the_same_order(tmp_path, texts):
    data = write_csv(tmp_path / "t.csv", in_time(texts))
    prepare(Request("t", 19, data, "y", time="when", test=0), tmp_path / "data", tmp_path / "v")
    assert (np.argsort(open_prepared(tmp_path / "data").times) == np.argsort(ORDER)).all()


def test_typed_times_are_seconds_in_utc():
    noon = dt.datetime(1970, 1, 2, 12)
    zoned = noon.replace(tzinfo=dt.timezone(dt.timedelta(hours=2)))
    assert times_of("t", pa.array([noon, None])).values.tolist()[0] == 129600.0
    assert times_of("t", pa.array([zoned])).values.tolist() == [129600.0 - 7200]
    assert times_of("t", pa.array(["1970-01-02T12:00:00+02:00"])).values.tolist() == [122400.0]
    assert times_of("t", pa.array([dt.date(1970, 1, 2)])).values.tolist() == [86400.0]


# --- bad input -----------------------------------------------------------------------------------


def test_a_missing_time_names_its_rows(tmp_path):
    days = [*DAYS[:3], None, *DAYS[4:]]
    message = "time: 'when' is missing in 1 of 50 rows"
    assert f"{message} of {tmp_path / 'table.parquet'} (first: row 4)" in refusal(
        tmp_path, in_time(days)
    )


def test_a_time_that_is_none_names_its_row_and_text(tmp_path):
    days = [str(day) for day in DAYS]
    days[6] = "last week"
    found = refusal(tmp_path, in_time(days))
    assert "neither a number nor a date in 1 of 50 rows" in found
    assert "(first: row 7, which holds 'last week')" in found


def test_times_of_day_order_nothing(tmp_path):
    assert "orders no rows" in refusal(tmp_path, in_time([dt.time(i % 24) for i in ORDER]))


def test_a_column_that_is_not_there(tmp_path):
    assert "time: no column 'when'" in refusal(tmp_path, COLUMNS)


def test_units_that_the_column_does_not_have(tmp_path):
    assert "the time column has dates" in refusal(
        tmp_path, in_time(), rolling=Rolling(gap="3 units")
    )


def test_a_group_that_spans_blocks_is_named(tmp_path):
    sites = [f"site {i % 3}" for i in range(N)]
    found = refusal(tmp_path, in_time(site=sites), groups="site", test=0)
    assert "groups: the group 'site " in found
    assert "spans several blocks of time" in found


def test_groups_within_blocks_stay_together(tmp_path):
    sites = [f"site {i // 2}" for i in ORDER]
    table = prepared(tmp_path, in_time(site=sites), time="when", groups="site", test=0.19)
    assert sorted(ORDER[table.rows["source"]]) == list(range(40))


# --- spellings -----------------------------------------------------------------------------------


DOTS = [day.strftime("%d.%m.%Y") for day in DAYS]


@pytest.mark.parametrize(
    ("values", "types"),
    [
        (pa.array(DOTS, pa.large_string()), {}),
        (pa.array(DOTS).dictionary_encode(), {}),
        (pa.array([int(day.strftime("%Y%m%d")) for day in DAYS]), {"when": "YYYYMMDD"}),
    ],
    ids=["large", "dictionary", "whole"],
)
def test_spelled_dates_of_typed_files_are_read(tmp_path, values, types):
    gap = Rolling(gap="7d")
    table = prepared(tmp_path, in_time(values), time="when", test=0.2, types=types, rolling=gap)
    assert table.dates
    assert sorted(ORDER[table.rows["source"]]) == list(range(33))


@pytest.mark.parametrize("spelling", [{}, {"when": "DD.MM.YYYY"}])
def test_a_date_that_is_none_is_named_where_others_are_spelled(tmp_path, spelling):
    found = refusal(tmp_path, in_time([*DOTS[:6], "31.02.2024", *DOTS[7:]]), types=spelling)
    assert "is no date spelled DD.MM.YYYY in 1 of 50 rows" in found
    assert "(first: row 7, which holds '31.02.2024')" in found


def test_dates_that_no_value_settles_are_refused(tmp_path):
    days = [f"{i % 12 + 1:02d}/{i % 11 + 1:02d}/2024" for i in ORDER]
    assert "can be MM/DD/YYYY or DD/MM/YYYY" in refusal(tmp_path, in_time(days))


@pytest.mark.parametrize("span", [{"gap": "7 units"}, {"window": "30 units"}, {"gap": "7d"}])
@pytest.mark.parametrize("form", ["%Y%m%d", "%Y%m"])
def test_dates_as_numbers_have_no_distances(tmp_path, span, form):
    days = [int(day.strftime(form)) for day in DAYS]
    found = refusal(tmp_path, in_time(days), rolling=Rolling(**span))
    assert "look like dates (YYYYMM" in found
    assert ("types: {when: YYYYMMDD}" in found) == (form == "%Y%m%d")


def test_other_numbers_have_distances(tmp_path):
    for times in ([20240100 + int(i) for i in ORDER], [202400.5 + int(i) for i in ORDER]):
        table = prepared(
            tmp_path, in_time(times), time="when", test=0, rolling=Rolling(gap="7 units")
        )
        assert table.n == N


# --- a test table of its own -----------------------------------------------------------------------


def with_test(folder, first, **more):
    later = [dt.date(2024, 1, 1) + dt.timedelta(days=first + i) for i in range(5)]
    columns = {"x": [1.0] * 5, "y": [2.0] * 5, "when": later}
    return {"test": write_parquet(folder / "test.parquet", columns), **more}


def test_a_test_table_must_be_later(tmp_path):
    assert "3 of 5 rows" in refusal(tmp_path, in_time(), **with_test(tmp_path, 47))
    table = prepared(tmp_path, in_time(), time="when", **with_test(tmp_path, 50))
    assert table.n == N


def test_a_gap_before_a_test_table(tmp_path):
    more = with_test(tmp_path, 52, rolling=Rolling(gap="1w"))
    table = prepared(tmp_path, in_time(), time="when", **more)
    assert sorted(ORDER[table.rows["source"]]) == list(range(45))
    assert table.facts["time"]["left_out"] == 5
