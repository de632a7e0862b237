"""The sealed rows: one rule reads them, for one selection, and every opening is on record."""

import ast
import csv
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import ESTIMATES, REPO, TASK, Project, Run, table_lines

SEALED = f"results/{TASK}/vault/sealed.parquet"
OPEN = ("--forcerun", "open_test")
AGAIN = ("--config", "open_again=true")
REFUSED = "the test set has judged an earlier selection"


def ledger(project: Project) -> list[dict[str, Any]]:
    paths = sorted((project.folder / ".heldout" / "ledger").iterdir())
    return [json.loads(path.read_text()) for path in paths]


def read(project: Project, name: str, task: str = TASK) -> dict[str, Any]:
    return json.loads((project.folder / "results" / task / name).read_text())


def state(project: Project, task: str = TASK) -> tuple[str, int]:
    test = read(project, "selection.json", task)["test"]
    return test["state"], test["count"]


def sealed_test(project: Project, task: str = TASK) -> list[dict[str, str]]:
    """The rows of estimates.csv for the sealed test of the choice between learners."""
    with (project.folder / "results" / task / "estimates.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if (row["learner"], row["estimator"]) == ("all", "test")]


def select_majority(project: Project) -> None:
    """Leave a single learner, so that something else is selected than in the cold run."""
    project.task["learners"] = ["majority"]


def test_a_cold_run_opens_the_test_set_once(cold: Project) -> None:
    [entry] = ledger(cold)
    selection = read(cold, "selection.json")
    assert (entry["learner"], entry["theta"]) == (selection["learner"], selection["theta"])
    assert entry["count"] == 1
    assert state(cold) == ("opened", 1)
    assert read(cold, "final/card.json")["test"] == selection["test"]


def test_the_same_selection_may_be_tested_again(cold: Project, project: Project) -> None:
    project.succeed(ESTIMATES, *OPEN)
    assert ledger(project) == ledger(cold)
    assert project.snapshot("estimates.csv") == cold.snapshot("estimates.csv")


def test_deleted_results_do_not_reset_the_ledger(cold: Project, project: Project) -> None:
    shutil.rmtree(project.folder / "results")
    project.succeed(ESTIMATES)
    assert ledger(project) == ledger(cold)
    assert project.snapshot("estimates.csv") == cold.snapshot("estimates.csv")

    shutil.rmtree(project.folder / "results")
    select_majority(project)
    project.succeed()
    assert_refused(project)


# --- another selection -----------------------------------------------------------------------------


def assert_refused(project: Project, task: str = TASK, entries: int = 1) -> None:
    """No test row, and every file says why."""
    selection = read(project, "selection.json", task)
    assert selection["test"]["state"] == "refused"
    assert REFUSED in selection["test"]["message"]
    assert "heldout run -- --config open_again=true" in selection["test"]["message"]
    assert sealed_test(project, task) == []
    assert len(ledger(project)) == entries
    assert read(project, "final/card.json", task)["test"] == selection["test"]
    folder = project.folder / "results" / task
    assert REFUSED in (folder / "report.html").read_text()
    with (folder / "checks.csv").open(newline="") as file:
        [h012] = [row for row in csv.DictReader(file) if row["code"] == "H012"]
    assert h012["status"] == "fail"
    assert REFUSED in h012["message"]


def test_a_refusal_finishes_everything_else(cold: Project, project: Project) -> None:
    select_majority(project)
    project.succeed()
    assert_refused(project)
    selection, card = read(project, "selection.json"), read(project, "final/card.json")
    assert selection["learner"] == card["learner"] == "majority"
    assert {row["learner"] for row in csv_rows(project, "estimates.csv")} == {"majority", "all"}
    shown = project.show()
    said = " ".join(shown.text.split())  # long lines are broken
    assert "selected majority (1 θ of 1 learner tried)" in said
    assert f"sealed test none {REFUSED}" in said

    project.config["tasks"][TASK] = json.loads(json.dumps(cold.task))
    project.succeed()
    assert state(project) == ("opened", 1)
    assert project.snapshot("estimates.csv") == cold.snapshot("estimates.csv")
    assert len(ledger(project)) == 1


def csv_rows(project: Project, name: str) -> list[dict[str, str]]:
    with (project.results / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_another_selection_is_admitted_at_a_price(project: Project) -> None:
    select_majority(project)
    project.succeed(*AGAIN)
    assert [entry["count"] for entry in ledger(project)] == [1, 2]
    assert state(project) == ("opened again", 2)
    second_look = widths(project)
    again = project.succeed()
    assert "fit_cells" not in again.jobs
    assert state(project) == ("opened again", 2)
    assert widths(project) == second_look
    assert len(ledger(project)) == 2

    for folder in ("results", ".heldout"):
        shutil.rmtree(project.folder / folder)
    project.succeed(ESTIMATES)
    first_look = widths(project)
    assert first_look.keys() == second_look.keys()
    assert "clopper_pearson" in first_look
    assert all(second_look[name] > width for name, width in first_look.items() if width < 1)


def widths(project: Project) -> dict[str, float]:
    """The width of each interval for the test risk."""
    return {r["interval"]: float(r["ci_high"]) - float(r["ci_low"]) for r in sealed_test(project)}


def test_another_level_is_no_new_look(project: Project) -> None:
    """The same selection on the same rows: nothing is added, and the same is predicted."""
    before, predicted = ledger(project), project.snapshot("vault/predictions.parquet")
    [risk] = {row["risk"] for row in sealed_test(project)}
    project.config["level"] = 0.99
    run = project.succeed()
    assert run.jobs["score_test"] == 1
    assert ledger(project) == before
    assert project.snapshot("vault/predictions.parquet") == predicted
    assert {(row["risk"], row["level"]) for row in sealed_test(project)} == {(risk, "0.99")}


# --- what used to give a fresh look ----------------------------------------------------------------


def another_seed(project: Project) -> str:
    project.config["seed"] = 6
    return TASK


def another_share(project: Project) -> str:
    project.task["test"] = 0.24
    return TASK


def no_strata(project: Project) -> str:
    project.task["kfold"]["stratify"] = False
    return TASK


def other_missing_values(project: Project) -> str:
    project.task.update(missing=["a", "b", "c"], learners=["majority"])
    return TASK


def another_name(project: Project) -> str:
    project.config["tasks"]["voegel"] = project.config["tasks"].pop(TASK)
    project.config["tasks"]["voegel"]["learners"] = ["majority"]
    return "voegel"


def another_task(project: Project) -> str:
    project.config["tasks"]["second"] = {**project.task, "learners": ["majority"]}
    return "second"


@pytest.mark.parametrize(
    "evade",
    [
        another_seed,
        another_share,
        no_strata,
        other_missing_values,
        another_name,
        another_task,
    ],
)
def test_rows_that_have_judged_are_known_again(
    project: Project, evade: Callable[[Project], str]
) -> None:
    task = evade(project)
    project.succeed(f"results/{task}/report.html")
    assert_refused(project, task)


def test_one_more_row_is_no_fresh_look(tmp_path: Path) -> None:
    project = Project(tmp_path, lines=table_lines(60))
    project.succeed(ESTIMATES)
    project.lines.append("0.5,0.5,a,adelie")
    project.succeed()
    assert_refused(project)
    assert " of its 12 rows" in read(project, "selection.json")["test"]["message"]


def test_a_renamed_task_with_the_same_selection_is_the_same_opening(
    cold: Project, project: Project
) -> None:
    """The folds depend on the task's name, the sealed rows do not."""
    project.task["learners"] = ["majority"]
    project.succeed(ESTIMATES, *AGAIN)
    before = ledger(project)
    project.config["tasks"]["voegel"] = project.config["tasks"].pop(TASK)
    project.succeed("results/voegel/report.html")
    assert ledger(project) == before
    assert state(project, "voegel") == ("opened again", 2)


def test_tasks_of_one_config_share_sealed_rows_and_are_counted(
    cold: Project, tmp_path: Path
) -> None:
    project = Project(tmp_path / "two")
    project.folder.mkdir()
    project.config["tasks"]["second"] = {**project.task, "learners": ["majority"]}
    project.succeed()
    first, second = sorted(ledger(project), key=lambda entry: entry["count"])
    assert (first["task"], second["task"]) == (TASK, "second")
    assert first["sealed"] == second["sealed"]
    assert first["group"] == second["group"]
    assert state(project) == ("opened", 1)
    assert state(project, "second") == ("opened again", 2)
    assert project.snapshot("estimates.csv") == cold.snapshot("estimates.csv")
    assert sealed_test(project, "second")

    project.config["tasks"]["second"]["test"] = 0.24
    run = project.succeed("--dry-run")
    assert not run.code
    run = project.succeed()
    assert "share a table and a target, and do not seal the same rows (test differ)" in run.text
    assert state(project) == ("opened", 1)
    assert_refused(project, "second", entries=2)


def test_another_target_is_said_and_not_counted(project: Project) -> None:
    project.config["tasks"]["islands"] = {**project.task, "target": "island"}
    project.succeed()
    assert state(project, "islands") == ("opened", 1)
    [note] = read(project, "vault/opening.json", "islands")["notes"]
    assert f"have judged a selection of 'species' in task '{TASK}'" in note
    assert "not counted" in (project.folder / "results/islands/report.html").read_text()
    assert len(ledger(project)) == 2


# --- a ledger that is not as it was ----------------------------------------------------------------


def delete_ledger(project: Project) -> str:
    shutil.rmtree(project.folder / ".heldout")
    return "opening 1 is missing"


def edit_ledger(project: Project) -> str:
    path = project.folder / ".heldout" / "ledger" / "000001.json"
    entry = json.loads(path.read_text())
    path.write_text(json.dumps(entry | {"row_digests": ""}))
    return "opening 1 has been changed"


@pytest.mark.parametrize("damage", [delete_ledger, edit_ledger])
def test_a_damaged_ledger_is_noticed_by_the_next_run(
    cold: Project, project: Project, damage: Callable[[Project], str]
) -> None:
    """Although nothing else changed, so that the numbers stay."""
    said = damage(project)
    run = project.succeed()
    assert_said(project, run, said)
    assert state(project) == ("opened", 1)
    assert project.snapshot("estimates.csv") == cold.snapshot("estimates.csv")
    assert "Nothing to be done" in project.succeed().text


@pytest.mark.parametrize("damage", [delete_ledger, edit_ledger])
def test_a_damaged_ledger_gives_no_fresh_look(
    project: Project, damage: Callable[[Project], str]
) -> None:
    said = damage(project)
    select_majority(project)
    run = project.succeed()
    assert_said(project, run, said)
    assert state(project) == ("refused", 2)
    assert sealed_test(project) == []


def test_a_shortened_ledger_is_noticed(project: Project) -> None:
    select_majority(project)
    project.succeed(*AGAIN)
    (project.folder / ".heldout" / "ledger" / "000002.json").unlink()
    assert_said(project, project.succeed(), "opening 2 is missing")
    assert state(project) == ("opened again", 2)


def assert_said(project: Project, run: Run, what: str) -> None:
    """By the run, by H012 and by the report."""
    assert f"the ledger of openings is damaged: {what}" in run.text
    [h012] = [row for row in csv_rows(project, "checks.csv") if row["code"] == "H012"]
    assert h012["status"] == "fail"
    assert what in h012["message"]
    assert (
        f"The ledger of openings is damaged: {what}"
        in (project.results / "report.html").read_text()
    )


# --- nobody else may read it -----------------------------------------------------------------------


def modes(*folders: Any) -> set[tuple[bool, int]]:
    paths = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    return {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}


def test_vault_and_ledger_are_private(project: Project) -> None:
    secret = (project.results / "vault", project.folder / ".heldout")
    assert modes(*secret) == {(True, 0o700), (False, 0o600)}
    project.config["vault"] = "shared"
    before = os.umask(0o002)
    try:
        project.succeed(ESTIMATES)
    finally:
        os.umask(before)
    assert modes(*secret) == {(True, 0o775), (False, 0o664)}


# --- nobody else reads them ----------------------------------------------------------------


def test_nobody_but_open_test_and_train_all_has_the_sealed_rows_as_an_input(
    project: Project,
) -> None:
    """And train_all waits for the opening."""
    project.task["refit"] = "all"
    project.task["metrics"] = ["accuracy"]
    project.task["audit"] = {"replicates": 2, "m": [30], "batch": 2}
    project.config["figures"] = True
    run = project.succeed("--dry-run", "--forceall")
    assert {rule for rule, files in run.inputs.items() if SEALED in files} == {
        "open_test",
        "train_all",
    }
    assert any(name.endswith("vault/opening.json") for name in run.inputs["train_all"])
    assert {rule for rule, files in run.outputs.items() if SEALED in files} == {"prepare_data"}
    assert rules_in_the_workflow() <= set(run.jobs)


def rules_in_the_workflow() -> set[str]:
    files = (REPO / "workflow" / "rules").glob("*.smk")
    return {name for path in files for name in re.findall(r"^rule (\w+):", path.read_text(), re.M)}


def test_only_the_vault_names_the_sealed_file_and_two_steps_read_it() -> None:
    library = REPO / "workflow" / "heldout"
    trees = {str(p.relative_to(library)): ast.parse(p.read_text()) for p in library.rglob("*.py")}
    assert {path for path, tree in trees.items() if names_sealed_file(tree)} == {"data/vault.py"}
    assert users_of("read_sealed", trees) == {
        "execution/steps/open_test.py",
        "execution/steps/train_all.py",
    }
    assert users_of("write_sealed", trees) == {"data/prepare.py"}


def names_sealed_file(tree: ast.Module) -> bool:
    """Whether a text in the code (not in a docstring) speaks of a parquet file that is sealed."""
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return any(isinstance(text, str) and text.endswith("sealed.parquet") for text in texts)


def users_of(function: str, trees: dict[str, ast.Module]) -> set[str]:
    """The modules that import a function or use it as an attribute of its module."""
    return {
        path
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.alias) and node.name == function)
        or (isinstance(node, ast.Attribute) and node.attr == function)
    }
