"""`heldout predict`: the final model on new rows."""

import contextlib
import csv
import io
import sqlite3
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from small_study import small_table
from tables import write_csv, write_parquet

from heldout.cli import main
from heldout.selection.final import Predictor

MODEL = "results/small/final/model.joblib"


def predicted(capsys, *arguments):
    assert main(["predict", *arguments]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def failed(capsys, *arguments):
    assert main(["predict", *arguments]) == 1
    shown = capsys.readouterr()
    assert not shown.out
    return shown.err


def test_rows_are_numbered_from_one_and_labelled(project, capsys):
    rows = predicted(capsys, MODEL, "small.csv")
    assert [row["row"] for row in rows] == [str(i) for i in range(1, 61)]
    expected = joblib.load(MODEL).predict("small.csv").tolist()
    assert [row["prediction"] for row in rows] == expected
    assert list(rows[0]) == ["row", "prediction"]


def test_a_results_folder_stands_for_its_final_model(project, capsys):
    assert predicted(capsys, "results/small", "small.csv") == predicted(capsys, MODEL, "small.csv")


def test_probabilities_have_a_column_for_each_class(project, capsys):
    rows = predicted(capsys, MODEL, "small.csv", "--proba")
    found = np.array([[float(row["p_no"]), float(row["p_yes"])] for row in rows])
    assert found.tolist() == joblib.load(MODEL).predict_proba("small.csv").tolist()


def test_other_formats_extra_columns_and_another_order(project, capsys):
    table = small_table()
    texts = [None if text == "?" else text for text in table["colour"]]
    other = {"extra": [1] * 60, "colour": texts, "width": table["width"], "length": table["length"]}
    write_parquet(project / "new.parquet", other)
    before = predicted(capsys, MODEL, "small.csv", "--proba")
    assert predicted(capsys, MODEL, "new.parquet", "--proba") == before


def test_a_file_instead_of_the_screen(project, capsys):
    rows = predicted(capsys, MODEL, "small.csv")
    assert main(["predict", MODEL, "small.csv", "--output", "deep/new.csv"]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "60 predictions in deep/new.csv\n"
    with (project / "deep" / "new.csv").open() as file:
        assert list(csv.DictReader(file)) == rows


def test_missing_columns_are_named(project, capsys):
    table = small_table()
    write_csv(project / "new.csv", {"width": table["width"], "y": table["y"]})
    message = failed(capsys, MODEL, "new.csv")
    assert message == "heldout: the table lacks the columns length, colour\n"


def test_infinite_values_are_refused(project, capsys):
    write_csv(project / "new.csv", small_table() | {"width": [np.inf] * 60})
    assert "the model refuses these rows" in failed(capsys, MODEL, "new.csv")


def test_files_that_are_no_models(project, capsys):
    assert "no model at 'none.joblib'" in failed(capsys, "none.joblib", "small.csv")
    assert "no model at 'results/final/model.joblib'" in failed(capsys, "results", "small.csv")
    assert "cannot be read as a model" in failed(capsys, "small.csv", "small.csv")
    whole = (project / MODEL).read_bytes()
    (project / "half.joblib").write_bytes(whole[: len(whole) // 2])
    assert "cannot be read as a model" in failed(capsys, "half.joblib", "small.csv")
    joblib.dump([1], project / "list.joblib")
    assert "holds a list, not a model of heldout" in failed(capsys, "list.joblib", "small.csv")
    assert "no file at 'none.csv'" in failed(capsys, MODEL, "none.csv")


class Echo:
    """A model that repeats its first feature and knows no probabilities."""

    def predict(self, features):
        return features[:, 0]


class Straight:
    """Transforms nothing."""

    def transform(self, features):
        return features


class Steps(list):
    def __getitem__(self, place):
        return Straight() if isinstance(place, slice) else Echo()


def echo(path, column, classes):
    """A model of one feature."""
    schema = {"columns": [column], "target": {"name": "y", "classes": classes}, "missing": ["?"]}
    joblib.dump(Predictor(Steps(), schema), path)
    return str(path)


WIDTH = {"name": "width", "kind": "number", "levels": []}
COLOUR = {"name": "colour", "kind": "category", "levels": ["blue", "red"]}


def test_numbers_are_written_in_full_and_have_no_probabilities(project, capsys):
    model = echo(project / "echo.joblib", WIDTH, None)
    rows = predicted(capsys, model, "small.csv")
    assert [float(row["prediction"]) for row in rows] == small_table()["width"]
    message = failed(capsys, model, "small.csv", "--proba")
    assert "the model predicts a number, which has no probabilities" in message


def test_what_the_config_called_missing_is_missing_in_new_rows(project, capsys):
    write_csv(project / "new.csv", {"colour": ["red", "?", "green", None]})
    rows = predicted(capsys, echo(project / "echo.joblib", COLOUR, None), "new.csv")
    assert [row["prediction"] for row in rows] == ["1.0", "nan", "2.0", "nan"]


def test_a_classifier_without_probabilities(project, capsys):
    model = echo(project / "echo.joblib", COLOUR, ["no", "yes"])
    write_csv(project / "new.csv", {"colour": ["red", "blue"]})
    assert [row["prediction"] for row in predicted(capsys, model, "new.csv")] == ["yes", "no"]
    assert "Echo gives no probabilities" in failed(capsys, model, "new.csv", "--proba")


@pytest.mark.parametrize("proba", [[], ["--proba"]])
def test_the_table_may_have_one_row(project, capsys, proba):
    write_csv(project / "one.csv", {"length": [0.5], "width": [None], "colour": ["red"]})
    [row] = predicted(capsys, MODEL, "one.csv", *proba)
    assert row["prediction"] in ("no", "yes")


# --- other spellings, and tables larger than memory --------------------------------------------------


def in_parts(monkeypatch, rows):
    monkeypatch.setattr("heldout.cli.predict.MOST_ROWS", rows)


@pytest.mark.parametrize("rows", [1, 7, 59, 60])
@pytest.mark.parametrize("name", ["new.csv", "new.csv.gz", "new.parquet", "new.sqlite"])
def test_parts_are_predicted_as_the_whole(project, capsys, monkeypatch, rows, name):
    table = small_table()
    if name == "new.parquet":
        texts = [None if text == "?" else text for text in table["colour"]]
        write_parquet(project / name, table | {"colour": texts})
    elif name == "new.sqlite":
        with contextlib.closing(sqlite3.connect(name)) as connection:
            pd.DataFrame(table).to_sql("new", connection, index=False)
    else:
        pd.DataFrame(table).to_csv(name, index=False)
    before = predicted(capsys, MODEL, "small.csv", "--proba")
    in_parts(monkeypatch, rows)
    assert predicted(capsys, MODEL, name, "--proba") == before


def test_a_new_file_may_have_another_dialect(project, capsys):
    before = predicted(capsys, MODEL, "small.csv", "--proba")
    frame = pd.DataFrame(small_table())
    for keys in (
        {"sep": ";", "decimal": ","},
        {"sep": "\t", "encoding": "utf-16"},
        {"sep": "|", "quoting": csv.QUOTE_ALL},
    ):
        frame.to_csv("new.csv", index=False, **keys)
        assert predicted(capsys, MODEL, "new.csv", "--proba") == before, keys


def test_in_doubt_new_rows_are_read_as_those_of_the_training(project, capsys):
    path = echo(project / "echo.joblib", WIDTH, None)
    (project / "new.csv").write_text("width;z\n1,234;x\n")
    assert predicted(capsys, path, "new.csv")[0]["prediction"] == "1.234"
    model = joblib.load(path)
    model.reading = {"decimal": ".", "thousands": ","}
    joblib.dump(model, path)
    assert predicted(capsys, path, "new.csv")[0]["prediction"] == "1234.0"


def test_the_model_knows_how_its_table_was_read(project):
    found = joblib.load(MODEL).reading
    assert (found["format"], found["delimiter"], found["decimal"]) == ("csv", ",", ".")


def test_a_column_that_stands_twice_is_refused(project, capsys):
    path = echo(project / "echo.joblib", WIDTH, None)
    (project / "new.csv").write_text("width,width\n1,2\n")
    assert "has the column 'width' twice, and the model was trained with one" in failed(
        capsys, path, "new.csv"
    )


def test_no_file_is_left_where_a_later_part_fails(project, capsys, monkeypatch):
    in_parts(monkeypatch, 10)
    (project / "new.csv").write_text("width\n" + "1\n" * 30 + "1,2\n")
    path = echo(project / "echo.joblib", WIDTH, None)
    assert "line 32 of 'new.csv' has 2 fields" in failed(
        capsys, path, "new.csv", "--output", "out.csv"
    )
    assert not list(project.glob("*out.csv*"))


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
@pytest.mark.parametrize("keys", [[], ["--output", "out.csv"]])
def test_what_cannot_be_read_is_said_once_for_the_whole_file(
    project, capsys, monkeypatch, rows, keys
):
    in_parts(monkeypatch, rows)
    path = echo(project / "echo.joblib", WIDTH, None)
    (project / "new.csv").write_text("width\n1\n2\nabc\n4\nx\n6\ny\n")
    assert main(["predict", path, "new.csv", *keys]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "column" in line]
    assert said == [
        "heldout: column 'width': 3 values are not a number, and taken for missing "
        "(first: 'abc' in row 3)"
    ]


def test_with_probabilities_it_is_said_once_too(project, capsys):
    pd.DataFrame(small_table() | {"width": ["abc"] * 60}).to_csv("new.csv", index=False)
    assert main(["predict", MODEL, "new.csv", "--proba"]) == 0
    assert capsys.readouterr().err.count("60 values are not a number") == 1


def test_what_is_doubtful_in_a_new_file_is_said_once(project, capsys, monkeypatch):
    in_parts(monkeypatch, 1)
    path = echo(project / "echo.joblib", WIDTH, None)
    (project / "new.csv").write_text("width;z\n1,234;x\n1,5;x\n2.5;x\n")
    assert main(["predict", path, "new.csv"]) == 0
    assert capsys.readouterr().err.count("numbers have decimal commas") == 1


PEAK = """
import resource, sys
from heldout.cli import main
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
main(["predict", sys.argv[1], sys.argv[2], "--output", "out.csv"])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_a_large_table_takes_little_memory(project):
    """300,000 rows of 14 columns: 37 MB as csv, and three times as much in memory."""
    row = "1.25,2.5,blue," + ",".join(["some text"] * 11) + "\n"
    with (project / "new.csv").open("w") as file:
        file.write("width,length,colour," + ",".join(f"t{i}" for i in range(11)) + "\n")
        for _ in range(30):
            file.write(row * 10_000)
    done = subprocess.run(
        [sys.executable, "-c", PEAK, MODEL, "new.csv"], capture_output=True, text=True, check=True
    )
    assert "300000 predictions" in done.stderr
    assert float(done.stdout) < 150
