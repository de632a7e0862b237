"""Rows without a target, and columns and rows that say nothing: handled and said."""

import numpy as np
import pytest
from tables import write_csv, write_parquet

from heldout.data.prepare import prepare
from heldout.data.reading import Reading
from heldout.data.request import Request
from heldout.data.vault import ROW_DIGEST, SOURCE_ROW, read_sealed
from heldout.errors import HeldoutError

N = 60
X = [float((7 * i) % N) for i in range(N)]
Y = ["ab"[i % 2] if i % 5 else None for i in range(N)]
LABELLED = [i for i in range(N) if Y[i] is not None]


def run(folder, columns, **given):
    data = write_csv(folder / "table.csv", columns)
    request = Request(**{"task": "t", "seed": 19, "data": data, "target": "y"} | given)
    return prepare(request, folder / "data", folder / "vault")


def sources(folder):
    """The numbers in the source of the unsealed and of the sealed rows."""
    rows = np.load(folder / "data" / "rows.npy")
    return rows["source"].tolist(), read_sealed(folder / "vault").column(SOURCE_ROW).to_pylist()


def test_rows_without_a_target_are_left_out_counted_and_said(tmp_path):
    facts = run(tmp_path, {"x": X, "y": Y})
    unsealed, sealed = sources(tmp_path)
    assert sorted(unsealed + sealed) == LABELLED
    assert (facts["source_rows"], facts["n"] + facts["sealed"]) == (N, len(LABELLED))
    assert facts["reading"]["without_target"] == 12
    assert facts["notes"] == [
        "12 of 60 rows have no target 'y' and are left out (first: row 1, row 6, row 11, row 16, row 21)"
    ]
    assert np.load(tmp_path / "data" / "X.npy")[:, 0].tolist() == [X[i] for i in unsealed]
    table = read_sealed(tmp_path / "vault")
    assert [float(x) for x in table.column("x").to_pylist()] == [X[i] for i in sealed]


def test_the_others_are_sealed_as_if_they_had_never_been_there(tmp_path):
    run(tmp_path, {"x": X, "y": Y})
    unsealed, sealed = sources(tmp_path)
    digests = read_sealed(tmp_path / "vault").column(ROW_DIGEST).to_pylist()
    run(tmp_path, {"x": [X[i] for i in LABELLED], "y": [Y[i] for i in LABELLED]})
    again = sources(tmp_path)
    assert ([LABELLED[i] for i in again[0]], [LABELLED[i] for i in again[1]]) == (unsealed, sealed)
    assert read_sealed(tmp_path / "vault").column(ROW_DIGEST).to_pylist() == digests


def test_they_are_refused_where_the_config_says_so(tmp_path):
    with pytest.raises(HeldoutError, match="target 'y' is missing in 12 of 60 rows"):
        run(tmp_path, {"x": X, "y": Y}, missing_target="refuse")


def test_messages_name_the_rows_of_the_source(tmp_path):
    weights = [1.0] * N
    weights[3] = -1.0
    with pytest.raises(HeldoutError, match=r"'w' is negative in 1 of 48 rows of .*: row 4\)"):
        run(tmp_path, {"x": X, "y": Y, "w": weights}, weights="w")
    groups = [f"g{i // 4}" for i in range(N)]
    groups[8] = None
    with pytest.raises(HeldoutError, match="'g' is missing in row 9"):
        run(tmp_path, {"x": X, "y": Y, "g": groups}, groups="g")
    weights[3], weights[0] = 1.0, -1.0  # of a row that is left out
    assert run(tmp_path, {"x": X, "y": Y, "w": weights}, weights="w")["n"] == 38


def test_a_test_table_may_have_rows_without_a_target_too(tmp_path):
    test = write_parquet(tmp_path / "test.parquet", {"x": [1.0, 2.0, 3.0], "y": ["a", None, "b"]})
    assert run(tmp_path, {"x": X, "y": Y}, test=test)["sealed"] == 2
    assert sources(tmp_path)[1] == [0, 2]
    with pytest.raises(HeldoutError, match="target 'y' is missing in 1 of 3 rows"):
        run(tmp_path, {"x": X, "y": [y or "a" for y in Y]}, test=test, missing_target="refuse")


