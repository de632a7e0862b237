"""What kind a column is, from its values or because the config says so."""

import datetime as dt
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tables import prepared, write_csv

from heldout.data import date_texts, money_texts
from heldout.data.encode import Lost
from heldout.data.guess import Hints
from heldout.data.infer import infer_columns
from heldout.data.infer_target import infer_target
from heldout.data.kinds import DATE_SPELLINGS
from heldout.data.notes import Note, worded
from heldout.data.prepare import prepare
from heldout.data.read import read_table
from heldout.data.reading import found_reading
from heldout.data.request import Request
from heldout.data.vault import SOURCE_ROW, read_sealed
from heldout.errors import HeldoutError


def found(columns, asked=None, **hints):
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    return table, infer_columns(table, table.column_names, asked or {}, Hints(**hints))


def one(values, asked=None, **hints):
    table, kinds = found({"x": values}, {} if asked is None else {"x": asked}, **hints)
    [column] = kinds.columns
    return column, column.encode(table.column("x").combine_chunks()).tolist()


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["$1,234.50", "-$3", "$ 7"], [1234.5, -3, 7]),
        (["€ 3.000,50", "12,5 €"], [3000.5, 12.5]),
        (["3.000.000 €", "5 €"], [3e6, 5]),
        (["1 200 kr", "1\u00a0200,50 kr"], [1200, 1200.5]),
        (["(1,200)", "35"], [-1200, 35]),
        (["1'234.50 CHF", "5 CHF"], [1234.5, 5]),
        (["R$ 1.234,00"], [1234]),
        (["12 %", "12.5%", "-0,5 %"][:2], [12, 12.5]),
        (["12,5 %", "7 %"], [12.5, 7]),
        (["1,200 USD", "30 USD"], [1200, 30]),
    ],
)
def test_amounts_and_percentages_are_numbers(texts, values):
    column, encoded = one(texts)
    assert column.kind == "number"
    assert column.spelling
    assert encoded == values


@pytest.mark.parametrize(
    "texts",
    [
        ["12 kg", "3 kg"],
        ["$5", "€6"],
        ["12 %", "$5"],
        ["1-2", "3-4"],
        ["$1.2.3", "$1"],
        ["$1,23.4", "$2"],
        ["R1", "R2"],
        ["(a)", "(b)"],
        ["$", "$1"],
        ["10 %", "20"],
        ["$5 %", "$6 %"],
        ["($5)", "€6"],
        ["1,-", "2,-"],
    ],
)
def test_what_only_resembles_an_amount_is_a_category(texts):
    assert one(texts)[0].kind == "category"


def test_a_lone_sign_before_three_digits_is_what_the_file_writes():
    assert one(["1.234 €"])[1] == [1.234]
    assert one(["1.234 €"], decimal=",")[1] == [1234]
    assert one(["$1,234"])[1] == [1234]
    assert one(["1,234 €"], decimal=",")[1] == [1.234]


PANDAS = {
    "YYYY-MM-DD": "%Y-%m-%d",
    "YYYY/MM/DD": "%Y/%m/%d",
    "YYYY.MM.DD": "%Y.%m.%d",
    "DD.MM.YYYY": "%d.%m.%Y",
    "DD-Mon-YYYY": "%d-%b-%Y",
    "Mon DD, YYYY": "%b %d, %Y",
    "MM/DD/YYYY": "%m/%d/%Y",
    "DD/MM/YYYY": "%d/%m/%Y",
    "MM-DD-YYYY": "%m-%d-%Y",
    "DD-MM-YYYY": "%d-%m-%Y",
    "YYYY-MM": "%Y-%m",
    "YYYY Mon": "%Y %b",
}


@pytest.mark.parametrize("spelling", PANDAS)
@pytest.mark.parametrize("time", ["", " %H:%M", " %H:%M:%S", " %I:%M:%S %p"])
def test_dates_are_read_as_pandas_reads_them(spelling, time):
    moments = pd.date_range("1899-12-30 00:30:59", periods=300, freq="149D7h13min")
    texts = moments.strftime(PANDAS[spelling] + time)
    column, encoded = one(texts.tolist())
    assert (column.kind, column.spelling) == ("date", spelling)
    expected = pd.to_datetime(texts, format=PANDAS[spelling] + time)
    assert encoded == ((expected - pd.Timestamp(0)) / pd.Timedelta("1s")).tolist()


