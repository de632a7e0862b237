"""Dropped columns are kept as numbers, beside what fits see and in no digest."""

import datetime

import numpy as np
from tables import prepared

from heldout.data import unused

N = 40


def columns(**further):
    generator = np.random.default_rng(1)
    return {"x": generator.normal(size=N).tolist(), "y": ["a", "b"] * (N // 2), **further}


def test_values_that_come_again(tmp_path):
    patients = [f"p{i // 2}" for i in range(N)]
    table = prepared(tmp_path, columns(who=patients), drop=["who"])
    assert table.unused["who"].tolist() == [i // 2 for i in range(N)]
    assert "who" not in table.names


def test_no_digest_depends_on_them(tmp_path):
    given = [[f"p{i // each}" for i in range(N)] for each in (2, 4)]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = prepared(tmp_path / "a", columns(who=given[0]), drop=["who"])
    other = prepared(tmp_path / "b", columns(who=given[1]), drop=["who"])
    assert one.unused["who"].tolist() != other.unused["who"].tolist()
    assert one.digest == other.digest


def test_only_columns_that_could_be_groups(tmp_path):
    further = {
        "unique": [f"u{i}" for i in range(N)],
        "few": ["m", "f"] * (N // 2),
        "lists": [[1, 2]] * N,
        "empty": [None] * N,
        "day": [datetime.date(2024, 1, 1 + i // 4) for i in range(N)],
        "number": [i // 4 for i in range(N)],
    }
    table = prepared(tmp_path, columns(**further), drop=list(further))
    assert set(table.unused) == {"day", "number"}


def test_columns_with_a_purpose_are_not_among_them(tmp_path):
    codes = [i // 4 for i in range(N)]
    table = prepared(tmp_path, columns(g=codes, w=codes), groups="g", weights="w", drop=["g", "w"])
    assert table.unused == {}


def test_missing_values(tmp_path):
    values = [None if i % 5 == 0 else float(i // 4) for i in range(N)]
    table = prepared(tmp_path, columns(who=values), drop=["who"])
    assert (table.unused["who"] == -1).tolist() == [i % 5 == 0 for i in range(N)]


def test_telling_names_come_first_where_there_are_many(tmp_path, monkeypatch):
    monkeypatch.setattr(unused, "MOST", 2)
    codes = [i // 4 for i in range(N)]
    further = dict.fromkeys(["a", "b", "c", "patient_id"], codes)
    table = prepared(tmp_path, columns(**further), drop=list(further))
    assert list(table.unused) == ["patient_id", "a"]