def test_columns_that_are_empty_or_constant_are_not_used(tmp_path):
    columns = {"x": X, "one": [1.0] * N, "void": [None] * N, "same": ["s"] * N, "y": Y}
    facts = run(tmp_path, columns)
    assert [column["name"] for column in facts["schema"]["columns"]] == ["x"]
    assert "column 'void' is empty and not used" in facts["notes"]
    assert (
        "2 columns 'one', 'same' are constant in the unsealed rows and not used" in facts["notes"]
    )
    assert np.load(tmp_path / "data" / "X.npy").shape == (facts["n"], 1)
    gaps = run(tmp_path, {"x": X, "gaps": [None, *[1.0] * (N - 1)], "y": Y}, test=0)
    assert len(gaps["schema"]["columns"]) == 1  # the row with the gap has no target
    gaps = run(tmp_path, {"x": X, "gaps": [1.0, None, *[1.0] * (N - 2)], "y": Y}, test=0)
    assert len(gaps["schema"]["columns"]) == 2
    alone = run(tmp_path, {"one": [1.0] * N, "y": Y})
    assert len(alone["schema"]["columns"]) == 1


def test_rows_with_nothing_but_a_target_are_kept_and_said(tmp_path):
    x = [None if i in (7, 9) else value for i, value in enumerate(X)]
    text = [None if i == 7 else "t" + str(i % 3) for i in range(N)]
    facts = run(tmp_path, {"x": x, "text": text, "y": Y}, test=0)
    assert facts["n"] == 48
    assert facts["notes"][-1] == (
        "1 of 48 unsealed rows have a target and nothing else, and are kept (first: row 8)"
    )


def test_names_that_stand_twice(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{i % 7},{i % 5},{'ab'[i % 2]},{i}" for i in range(N)]

    def prepared(header, **given):
        path.write_text("\n".join([header, *lines]) + "\n")
        request = Request(**{"task": "t", "seed": 19, "data": str(path), "target": "y"} | given)
        return prepare(request, tmp_path / "data", tmp_path / "vault")

    facts = prepared("x,x,y,z")
    assert [column["name"] for column in facts["schema"]["columns"]] == ["x", "x.1", "z"]
    assert facts["notes"] == ["column 'x' stands twice: the second is called 'x.1'"]
    for key in ({"drop": ["x"]}, {"groups": "x"}):
        with pytest.raises(HeldoutError, match="has the column name 'x' 2 times; give each"):
            prepared("x,x,y,z", **key)
    with pytest.raises(HeldoutError, match=r"target: .* has the column name 'y' 2 times"):
        prepared("x,y,y,z")
    assert [c["name"] for c in prepared(",x,y,z", drop=[""])["schema"]["columns"]] == ["x", "z"]


def test_neither_names_nor_marks_change_the_digest_of_a_row(tmp_path):
    """What versions that knew less of dialects wrote into ledgers."""
    path = tmp_path / "t.csv"

    def digests(text, **keys):
        path.write_text(text)
        request = Request("t", 19, str(path), "y", reading=Reading(**keys), test=0.5)
        prepare(request, tmp_path / "data", tmp_path / "vault")
        return sorted(read_sealed(tmp_path / "vault").column(ROW_DIGEST).to_pylist())

    rows = "".join(f"{i};{i},5;1.{i}34,5;{'ab'[i % 2]}\n" for i in range(1, 9))
    before = digests(";x;m;y\n" + rows)
    assert before == DIGESTS
    assert digests(";x;m;y\n" + rows, decimal=".", thousands="") == before
    assert digests(";x;m;y\n" + rows, missing=["1,5", "3"]) == before


DIGESTS = ["3aa6b8d43812c081", "631d962c0e7398fb", "b77dc564757f2a15", "f49c1dcfc4f41a7a"]