def test_every_spelling_has_a_pattern_and_a_name():
    assert set(DATE_SPELLINGS) == set(date_texts.ALL)
    assert set(date_texts.SPELLINGS) == {*PANDAS, "YYYY Qn"}


@pytest.mark.parametrize("between", ["", " ", "-"])
def test_quarters_are_read_as_pandas_reads_them(between):
    quarters = pd.period_range("1899Q1", "2026Q4", freq="Q")
    column, encoded = one([f"{one.year}{between}Q{one.quarter}" for one in quarters])
    assert (column.kind, column.spelling) == ("date", "YYYY Qn")
    assert encoded == ((quarters.to_timestamp() - pd.Timestamp(0)) / pd.Timedelta("1s")).tolist()


@pytest.mark.parametrize("texts", [["1970 Q5"], ["1970 Q0"], ["2003-04", "2012-13"], ["1970 Foo"]])
def test_what_only_resembles_a_quarter_or_a_month_is_a_category(texts):
    assert one(texts)[0].kind == "category"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-02T00:00:00Z", 86400),
        ("1970-01-02T02:00+02:00", 86400),
        ("1970-01-01 23:00:00.25 -0100", 86400.25),
        ("2 January 1970", 86400),
        ("1970-01-01 12:30 AM", 1800),
        ("1970-01-01 12:30 pm", 45000),
        ("1970-01-01 24:00", 86400),
        ("1970-01-01 23:59:60", 86400),
    ],
)
def test_zones_and_fractions(text, seconds):
    assert one([text])[1] == [seconds]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2024-02-30",
            "2023-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-01-00",
            "31.04.2024",
            "1/2/24",
        ),
        *("2024-01-01 25:00", "2024-01-01 24:01", "2024-01-01 10:60", "2024-01-01 10:00:61"),
        *("2024-01-01 13:00 PM", "2024-01-01 0:10 am"),
    ],
)
def test_a_day_that_there_is_not_is_no_date(text):
    assert one([text])[0].kind == "category"


@pytest.mark.parametrize(
    ("columns", "hints", "spelling"),
    [
        ({"x": ["01/02/2024"]}, {}, "MM/DD/YYYY"),
        ({"x": ["01/02/2024"]}, {"decimal": ","}, "DD/MM/YYYY"),
        ({"x": ["01/02/2024"], "z": ["31/12/2024"]}, {}, "DD/MM/YYYY"),
        ({"x": ["01/02/2024"], "z": ["12/31/2024"]}, {"decimal": ","}, "MM/DD/YYYY"),
        ({"x": ["01-02-2024"]}, {}, "MM-DD-YYYY"),
    ],
)
def test_day_or_month_first_is_settled_and_said(columns, hints, spelling):
    kinds = found(columns, **hints)[1]
    assert kinds.columns[0].spelling == spelling
    [note] = worded(kinds.notes)
    assert f"taken for {spelling}" in note
    assert "otherwise: types: {x:" in note


def test_the_config_settles_it_without_a_note():
    table, kinds = found({"x": ["01/02/2024"]}, {"x": "DD/MM/YYYY"})
    assert kinds.notes == []
    assert kinds.columns[0].encode(table.column("x").combine_chunks()) == [1706745600]


def test_typed_dates_are_dates_and_times_of_day_are_numbers():
    assert one([dt.date(1970, 1, 2)])[1] == [86400]
    assert one([dt.datetime(1970, 1, 2, tzinfo=dt.UTC), None])[1][0] == 86400
    assert one(pa.array([86400 * 10**9], pa.timestamp("ns")))[1] == [86400]
    assert one([dt.date(1960, 1, 1), dt.date(9999, 12, 31)])[1] == [-315619200, 253402214400]
    assert one([dt.datetime(9999, 12, 31, 0, 0, 1)])[1] == [253402214401]
    assert one(pa.array([10**13, -1], pa.timestamp("s")))[1] == [10**13, -1]
    assert one(pa.array([1500], pa.timestamp("ms", "Europe/Berlin")))[1] == [1.5]
    assert one([dt.timedelta(seconds=1)])[0].kind == "number"
    assert one([dt.time(0, 0, 1)])[1] == [1e6]


def test_leading_zeros_make_a_category():
    _, kinds = found({"zip": ["01234", "99999"], "x": ["0", "0.5"], "month": ["01", "12"]})
    assert [column.kind for column in kinds.columns] == ["category", "number", "category"]
    assert "leading zeros (01234)" in worded(kinds.notes)[0]
    assert one(["01234", "99999"], "number")[1] == [1234, 99999]


