"""Types are inferred from the rows to learn from; any later rows are encoded by them."""

import datetime as dt
import decimal
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.data.infer import infer_column
from heldout.data.infer_target import infer_target
from heldout.data.schema import Column, Schema, Target, schema_from_json
from heldout.errors import HeldoutError

DAY = 86_400_000_000
"""Microseconds."""
LONG = "900719925474099"
"""With one more digit, a number that a float does not tell from the next."""


def inferred(values, category=False):
    values = values if isinstance(values, pa.Array) else pa.array(values)
    column = infer_column("x", values, category)
    return column.kind, column.levels, _with_none(column.encode(values))


def _with_none(encoded):
    return [None if math.isnan(value) else value for value in encoded]


@pytest.mark.parametrize(
    ("values", "encoded"),
    [
        (["1", "2.5", None, "-1e3", "+5", ".5"], [1, 2.5, None, -1000, 5, 0.5]),
        ([3, None, -1], [3, None, -1]),
        ([0.1, math.nan, None], [0.1, None, None]),
        ([decimal.Decimal("1.25"), None], [1.25, None]),
        ([dt.timedelta(days=2)], [2 * DAY]),
        ([dt.time(0, 0, 1)], [1e6]),
        (pa.array([2**63 + 1, 1], pa.uint64()), [2.0**63, 1]),
        (pa.array(["1", "2"], pa.large_string()), [1, 2]),
        (pa.array(["1", "2"], pa.string_view()), [1, 2]),
    ],
)
def test_numbers(values, encoded):
    assert inferred(values) == ("number", (), encoded)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_keep_every_bit_through_text(numbers):
    column = infer_column("x", pa.array([repr(number) for number in numbers]), False)
    assert column == Column("x", "number")
    assert column.encode(pa.array([repr(number) for number in numbers])).tolist() == numbers


@pytest.mark.parametrize(
    "values",
    [
        [True, False, None],
        ["true", "False", None],
        ["TRUE", "FALSE", None],
        pa.array(["true", "false", None], pa.large_string()),
    ],
)
def test_booleans(values):
    assert inferred(values) == ("boolean", (), [1, 0, None])


@pytest.mark.parametrize(
    ("values", "levels", "encoded"),
    [
        (["b", "a", None, "b"], ("a", "b"), [1, 0, None, 1]),
        (["1", "2", "x"], ("1", "2", "x"), [0, 1, 2]),
        (["2020-01-01", "soon"], ("2020-01-01", "soon"), [0, 1]),
        (["true", "maybe"], ("maybe", "true"), [1, 0]),
        (pa.array(["b", "a", None]).dictionary_encode(), ("a", "b"), [1, 0, None]),
        (pa.array(["10", "2"]).dictionary_encode(), ("10", "2"), [0, 1]),
        (pa.array([10, 2, None]).dictionary_encode(), ("10", "2"), [0, 1, None]),
    ],
)
def test_categories(values, levels, encoded):
    assert inferred(values) == ("category", levels, encoded)


def test_numbers_are_categories_where_the_config_says_so():
    assert inferred([1.0, 2.5, None, math.nan], True) == (
        "category",
        ("1", "2.5"),
        [0, 1, None, None],
    )
    assert inferred([3, 1], True) == ("category", ("1", "3"), [1, 0])
    assert inferred([True, False], True) == ("category", ("false", "true"), [1, 0])
    assert inferred(["01234", "1234"], True) == ("category", ("01234", "1234"), [0, 1])


@pytest.mark.parametrize("values", [pa.nulls(2), pa.array([None], pa.string()), [math.nan]])
def test_an_empty_column_has_no_kind(values):
    assert infer_column("x", pa.array(values), False) is None


@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}], [b"a"]])
def test_columns_that_are_no_single_value_are_refused(values):
    with pytest.raises(HeldoutError, match=r"column 'x' is of type .*; add it to drop"):
        infer_column("x", pa.array(values), False)


