"""A table in time order through Snakemake: another gap fits only what changed; a window holds to the end."""

import json

import numpy as np
from harness import MODEL, Project

from heldout.resampling.split_file import read_split
from heldout.selection.sealed_predictions import read_predictions


def in_time(project: Project) -> Project:
    """A row a day, in mixed order; the smallest task: table, target, time, learners."""
    head, *rows = project.lines
    order = np.random.default_rng(3).permutation(len(rows))
    days = np.datetime64("2024-01-01") + order
    project.lines = [f"{head},day", *(f"{row},{day}" for row, day in zip(rows, days, strict=True))]
    task = {
        "data": "birds.csv",
        "target": "species",
        "time": "day",
        "learners": ["tree", "majority"],
    }
    project.task.clear()
    project.task.update(task | {"rolling": {"blocks": 6}})
    return project


def test_another_gap_fits_only_what_changed(tmp_path) -> None:
    project = in_time(Project(tmp_path))
    thetas = 3
    assert project.fitted(project.succeed(MODEL)) == thetas * (1 + 1 + 5)
    project.task["rolling"] = {"blocks": 6, "gap": 0, "window": None}
    assert project.succeed(MODEL).jobs["fit_cells"] == 0
    project.task["rolling"] = {"blocks": 6, "gap": "1d"}
    before = project.cells()
    refitted = project.fitted(project.succeed(MODEL))
    assert refitted == len(
        [cell for cell, when in project.cells().items() if before.get(cell) != when]
    )
    split = read_split(project.results / "splits" / "rolling.csv")
    assert len(np.unique(split["block"])) == 6


def test_a_task_in_time_order_runs_to_its_end(tmp_path) -> None:
    project = in_time(Project(tmp_path))
    project.task["rolling"] = {"blocks": 6, "window": "30d"}
    project.task["metrics"] = ["balanced_accuracy"]
    project.succeed()
    card = json.loads((project.results / "final" / "card.json").read_text())
    assert card["trained_on"]["rows"] == 30
    assert card["time"]["column"] == "day"
    assert "day" not in card["features"]
    sealed = read_predictions(project.results / "vault")
    rows = np.load(project.results / "data" / "rows.npy")
    assert sealed.time is not None
    assert sealed.time.min() > rows["time"].max()
    page = (project.results / "report.html").read_text()
    assert "Risk over time" in page
    shown = project.show()
    assert shown.code == 0, shown.text
    assert "nested rolling origin" in shown.text
    assert project.check().code == 0
