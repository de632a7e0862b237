"""Preparing a table: rows are sealed first, and nothing outside the vault knows them."""

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import prepared, write_csv, write_parquet

from heldout.data.infer_target import infer_target
from heldout.data.prepare import prepare
from heldout.data.reading import Reading
from heldout.data.request import Request
from heldout.data.vault import ROW_DIGEST, SOURCE_ROW, read_sealed
from heldout.errors import HeldoutError
from heldout.files import read_json

N = 40
COLUMNS = {
    "number": [float(i) for i in range(N)],
    "text": ["ab"[i % 2] for i in range(N)],
    "flag": [i % 3 == 0 for i in range(N)],
    "group": [f"g{i // 4}" for i in range(N)],
    "y": ["yes" if i % 4 == 0 else "no" for i in range(N)],
}


def sealed_rows(folder):
    return read_sealed(folder / "vault").column(SOURCE_ROW).to_pylist()


def written(folder):
    """The bytes of every file outside the vault."""
    return {path.name: path.read_bytes() for path in sorted((folder / "data").iterdir())}


def request_for(folder, columns, **given):
    data = write_parquet(folder / "table.parquet", columns)
    return Request(**{"task": "t", "seed": 19, "data": data, "target": "y"} | given)


def run(folder, columns=COLUMNS, **given):
    return prepare(request_for(folder, columns, **given), folder / "data", folder / "vault")


def message_of(folder, columns=COLUMNS, **given):
    with pytest.raises(HeldoutError) as error:
        run(folder, columns, **given)
    assert not (folder / "data").exists()
    return str(error.value)


def test_the_arrays_hold_the_rows_in_order(tmp_path):
    table = prepared(tmp_path, COLUMNS, groups="group")
    assert table.names == ["number", "text", "flag"]
    assert table.features[:3].tolist() == [[0, 0, 1], [1, 1, 0], [2, 0, 0]]
    assert table.target[:5].tolist() == [1, 0, 0, 0, 1]
    assert table.classes == ["no", "yes"]
    assert table.rows["source"].tolist() == list(range(N))
    assert table.rows["unit"].tolist() == [i // 4 for i in range(N)]
    assert set(table.rows["fold"]) == {-1}
    assert table.columns_of("number") == [0]
    assert (table.n, table.grouped, table.classification) == (N, True, True)


def test_sealed_and_unsealed_rows_part_the_table(tmp_path):
    facts = run(tmp_path, test=0.25)
    sealed = sealed_rows(tmp_path)
    kept = np.load(tmp_path / "data" / "rows.npy")["source"].tolist()
    assert sorted(sealed + kept) == list(range(N))
    assert (facts["n"], facts["sealed"], facts["source_rows"]) == (30, 10, N)


def test_the_sealed_rows_are_kept_as_they_were_read(tmp_path):
    run(tmp_path, test=0.25)
    sealed = read_sealed(tmp_path / "vault").to_pylist()
    for row in sealed:
        number = row.pop(SOURCE_ROW)
        assert len(row.pop(ROW_DIGEST)) == 16
        assert row == {name: values[number] for name, values in COLUMNS.items()}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    counts=st.lists(st.integers(2, 12), min_size=2, max_size=4),
    share=st.sampled_from([0.1, 0.25, 0.5]),
    seed=st.integers(0, 99),
)
def test_each_class_is_sealed_by_its_share_to_within_one(tmp_path, counts, share, seed):
    labels = [f"c{i}" for i, count in enumerate(counts) for _ in range(count)]
    run(tmp_path, {"x": list(range(len(labels))), "y": labels}, test=share, seed=seed)
    sealed = [labels[row] for row in sealed_rows(tmp_path)]
    total = max(round(share * len(labels)), 1)
    assert len(sealed) == total
    for i, count in enumerate(counts):
        assert abs(sealed.count(f"c{i}") - count * total / len(labels)) < 1


def test_without_strata_shares_are_left_to_chance(tmp_path):
    columns = {"x": list(range(40)), "y": ["a", "b"] * 20}
    shares = set()
    for seed in range(20):
        run(tmp_path, columns, test=0.25, stratify=False, seed=seed)
        shares.add(sum(row % 2 for row in sealed_rows(tmp_path)))
    assert len(shares) > 1


def test_groups_are_sealed_whole(tmp_path):
    for seed in range(10):
        run(tmp_path, test=0.3, groups="group", seed=seed)
        sealed = {COLUMNS["group"][row] for row in sealed_rows(tmp_path)}
        kept = {COLUMNS["group"][row] for row in np.load(tmp_path / "data" / "rows.npy")["source"]}
        assert len(sealed) == 3
        assert not sealed & kept


