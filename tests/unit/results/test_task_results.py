"""Results opened for reading: tables with numbers and texts, and the recommended rows."""

import pytest

from heldout.errors import HeldoutError
from heldout.results.tables import Table, first_of_each, read_table
from heldout.results.task import TaskResults, open_task, task_names


def test_numbers_are_numbers_and_names_stay_texts(tmp_path):
    text = "learner,estimator,risk,n,ci_high\n1,kfold,0.5,20,inf\n2,kfold,,7,-1e-3\n"
    (tmp_path / "estimates.csv").write_text(text)
    table = read_table(tmp_path / "estimates.csv")
    assert table.rows[0] == dict(learner="1", estimator="kfold", risk=0.5, n=20, ci_high=None)
    assert table.rows[1] == dict(learner="2", estimator="kfold", risk=None, n=7, ci_high=-0.001)
    assert read_table(tmp_path / "none.csv") is None


def test_the_first_row_of_an_estimate_is_the_recommended_one():
    rows = [
        {"learner": learner, "estimator": estimator, "interval": interval}
        for learner, estimator, interval in (
            *(("knn", "kfold", "a"), ("knn", "kfold", "b")),
            *(("all", "kfold", "b"), ("knn", "test", "c"), ("all", "kfold", "a")),
        )
    ]
    found = Table(["learner", "estimator", "interval"], rows).recommended()
    assert {place: row["interval"] for place, row in found.items()} == {
        ("knn", "kfold"): "a",
        ("all", "kfold"): "b",
        ("knn", "test"): "c",
    }
    assert first_of_each("abcab", str.upper) == {"A": "a", "B": "b", "C": "c"}


def test_tasks_are_found_by_what_they_have(tmp_path):
    for name in ("b/estimates.csv", "a/logs/fit_cells.1-of-2.log", "a/logs/fit_cells.2-of-2.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert task_names(tmp_path, "estimates.csv") == ["b"]
    assert task_names(tmp_path, "logs/fit_cells.*.log") == ["a"]
    assert task_names(tmp_path / "none", "estimates.csv") == []


def test_a_task_that_is_not_there_is_an_error_that_names_those_there_are(tmp_path):
    (tmp_path / "penguins" / "data").mkdir(parents=True)
    assert open_task(tmp_path, "penguins").name == "penguins"
    with pytest.raises(HeldoutError, match="no task 'pengins' in .*; did you mean 'penguins'?"):
        open_task(tmp_path, "pengins")


def test_a_finished_task(project):
    task = TaskResults(project / "results" / "small")
    assert task.classification
    assert task.has_selection
    assert task.selection["learner"] in {"knn", "tree"}
    assert task.card["learner"] == task.selection["learner"]
    assert task.test == task.card["test"]
    assert task.test["state"] == "opened"
    assert len(task.opening["openings"]) == 1
    assert [row.risk for row in task.estimate_rows()] == [r["risk"] for r in task.estimates.rows]
    assert task.table("nothing") == Table([], [])


def test_an_unfinished_task(tmp_path):
    task = TaskResults(tmp_path / "small")
    assert not task.has_selection
    with pytest.raises(HeldoutError, match="task 'small' has no estimates yet"):
        task.estimate_rows()
