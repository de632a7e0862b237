"""Typed tables survive files, preparation and new rows: the same values, never shifted."""

import datetime as dt
import string

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet

from heldout.data.arrow_values import table_of
from heldout.data.infer import infer_columns
from heldout.data.prepare import prepare
from heldout.data.prepared import open_prepared
from heldout.data.read import read_table
from heldout.data.reading import with_found
from heldout.data.request import Request
from heldout.data.schema import Column, Schema, Target, schema_from_json
from heldout.errors import HeldoutError
from heldout.selection.final import Predictor

ROWS = 12
WORDS = st.sampled_from(["red", "blue", "light green", "ünï", "O'Neil, A.", 'the "best"'])
DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))
MOMENTS = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))
VALUES = {
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "whole": st.integers(-(10**6), 10**6),
    "flag": st.booleans(),
    "colour": WORDS,
    "day": DAYS,
    "moment": MOMENTS,
    "size": st.sampled_from(["S", "M", "L"]),
    "said": st.text(string.ascii_letters, min_size=1).map(lambda text: f"I say {text} to it"),
}
TYPES = {"size": ["S", "M", "L"], "said": "text"}


@st.composite
def tables(draw):
    """Some of the columns, some of their values missing, never all."""
    names = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, unique=True))
    columns = {}
    for name in names:
        values = draw(st.lists(st.none() | VALUES[name], min_size=ROWS, max_size=ROWS))
        columns[name] = [draw(VALUES[name]), *values[1:]]
    return pa.table({**columns, "y": list(range(ROWS))})


def prepared_from(folder, table, kind):
    path = folder / f"table.{kind}"
    (csv.write_csv if kind == "csv" else parquet.write_table)(table, path)
    types = {name: asked for name, asked in TYPES.items() if name in table.column_names}
    request = Request("t", 19, str(path), "y", test=0, types=types)
    prepare(request, folder / "data", folder / "vault")
    return open_prepared(folder / "data"), read_table(str(path), [])


def as_given(table, name):
    """The values as the frame should hold them."""
    values = table.column(name).to_pandas()
    if name in ("day", "moment"):
        return pd.to_datetime(values).astype("datetime64[us]")
    if name == "size":
        return pd.Series(pd.Categorical(values, ["S", "M", "L"], ordered=True))
    if name in ("colour", "said"):
        return pd.Series(
            [np.nan if v is None else v for v in table[name].to_pylist()], dtype=object
        )
    return pd.Series([np.nan if v is None else v for v in table[name].to_pylist()]).astype(float)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None
)
@given(table=tables(), kind=st.sampled_from(["csv", "parquet"]), seed=st.integers(0, 99))
def test_typed_tables_survive_file_preparation_and_new_rows(tmp_path, table, kind, seed):
    prepared, read = prepared_from(tmp_path, table, kind)
    assert list(prepared.frame.columns) == prepared.names
    for name in prepared.names:
        left, right = prepared.frame[name], as_given(table, name)
        pd.testing.assert_series_equal(left, right, check_names=False)
    schema = schema_from_json(prepared.facts["schema"])
    g = np.random.default_rng(seed)
    order = g.permutation(ROWS)
    names = [str(name) for name in g.permutation(read.column_names)]
    changed = read.take(pa.array(order)).select(names).append_column("more", pa.array(order))
    assert schema.encode(changed).tobytes() == np.asarray(prepared.features)[order].tobytes()
    again = schema.frame(changed)
    expected = prepared.frame.iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, expected)


SCHEMA = Schema(
    (
        Column("n", "number"),
        Column("price", "number", (), "money", ".", ","),
        Column("flag", "boolean"),
        Column("colour", "category", ("blue", "red")),
        Column("size", "ordered", ("S", "M", "L")),
        Column("when", "date", (), "MM/DD/YYYY"),
        Column("city", "many", count=60),
    ),
    Target("y", None),
)
GOOD = {
    "n": 1,
    "price": 2,
    "flag": 1,
    "colour": "red",
    "size": "M",
    "when": "01/02/1970",
    "city": "u",
}


def read_as(**changed):
    """One row, with some values changed: its encoding by column, and what was lost."""
    table = pa.table({name: [value] for name, value in {**GOOD, **changed}.items()})
    lost = []
    [row] = SCHEMA.encode(table, lost).tolist()
    return dict(zip(GOOD, row, strict=True)), [one.column for one in lost]