def labelled_test(folder, labels, test_labels):
    """The sealed target of a test table of its own, whose labels may be spelled otherwise."""
    columns = {"x": list(range(20)), "y": labels * 10}
    test = write_parquet(folder / "test.parquet", columns | {"y": test_labels * 10})
    prepared(folder, columns, test=test)
    target = infer_target("y", pa.array(labels), None)
    return target.encode(read_sealed(folder / "vault").column("y").combine_chunks())


@pytest.mark.parametrize("labels", [["True", "False"], [True, False], ["TRUE", "FALSE"]])
@pytest.mark.parametrize("test_labels", [["true", "false"], [True, False], ["True", "False"]])
def test_true_and_false_are_labels_however_they_are_written(tmp_path, labels, test_labels):
    assert labelled_test(tmp_path, labels, test_labels).tolist() == [1, 0] * 10


@pytest.mark.parametrize("test_labels", [["Yes", "no"], ["yes ", "no"], ["1", "0"]])
def test_labels_of_a_test_table_that_are_spelled_otherwise_are_refused(tmp_path, test_labels):
    """Every prediction would count as an error."""
    with pytest.raises(HeldoutError, match=r"spell them as there \(no, yes\)"):
        labelled_test(tmp_path, ["yes", "no"], test_labels)


def test_a_new_class_in_a_test_table_is_no_spelling(tmp_path):
    assert labelled_test(tmp_path, ["yes", "no"], ["perhaps", "no"]).tolist() == [2, 0] * 10


def test_a_group_is_one_however_its_number_is_spelled(tmp_path):
    """A group in two folds would be a leak; 01 and 1 are two names all the same."""
    labels = ["1", "1.0", "01", "2.00"]
    columns = {"x": list(range(40)), "g": labels * 10, "y": [float(i) for i in range(40)]}
    unit = prepared(tmp_path, columns, groups="g").rows["unit"][:4]
    assert unit[0] == unit[1]
    assert len(set(unit.tolist())) == 3
    folds = prepared(tmp_path, columns, fold_column="g").rows["fold"][:4]
    assert folds[0] == folds[1]