def test_more_than_fifty_levels_are_many():
    assert one([f"a{i}" for i in range(50)])[0].kind == "category"
    column, encoded = one([*(f"a{i}" for i in range(51)), "a0", None])
    assert (column.kind, column.levels, column.count) == ("many", (), 51)
    assert len(set(encoded[:51])) == 51
    assert encoded[51] == encoded[0]
    assert np.isnan(encoded[52])
    assert all(value == int(value) < 2**52 for value in encoded[:51])


def test_free_text_is_suggested_and_never_assumed():
    said = [f"this is what person {i} said about it" for i in range(80)]
    _, kinds = found({"comment": said})
    assert kinds.columns[0].kind == "many"
    assert "types: {comment: text}" in worded(kinds.notes)[0]
    assert one(said, "text")[0].kind == "text"


@pytest.mark.parametrize(
    ("values", "asked", "kind", "encoded"),
    [
        (["1", "2"], "category", "category", [0, 1]),
        (["L", "S", None], ["S", "M", "L"], "ordered", [2, 0, np.nan]),
        ([3, 1], ["1", "2", "3"], "ordered", [2, 0]),
        (["yes", "NO", "1", "f"], "boolean", "boolean", [1, 0, 1, 0]),
        (["20240102", "19700102"], "date", "date", [1704153600, 86400]),
        ([1971, 1970], "date", "date", [31536000, 0]),
        (["$5", "6"], "number", "number", [5, 6]),
    ],
)
def test_the_config_overrides(values, asked, kind, encoded):
    column, got = one(values, asked)
    assert column.kind == kind
    assert np.array_equal(got, encoded, equal_nan=True)


def test_an_ordered_category_of_the_file_keeps_its_order():
    values = pa.DictionaryArray.from_arrays([1, 0, None], ["low", "high"], ordered=True)
    column, encoded = one(values)
    assert (column.kind, column.levels) == ("ordered", ("low", "high"))
    assert encoded[:2] == [1, 0]


@pytest.mark.parametrize(
    ("values", "asked", "message"),
    [
        (["1", "abc", "z"], "number", "'x' is to be a number, and row 2 has 'abc' (and 1 more)"),
        (["1", "1_000"], "number", "'x' is to be a number, and row 2 has '1_000'"),
        (["1", "\u0661\u0662"], "number", "'x' is to be a number, and row 2 has '\u0661\u0662'"),
        (["S", "XL"], ["S", "L"], "'x' is to be one of S, L, and row 2 has 'XL'"),
        (["yes", "maybe"], "boolean", "'x' is to be a boolean, and row 2 has 'maybe'"),
        (["2024-01-01", "soon"], "date", "'x' is to be a date, and row 2 has 'soon'"),
        (["31/12/2024"], "MM/DD/YYYY", "'x' is to be a date, and row 1 has '31/12/2024'"),
        (["a", "b"], "ordered", "the file does not say in which order the levels of 'x' are"),
    ],
)
def test_a_value_that_cannot_be_of_the_asked_kind_is_named(values, asked, message):
    with pytest.raises(HeldoutError) as error:
        one(values, asked)
    assert message in str(error.value)


def test_the_row_that_is_named_is_that_of_the_file(tmp_path):
    columns = {"x": [*map(str, range(59)), "abc"], "y": list(range(60))}
    with pytest.raises(HeldoutError, match="row 60 has 'abc'"):
        prepared(tmp_path, columns, types={"x": "number"}, test=0.3)
    with pytest.raises(HeldoutError, match="types: no column 'z'"):
        prepared(tmp_path, columns, types={"z": "number"})
    with pytest.raises(HeldoutError, match="types: the target 'y' is a number or a category"):
        prepared(tmp_path, columns, types={"y": "text"})


def test_a_target_may_be_an_amount():
    target = infer_target("y", pa.array(["$1,200", "$30"]), None)
    assert target.encode(pa.array(["$1,200", "7"])).tolist() == [1200, 7]
    assert infer_target("y", pa.array(["$1", "$2"]), True).classes == ("$1", "$2")


def test_amounts_without_sign_are_read_in_the_spelling_of_the_column():
    texts = pa.array(["3.000,50", "12.50", "12,5", "1,2,3", "1.23.4", None])
    read = money_texts.numbers(texts, ",", ".")
    assert np.array_equal(read, [3000.5, 12.5, 12.5, *[np.nan] * 3], equal_nan=True)


