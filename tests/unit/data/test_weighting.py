"""Weights are read, checked in every row before anything is fitted, and part of the data's digest."""

import datetime as dt

import numpy as np
import pytest
from tables import prepared, write_csv, write_parquet

from heldout.data.prepare import prepare
from heldout.data.prepared import ROWS
from heldout.data.request import Request
from heldout.data.vault import SOURCE_ROW, read_sealed
from heldout.errors import HeldoutError
from heldout.files import read_json

N = 40
COLUMNS = {
    "x": [float(i % 7) for i in range(N)],
    "y": ["yes" if i % 4 == 0 else "no" for i in range(N)],
}
WEIGHTS = [float(i % 3) for i in range(N)]


def with_weights(weights):
    return COLUMNS | {"w": weights}


def changed(row, weight):
    return [*WEIGHTS[:row], weight, *WEIGHTS[row + 1 :]]


def refusal(folder, columns, **given):
    with pytest.raises(HeldoutError) as error:
        prepared(folder, columns, **{"weights": "w"} | given)
    assert not (folder / "data").exists()
    return str(error.value)


def test_weights_are_no_feature_and_stay_with_their_rows(tmp_path):
    table = prepared(tmp_path, with_weights(WEIGHTS), weights="w", test=0.2)
    assert table.names == ["x"]
    assert table.weighted
    assert table.weights.tolist() == [WEIGHTS[row] for row in table.rows["source"]]
    assert table.facts["weights"] == "w"
    assert table.facts["notes"] == []


def test_weights_of_text_files(tmp_path):
    data = write_csv(tmp_path / "t.csv", with_weights(WEIGHTS))
    prepare(Request("t", 19, data, "y", weights="w", test=0), tmp_path / "data", tmp_path / "v")
    assert np.load(tmp_path / "data" / "rows.npy")["weight"].tolist() == WEIGHTS


def test_without_weights_nothing_is_stored(tmp_path):
    table = prepared(tmp_path, COLUMNS)
    assert (table.weights, table.weighted, table.facts["weights"]) == (None, False, None)
    assert table.rows.dtype == ROWS


def test_a_constant_column_counts_as_no_weights(tmp_path):
    dropped = prepared(tmp_path, with_weights([2] * N), drop=["w"])
    table = prepared(tmp_path, with_weights([2] * N), weights="w")
    assert (table.weights, table.facts["weights"]) == (None, None)
    assert table.digest == dropped.digest == prepared(tmp_path, COLUMNS).digest
    assert table.facts["notes"] == [
        "weights: 'w' is the same in all unsealed rows, which counts as no weights"
    ]


def test_sealed_weights_change_nothing_outside_the_vault(tmp_path):
    """Not even whether there are weights: that is judged by the unsealed rows alone."""
    prepared(tmp_path, with_weights([1.0] * N), weights="w", test=0.2)
    before = {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir()}
    sealed = set(read_sealed(tmp_path / "vault").column(SOURCE_ROW).to_pylist())
    weights = [float(i) if i in sealed else 1.0 for i in range(N)]
    table = prepared(tmp_path, with_weights(weights), weights="w", test=0.2)
    assert table.weights is None
    assert {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir()} == before


def test_another_weight_is_another_digest(tmp_path):
    one, same, other = (
        prepared(tmp_path, with_weights(weights), weights="w").digest
        for weights in (WEIGHTS, [*WEIGHTS], changed(5, 2.5))
    )
    assert one == same != other


BAD = {
    "missing": (changed(6, None), "'w' is missing in 1 of 40 rows of "),
    "NaN": (changed(6, float("nan")), "'w' is missing in 1 of 40 rows of "),
    "infinite": (changed(6, float("inf")), "'w' is infinite in 1 of 40 rows of "),
    "negative": (changed(6, -1.0), "'w' is negative in 1 of 40 rows of "),
    "text": (["1"] * 6 + ["heavy"] + ["2"] * 33, "'w' is not a number in 1 of 40 rows of "),
}


@pytest.mark.parametrize(("weights", "message"), BAD.values(), ids=BAD)
def test_every_row_needs_a_weight(tmp_path, weights, message):
    found = refusal(tmp_path, with_weights(weights))
    assert found.startswith(f"weights: {message}")
    assert found.endswith("(first: row 7); give every row a number, 0 if the row shall not count")


@pytest.mark.parametrize("weights", [[True, False] * 20, [dt.date(2020, 1, 1)] * N, ["a"] * N])
def test_columns_of_another_kind(tmp_path, weights):
    assert "'w' is not a number in 40 of 40 rows" in refusal(tmp_path, with_weights(weights))


def test_sealed_rows_are_checked_too(tmp_path):
    """A fifth of the rows is sealed, but no row is overlooked."""
    for row in range(0, N, 3):
        found = refusal(tmp_path, with_weights(changed(row, -1.0)), test=0.2)
        assert f"(first: row {row + 1})" in found


def test_no_such_column(tmp_path):
    found = refusal(tmp_path, with_weights(WEIGHTS), weights="W2")
    assert found.startswith("weights: no column 'W2' in ")
    assert refusal(tmp_path, COLUMNS | {"weight": WEIGHTS}, weights="weights").endswith(
        "; did you mean 'weight'?"
    )


def test_nothing_counts(tmp_path):
    found = refusal(tmp_path, with_weights([0.0] * N))
    assert found.startswith("weights: 'w' is 0 in all unsealed rows, so that nothing counts; ")


def test_nothing_that_is_sealed_counts(tmp_path):
    prepared(tmp_path, with_weights(WEIGHTS), weights="w", test=0.2)
    sealed = set(read_sealed(tmp_path / "vault").column(SOURCE_ROW).to_pylist())
    weights = [0.0 if i in sealed else 1.0 + i for i in range(N)]
    with pytest.raises(HeldoutError, match="'w' is 0 in all sealed rows, so that nothing counts"):
        prepared(tmp_path, with_weights(weights), weights="w", test=0.2)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [1.0], "y": ["no"]}, "test: {} lacks the columns w"),
        (
            {"x": [1.0], "y": ["no"], "w": [-1]},
            "'w' is negative in 1 of 1 rows of {} (first: row 1)",
        ),
        ({"x": [1.0], "y": ["no"], "w": [0]}, "'w' is 0 in all sealed rows"),
    ],
    ids=["no column", "negative", "all 0"],
)
def test_a_test_table_of_its_own(tmp_path, columns, message):
    test = write_parquet(tmp_path / "test.parquet", columns)
    assert message.format(test) in refusal(tmp_path, with_weights(WEIGHTS), test=test)


def test_features_other_than_weights_are_needed(tmp_path):
    columns = {"y": COLUMNS["y"], "w": WEIGHTS}
    assert "has no feature column besides the target 'y'" in refusal(tmp_path, columns)


def test_facts_name_the_column(tmp_path):
    prepared(tmp_path, with_weights(WEIGHTS), weights="w")
    assert read_json(tmp_path / "data" / "table.json")["weights"] == "w"
