"""`heldout check`: what is wrong is named, and goes, so that the next run mends it."""

import json
import os
import time

import pytest
import yaml
from small_study import CONFIG, STEPS, run_step, small_table
from tables import write_csv

from heldout.cells.store import read_score
from heldout.cli import main
from heldout.execution.study import Study

CELLS = "results/small/cells"
CELL = "knn/n_neighbors=5/k3.r1.f02"
MANIFEST = f"{CELLS}/manifests/1-of-1.json"
DERIVED = ["risks.csv", "selection.json", "estimates.csv", "estimates/unsealed.csv"]


def flip(path, place=-50):
    """Change one bit."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def check(capsys, *arguments):
    """The exit code and what was printed."""
    code = main(["check", *arguments])
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def files(project):
    return {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}


def fit_again(project):
    """What the next snakemake does: the fitting job, and how many cells it fitted."""
    study = Study(CONFIG)
    for step in STEPS[2:]:
        run_step(study, project / "results" / "small", step)
    return json.loads((project / MANIFEST).read_text())["fitted"]


def test_all_is_well(project, capsys):
    before = files(project)
    code, shown = check(capsys)
    assert code == 0
    assert "config/config.yaml: valid, 1 task\n" in shown
    assert "small: 48 rows to learn from, 12 sealed, 3 features, target 'y' (2 classes)" in shown
    assert "small: 15 cells in results/small are whole" in shown
    assert files(project) == before


def test_before_the_first_run(project, capsys):
    (project / "results").rename(project / "away")
    code, shown = check(capsys)
    assert code == 0
    assert "small: no results to check in results/small" in shown
    assert not (project / "results").exists()


DAMAGE = {
    "score flipped": (f"{CELL}.safetensors", flip, "the score file is damaged"),
    "header flipped": (
        f"{CELL}.safetensors",
        lambda path: flip(path, 20),
        "the score file is damaged",
    ),
    "score cut": (
        f"{CELL}.safetensors",
        lambda path: path.write_bytes(path.read_bytes()[:-9]),
        "the score file is damaged",
    ),
    "score empty": (f"{CELL}.safetensors", lambda path: path.write_bytes(b""), "is damaged"),
    "score gone": (f"{CELL}.safetensors", lambda path: path.unlink(), "the score file is missing"),
    "model flipped": (f"{CELL}.model", flip, "the model is damaged"),
    "model gone": (f"{CELL}.model", lambda path: path.unlink(), "the model is missing"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_cell_is_named_removed_and_fitted_again(project, capsys, damage):
    name, hurt, why = DAMAGE[damage]
    tables = {path: (project / "results/small" / path).read_bytes() for path in DERIVED}
    hurt(project / CELLS / name)
    before = files(project)
    code, shown = check(capsys)
    assert code == 1
    assert "small: 1 fault in 15 cells\n" in shown
    assert "learner 'knn', θ = {\"n_neighbors\": 5}, held-out set 'k3.r1.f02': " in shown
    assert why in shown
    assert "fitted again by: snakemake --cores all\n" in shown
    gone = {f"{CELLS}/{name}", MANIFEST, *(f"results/small/{path}" for path in DERIVED)}
    gone |= {f"results/small/{table}.csv" for table in ("folds", "comparisons")}
    assert before - files(project) == gone & before
    assert fit_again(project) == 1
    assert {path: (project / "results/small" / path).read_bytes() for path in DERIVED} == tables
    assert check(capsys)[0] == 0


def test_a_dry_run_removes_nothing(project, capsys):
    flip(project / CELLS / f"{CELL}.safetensors")
    (project / "results" / ".x.1.tmp").write_text("")
    os.utime(project / "results" / ".x.1.tmp", (0, 0))
    before = files(project)
    code, shown = check(capsys, "--dry-run")
    assert code == 1
    assert "the score file is damaged" in shown
    assert "removed" not in shown
    assert files(project) == before


def test_shared_parts_are_checked_for_every_model_that_has_them(project, capsys):
    found = read_score(project / CELLS / f"{CELL}.safetensors")
    parts = found.circumstances.shared_parts
    assert parts
    part = project / CELLS / ".shared" / parts[0]
    flip(part, -1)
    code, shown = check(capsys)
    assert code == 1
    assert shown.count("a shared part of the model is damaged") == 2
    assert "held-out set 'k3.r1.f02': a shared part" in shown
    assert "held-out set 'full'" not in shown
    assert not part.exists()
    assert fit_again(project) == 2
    assert check(capsys)[0] == 0
    part.unlink()
    assert check(capsys)[1].count("a shared part of the model is missing") == 2


def test_models_need_not_stay_where_the_config_does_not_keep_them(project, capsys):
    (project / "config/config.yaml").write_text(yaml.safe_dump(CONFIG | {"models": "none"}))
    (project / CELLS / f"{CELL}.model").unlink()
    assert check(capsys)[0] == 0


def test_a_manifest_that_cannot_be_read(project, capsys):
    (project / MANIFEST).write_text("{")
    code, shown = check(capsys)
    assert code == 1
    assert "manifest '1-of-1.json': cannot be read" in shown
    assert not (project / MANIFEST).exists()
    assert fit_again(project) == 0


def test_a_whole_score_file_that_is_not_the_listed_one(project, capsys):
    """Put there by hand, or by a run that was killed before it wrote its manifest."""
    other = project / CELLS / "knn/n_neighbors=1/k3.r1.f02.safetensors"
    (project / CELLS / f"{CELL}.safetensors").write_bytes(other.read_bytes())
    code, shown = check(capsys)
    assert code == 1
    assert "the score file is not the one that was listed" in shown
    assert fit_again(project) == 1
    assert check(capsys)[0] == 0


def test_an_outdated_manifest_is_no_fault(project, capsys):
    """A run with other cores has other manifests, and may have fitted the same cells anew."""
    manifest = json.loads((project / MANIFEST).read_text())
    for entry in manifest["cells"]:
        for fields in entry["sets"].values():
            fields[0] = fields[1] = fields[2] = "0" * 32
    (project / CELLS / "manifests/1-of-2.json").write_text(json.dumps(manifest))
    assert check(capsys)[0] == 0
    flip(project / CELLS / f"{CELL}.safetensors")
    assert check(capsys)[0] == 1
    assert not list((project / CELLS / "manifests").iterdir())


@pytest.mark.parametrize("name", ["X.npy", "y.npy", "table.json"])
def test_a_damaged_table_is_made_again(project, capsys, name):
    flip(project / "results/small/data" / name, -30)
    code, shown = check(capsys)
    assert code == 1
    assert "prepared table 'results/small/data': differs from its digest" in shown
    assert not list((project / "results/small/data").iterdir())
    assert not (project / MANIFEST).exists()
    for step in STEPS[:2]:
        run_step(Study(CONFIG), project / "results" / "small", step)
    assert fit_again(project) == 0


def test_unfinished_files_go_when_they_are_old(project, capsys):
    old = project / CELLS / "knn" / ".full.safetensors.1.tmp"
    new = project / CELLS / "knn" / ".dev.safetensors.1.tmp"
    for path, age in ((old, 2 * 3600), (new, 60)):
        path.write_text("half")
        os.utime(path, (time.time() - age, time.time() - age))
    code, shown = check(capsys)
    assert code == 0
    assert "results: removed 1 unfinished file of earlier runs" in shown
    assert not old.exists()
    assert new.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "z"}, "heldout: task 'small': target: no column 'z' in small.csv"),
        ({"kfold": {"k": 30}}, "fewer than k = 30 folds"),
        ({"learners": ["logistic"], "loss": "squared"}, "is not for regression"),
        ({"data": "none.csv"}, "no file at 'none.csv'"),
        ({"loss": "brier", "learners": ["ridge"]}, "RidgeClassifier gives no probabilities"),
        ({"tset": 1}, "unknown key 'tset'"),
    ],
)
def test_a_task_that_cannot_run(project, capsys, change, message):
    config = CONFIG | {"tasks": {"small": CONFIG["tasks"]["small"] | change}}
    (project / "config/config.yaml").write_text(yaml.safe_dump(config))
    code, shown = check(capsys)
    assert code == 1
    assert message in shown


def test_a_grid_that_the_estimator_refuses(project, capsys):
    learners = {"knn": {"estimator": "knn", "grid": {"n_neighbors": [-1]}}}
    task = CONFIG["tasks"]["small"] | {"learners": ["knn"]}
    config = {"tasks": {"small": task}, "learners": learners}
    (project / "config/config.yaml").write_text(yaml.safe_dump(config))
    code, shown = check(capsys)
    assert code == 1
    assert "learner 'knn' refuses θ = {\"n_neighbors\":-1}" in shown


def test_one_bad_task_does_not_hide_the_others(project, capsys):
    bad = CONFIG["tasks"]["small"] | {"target": "z"}
    config = CONFIG | {"tasks": {"bad": bad, "small": CONFIG["tasks"]["small"]}}
    (project / "config/config.yaml").write_text(yaml.safe_dump(config))
    code, shown = check(capsys)
    assert code == 1
    assert "task 'bad': target: no column 'z'" in shown
    assert "small: 48 rows to learn from" in shown
    assert "small: 15 cells in results/small are whole" in shown


def test_notes_about_the_table_are_passed_on(project, capsys):
    write_csv(project / "small.csv", small_table() | {"void": [None] * 60})
    assert "  note: column 'void' is empty and not used" in check(capsys)[1]


def test_a_users_own_estimator_is_found_in_the_working_directory(project, capsys):
    (project / "my_own_models.py").write_text(
        "from sklearn.neighbors import KNeighborsClassifier\nclass Mine(KNeighborsClassifier): ...\n"
    )
    learners = {"mine": {"estimator": "my_own_models.Mine"}}
    task = CONFIG["tasks"]["small"] | {"learners": ["mine"]}
    (project / "config/config.yaml").write_text(
        yaml.safe_dump({"tasks": {"small": task}, "learners": learners})
    )
    assert check(capsys)[0] == 0


def test_other_places(project, capsys):
    (project / "config/config.yaml").rename(project / "other.yaml")
    (project / "results").rename(project / "elsewhere")
    flip(project / "elsewhere/small/cells" / f"{CELL}.safetensors")
    code, shown = check(capsys, "--config", "other.yaml", "--results", "elsewhere")
    assert code == 1
    assert "snakemake --cores all --configfile other.yaml" in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no config at 'config/config.yaml'; `heldout init"),
        ("a: [", "is not YAML"),
        ("- a", "should hold keys at its top level"),
        ("", "should hold keys at its top level"),
    ],
)
def test_configs_that_cannot_be_read(project, capsys, text, message):
    path = project / "config/config.yaml"
    path.unlink() if text is None else path.write_text(text)
    code, shown = check(capsys)
    assert code == 1
    assert message in shown