@pytest.mark.parametrize(
    ("kind", "levels", "values", "encoded"),
    [
        ("category", ("a", "b"), ["c", "a", None], [2, 0, None]),
        ("category", ("1", "2"), [1.0, 3.0, math.nan], [0, 2, None]),
        ("category", ("1", "2"), pa.array([2, 9]).dictionary_encode(), [1, 2]),
        ("category", ("a",), pa.nulls(1), [None]),
        ("category", ("1",), [math.nan], [None]),
        ("category", ("1",), pa.array([], pa.float64()), []),
        ("number", (), ["1", "x", None], [1, None, None]),
        ("number", (), [True, False], [1, 0]),
        ("number", (), pa.array(["1", "2"]).dictionary_encode(), [1, 2]),
        ("number", (), pa.nulls(1), [None]),
        ("boolean", (), ["TRUE", "maybe", None], [1, None, None]),
        ("boolean", (), [1, 0, 2], [1, 0, None]),
        ("boolean", (), pa.nulls(1), [None]),
    ],
)
def test_new_rows_are_encoded_by_the_known_types(kind, levels, values, encoded):
    """Unseen levels get the first unused index; what cannot be read as the type is missing."""
    schema = Schema((Column("x", kind, levels),), Target("y", None))
    matrix = schema.encode(pa.table({"x": pa.array(values)}))
    assert _with_none(matrix[:, 0]) == encoded


def test_columns_are_found_by_name_and_others_are_ignored():
    schema = Schema((Column("b", "number"), Column("a", "number")), Target("y", None))
    table = pa.table({"a": [1], "extra": ["x"], "b": [2]})
    assert schema.encode(table).tolist() == [[2, 1]]
    with pytest.raises(HeldoutError, match="lacks the columns b, a"):
        schema.encode(pa.table({"extra": [1]}))


@pytest.mark.parametrize(
    ("values", "classification", "classes", "encoded"),
    [
        (["b", "a", "b"], None, ("a", "b"), [1, 0, 1]),
        (["1", "2.5"], None, None, [1, 2.5]),
        ([1, 2], None, None, [1, 2]),
        (["True", "False"], None, ("False", "True"), [1, 0]),
        ([True, False], None, ("false", "true"), [1, 0]),
        (pa.array([10, 2]).dictionary_encode(), None, (2, 10), [1, 0]),
        (["1", "1.0", "2", "10"], True, (1, 2, 10), [0, 0, 1, 2]),
        ([1.0, 2.0], True, (1, 2), [0, 1]),
        (["-1", "1"], True, (-1, 1), [0, 1]),
        (["0.5", "0.50", "1", "10"], True, (0.5, 1, 10), [0, 0, 1, 2]),
        (["1", "x"], True, ("1", "x"), [0, 1]),
        (["-inf", "1"], True, ("-inf", "1"), [0, 1]),
        ([LONG + "3", LONG + "2"], True, (LONG + "2", LONG + "3"), [1, 0]),
        ([dt.date(2020, 1, 2), dt.date(2020, 1, 1)], True, ("2020-01-01", "2020-01-02"), [1, 0]),
        (pa.array(["x", "y"], pa.large_string()), True, ("x", "y"), [0, 1]),
        (pa.array([2.5, 1]).dictionary_encode(), False, None, [2.5, 1]),
    ],
)
def test_targets(values, classification, classes, encoded):
    values = values if isinstance(values, pa.Array) else pa.array(values)
    target = infer_target("y", values, classification)
    assert target.classes == classes
    assert target.encode(values).tolist() == encoded


@pytest.mark.parametrize("values", [["a", "b"], [True, False], ["1", "x"]])
def test_a_regression_needs_numbers(values):
    with pytest.raises(HeldoutError, match="target 'y' is not a number everywhere"):
        infer_target("y", pa.array(values), False)


@pytest.mark.parametrize("classification", [None, False])
def test_dates_are_no_target_of_a_regression(classification):
    """Microseconds since 1970 are not what anybody means."""
    days = pa.array([dt.date(2020, 1, 2), dt.date(2020, 1, 1)])
    if classification is None:
        assert infer_target("y", days, None).classes == ("2020-01-01", "2020-01-02")
    else:
        with pytest.raises(HeldoutError, match="target 'y' holds dates, not numbers"):
            infer_target("y", days, False)


@pytest.mark.parametrize(
    ("classes", "values"),
    [(("a", "b"), ["c", "a"]), ((1, 2), ["x", "1.0"]), ((1, 2), [7, 1]), ((0.5, 1), ["3", "0.50"])],
)
def test_a_class_that_training_lacks_is_one_past_the_last(classes, values):
    codes = Target("y", classes).encode(pa.array(values))
    assert codes.tolist() == [2, 0]
    assert codes.dtype == np.int64


def test_a_schema_survives_json():
    import json

    columns = (Column("a", "number"), Column("b", "category", ("x", "y")))
    for classes in (None, ("u", "v"), (0.5, 1)):
        schema = Schema(columns, Target("t", classes), ("?",))
        assert schema_from_json(json.loads(json.dumps(schema.as_json()))) == schema