def test_groups_may_be_a_category_of_the_file(tmp_path):
    group = pa.array(COLUMNS["group"]).dictionary_encode()
    table = prepared(tmp_path, COLUMNS | {"group": group}, groups="group")
    assert table.rows["unit"].tolist() == [i // 4 for i in range(N)]


def test_which_rows_are_sealed_depends_on_seed_table_and_target_only(tmp_path):
    run(tmp_path)
    first = sealed_rows(tmp_path)
    run(tmp_path, COLUMNS | {"number": [0.0] * N})
    assert sealed_rows(tmp_path) == first
    run(tmp_path, seed=20)
    assert sealed_rows(tmp_path) != first
    columns = COLUMNS | {"same": COLUMNS["y"]}
    run(tmp_path, columns, target="same")
    assert sealed_rows(tmp_path) != first
    renamed = write_parquet(tmp_path / "renamed.parquet", COLUMNS)
    run(tmp_path, data=renamed)
    assert sealed_rows(tmp_path) != first
    run(tmp_path, task="other")
    assert sealed_rows(tmp_path) == first
    (tmp_path / "elsewhere").mkdir()
    run(
        tmp_path,
        data=str((tmp_path / "table.parquet").rename(tmp_path / "elsewhere" / "table.parquet")),
    )
    assert sealed_rows(tmp_path) == first


def test_what_counts_as_missing_changes_no_digest(tmp_path):
    run(tmp_path)
    before = read_sealed(tmp_path / "vault").column(ROW_DIGEST).to_pylist()
    run(tmp_path, reading=Reading(missing=["a", "b", "c", "1"]))
    sealed = read_sealed(tmp_path / "vault")
    assert sealed.column("text").null_count == sealed.num_rows
    assert sealed.column(ROW_DIGEST).to_pylist() == before


HOSTILE = {
    "number": ["x", "1e300", None, "nan"],
    "text": ["unseen", None, "7", "a"],
    "flag": ["maybe", None, "1", "TRUE"],
    "group": ["new", "g0", "x", "y"],
}


@pytest.mark.parametrize("column", HOSTILE)
def test_no_unsealed_file_depends_on_a_sealed_feature(tmp_path, column):
    """Even if a sealed value would change a type, a set of levels or a mean."""
    texts = {name: [str(value) for value in values] for name, values in COLUMNS.items()}
    data = write_csv(tmp_path / "table.csv", texts)
    request = request_for(tmp_path, COLUMNS, data=data)
    prepare(request, tmp_path / "data", tmp_path / "vault")
    before = written(tmp_path)
    for i, row in enumerate(sealed_rows(tmp_path)):
        texts[column][row] = HOSTILE[column][i % 4]
    write_csv(tmp_path / "table.csv", texts)
    prepare(request, tmp_path / "data", tmp_path / "vault")
    assert written(tmp_path) == before
    sealed = read_sealed(tmp_path / "vault")
    assert sealed.column(column).to_pylist()[0] == HOSTILE[column][0]


@pytest.mark.parametrize("classification", [True, False])
def test_no_unsealed_file_depends_on_a_sealed_target(tmp_path, classification):
    columns = COLUMNS | {"y": [i % 3 for i in range(N)]}
    given = {"classification": classification, "stratify": False}
    run(tmp_path, columns, **given)
    before = written(tmp_path)
    hostile = list(columns["y"])
    for row in sealed_rows(tmp_path):
        hostile[row] = 1000 + row
    run(tmp_path, columns | {"y": hostile}, **given)
    assert written(tmp_path) == before


def test_a_text_among_sealed_numbers_is_an_error(tmp_path):
    columns = {"x": list(range(N)), "y": [str(i % 10) for i in range(N)]}
    run(tmp_path, columns, stratify=False)
    columns["y"][sealed_rows(tmp_path)[0]] = "oops"
    with pytest.raises(HeldoutError, match="a number in all unsealed rows and a text in a sealed"):
        run(tmp_path, columns, stratify=False)


def test_no_sealing(tmp_path):
    facts = run(tmp_path, test=0)
    assert (facts["n"], facts["sealed"], sealed_rows(tmp_path)) == (N, 0, [])


def test_another_table_as_the_test_set(tmp_path):
    other = {"y": ["no", "never"], "flag": [True, False], "number": [1.5, None], "text": ["a", "z"]}
    test = write_parquet(tmp_path / "test.parquet", other)
    facts = run(tmp_path, test=test, groups="group")
    assert (facts["n"], facts["sealed"]) == (N, 2)
    sealed = read_sealed(tmp_path / "vault").to_pydict()
    assert len(set(sealed.pop(ROW_DIGEST))) == 2
    assert sealed == other | {SOURCE_ROW: [0, 1]}
    assert read_json(tmp_path / "data" / "table.json")["schema"]["target"]["classes"] == [
        "no",
        "yes",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": None}, "test.parquet lacks the columns text"),
        ({"y": None}, "test.parquet lacks the columns y"),
        ({"y": [None, None]}, "target 'y' is missing in all rows of"),
        ({"number": [1.0, math.inf]}, "column 'number' is infinite in 1 rows (first: row 2)"),
    ],
)
def test_a_test_table_is_checked_before_any_fit(tmp_path, changes, message):
    other = {"y": ["no", "yes"], "flag": [True, False], "number": [1, 2], "text": ["a", "b"]}
    kept = {name: values for name, values in (other | changes).items() if values is not None}
    test = write_parquet(tmp_path / "test.parquet", kept)
    assert message in message_of(tmp_path, test=test, groups="group")


