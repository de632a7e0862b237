"""Results opened for reading: tables with numbers and texts, and the recommended rows."""

import pytest

from heldout.errors import HeldoutError
from heldout.results.tables import Table, chosen_of_each, read_table
from heldout.results.task import TaskResults, open_task, task_names


def test_numbers_are_numbers_and_names_stay_texts(tmp_path):
    text = "learner,estimator,risk,n,ci_high\n1,kfold,0.5,20,inf\n2,kfold,,7,-1e-3\n"
    (tmp_path / "estimates.csv").write_text(text)
    table = read_table(tmp_path / "estimates.csv")
    assert table.rows[0] == dict(learner="1", estimator="kfold", risk=0.5, n=20, ci_high=None)
    assert table.rows[1] == dict(learner="2", estimator="kfold", risk=None, n=7, ci_high=-0.001)
    assert read_table(tmp_path / "none.csv") is None


def test_true_and_false_are_truths_and_words_stay_texts(tmp_path):
    text = "interval_target,recommended,note\n1,True,\n,False,7\n,,\n"
    (tmp_path / "estimates.csv").write_text(text)
    assert read_table(tmp_path / "estimates.csv").rows == [
        {"interval_target": "1", "recommended": True, "note": None},
        {"interval_target": None, "recommended": False, "note": "7"},
        {"interval_target": None, "recommended": None, "note": None},
    ]


def estimate(learner, interval, recommended, note=None):
    return {
        "learner": learner,
        "estimator": "kfold",
        "risk": 0.2,
        "se": 0.1,
        "ci_low": 0.1,
        "ci_high": 0.3,
        "interval": interval,
        "interval_target": "the risk",
        "recommended": recommended,
        "level": 0.95,
        "note": note,
    }


def test_the_recommended_interval_wherever_it_stands():
    rows = [estimate("knn", "a", False), estimate("all", "c", True), estimate("knn", "b", True)]
    assert Table(list(rows[0]), rows).recommended() == {
        ("knn", "kfold"): rows[2],
        ("all", "kfold"): rows[1],
    }


def test_an_interval_that_may_not_hold_is_left_out_and_the_reason_kept():
    rows = [estimate("knn", "a", False, "no interval holds"), estimate("knn", "b", False)]
    [row] = Table(list(rows[0]), rows).recommended().values()
    emptied = ("se", "ci_low", "ci_high", "interval", "interval_target", "level")
    assert [row[name] for name in emptied] == [None] * 6
    assert (row["risk"], row["note"]) == (0.2, "no interval holds")
    assert rows[0]["ci_low"] == 0.1  # the table itself keeps it


def test_the_chosen_row_of_each_or_the_first():
    rows = ["a1", "b1", "a2!", "a3!", "b2"]
    found = chosen_of_each(rows, lambda row: row[0], lambda row: row.endswith("!"))
    assert found == {"a": "a2!", "b": "b1"}


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
