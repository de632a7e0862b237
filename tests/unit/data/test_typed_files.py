"""Files whose values have types: workbooks, SQLite, parquet and feather; and all of them in parts."""

import datetime as dt
import io
import sqlite3
from contextlib import closing

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from heldout.data.read import read_chunks, read_table
from heldout.data.read_formulas import uncomputed
from heldout.data.reading import Reading, found_reading
from heldout.errors import HeldoutError

DAY = dt.datetime(2026, 1, 2)
ROWS = [(1, 0.5, "x", True, DAY), (2, 3.0, " NA ", False, None), (None, 1.25, "y", True, DAY)]
NAMES = ["n", "f", "t", "b", "d"]


def workbook(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return str(path)


def database(path, tables):
    with closing(sqlite3.connect(path)) as connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
            marks = ", ".join("?" * len(columns))
            connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
        connection.commit()
    return str(path)


def test_a_workbook_keeps_its_types(tmp_path):
    table = read_table(workbook(tmp_path / "t.xlsx", {"data": [NAMES, *ROWS]}))
    assert table.to_pylist() == [
        dict(zip(NAMES, row, strict=True)) | ({"t": None} if row[2] == " NA " else {})
        for row in ROWS
    ]
    assert table.schema.types == [
        pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.timestamp("us")
    ]  # fmt: skip
    assert found_reading(table)["sheet"] == "data"


def test_a_workbook_is_read_as_by_pandas(tmp_path):
    rows = [row for row in ROWS if row[2] != " NA "]
    path = workbook(tmp_path / "t.xlsx", {"data": [NAMES, *rows]})
    wanted, found = pd.read_excel(path), read_table(path).to_pandas()
    for name in NAMES:
        assert found[name].equals(wanted[name].astype(found[name].dtype)), name


def test_mixed_columns_of_a_workbook_are_texts(tmp_path):
    rows = [["a", "b"], [1, DAY], ["x", 2.5], [2.0, True], ["#DIV/0!", None], [None, "z"]]
    found = read_table(workbook(tmp_path / "t.xlsx", {"data": rows}))
    assert found.to_pydict() == {
        "a": ["1", "x", "2", None],
        "b": ["2026-01-02T00:00:00", "2.5", "true", "z"],
    }


def test_empty_rows_and_columns_of_a_workbook_do_not_count(tmp_path):
    rows = [[], ["a", None, "b"], [1, None, 2], [], [3, None, 4, None, None]]
    found = read_table(workbook(tmp_path / "t.xlsx", {"empty": [], "data": rows}))
    assert found.to_pydict() == {"a": [1, 3], "column_2": [None, None], "b": [2, 4]}


def test_the_sheet_is_chosen_and_said(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"one": [["a"], [1]], "two": [["b"], [2]]})
    found = read_table(path)
    assert found.column_names == ["a"]
    assert found_reading(found)["notes"] == ["sheet 'one' is read, and not 'two'; else set sheet"]
    assert read_table(path, Reading(sheet="two")).to_pydict() == {"b": [2]}
    with pytest.raises(HeldoutError, match=r"sheet: no sheet 'tow' in .*; did you mean 'two'"):
        read_table(path, Reading(sheet="tow"))
    with pytest.raises(HeldoutError, match=r"every sheet of .* is empty"):
        read_table(workbook(tmp_path / "e.xlsx", {"one": [], "two": []}))
    with pytest.raises(HeldoutError, match="has no rows"):
        read_table(workbook(tmp_path / "h.xlsx", {"one": [["a", "b"]]}))


def test_formulas_that_were_never_computed_are_said(tmp_path):
    path = tmp_path / "t.xlsx"
    rows = [["a", "b"], *([i, f"=A{i}+1"] for i in range(2, 5000))]
    workbook(path, {"one": rows, "two": [["a"], ["=1"]]})
    table = read_table(str(path), Reading(sheet="one"))
    assert table.column("b").null_count == 4998
    [note] = found_reading(table)["notes"]
    assert "sheet 'one' has 4,998 formulas without a stored result" in note
    workbook(path, {"one": [["a", "b"], [1, "=x"[1:]], [2, None]]})
    assert found_reading(read_table(str(path)))["notes"] == []


@pytest.mark.parametrize(
    ("cell", "count"),
    [
        (b'<c r="B2"><f>A1</f><v/></c>', 1),
        (b'<c r="B2"><f>A1</f></c>', 1),
        (b'<c r="B2" s="1"><f t="shared" si="0"/><v></v></c>', 1),
        (b'<c r="B2"><f>A1</f><v>0</v></c>', 0),
        (b'<c r="B2" t="str"><f>A1</f><v></v></c>', 0),
        (b'<c r="B2"/><c r="B3"><v>1</v></c>', 0),
    ],
)
def test_formulas_with_and_without_a_result(cell, count, monkeypatch):
    monkeypatch.setattr("heldout.data.read_formulas.PIECE", 7)
    assert uncomputed(io.BytesIO(b"<row>" + cell * 3 + b"</row>")) == 3 * count