def test_a_plain_number_among_amounts_is_that_number(tmp_path):
    """Reading writes 1,459 as 1.459, which must not become 1459 in a column of euros."""
    (tmp_path / "t.csv").write_text("x;y\n1,459 €;1\n1,5;2\n2,125;3\n1.000,25 €;4\n")
    table = read_table(str(tmp_path / "t.csv"))
    column, read = one(table.column("x").to_pylist(), decimal=",", thousands=".")
    assert (column.decimal, column.thousands) == (",", ".")
    assert read == [1.459, 1.5, 2.125, 1000.25]
    assert column.encode(pa.array(["1.459", "1459 €"])).tolist() == [1.459, 1459]


def test_a_line_end_in_a_name_ends_no_line():
    assert str(Note("empty", "a\nb", "is empty")) == "column 'a\\nb' is empty"
    assert str(Lost("a\nb", "a number", 1, 0, "x")).startswith("column 'a\\nb': 1 value is")


def test_many_notes_of_one_sort_are_said_together():
    _, kinds = found({f"z{i}": ["01", "02"] for i in range(300)})
    lines = worded(kinds.notes)
    assert len(lines) == 6
    assert lines[-1].startswith("the same of 295 more columns: 'z5', 'z6'")


HOSTILE = {
    "price": ["€5", "9,5", "?", "1.234,5 €"],
    "day": ["31.12.2024", "soon", "13/13/2024", "1/2/24"],
    "code": ["x", "1.5", "", "-"],
    "city": ["elsewhere", "", "7", "nowhere"],
    "x": ["$7", "007", "abc", "12 %"],
}


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("column", HOSTILE)
def test_no_unsealed_file_depends_on_a_sealed_value(tmp_path, column, dropped):
    """Even if a sealed value would change a kind, a spelling, a note or a count of levels."""
    rows = 160
    columns = {
        "price": [f"${i}.50" for i in range(rows)],
        "day": [f"{1 + i % 12:02}/{1 + i % 12:02}/2024" for i in range(rows)],
        "code": [f"{i % 7:03}" for i in range(rows)],
        "city": [f"city {i % 60}" for i in range(rows)],
        "x": [str(i) for i in range(rows)],
        "y": ["no", "yes"] * (rows // 2),
    }

    def written():
        request = Request(
            "t", 19, write_csv(tmp_path / "t.csv", columns), "y", test=0.25, drop=drop
        )
        prepare(request, tmp_path / "data", tmp_path / "vault")
        files = {path.name: path.read_bytes() for path in sorted((tmp_path / "data").iterdir())}
        facts = json.loads(files.pop("table.json"))
        notes = [note for note in facts["notes"] if note.startswith("column ")]
        return files, facts["schema"], facts["digest"], facts["missing"], notes

    drop = [column] if dropped else []
    before = written()
    assert len(before[0]) == 5
    for i, row in enumerate(read_sealed(tmp_path / "vault").column(SOURCE_ROW).to_pylist()):
        columns[column][row] = HOSTILE[column][i % 4]
    assert written() == before


@pytest.mark.parametrize(
    ("text", "other"), [("7,25", "66.5"), ("7,125", "x"), ("8.765", "0,25"), ("8.765", "4,5")]
)
def test_notes_on_the_dialect_name_no_value(tmp_path, text, other):
    """It is found from all rows, so that the value might be a sealed one."""
    (tmp_path / "t.csv").write_text(f"x;y\n{text};1\n{other};2\n")
    [note] = found_reading(read_table(str(tmp_path / "t.csv")))["notes"]
    assert text not in note
    assert other not in note


def test_the_facts_have_every_guess(tmp_path):
    columns = {
        "price": ["$1.50", None, *["$2,000"] * 8],
        "day": ["31.12.2024", *["1.12.2024"] * 9],
        "said": [None, None, *["a b"] * 8],
        "y": list(range(10)),
    }
    facts = prepared(tmp_path, columns, types={"said": "text"}).facts
    assert facts["missing"] == {"price": 1, "said": 2}
    price, day, said = facts["schema"]["columns"]
    assert (price["spelling"], price["thousands"]) == ("money", ",")
    assert (day["kind"], day["spelling"]) == ("date", "DD.MM.YYYY")
    assert said == {"name": "said", "kind": "text", "levels": []}
    assert any("'price' is an amount of money such as '$1.50'" in note for note in facts["notes"])
