"""Dialects of text files: found as they were written, and read as pandas reads them when it is told."""

import csv
import io

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.data.read import read_chunks, read_table
from heldout.data.reading import Reading, found_reading, in_words
from heldout.errors import HeldoutError


@pytest.fixture
def read(tmp_path):
    def run(content, name="t.csv", **keys):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(str(path), Reading(**keys))

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("dialects")


# --- what is written is read -----------------------------------------------------------------------

LETTERS = st.characters(codec="cp1252", categories=["L", "Nd"], include_characters=" .,;\t|\"'\n-")
TEXTS = st.text(LETTERS, max_size=8).map(lambda text: "w" + text.strip() + "e")
NUMBERS = st.one_of(st.integers(-(10**7), 10**7), st.floats(-1e6, 1e6, allow_nan=False))


def spelled(number, decimal, thousands):
    """A number as a program of some country writes it."""
    text = f"{number:,}" if isinstance(number, int) else f"{number:,.4f}"
    return text.translate(str.maketrans({",": thousands, ".": decimal}))


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 12))
    some = draw(st.lists(st.lists(NUMBERS, min_size=rows, max_size=rows), min_size=1, max_size=3))
    texts = draw(st.lists(TEXTS, min_size=rows, max_size=rows))
    return some, texts


@given(
    table=tables(),
    delimiter=st.sampled_from(",;\t|"),
    marks=st.sampled_from([(".", ""), (",", ""), (".", ","), (",", "."), (",", " "), (".", "'")]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_a_table_is_read_as_it_was_written(
    folder, table, delimiter, marks, encoding, line_end, quoting
):
    numbers, texts = table
    decimal, thousands = marks
    numbers = [[*column, 1234567.25, 0.5] for column in numbers]  # so that nothing is in doubt
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerow([*(f"n{i}" for i in range(len(numbers))), "text"])
    columns = [[spelled(value, decimal, thousands) for value in column] for column in numbers]
    writer.writerows(zip(*columns, [*texts, "wé", "we"], strict=True))
    path = folder / "t.csv"
    path.write_bytes(buffer.getvalue().encode(encoding))
    found = read_table(str(path))
    assert found_reading(found)["delimiter"] == delimiter
    assert found.column("text").to_pylist() == [*texts, "wé", "we"]
    for i, column in enumerate(numbers):
        wanted = [float(f"{v:.4f}") if isinstance(v, float) else v for v in column]
        assert [float(text) for text in found.column(f"n{i}").to_pylist()] == wanted
    parts = pa.concat_tables(read_chunks(str(path), Reading(), 3))
    assert parts.to_pydict() == found.to_pydict()


# --- as pandas reads it ----------------------------------------------------------------------------

FILES = {
    "point": ("a,b,c\n1.5,x,2\n-2,y,1e3\n", {}),
    "comma": ("a;b;c\n1,5;x;2\n-2,25;y;3\n", {"sep": ";", "decimal": ","}),
    "german": ("a;b\n1.234,5;x\n1.234.567,0;y\n", {"sep": ";", "decimal": ",", "thousands": "."}),
    "english": ('a,b\n"1,234.5",x\n"1,234,567",y\n', {"thousands": ","}),
    "french": ("a\tb\n1 234,5\tx\n12,5\ty\n", {"sep": "\t", "decimal": ",", "thousands": " "}),
    "swiss": ("a|b\n1'234.5|x\n2.25|y\n", {"sep": "|", "thousands": "'"}),
    "commas in tabs": ("a\tb\n1,5\tx\n2,25\ty\n", {"sep": "\t", "decimal": ","}),
    "quoted": ('a,b\n"1,5","x;y;z"\n"2,25","u;v;w"\n', {"decimal": ","}),
    "latin": (
        "größe;b\n1,5;é\n2,5;ü\n".encode("cp1252"),
        {"sep": ";", "decimal": ",", "encoding": "cp1252"},
    ),
    "utf-16": ("a\tb\n1.5\té\n2.5\tü\n".encode("utf-16"), {"sep": "\t", "encoding": "utf-16"}),
    "twice": ("a,b,a,a\n1,x,2,3\n4,y,5,6\n", {}),
}


@pytest.mark.parametrize(("content", "keys"), FILES.values(), ids=FILES)
def test_it_is_read_as_by_pandas(read, content, keys):
    raw = content if isinstance(content, bytes) else content.encode()
    wanted = pd.read_csv(io.BytesIO(raw), **keys)
    found = read(content).to_pandas()
    assert list(found) == list(wanted)
    for name in wanted:
        numeric = pd.api.types.is_numeric_dtype(wanted[name])
        values = found[name].astype(float) if numeric else found[name]
        assert values.tolist() == wanted[name].tolist()


# --- the delimiter ---------------------------------------------------------------------------------


def test_what_stands_inside_quotes_is_no_delimiter(read):
    found = read('a,b\n"x;1;2","p|q"\n"y;3;4","r|s"\n')
    assert found.to_pydict() == {"a": ["x;1;2", "y;3;4"], "b": ["p|q", "r|s"]}
    assert found_reading(read('"a,1";"b,2"\n"c,3";"d,4"\n'))["delimiter"] == ";"
    inches = read('size;what\n5" pipe, red;x\n3" pipe;y\n')
    assert inches.column("size").to_pylist() == ['5" pipe, red', '3" pipe']


def test_lines_inside_quotes_are_no_lines(read):
    found = read('a,b\n"one;\ntwo;;\nthree",1\n"four",2\n')
    assert found.to_pydict() == {"a": ["one;\ntwo;;\nthree", "four"], "b": ["1", "2"]}


def test_two_delimiters_that_fit_are_said(read):
    found = found_reading(read("x,y;z\n1,2;3\n4,5;6\n"))
    assert found["notes"] == [
        "both ';' and ',' divide all lines alike; ';' is taken, else set delimiter"
    ]
    assert found_reading(read("x,y;z\n1,2;3\n4,5;6\n", delimiter=","))["notes"] == []


def test_another_file_of_the_kind_decides_in_doubt(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y;z\n1,2;3\n4,5;6\n")
    assert read_table(str(path), hint={"delimiter": ","}).column_names == ["x", "y;z"]
    path.write_text("a;b\n1,234;x\n")
    assert read_table(str(path)).column("a").to_pylist() == ["1.234"]
    hint = {"decimal": ".", "thousands": ","}
    assert read_table(str(path), hint=hint).column("a").to_pylist() == ["1234"]
    path.write_text("a;b\n1,5;x\n")
    assert read_table(str(path), hint=hint).column("a").to_pylist() == ["1.5"]


def test_a_delimiter_that_is_set_is_taken(read):
    assert read("a:b\n1:2\n", delimiter=":").to_pydict() == {"a": ["1"], "b": ["2"]}
    assert read("a;b\n1;2\n", delimiter=",").to_pydict() == {"a;b": ["1;2"]}


def test_tables_of_r_have_no_name_for_the_names_of_rows(read):
    found = read('"a" "b"\n"1" 5.5 "x"\n"2" 6 "y"\n', "t.txt")
    assert found.to_pydict() == {"column_1": ["1", "2"], "a": ["5.5", "6"], "b": ["x", "y"]}


def test_a_line_that_disagrees_is_named_however_late_it_comes(read):
    rows = "1,2\n" * 300_000  # more than a block
    with pytest.raises(HeldoutError, match=r"line 300002 of .* has 3 fields where there are 2"):
        read("a,b\n" + rows + "1,2,3\n")
    late = read("a,b\n" + rows + "1,2,\n3,4\n")
    assert late.num_rows == 300_002
    assert late.column("b").to_pylist()[-2:] == ["2", "4"]


# --- the marks of numbers --------------------------------------------------------------------------


def test_a_comma_with_three_digits_after_it_is_said(read):
    found = read("a;b\n1,234;x\n")
    assert found.column("a").to_pylist() == ["1.234"]
    assert found_reading(found)["notes"] == [
        "numbers such as 1,234 are read as 1.234; if that is wrong, set decimal: '.' and thousands: ','"
    ]
    assert read("a;b\n1,234;x\n", thousands=",").column("a").to_pylist() == ["1234"]
    assert read('a,b\n"1,234",x\n').column("a").to_pylist() == ["1234"]
    assert read('a,b\n"1,234",x\n', decimal=",").column("a").to_pylist() == ["1.234"]


def test_other_numbers_of_the_file_say_what_a_comma_means(read):
    assert read("a;b\n1,234;2.5\n").column("a").to_pylist() == ["1234"]
    assert read("a;b\n1,234;0,5\n").column("a").to_pylist() == ["1.234"]
    assert read("a;b\n1,234;$3.50\n").column("a").to_pylist() == ["1234"]
    assert read("a;b\n1.234;0,5\n").column("a").to_pylist() == ["1234"]
    assert read("a;b\n1.234;x\n").column("a").to_pylist() == ["1.234"]


def test_both_marks_are_said(read):
    found = read("a;b\n2.5;0,5\n")
    assert found.to_pydict() == {"a": ["2.5"], "b": ["0.5"]}
    assert (
        "decimal commas (such as 3,5) and decimal points (such as 3.5)"
        in found_reading(found)["notes"][0]
    )
    assert read('a,b\n2.5,"1,3"\n').column("b").to_pylist() == ["1,3"]


def test_texts_stay_texts(read):
    texts = [
        "1,2,3",
        "2020-01-01",
        "01.02.2020",
        "1.2.3",
        "192.168.0.1",
        "12 34",
        "a 1,5",
        "0171 234",
    ]
    found = read("a;b\n" + "".join(f"{text};0,5\n" for text in texts))
    assert found.column("a").to_pylist() == texts


def test_the_usual_encodings_of_a_byte_are_told_apart_where_they_can_be(read):
    assert found_reading(read("a,b\n1,é\n".encode("latin-1")))["encoding"] == "latin-1"
    assert found_reading(read("a,b\n1,€\n".encode("cp1252")))["encoding"] == "cp1252"
    assert read("a,b\n1,ł\n".encode("cp1250"), encoding="cp1250").column("b").to_pylist() == ["ł"]
    with pytest.raises(HeldoutError, match=r"is not utf-8 \(line 2\); set another encoding"):
        read("a,b\n1,é\n".encode("latin-1"), encoding="utf-8")


# --- names -----------------------------------------------------------------------------------------


def test_every_column_gets_a_name_of_its_own(read):
    found = read(",x,x,,x.1\n1,2,3,4,5\n")
    assert found.column_names == ["column_1", "x", "x.2", "column_4", "x.1"]
    assert found_reading(found)["renamed"] == {"column_1": "", "x.2": "x", "column_4": ""}
    assert found_reading(found)["notes"] == [
        "column 'x' stands twice: the second is called 'x.2'",
        "2 columns without a name: 'column_1', 'column_4'",
    ]


def test_how_a_table_was_read_in_words(read):
    table = read("a;b\n1.234,5;é\n".encode("latin-1"))
    assert in_words(found_reading(table), table.num_rows, table.num_columns) == (
        "csv, delimiter ';', decimal comma, thousands with points, latin-1, 1 rows × 2 columns"
    )


@pytest.mark.parametrize(
    ("hint", "read"),
    [
        ({}, "1.234"),
        ({"decimal": ",", "thousands": "."}, "1234"),
        ({"decimal": ".", "thousands": ","}, "1.234"),
        ({"decimal": ","}, "1.234"),
    ],
)
def test_a_lone_point_before_three_digits_is_what_it_was_in_the_training(tmp_path, hint, read):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1.234;x\n")
    table = read_table(str(path), hint=hint)
    assert table.column("a").to_pylist() == [read]
    assert not found_reading(table)["notes"]
    path.write_text("a;b\n1.234;2.5\n")  # here nothing is in doubt
    assert read_table(str(path), hint=hint).column("a").to_pylist() == ["1.234"]
