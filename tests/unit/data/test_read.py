"""Reading: every format gives the same columns, and what cannot be read says why."""

import bz2
import gzip
import io
import lzma
import zipfile

import pyarrow as pa
import pytest
from pyarrow import parquet

from heldout.data.read import read_table
from heldout.data.read_values import MISSING
from heldout.data.reading import Reading
from heldout.errors import HeldoutError


@pytest.fixture
def read(tmp_path):
    """Write a file and read it as a table."""

    def run(name, content, missing=()):
        path = tmp_path / name
        if isinstance(content, pa.Table):
            parquet.write_table(content, path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(str(path), Reading(missing=missing))

    return run


def zstd(text):
    return pa.compress(text.encode(), codec="zstd", asbytes=True)


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


WANTED = {"a": ["1", "2.5", None], "b": ["x", "y z", "q"]}
PLAIN = "a,b\n1,x\n2.5,y z\n,q\n"
ZIPPED = gzip.compress(PLAIN.encode(), mtime=0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", PLAIN),
        ("t.CSV", PLAIN),
        ("t.csv.gz", ZIPPED),
        ("t.tsv", PLAIN.replace(",", "\t")),
        ("t.txt", PLAIN.replace(",", "\t")),
        ("t.tsv.gz", gzip.compress(PLAIN.replace(",", "\t").encode(), mtime=0)),
        ("t.csv", PLAIN.replace(",", ";")),
        ("t.csv", PLAIN.replace(",", "\t")),
        ("t.csv", "\ufeff" + PLAIN),
        ("t.csv", '\ufeff"a","b"\n"1","x"\n"2.5","y z"\n"","q"\n'),
        ("t.csv", PLAIN.replace("\n", "\r\n")),
        ("t.csv", PLAIN.replace("\n", "\r")),
        ("t.csv", PLAIN.rstrip("\n")),
        ("t.csv", PLAIN + "\n\n"),
        ("t.txt", PLAIN.replace(",", "|")),
        ("t.csv", PLAIN.replace(",", "|")),
        ("t.csv", "sep=;\n" + PLAIN.replace(",", ";")),
        ("t.csv", PLAIN.encode("utf-16")),
        ("t.csv", PLAIN.encode("utf-16-le")),
        ("t.csv", PLAIN.encode("utf-16-be")),
        ("t.csv", PLAIN.encode("utf-32")),
        ("t.csv.zst", zstd(PLAIN)),
        ("t.csv.xz", lzma.compress(PLAIN.encode())),
        ("t.csv.bz2", bz2.compress(PLAIN.encode())),
        ("t.csv.zip", zipped({"t.csv": PLAIN})),
        ("t.zip", zipped({"some.csv": PLAIN})),
        ("t.csv", ZIPPED),
        ("t.csv", PLAIN.replace("\n1", "\r\n1")),
        ("t.csv", "a,b\n1,x,\n2.5,y z,,\n,q\n"),
        ("t.csv", 'a,b\n1,"x"\n2.5, "y z" ,\n,q,\n'),
        ("t.xls", PLAIN.replace(",", "\t")),
        ("t.csv", " a , b \n 1 , x \n 2.5 , y z \n , q \n"),
    ],
)
def test_text_formats_agree(read, name, content):
    assert read(name, content).to_pydict() == WANTED


def test_an_empty_line_in_a_file_of_one_column_is_a_missing_value(read):
    assert read("t.csv", "a\n1\n\n2\n").to_pydict() == {"a": ["1", None, "2"]}


def test_every_value_is_read_as_text(read):
    table = read("t.csv", "a,b\n1,true\n2,2020-01-01\n")
    assert table.schema.types == [pa.string(), pa.string()]


def test_quotes_protect_delimiters_quotes_and_line_ends(read):
    table = read("t.csv", 'a,"b\nc"\n"x,y","say ""hi"""\n1,"two\nlines"\n')
    assert table.to_pydict() == {"a": ["x,y", "1"], "b\nc": ['say "hi"', "two\nlines"]}


def test_lines_may_end_inside_quotes_in_large_files_too(read):
    """Larger than the blocks of 1 MiB in which pyarrow reads."""
    row = '"one\ntwo",' + "x" * 40 + "\n"
    table = read("t.csv", "a,b\n" + row * 30_000)
    assert table.num_rows == 30_000
    assert set(table.column("a").to_pylist()) == {"one\ntwo"}


@pytest.mark.parametrize("text", MISSING)
def test_the_usual_texts_mean_missing(read, text):
    assert read("t.csv", f"a,b\n{text},1\n").to_pydict() == {"a": [None], "b": ["1"]}


@pytest.mark.parametrize("text", ["none", "-", "?", "1.#IND", "#NA", "nil"])
def test_other_texts_do_not(read, text):
    assert read("t.csv", f"a,b\n{text},1\n").column("a").to_pylist() == [text]


def test_further_texts_mean_missing_where_the_config_says_so(read):
    content = "a,b\n?,-999\n-999,?x\n"
    assert read("t.csv", content).column("a").to_pylist() == ["?", "-999"]
    found = read("t.csv", content, ["?", "-999"]).to_pydict()
    assert found == {"a": [None, None], "b": [None, "?x"]}