@pytest.mark.parametrize(
    ("name", "value", "encoded"),
    [
        ("n", "1.5", 1.5),
        ("n", True, 1),
        ("price", "$1,234.50", 1234.5),
        ("price", "1,234.50", 1234.5),
        ("price", 7.25, 7.25),
        *[("flag", value, 1) for value in (True, 1, 1.0, "1", "1.0", "yes", "TRUE", "y")],
        *[("flag", value, 0) for value in (False, 0, "0", "0.0", "no", "False", "n")],
        ("size", "L", 2),
        ("when", "1970-01-02", 86400),
        ("when", "2.1.1970", 86400),
        ("when", "02-Jan-1970 00:00:01", 86401),
        ("when", dt.date(1970, 1, 2), 86400),
        ("when", dt.datetime(1970, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2))), 79200),
    ],
)
def test_new_rows_may_have_other_types_and_spellings(name, value, encoded):
    row, lost = read_as(**{name: value})
    assert row[name] == encoded
    assert lost == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", "abc"),
        ("n", "$5"),
        ("n", dt.date(1970, 1, 2)),
        ("price", "12 %s"),
        ("price", "1,2"),
        ("flag", "maybe"),
        ("flag", 2),
        ("size", "XL"),
        ("when", "31/12/1970"),
        ("when", "31-12-1970"),
        ("when", 1970),
        ("when", "soon"),
    ],
)
def test_what_cannot_be_read_is_missing_and_counted(name, value):
    row, lost = read_as(**{name: value})
    assert np.isnan(row[name])
    assert lost == [name]


def coded(kind, levels, new, spelling=""):
    """New values of a category: codes, texts in the frame, and what is said."""
    schema = Schema((Column("c", kind, levels, spelling),), Target("y", None))
    lost = []
    table = pa.table({"c": new})
    matrix = schema.encode(table, lost)
    return matrix.ravel().tolist(), schema.frame(table)["c"].tolist(), [str(one) for one in lost]


def test_an_unknown_level_is_said():
    codes, texts, said = coded("category", ("blue", "red"), ["red", "green", None, "Blue"])
    assert codes[:2] + codes[3:] == [1, 2, 2]
    assert texts[1] == "green"
    assert said == [
        "column 'c': 2 values are not a level of the training table, and taken for an unknown level "
        "(first: 'green' in row 2)"
    ]
    assert coded("category", ("blue", "red"), ["red", None])[2] == []


@pytest.mark.parametrize("new", [["1234", "99999"], [1234, 99999], [1234.0, 99999.0]])
def test_lost_leading_zeros_are_said(new):
    said = coded("category", ("01234", "99999"), new)[2]
    assert said == [
        "column 'c': 1 value is not a level of the training table, and taken for an unknown level "
        "(first: '1234' in row 1; are leading zeros lost?)"
    ]
    said = coded("many", (), [*new, new[0]], "00000")[2]
    assert said == [
        "column 'c': 2 values are not of 5 digits, as the levels of the training table are, and taken "
        "for an unknown level (first: '1234' in row 1; are leading zeros lost?)"
    ]
    assert coded("many", (), ["1234"], "digits")[2] == []
    assert coded("many", (), ["01234", "123456", None, "x"], "00000")[2] == []


def test_whole_numbers_written_as_floats_are_their_levels():
    """As pandas writes whole numbers among which one is missing."""
    codes, texts, said = coded("category", ("1", "2", "3.0"), ["1.0", "2.00", "3.0", "2"])
    assert (codes, texts, said) == ([0, 1, 2, 1], ["1", "2", "3.0", "2"], [])
    assert coded("ordered", ("1", "2"), ["2.0", "1.0"])[0] == [1, 0]
    whole, floats = (coded("many", (), new, "digits") for new in (["17", "8"], ["17.0", "8.0"]))
    assert whole == floats
    assert coded("many", (), ["17"])[0] != coded("many", (), ["17.0"])[0]


@pytest.mark.parametrize("new", [["12.5 %", "0.125", None], [None, 0.125, 0.5]])
def test_percentages_without_their_sign_are_said(new):
    """A workbook holds 12.5 % as 0.125."""
    schema = Schema((Column("p", "number", (), "percent", ".", ","),), Target("y", None))
    lost = []
    assert schema.encode(pa.table({"p": new}), lost)[1, 0] == 0.125
    count = "1 value is" if new[0] else "2 values are"
    assert [str(one) for one in lost] == [
        f"column 'p': {count} not written with a percent sign, and taken for percentages as they "
        "stand there (first: '0.125' in row 2)"
    ]
    schema.encode(pa.table({"p": ["1 %", None]}), lost := [])
    assert lost == []


