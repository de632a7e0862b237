"""A task with weights runs to the final model; its cells are fitted again if a weight changes."""

import json

import joblib
import numpy as np
from harness import ALL_CELLS, MODEL, Project

from heldout.selection.sealed_predictions import read_predictions


def add_column(project: Project, weights: list[str]) -> None:
    """Give the table a column `w`, repeated until it is full."""
    head, *rows = project.lines
    cells = (f"{row},{weights[i % len(weights)]}" for i, row in enumerate(rows))
    project.lines = [f"{head},w", *cells]


def without_neighbours(project: Project) -> Project:
    """k-NN takes no weights."""
    project.task["learners"].remove("knn")
    return project


def test_a_constant_column_fits_nothing_and_another_weight_everything(tmp_path) -> None:
    project = without_neighbours(Project(tmp_path))
    add_column(project, ["2"])
    project.task["drop"] = ["w"]
    cells = project.fitted(project.succeed(MODEL))
    assert 0 < cells < ALL_CELLS
    del project.task["drop"]
    project.task["weights"] = "w"
    assert project.fitted(project.succeed(MODEL)) == 0
    assert training(project)["weights"] is None
    open_row = int(np.load(project.results / "data" / "rows.npy")["source"][0])
    line = project.lines[open_row + 1]
    project.lines[open_row + 1] = f"{line.rpartition(',')[0]},3"
    assert project.fitted(project.succeed(MODEL)) == cells
    assert training(project)["weights"] == "w"


def test_a_weighted_task_runs_to_its_end(tmp_path) -> None:
    project = without_neighbours(Project(tmp_path))
    add_column(project, ["0", "1", "2.5", "4"])
    project.task.update({"weights": "w", "learners": ["logistic", "tree", "majority"]})
    project.succeed()
    card = json.loads((project.results / "final" / "card.json").read_text())
    assert card["weights"] == "w"
    assert "w" not in card["features"]
    sealed = read_predictions(project.results / "vault")
    assert sealed.weight is not None
    assert sealed.weight.tolist() == [[0, 1, 2.5, 4][row % 4] for row in sealed.row]
    model = joblib.load(project.folder / MODEL)
    new = tmp_path / "new.csv"
    new.write_text("bill,mass,island\n1.5,2,a\n")
    assert len(model.predict(new)) == 1


def training(project: Project) -> dict:
    return json.loads((project.results / "final" / "training.json").read_text())
