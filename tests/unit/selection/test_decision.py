"""The final model and its threshold: what identifies it, and models of earlier versions."""

import csv
import json
import pickle
from pathlib import Path
from typing import Any

import joblib
import pytest
from inprocess import run_task
from small_study import CONFIG, small_table

from heldout.selection.final import Predictor


def card(folder: Path, **keys: Any) -> dict[str, Any]:
    """What is known of the final model of a small study in a folder of its own."""
    folder.mkdir()
    table = small_table()
    with (folder / "small.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    task = CONFIG["tasks"]["small"] | {"data": str(folder / "small.csv"), "estimators": ["kfold"]}
    learners = {"knn": {"estimator": "knn", "grid": {"n_neighbors": [9]}}}
    task |= {"test": 0, "learners": ["knn"], **keys}
    config = {"tasks": {"small": task}, "learners": learners}
    return json.loads((run_task(config, folder).folder / "final" / "card.json").read_text())


def test_threshold_and_positive_class_identify_a_selection(tmp_path: Path) -> None:
    plain = card(tmp_path / "a", positive="no")
    assert (plain["threshold"], plain["positive"]) == (None, None)
    assert plain["identity"] == card(tmp_path / "b", positive="yes")["identity"]
    cards = [
        card(tmp_path / "c", positive="no", threshold=0.4),
        card(tmp_path / "d", positive="yes", threshold=0.4),
        card(tmp_path / "e", positive="yes", threshold=0.45),
    ]
    assert [(one["threshold"], one["positive"]) for one in cards] == [
        (0.4, "no"),
        (0.4, "yes"),
        (0.45, "yes"),
    ]
    assert len({plain["identity"], *(one["identity"] for one in cards)}) == 4


@pytest.mark.parametrize("threshold", [None, 0.2])
def test_models_of_earlier_versions_still_predict(threshold: float | None, tmp_path: Path) -> None:
    card(tmp_path / "study", threshold=threshold)
    model = joblib.load(tmp_path / "study/results/small/final/model.joblib")
    table = tmp_path / "study" / "small.csv"
    older = Predictor.__new__(Predictor)
    older.__dict__.update(pipeline=model.pipeline, schema=model.schema)
    older = pickle.loads(pickle.dumps(older))
    assert (older.predict_proba(table) == model.predict_proba(table)).all()
    own = model.classes[0], model.classes[1]
    labels = [own[int(row.argmax())] for row in model.predict_proba(table)]
    assert older.predict(table).tolist() == labels
    assert (model.predict(table).tolist() == labels) == (threshold is None)