def test_a_draw_sees_units_classes_and_folds(tmp_path):
    rows = prepared(tmp_path, COLUMNS, groups="group").rows_to_split
    assert rows.grouped
    assert rows.n == N
    assert rows.unit.tolist() == [i // 4 for i in range(N)]
    assert rows.code.tolist() == [int(i % 4 == 0) for i in range(N)]
    assert rows.classes == ["no", "yes"]
    numbers = prepared(tmp_path, COLUMNS, target="number", drop=["y"]).rows_to_split
    assert (numbers.grouped, numbers.code, numbers.classes) == (False, None, None)


def test_the_users_own_folds(tmp_path):
    folds = ["10", "9", "2", "2"] * 10
    table = prepared(tmp_path, COLUMNS | {"fold": folds}, fold_column="fold")
    assert table.rows["fold"][:4].tolist() == [2, 1, 0, 0]
    assert "fold" not in table.names


@pytest.mark.parametrize(
    ("columns", "given", "message"),
    [
        ({}, {"target": "z"}, "target: no column 'z' in"),
        ({}, {"drop": ["numbr"]}, "drop: no column 'numbr'"),
        ({}, {"drop": ["numbr"]}, "did you mean 'number'?"),
        ({}, {"groups": "grp"}, "groups: no column 'grp'"),
        ({}, {"categories": ["c"]}, "categories: no column 'c'"),
        ({}, {"fold_column": "f"}, "kfold.column: no column 'f'"),
        ({}, {"drop": ["number", "text", "flag", "group"]}, "no feature column besides"),
        (
            {"y": ["no", None, *["yes"] * 38]},
            {"missing_target": "refuse"},
            "target 'y' is missing in 1 of 40 rows (first: row 2)",
        ),
        ({"y": ["no"] * N}, {}, "target 'y' is constant ('no' in all rows)"),
        ({"y": [str(i) + "x" for i in range(N)]}, {}, "as many classes as rows (40)"),
        ({"y": [math.inf, *range(39)]}, {}, "target 'y' is not finite in 1 rows (first: row 1)"),
        (
            {"y": [math.nan, *range(39)]},
            {"missing_target": "refuse"},
            "target 'y' is missing in 1 of 40 rows",
        ),
        ({"y": [None] * N}, {}, "target 'y' is missing in all rows of"),
        ({"y": [None] * 37 + [1, 2, 3]}, {}, "has 3 rows with a target; at least 4 are needed"),
        (
            {"y": [None, None, math.inf, *range(37)]},
            {},
            "target 'y' is not finite in 1 rows (first: row 3)",
        ),
        ({}, {"classification": False}, "is not a number everywhere; for classes set loss"),
        ({"number": [math.inf, *range(39)]}, {"test": 0}, "column 'number' is infinite in 1 rows"),
        (
            {"group": [None, *"abc" * 13]},
            {"groups": "group"},
            "groups: 'group' is missing in row 1",
        ),
        ({"group": ["a"] * N}, {"groups": "group"}, "all rows belong to one group"),
        ({"f": ["1"] * N}, {"fold_column": "f"}, "'f' holds one fold only"),
        (
            {"f": [math.nan, *[1.0, 2.0] * 19, 1.0]},
            {"fold_column": "f", "test": 0},
            "is missing in 1",
        ),
        (
            {"f": ["1", "2"] * 20},
            {"fold_column": "f", "groups": "group", "test": 0},
            "group 'g0' of 'group' lies in two folds of 'f'",
        ),
        ({"number": [[1]] * N}, {}, "column 'number' is of type list"),
        (
            {"y": ["no"] * 39 + ["yes"]},
            {"test": 0.9, "seed": 1},
            "unsealed rows hold one class only",
        ),
    ],
)
def test_errors_are_for_people(tmp_path, columns, given, message):
    assert message in message_of(tmp_path, COLUMNS | columns, **given)


def test_too_few_rows(tmp_path):
    assert "has 3 rows; at least 4" in message_of(tmp_path, {"x": [1, 2, 3], "y": [1, 2, 3]})


def test_empty_columns_and_identifiers_are_noted(tmp_path):
    columns = COLUMNS | {"void": [None] * N, "id": [f"row {i}" for i in range(N)]}
    wide = {name: values * 2 for name, values in columns.items()}
    wide["id"] = [f"row {i}" for i in range(2 * N)]
    facts = run(tmp_path, wide)
    assert [note for note in facts["notes"] if "'void' is empty and not used" in note]
    assert [note for note in facts["notes"] if "'id' has 64 different texts" in note]
    assert "void" not in [column["name"] for column in facts["schema"]["columns"]]


def test_only_empty_columns(tmp_path):
    columns = {"x": pa.nulls(N), "y": COLUMNS["y"]}
    assert "every feature column is empty" in message_of(tmp_path, columns)


def test_dates_are_seconds(tmp_path):
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(N)]
    table = prepared(tmp_path, COLUMNS | {"number": days})
    assert np.diff(table.features[:, 0]).tolist() == [86_400] * (N - 1)


def test_the_digest_sees_texts_that_the_matrix_does_not_hold(tmp_path):
    said = [f"word {i}" for i in range(N)]
    given = {"types": {"said": "text"}}
    one = prepared(tmp_path, COLUMNS | {"said": said}, **given)
    assert one.strings.column("said").to_pylist() == said
    other = prepared(tmp_path, COLUMNS | {"said": ["other", *said[1:]]}, **given)
    assert np.array_equal(one.features, other.features, equal_nan=True)
    assert one.digest != other.digest


def test_the_digest_sees_features_target_and_schema(tmp_path):
    def digest(columns=COLUMNS, **given):
        return prepared(tmp_path, columns, **given).digest

    first = digest()
    assert digest() == first
    assert digest(COLUMNS | {"number": [0.5, *COLUMNS["number"][1:]]}) != first
    assert digest(COLUMNS | {"y": ["no", *COLUMNS["y"][1:]]}) != first
    assert digest(COLUMNS | {"text": ["ac"[i % 2] for i in range(N)]}) != first
    assert digest(categories=["number"]) != first