def test_codes_of_many_levels_know_their_width():
    def spelled(texts):
        found = infer_columns(pa.table({"c": texts}), ["c"], {"c": "category"})
        return found.columns[0].kind, found.columns[0].spelling

    assert spelled([f"{i:05}" for i in range(80)]) == ("many", "00000")
    assert spelled([f"{i}" for i in range(80)]) == ("many", "digits")
    assert spelled([f"{i:05}" for i in range(80)] + ["123456"]) == ("many", "digits")
    assert spelled([f"{i:05}" for i in range(80)] + ["x"]) == ("many", "")


def test_rows_in_memory_are_read_as_those_of_a_file():
    """Texts that mean missing, and what was in doubt."""
    seen = []

    class Sees(list):
        takes_frame = False

        def transform(self, features):
            seen.append(features)
            return features

        def predict(self, features):
            return np.zeros(len(features))

        def __getitem__(self, place):
            return self

    columns = (Column("n", "number"), Column("c", "category", ("a", "b")))
    schema = Schema(columns, Target("y", None), missing=("?",))
    predictor = Predictor(Sees(), schema.as_json())
    predictor.reading = {"decimal": ",", "thousands": "."}
    rows = {"n": ["1.234", "?", "5"], "c": ["a", "?", "b"]}
    for table in (pd.DataFrame(rows), pa.table(rows)):
        predictor.predict(table)
        assert np.array_equal(seen.pop(), [[1234, 0], [np.nan] * 2, [5, 1]], equal_nan=True)
    read = {"n": ["1.234"], "c": ["a"]}  # sealed rows, and those of a file, have been read
    predictor.predictions(pa.table(read), sealed=True)
    assert seen.pop().tolist() == [[1.234, 0]]
    predictor.predict(with_found(pa.table(read), predictor.reading))
    assert seen.pop().tolist() == [[1.234, 0]]


def test_a_missing_value_is_not_counted():
    assert read_as(**dict.fromkeys(GOOD))[1] == []


class Doubles:
    """A pipeline whose prediction is its first feature."""

    def __getitem__(self, _):
        return self

    def transform(self, features):
        return features

    def predict(self, features):
        return np.nan_to_num(features[:, 0])


def test_the_predictor_says_what_it_lost_once(capsys):
    predictor = Predictor(Doubles(), SCHEMA.as_json())
    frame = pd.DataFrame({name: [value] * 3 for name, value in GOOD.items()})
    assert predictor.predict(frame).tolist() == [1, 1, 1]
    assert capsys.readouterr().err == ""
    frame["n"] = ["1", "abc", "z"]
    predictor.predict(frame)
    said = capsys.readouterr().err
    assert said == (
        "heldout: column 'n': 2 values are not a number, and taken for missing (first: 'abc' in row 2)\n"
    )
    predictor.predict(frame)
    assert capsys.readouterr().err == ""
    predictor.predictions(table_of(frame), sealed=True)
    assert "abc" not in capsys.readouterr().err
    with pytest.raises(HeldoutError, match="lacks the columns n, city"):
        predictor.predict(frame.drop(columns=["n", "city"]))


def test_a_frame_with_columns_of_several_types_is_read():
    frame = pd.DataFrame({"a": [1, "x", None], "b": [1, 2, 3]}, dtype=object)
    assert table_of(frame).to_pydict() == {"a": ["1", "x", None], "b": [1, 2, 3]}


def test_unknown_levels_stay_texts_in_the_frame():
    row = {**GOOD, "colour": "green", "size": "XL", "city": "elsewhere"}
    frame = SCHEMA.frame(pa.table({name: [value] for name, value in row.items()}))
    assert list(frame.columns) == list(GOOD)
    assert frame.loc[0, ["colour", "city"]].tolist() == ["green", "elsewhere"]
    assert frame["size"].isna().tolist() == [True]
    assert frame["size"].cat.categories.tolist() == ["S", "M", "L"]
    assert [str(kind) for kind in frame.dtypes[:3]] == ["float64"] * 3
    assert str(frame["when"].dtype) == "datetime64[us]"


def test_frames_that_arrow_does_not_take():
    assert table_of(pd.DataFrame({"x": [1 + 2j, 3]})).to_pydict() == {"x": ["(1+2j)", "(3+0j)"]}
    with pytest.raises(HeldoutError, match="several columns named a"):
        table_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_moments_among_days_keep_their_time():
    values = [dt.date(1970, 1, 2), dt.datetime(1970, 1, 2, 3), None]
    table = table_of(pd.DataFrame({"d": np.array(values, object)}))
    found = Schema((Column("d", "date"),), Target("y", None)).encode(table)
    assert np.array_equal(found, [[86400], [97200], [np.nan]], equal_nan=True)
    whole = table_of(pd.DataFrame({"d": np.array([values[0], None], object)}))
    assert whole.schema.field("d").type == pa.date32()
