"""`heldout check` of a config and its data, and the jobs that a config asks for."""

import re
from pathlib import Path

import pytest
from checking import CELL, ROOT, check, flip
from harness import CONFIG, Project

from heldout.cli import main
from heldout.execution.study import Study
from heldout.execution.upkeep.wanted import jobs_of


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "z"}, "heldout: task 'birds': target: no column 'z' in birds.csv"),
        ({"kfold": {"k": 30}}, "fewer than k = 30 folds"),
        ({"learners": ["logistic"], "loss": "squared"}, "is not for regression"),
        ({"data": "none.csv"}, "no file at 'none.csv'"),
        ({"loss": "brier", "learners": ["ridge"]}, "RidgeClassifier gives no probabilities"),
        ({"tset": 1}, "unknown key 'tset'"),
    ],
)
def test_a_task_that_cannot_run(
    change: dict[str, object], message: str, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    here.task.update(change)
    here.write_inputs()
    code, shown = check(capsys)
    assert code == 1
    assert message in shown


def test_a_grid_that_the_estimator_refuses(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    here.config["learners"]["knn"]["grid"]["n_neighbors"] = [-1]
    here.write_inputs()
    code, shown = check(capsys)
    assert code == 1
    assert "learner 'knn' refuses θ = {\"n_neighbors\":-1}" in shown


def test_one_bad_task_does_not_hide_the_others(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    here.config["tasks"]["bad"] = here.task | {"target": "z"}
    here.write_inputs()
    code, shown = check(capsys)
    assert code == 1
    assert "task 'bad': target: no column 'z'" in shown
    assert "birds: 60 rows to learn from" in shown
    assert "birds: 30 cells and 28 files in results/birds: all whole" in shown


def test_notes_about_the_table_are_passed_on(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    here.lines[:] = [f"{line},{'' if i else 'void'}" for i, line in enumerate(here.lines)]
    here.write_inputs()
    assert "  note: column 'void' is empty and not used" in check(capsys)[1]


def test_other_places(here: Project, capsys: pytest.CaptureFixture[str]) -> None:
    Path("config").mkdir()
    Path(CONFIG).rename("config/config.yaml")
    ROOT.rename("elsewhere")
    flip(Path("elsewhere", CELL.relative_to(ROOT)))
    assert main(["check", "--results", "elsewhere"]) == 1
    shown = capsys.readouterr().out
    assert "damaged  elsewhere/birds/cells/knn/n_neighbors=5/k3.r1.f02.safetensors: " in shown
    assert "mend it by: heldout check --repair, then heldout run\n" in shown
    assert shown.count("damaged  ") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, f"no config at '{CONFIG}'; `heldout init"),
        ("a: [", "is not YAML"),
        ("- a", "should hold keys at its top level"),
        ("", "should hold keys at its top level"),
    ],
)
def test_configs_that_cannot_be_read(
    text: str | None, message: str, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(CONFIG)
    path.unlink() if text is None else path.write_text(text)
    code, shown = check(capsys)
    assert code == 1
    assert message in shown


def test_the_jobs_of_a_config_are_those_of_a_dry_run(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.config |= {"figures": True, "batches": 2}
    project.task["metrics"] = ["accuracy"]
    project.task["estimators"] += ["loo", "montecarlo", "bootstrap"]
    project.task["audit"] = {"m": [30, 40], "replicates": 4, "batch": 2}
    plain = {**project.task, "test": 0, "estimators": ["kfold"], "metrics": [], "audit": None}
    project.config["tasks"]["plain"] = plain
    found = re.findall(r"^    log: results/(.*)\.log", project.succeed("--dry-run").text, re.M)
    study = Study(project.config)
    expected = [
        f"{task}/logs/{job}" if task else f"logs/{job}"
        for task in ("", *study.tasks)
        for job in jobs_of(study, task, batches=2)
    ]
    assert sorted(found) == sorted(expected)
    assert len(expected) == 40
