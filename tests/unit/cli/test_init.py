"""`heldout init`: a first config from a look at the table."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import yaml
from tables import write_csv, write_parquet

from heldout.cli import init as init_module
from heldout.cli import main
from heldout.cli.starters import Size, starters
from heldout.data.survey import survey, task_name
from heldout.execution.rehearse import rehearse
from heldout.execution.study import Study
from heldout.learners.learner import define

N = 100


def columns(n=N, seed=0):
    generator = np.random.default_rng(seed)
    return {
        "width": generator.normal(size=n).tolist(),
        "colour": generator.choice(["red", "blue"], size=n).tolist(),
    }


@pytest.fixture
def init(tmp_path, monkeypatch, capsys):
    """Write a table, run init on it and return the config."""
    monkeypatch.chdir(tmp_path)

    def run(table, *arguments, target="y"):
        write_parquet(tmp_path / "table.parquet", table)
        code = main(["init", "table.parquet", "--target", target, "--force", *arguments])
        assert code == 0, capsys.readouterr().err
        text = (tmp_path / "config" / "config.yaml").read_text()
        config = yaml.safe_load(text)
        rehearse(Study(config), "table", users_code=True)
        return config

    return run


def task(config):
    return config["tasks"]["table"]


CLASSES = {"y": ["no", "yes"] * 50}
NUMBERS = {"y": np.random.default_rng(3).normal(size=N).tolist()}


def test_classes(init):
    config = init(columns() | CLASSES)
    assert task(config)["loss"] == "zero_one"
    assert task(config)["learners"] == ["majority", "logistic", "tree", "forest", "boosting"]
    assert task(config)["kfold"] == {"k": 5, "stratify": True, "repeats": 3}
    assert task(config)["test"] == 0.2
    assert task(config)["drop"] == []
    assert task(config)["groups"] is None
    assert {"kfold", "nested_cv", "test"} <= set(task(config)["estimators"])
    assert set(config["learners"]) == set(task(config)["learners"])


def test_numbers(init):
    config = init(columns() | NUMBERS)
    assert task(config)["loss"] == "squared"
    assert task(config)["learners"] == ["mean", "ridge", "tree", "forest", "boosting"]


@pytest.mark.parametrize(
    ("values", "loss"),
    [
        ([0, 1] * 50, "zero_one"),
        ([1.0, 2.0] * 50, "zero_one"),
        (["1", "2"] * 50, "zero_one"),
        ([True, False] * 50, "zero_one"),
        (list(range(10)) * 10, "zero_one"),
        (list(range(20)) * 5, "squared"),
        ([0] * 50 + [1] * 30 + [2] * 12 + [3] * 5 + [4] * 2 + [17], "squared"),
        ([0] * 50 + [1] * 30 + [2] * 15 + [3] * 5, "zero_one"),
        ([0] * 97 + [1] * 3, "zero_one"),
        ([0.5, 1.0] * 50, "squared"),
        (pa.array([7, 8] * 50).dictionary_encode(), "zero_one"),
    ],
)
def test_a_few_whole_numbers_are_classes(init, values, loss):
    assert task(init(columns() | {"y": values}))["loss"] == loss


def test_both_readings_of_few_whole_numbers_are_said(init, tmp_path):
    for values, note in (([*[0, 1] * 49, 2, 7], "taken for amounts"), ([0, 1] * 50, "for classes")):
        init(columns() | {"y": values})
        text = (tmp_path / "config" / "config.yaml").read_text()
        [line] = [line for line in text.splitlines() if line.startswith("    target:")]
        assert note in line


def test_a_long_list_of_dropped_columns_is_in_the_config_alone(init, tmp_path, capsys):
    config = init(columns() | {f"c{i}": [1] * N for i in range(30)} | CLASSES)
    assert len(task(config)["drop"]) == 30
    shown = capsys.readouterr().out
    assert shown.count("the same value in every row") == 20
    assert "drops 10 more columns: see config/config.yaml" in shown


@pytest.mark.parametrize(
    ("further", "found"),
    [
        (
            {"land": [f"c{i // 5}" for i in range(N)], "year": [2000 + i % 5 for i in range(N)]},
            True,
        ),
        (
            {"firm": [7 * (i // 10) for i in range(N)], "wave": [f"{i % 10}" for i in range(N)]},
            True,
        ),
        (
            {"land": [f"c{i % 5}" for i in range(N)], "year": [2000 + i % 5 for i in range(N)]},
            False,
        ),
        (
            {"land": [f"c{i // 5}" for i in range(N)], "size": [2000 + i % 5 for i in range(N)]},
            False,
        ),
        ({"Month": [i // 20 for i in range(N)], "Day": [i % 20 for i in range(N)]}, False),
    ],
)
def test_units_that_come_again_are_proposed_as_groups(init, tmp_path, further, found):
    assert task(init(columns() | further | NUMBERS))["groups"] is None
    text = (tmp_path / "config" / "config.yaml").read_text()
    unit, time = further
    assert (f"{unit} comes again at each {time}; " in text) == found
    assert (f": groups: {unit}\n" in text) == found


def test_k_follows_the_smallest_class(init, tmp_path):
    config = init(columns() | {"y": ["rare"] * 5 + ["common"] * 95})
    assert task(config)["kfold"] == {"k": 4, "stratify": True, "repeats": 3}
    text = (tmp_path / "config" / "config.yaml").read_text()
    assert "steadier; class rare has only 4 of the rows to learn from\n" in text


def test_a_class_too_small_for_any_stratified_folds(init):
    config = init(columns() | {"y": ["rare"] * 2 + ["common"] * 98})
    assert task(config)["kfold"] == {"k": 5, "stratify": False, "repeats": 3}


@pytest.mark.parametrize(("rows", "few"), [(125, True), (126, False)])
def test_three_partitions_of_a_hundred_rows_or_fewer(init, tmp_path, rows, few):
    """A fifth is sealed: of 125 rows 100 are left to learn from."""
    config = init(columns(rows) | {"y": [0.5 * i for i in range(rows)]})
    assert task(config)["kfold"] == {"k": 5, "stratify": True} | ({"repeats": 3} if few else {})
    text = (tmp_path / "config" / "config.yaml").read_text()
    note = "  # few rows: three partitions make the estimate steadier\n"
    assert (note in text) == few


def test_few_rows_are_not_sealed(init):
    config = init(columns(30) | {"y": [0.5 * i for i in range(30)]})
    assert task(config)["test"] == 0
    assert "test" not in task(config)["estimators"]


def test_the_fewest_rows_that_can_be_prepared(init):
    config = init(columns(4) | {"y": [0.5, 1.25, 2, 7]})
    assert task(config)["kfold"] == {"k": 4, "stratify": True}, "any two partitions are the same"
    assert task(config)["metrics"] == []
    assert config["learners"]["forest"]["grid"]["min_samples_leaf"] == [1]


def test_leaves_suit_the_smallest_training_set(init):
    """Of 30 rows, nested CV trains on 18."""
    config = init(columns(30) | {"y": [0.5 * i for i in range(30)]})
    assert config["learners"]["tree"]["grid"]["min_samples_leaf"] == [1]
    assert config["learners"]["boosting"]["params"] == {"min_samples_leaf": 2}
    assert max(config["learners"]["boosting"]["grid"]["max_leaf_nodes"]) <= 9


def test_more_columns_than_rows_get_a_lasso_on_the_scale_of_the_target(init):
    generator = np.random.default_rng(1)
    wide = {f"x{i}": generator.normal(size=N).tolist() for i in range(2 * N)}
    config = init(wide | {"y": (1000 * generator.normal(size=N)).tolist()})
    assert task(config)["learners"] == ["mean", "ridge", "lasso", "forest", "boosting"]
    low, high, _ = config["learners"]["lasso"]["grid"]["alpha"]["logspace"]
    assert (round(low), round(high)) == (0, 3)


def test_every_axis_has_an_order_of_simplicity(init):
    for table in (CLASSES, NUMBERS):
        for block in init(columns() | table)["learners"].values():
            assert set(block.get("simpler", {})) == set(block.get("grid", {}))


SIZES = [
    # rows, columns, classes, training sets
    (24, 5, 0, 47),
    (24, 5, 2, 47),
    (300, 10, 3, 17),
    (10_000, 20, 2, 17),
    (50_000, 9, 0, 7),
    (80_000, 1000, 2, 2),
    (80_000, 1000, 0, 2),
    (51, 6830, 14, 17),
    (120, 20_000, 2, 17),
]


@pytest.mark.parametrize(("rows", "width", "classes", "sets"), SIZES)
def test_grids_of_any_size_are_not_empty_and_simpler_where_they_cost_more(
    rows, width, classes, sets
):
    def thetas(rows):
        size = Size(rows, max(1, rows * 16 // 25), width, width, classes, 1.0, sets)
        learners = starters(size)
        assert len(learners) >= 2
        return {
            name: define(name, {"estimator": name, "params": one.params, "grid": one.grid}).size
            for name, one in learners.items()
        }

    here, more = thetas(rows), thetas(100 * rows)
    assert {"forest", "boosting"} & set(here)
    if rows >= 300:
        assert all(more[name] <= here[name] for name in ("forest", "boosting") if name in more)


def test_many_rows_do_without_nested_cv(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(init_module, "MANY", 50)
    write_csv(tmp_path / "t.csv", columns() | NUMBERS)
    text = init_module.config_text(survey("t.csv", "y", None))
    config = yaml.safe_load(text)
    assert config["tasks"]["t"]["estimators"] == ["training", "holdout", "kfold", "min_cv", "test"]
    assert "nested_cv costs three times as many fits; 20 sealed rows tell" in text
    monkeypatch.setattr(init_module, "LARGE", 50)
    found = yaml.safe_load(init_module.config_text(survey("t.csv", "y", None)))["tasks"]["t"]
    assert found["estimators"] == ["training", "holdout", "test"]
    assert found["select"]["by"] == "holdout"


def test_models_that_would_fill_a_disk_are_not_kept(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "t.csv", columns() | NUMBERS)
    found = survey("t.csv", "y", None)
    assert "models" not in yaml.safe_load(init_module.config_text(found))
    monkeypatch.setattr(init_module, "MODELS", 1000)
    assert yaml.safe_load(init_module.config_text(found))["models"] == "none"


def test_groups(init, tmp_path):
    groups = [f"g{i // 5}" for i in range(N)]
    config = init(columns() | {"g": groups} | NUMBERS, "--groups", "g")
    assert task(config)["groups"] == "g"
    assert task(config)["test"] == 0
    assert task(config)["kfold"] == {"k": 5, "stratify": True, "repeats": 3}
    assert task(config)["drop"] == []
    text = (tmp_path / "config" / "config.yaml").read_text()
    assert "  # few groups: three partitions make the estimate steadier\n" in text


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("name", [f"Person {i}" for i in range(N)], "a different text in nearly every row"),
        ("rowid", list(range(1, N + 1)), "a different number in every row"),
        ("", list(range(N)), "a different number in every row"),
        ("counter", list(range(N)), "a different number in every row"),
        ("patientId", [1e6 + 17 * i for i in range(N)][::-1], "a different number in every row"),
        ("row index", [f"p{i // 3}" for i in range(N)], "an identifier that repeats"),
        ("state", [f"s{i % 45}" for i in range(N)], "different texts in 80 rows: less"),
        ("title", [f"a tale of {i % 70} cities" for i in range(N)], "types: {title: text}"),
        ("site", ["A"] * N, "the same value in every row"),
        ("tags", [[1, 2]] * N, "of type list"),
    ],
)
def test_poor_columns_are_dropped_with_a_reason(init, tmp_path, name, values, reason):
    config = init(columns() | {name: values} | CLASSES)
    assert task(config)["drop"] == [name or "column_3"]
    [line] = [
        line
        for line in (tmp_path / "config" / "config.yaml").read_text().splitlines()
        if line.startswith("      - ")
    ]
    assert reason in line


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("year", [2000 + i % 30 for i in range(N)]),
        ("Index", [f"{1990 + i // 12}-{1 + i % 12:02}" for i in range(N)]),
        ("quarter", [f"{1990 + i // 4} Q{1 + i % 4}" for i in range(N)]),
        ("state", [f"s{i % 30}" for i in range(N)]),
        ("mass", [50.0 + 0.1 * i for i in range(N)]),
        ("rank", [i ^ 1 for i in range(N)]),
        ("code", [f"c{i % 10}" for i in range(N)]),
        ("paid", [float(i) ** 2 for i in range(N)][::-1]),
        ("site", ["A", None] * 50),
        ("site_id", [i % 3 for i in range(N)]),
    ],
)
def test_other_columns_are_kept(init, name, values):
    assert task(init(columns() | {name: values} | CLASSES))["drop"] == []


def test_a_look_at_features_sees_unsealed_rows_only(tmp_path):
    """A column that is constant but for its sealed rows is constant."""
    from heldout.data.prepare import prepare
    from heldout.data.request import Request

    path = tmp_path / "t.csv"
    table = columns() | {"site": ["A"] * N} | NUMBERS
    data = write_csv(path, table)
    before = survey(data, "y", None)
    prepare(Request("t", 19, data, "y"), tmp_path / "data", tmp_path / "vault")
    kept = set(np.load(tmp_path / "data" / "rows.npy")["source"].tolist())
    table["site"] = ["A" if i in kept else "B" for i in range(N)]
    write_csv(path, table)
    assert survey(data, "y", None) == before
    assert before.drop == {"site": "the same value in every row"}


ODD = ["yes", "1", "1.5", "null", "a: b", "# c", "x #y", "- d", "'", '"', "{", "[e", "é", "2020-01-01", "~", "*f", "&g", "!h", "%i", "@j", "a\nb", " k "]  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_names_survive_yaml(init, name):
    """As target, as a rare class and as a column to drop."""
    labels = [name] * 5 + ["common"] * 95
    table = columns() | {name: labels, name + "x": [f"row {i}" for i in range(N)]}
    found = task(init(table, target=name))
    assert (found["target"], found["drop"]) == (name, [name + "x"])


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("data/penguins.csv", "penguins"),
        ("my table (2).csv.gz", "my_table_2"),
        ("../x/2020.tsv", "2020"),
        ("t.tar.PARQUET", "t_tar"),
        ("sklearn:breast_cancer", "breast_cancer"),
        ("….csv", "task"),
    ],
)
def test_the_task_is_named_for_the_file(data, name):
    assert task_name(data) == name


def test_data_sets_of_scikit_learn(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "sklearn:iris", "--target", "target", "--output", "deep/c.yaml"]) == 0
    shown = capsys.readouterr().out
    assert "wrote deep/c.yaml: task 'iris', 120 rows to learn from, 30 sealed" in shown
    assert "heldout check --config deep/c.yaml" in shown
    assert "heldout run --config deep/c.yaml" in shown
    config = yaml.safe_load((tmp_path / "deep" / "c.yaml").read_text())
    assert config["tasks"]["iris"]["data"] == "sklearn:iris"


def test_an_existing_file_is_left_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text("mine")
    command = ["init", "sklearn:iris", "--target", "target", "--output", "c.yaml"]
    assert main(command) == 1
    assert "'c.yaml' exists; overwrite it with --force" in capsys.readouterr().err
    assert (tmp_path / "c.yaml").read_text() == "mine"
    assert main([*command, "--force"]) == 0
    assert (tmp_path / "c.yaml").read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv", "--target", "y"], "no file at 'none.csv'"),
        (["t.csv", "--target", "z"], "target: no column 'z' in t.csv"),
        (["t.csv", "--target", "y", "--groups", "g"], "groups: no column 'g' in t.csv"),
        (["flat.csv", "--target", "y"], "has no column that looks like a feature"),
    ],
)
def test_errors_leave_no_config_behind(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "t.csv", columns() | CLASSES)
    write_csv(tmp_path / "flat.csv", {"x": ["A"] * N} | CLASSES)
    assert main(["init", *arguments]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "config").exists()


def test_a_column_that_may_be_weights_stays_a_feature_with_a_comment(init):
    config = init(columns() | CLASSES | {"weight": NUMBERS["y"]})
    assert "weights" not in task(config)
    assert task(config)["drop"] == []
    assert "    # weights: weight  # if it says" in Path("config/config.yaml").read_text()
    init(columns() | CLASSES | {"body_weight": NUMBERS["y"]})
    assert "weights:" not in Path("config/config.yaml").read_text()


def test_time(init, tmp_path):
    days = [f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(N)]
    config = init(columns() | NUMBERS | {"day": days}, "--time", "day")
    assert task(config)["time"] == "day"
    assert task(config)["rolling"] == {"blocks": 10, "window": None, "gap": 0}
    assert task(config)["select"]["by"] == "rolling"
    assert "kfold" not in task(config)
    assert task(config)["estimators"] == [
        "training",
        "holdout",
        "rolling",
        "nested_rolling",
        "test",
    ]


def test_few_stamps_make_few_blocks(init, tmp_path):
    config = init(
        columns() | NUMBERS | {"year": [2000 + i % 8 for i in range(N)]}, "--time", "year"
    )
    assert task(config)["rolling"]["blocks"] == 6


@pytest.mark.parametrize(("rows", "width", "classes", "newton"), [
    (106, 12_000, 2, True), (1000, 5000, 2, True), (5000, 1000, 2, True), (3000, 3000, 2, False),
    (300, 2000, 3, True), (3000, 400, 3, False),
])  # fmt: skip
def test_logistic_regression_by_the_smaller_number(rows, width, classes, newton):
    starter = starters(Size(rows, rows * 3 // 5, width, width, classes, 0.0, 17))["logistic"]
    assert starter.params == ({} if newton else {"solver": "lbfgs", "tol": 1e-4})