def test_without_openpyxl_the_error_says_what_to_install(tmp_path, monkeypatch):
    path = workbook(tmp_path / "t.xlsx", {"one": [["a"], [1]]})
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(HeldoutError, match=r'pip install "heldout\[excel\]"'):
        read_table(path)


def test_a_table_of_sqlite(tmp_path):
    rows = [(1, 0.5, "x"), (None, 2, " NA "), (3, None, "y")]
    one = {"my table": (["n INTEGER", "f REAL", "t TEXT"], rows)}
    found = read_table(database(tmp_path / "t.sqlite", one))
    assert found.to_pydict() == {"n": [1, None, 3], "f": [0.5, 2.0, None], "t": ["x", None, "y"]}
    assert found_reading(found)["sheet"] == "my table"
    path = database(tmp_path / "t.db", {**one, "b": (["x"], [(1,)])})
    with pytest.raises(
        HeldoutError, match=r"has 2 tables \(b, my table\); name one of them by sheet"
    ):
        read_table(path)
    assert read_table(path, Reading(sheet="b")).to_pydict() == {"x": [1]}
    with pytest.raises(HeldoutError, match="sheet: no table 'c'"):
        read_table(path, Reading(sheet="c"))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(HeldoutError, match=r"sheet: .* is a text file"):
        read_table(str(tmp_path / "t.csv"), Reading(sheet="c"))


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "lz4"])
def test_feather_keeps_its_types(tmp_path, compression):
    table = pa.table({"n": [1, None], "t": ["NA", "x"], "__index_level_0__": [0, 1]})
    feather.write_feather(table, tmp_path / "t.feather", compression=compression)
    assert read_table(str(tmp_path / "t.feather")).to_pydict() == {"n": [1, None], "t": ["NA", "x"]}
    with (
        pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file,
        pa.ipc.new_stream(file, table.schema) as out,
    ):
        out.write_table(table)
    assert read_table(str(tmp_path / "t.arrow")).num_rows == 2


def test_decimal_commas_in_the_texts_of_a_typed_file(tmp_path):
    parquet.write_table(pa.table({"x": ["1.234,5", "2,5"]}), tmp_path / "t.parquet")
    assert read_table(str(tmp_path / "t.parquet")).to_pydict() == {"x": ["1234.5", "2.5"]}


COLUMNS = {"x": [i / 4 for i in range(50)], "t": [f"w{i % 3}" for i in range(50)]}


def write(path):
    table = pa.table(COLUMNS)
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    elif path.suffix == ".feather":
        feather.write_feather(table, path, chunksize=8)
    elif path.suffix == ".xlsx":
        workbook(path, {"one": [["x", "t"], *zip(*COLUMNS.values(), strict=True)]})
    elif path.suffix == ".sqlite":
        database(path, {"one": (["x", "t"], list(zip(*COLUMNS.values(), strict=True)))})
    else:
        table.to_pandas().to_csv(path, index=False, sep=";", decimal=",")


@pytest.mark.parametrize(
    "name", ["t.parquet", "t.feather", "t.xlsx", "t.sqlite", "t.csv", "t.csv.gz", "t.csv.xz"]
)
@pytest.mark.parametrize("rows", [7, 25, 100])
def test_parts_are_the_whole(tmp_path, name, rows):
    write(tmp_path / name)
    parts = list(read_chunks(str(tmp_path / name), Reading(), rows))
    assert [part.num_rows for part in parts] == [min(rows, 50 - i) for i in range(0, 50, rows)]
    whole = read_table(str(tmp_path / name))
    assert pa.concat_tables(parts).to_pydict() == whole.to_pydict()
    assert [float(x) for x in whole.column("x").to_pylist()] == COLUMNS["x"]
    assert {str(found_reading(part)) for part in parts} == {str(found_reading(whole))}


MIXED = {
    "a": [1, 2, 3, "x", 5.5, None, 7],
    "b": [None, None, 1, 2, 3.0, 4, 5],
    "c": [True, False, 1, 0, None, "yes", True],
    "d": ["x", None, None, "y", "z", "w", "3.0"],
}


@pytest.mark.parametrize("name", ["t.xlsx", "t.sqlite"])
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 7])
def test_parts_of_mixed_cells_are_the_whole(tmp_path, name, rows):
    lines = list(zip(*MIXED.values(), strict=True))
    if name == "t.xlsx":
        workbook(tmp_path / name, {"one": [list(MIXED), *lines]})
    else:
        database(tmp_path / name, {"one": (list(MIXED), lines)})
    parts = list(read_chunks(str(tmp_path / name), Reading(), rows))
    whole = read_table(str(tmp_path / name))
    assert [part.num_rows for part in parts] == [min(rows, 7 - i) for i in range(0, 7, rows)]
    assert pa.concat_tables(parts, promote_options="permissive").to_pydict() == whole.to_pydict()


def test_parts_know_the_end_of_the_file(tmp_path):
    """What a comma means is said by the last row only."""
    (tmp_path / "t.csv").write_text("a;b\n" + "1,234;x\n" * 30 + "1,234.5;x\n")
    first = next(read_chunks(str(tmp_path / "t.csv"), Reading(), 10))
    assert set(first.column("a").to_pylist()) == {"1234"}
