"""Digests of raw rows: a row that stayed as it was keeps its digest, whatever happens around it."""

import datetime

import pyarrow as pa
import pytest

from heldout.data.row_digests import row_digests

ROWS = {"x": ["3", "2.5", None], "y": ["a", "b", "c"], "flag": ["true", "False", ""]}


def digests(**columns):
    return row_digests(pa.table(ROWS | columns))


def test_every_value_and_every_name_counts():
    first = digests()
    assert len(set(first)) == 3
    assert digests(x=["3", "2.5", "0"])[:2] == first[:2]
    assert digests(x=["3", "2.5", "0"])[2] != first[2]
    assert digests(more=["1", "1", "1"])[0] != first[0]
    swapped = {"y": ROWS["x"], "x": ROWS["y"], "flag": ROWS["flag"]}
    assert row_digests(pa.table(swapped))[0] != first[0]


def test_the_order_of_columns_and_rows_does_not_count():
    turned = {name: ROWS[name][::-1] for name in reversed(ROWS)}
    assert row_digests(pa.table(turned)) == digests()[::-1]


SAME = {
    "floats": [3.0, 2.5, None],
    "floats of a column with a gap": [3.0, 2.5, float("nan")],
    "other spellings": ["3.00", "25e-1", None],
    "categories": pa.array(["3", "2.5", None]).dictionary_encode(),
    "decimals": pa.array([3, 2.5, None]).cast(pa.decimal128(5, 2)),
}


@pytest.mark.parametrize("values", SAME.values(), ids=SAME)
def test_the_same_number_has_the_same_digest_in_whatever_type(values):
    assert digests(x=values) == digests()


def test_an_appended_text_does_not_change_the_digests_of_numbers():
    longer = {name: [*values, "oops"] for name, values in ROWS.items()}
    assert row_digests(pa.table(longer))[:3] == digests()
    whole = {"x": pa.array([3, 2], pa.int64())}
    assert row_digests(pa.table(whole)) == row_digests(pa.table({"x": ["3", "2", "z"]}))[:2]


def test_booleans_and_zeros_have_one_form():
    assert digests(flag=[True, False, None])[:2] == digests()[:2]
    assert row_digests(pa.table({"x": [0.0]})) == row_digests(pa.table({"x": ["-0"]}))
    assert row_digests(pa.table({"x": [1.0]})) != row_digests(pa.table({"x": ["-1"]}))


def test_texts_that_are_no_numbers_stay_texts():
    texts = ["1-2", "1.2.3", "e5", "1e", "0x10", "1 2", "A", "a", "inf"]
    assert len(set(row_digests(pa.table({"x": texts})))) == len(texts)


def test_columns_of_any_type_have_digests():
    dates = [datetime.date(2026, 1, 2), datetime.date(2026, 1, 3)]
    table = pa.table({"d": dates, "l": [[1], [2]], "n": pa.nulls(2), "s": ["x", "x"]})
    assert len(set(row_digests(table))) == 2
    assert row_digests(table.slice(0, 0)) == []


def test_digests_are_those_of_the_first_versions():
    """Ledgers of older studies hold them."""
    table = pa.table(
        {
            "i": [1, None],
            "f": [0.5, float("nan")],
            "s": ["3.00", "é, x"],
            "b": [True, False],
            "d": [datetime.date(2026, 1, 2)] * 2,
            "c": pa.array(["1e3", "u"]).dictionary_encode(),
            "n": pa.nulls(2),
        }
    )
    assert row_digests(table) == ["daa9f453418b1946", "576f602220016540"]


def test_columns_of_one_type_are_digested_as_if_alone():
    """Columns are stacked: each row gets its own values back, whatever stands in the columns beside."""
    columns = {f"c{i}": [f"{i}.5", "w", None, str(i)] for i in range(50)}
    table = pa.table(columns)
    rows = [row_digests(table.slice(i, 1))[0] for i in range(4)]
    assert row_digests(table) == rows
    assert row_digests(pa.concat_tables([table.slice(0, 1), table.slice(1)])) == rows
