"""Tables with very many columns take seconds, not minutes."""

import numpy as np
import pyarrow as pa
import pytest
from tables import write_parquet

from heldout.data.blocks import blocks_of, not_numbers, with_leading_zeros
from heldout.data.infer import infer_columns
from heldout.data.prepare import prepare
from heldout.data.prepared import open_prepared
from heldout.data.request import Request
from heldout.data.schema import Schema, Target

WIDE = 20_000
ROWS = 40


@pytest.fixture(scope="module")
def wide():
    numbers = np.random.default_rng(0).normal(size=(ROWS, WIDE)).round(4)
    texts = numbers.astype(str)
    columns = {f"x{i}": pa.array(texts[:, i]) for i in range(WIDE)}
    return numbers, pa.table({**columns, "y": pa.array(["a", "b"] * (ROWS // 2))})


def test_a_wide_table_is_inferred_and_encoded_by_blocks(wide):
    numbers, table = wide
    names = table.column_names[:-1]
    found = infer_columns(table, names, {})
    schema = Schema(tuple(found.columns), Target("y", None))
    matrix = schema.encode(table)
    assert np.array_equal(matrix, numbers)


def test_the_facts_of_a_wide_table_are_short(wide, tmp_path, monkeypatch):
    monkeypatch.setattr("heldout.data.sealing.row_digests", lambda rows: ["0"] * rows.num_rows)
    path = write_parquet(tmp_path / "t.parquet", wide[1].to_pydict())
    prepare(Request("t", 1, path, "y"), tmp_path / "data", tmp_path / "vault")
    assert (tmp_path / "data" / "table.json").stat().st_size < 60 * WIDE
    assert open_prepared(tmp_path / "data").features.shape[1] == WIDE


def test_odd_columns_among_numbers_are_found():
    columns = {f"x{i}": ["1", "2", None] for i in range(50)}
    columns |= {"x7": ["1", "a", None], "x31": ["01", "2", "3"], "x49": ["x", "y", "z"]}
    table = pa.table(columns)
    [(names, values)] = blocks_of(table.column_names, table)
    assert not_numbers(names, values) == ["x7", "x49"]
    assert with_leading_zeros(names, values) == {"x31"}
    kinds = {one.name: one.kind for one in infer_columns(table, names, {}).columns}
    assert {name for name, kind in kinds.items() if kind == "category"} == {"x7", "x31", "x49"}


def test_blocks_keep_types_and_chunks_apart(monkeypatch):
    monkeypatch.setattr("heldout.data.blocks.VALUES", 8)
    one = pa.table({"a": [1, 2], "b": ["1", "2"], "c": [3, 4], "d": [5, 6]})
    table = pa.concat_tables([one, one])
    found = {tuple(names): values.to_pylist() for names, values in blocks_of(list("abcd"), table)}
    assert found == {
        ("a", "c"): [1, 2, 1, 2, 3, 4, 3, 4],
        ("d",): [5, 6, 5, 6],
        ("b",): ["1", "2", "1", "2"],
    }
