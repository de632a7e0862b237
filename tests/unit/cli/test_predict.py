"""`heldout predict`: the final model on new rows."""

import csv
import io

import joblib
import numpy as np
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