def test_a_file_with_semicolons_may_have_decimal_commas(read):
    found = read("t.csv", "a;b\n1,5;x\n-20,25;1,5,7\n+3,0;a1,5\n")
    assert found.to_pydict() == {"a": ["1.5", "-20.25", "+3.0"], "b": ["x", "1,5,7", "a1,5"]}


def test_parquet_keeps_its_types_and_loses_the_index_of_pandas(read):
    table = pa.table(
        {"n": [1, None], "f": [0.5, 1.0], "t": ["NA", "x"], "__index_level_0__": [0, 1]}
    )
    found = read("t.parquet", table)
    assert found.to_pydict() == {"n": [1, None], "f": [0.5, 1.0], "t": ["NA", "x"]}
    assert found.schema.field("n").type == pa.int64()


def test_further_texts_mean_missing_in_parquet_too(read):
    table = pa.table(
        {
            "i": [-999, 3],
            "f": [-999.0, 0.5],
            "t": ["?", "-999"],
            "d": pa.array(["?", "x"]).dictionary_encode(),
            "b": [True, False],
        }
    )
    found = read("t.parquet", table, ["?", "-999"])
    assert found.to_pydict() == {
        "i": [None, 3],
        "f": [None, 0.5],
        "t": [None, None],
        "d": [None, "x"],
        "b": [True, False],
    }
    assert pa.types.is_dictionary(found.schema.field("d").type)


def test_string_views_can_be_cut_into_rows(read):
    found = read("t.parquet", pa.table({"a": pa.array(["x", "y"], pa.string_view())}))
    assert found.take(pa.array([1])).to_pydict() == {"a": ["y"]}


@pytest.mark.parametrize(
    ("name", "shape"),
    [("breast_cancer", (569, 31)), ("diabetes", (442, 11)), ("digits", (1797, 65))],
)
def test_data_sets_of_scikit_learn(name, shape):
    assert read_table(f"sklearn:{name}").shape == shape


def test_labels_of_scikit_learn_are_names_and_numbers_are_unscaled():
    assert set(read_table("sklearn:iris").column("target").to_pylist()) == {
        "setosa",
        "versicolor",
        "virginica",
    }
    assert read_table("sklearn:diabetes").column("age").to_pylist()[:3] == [59, 48, 72]
    assert read_table("sklearn:linnerud").column_names[-3:] == ["Weight", "Waist", "Pulse"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", "a,b\n", "has a header and no rows"),
        ("t.csv", "\n1,2\n", "has no header line"),
        ("t.csv", ",\n1,2\n", "has no header line"),
        ("t.csv", "a,b\n1,2\n3\n", "line 3 of"),
        ("t.csv", "a,b\n1,2\n3\n", "has 1 fields where there are 2 columns, divided by ','"),
        (
            "t.csv",
            "a,b\n1,2\n3,4,5\n",
            "or, if another character divides the fields, set delimiter",
        ),
        ("t.csv", 'a,b\n1,"2\n3,4\n', "has a quote that is never closed"),
        ("t.csv", "a,b\n1,\0\n", "has a NUL byte in line 2"),
        ("t.csv.gz", PLAIN, "ends in .gz and is not gzip-compressed"),
        ("t.csv.gz", ZIPPED[:-9], "is cut off"),
        ("t.csv.gz", ZIPPED[:12], "is cut off"),
        ("t.parquet", "PAR1", "could not be read as parquet"),
        ("t.parquet", pa.table({"a": pa.array([], pa.int64())}), "has no rows"),
        ("t.doc", "PK", "has an unknown ending; known: .csv"),
        ("t.xlsx", "PK", "is no workbook"),
        ("t.xlsx", b"\xd0\xcf\x11\xe0", "is protected by a password, or an old .xls"),
        ("t.xls", "<html><table>", "is a web page (HTML or XML), not a workbook"),
        ("t.sqlite", "no database", "could not be read as SQLite"),
        ("t.feather", "ARROW1", "could not be read as feather"),
        ("t.csv.zst", zstd(PLAIN)[:-5], "is cut off or damaged"),
        ("t.csv.xz", lzma.compress(PLAIN.encode())[:-5], "is cut off or damaged"),
        ("t.csv.bz2", bz2.compress(PLAIN.encode())[:-5], "is cut off or damaged"),
        ("t.csv.xz", PLAIN, "ends in .xz and is not xz-compressed"),
        (
            "t.zip",
            zipped({"a.csv": PLAIN, "b.csv": PLAIN}),
            "must hold one file, found 2 (a.csv, b.csv)",
        ),
    ],
)
def test_errors_name_the_file_and_the_reason(read, name, content, message):
    with pytest.raises(HeldoutError) as error:
        read(name, content)
    assert name in str(error.value)
    assert message in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(HeldoutError, match="no file at"):
        read_table(str(tmp_path / "none.csv"))


def test_an_unknown_data_set():
    with pytest.raises(HeldoutError, match="'sklearn:dibetes'; did you mean 'diabetes'"):
        read_table("sklearn:dibetes")
