"""`heldout check` names everything that is wrong and changes nothing; `--repair` and a run mend it."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import ALL_CELLS, CONFIG, TASK, Project

from heldout.cli import main
from heldout.execution.digests import MEMORY
from heldout.execution.study import Study
from heldout.execution.upkeep import files
from heldout.execution.upkeep.inspect import Inspection
from heldout.execution.upkeep.wanted import jobs_of
from heldout.faults import DAMAGED, FOREIGN, MISSING, REPAIR, RUN, STALE, Fault
from heldout.receipts import file_digest

ROOT = Path("results")
FOLDER = ROOT / TASK
CELL = FOLDER / "cells/knn/n_neighbors=5/k3.r1.f02.safetensors"
TABLES = (
    "risks.csv",
    "estimates.csv",
    "selection.json",
    "folds.csv",
    "comparisons.csv",
    "checks.csv",
)


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A copy of the finished study as the working directory."""
    project.write_inputs()
    monkeypatch.chdir(project.folder)
    return project


def check(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    """The exit code and what was printed."""
    code = main(["check", "--config", CONFIG, *options])
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def inspected(project: Project) -> list[Fault]:
    """What is found in the results, without a look at the table."""
    found = Inspection(Study(project.config), ROOT).findings()
    return [fault for one in found for fault in one.faults]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def delete(path: Path) -> None:
    path.unlink()


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All files of a folder with their times of change."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


# --- every file is looked after -------------------------------------------------------------------


def results() -> Iterator[Path]:
    """All files but logs and what a task remembers of the ledger, which grow."""
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and path.suffix != ".log" and path.name != "witness.json":
            yield path


@pytest.mark.parametrize(("damage", "kind"), [(flip, DAMAGED), (empty, DAMAGED), (delete, MISSING)])
def test_every_file_that_is_damaged_is_named(
    damage: Callable[[Path], None], kind: str, here: Project
) -> None:
    assert inspected(here) == []
    found = list(results())
    names = {path.relative_to(FOLDER).as_posix() for path in found if path.is_relative_to(FOLDER)}
    assert {"data/X.npy", "data/rows.npy", "splits/kfold.csv", "selection.json"} < names
    assert {
        "final/model.joblib",
        "final/card.json",
        "vault/sealed.parquet",
        "vault/test.csv",
    } < names
    assert {"receipts/open_test.json", "cells/manifests/1-of-2.json", "cells/format"} < names
    assert len(found) > 2 * ALL_CELLS + 40
    for path in found:
        before = path.read_bytes()
        damage(path)
        named = [fault for fault in inspected(here) if fault.what == str(path)]
        assert [fault.kind for fault in named] == [kind], path
        path.write_bytes(before)
    assert inspected(here) == []


def test_all_is_well(here: Project, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = check(capsys)
    assert code == 0
    assert f"{CONFIG}: valid, 1 task\n" in shown
    assert "birds: 60 rows to learn from, 15 sealed, 3 features" in shown
    assert "birds: 30 cells and 28 files in results/birds: all whole\n" in shown
    assert "all tasks: 1 file in results: all whole\n" in shown
    assert "note" not in shown


def test_before_the_first_run(here: Project, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(ROOT)
    code, shown = check(capsys)
    assert code == 0
    assert "birds: no results to check in results/birds" in shown
    assert not ROOT.exists()


def test_a_ledger_that_lost_an_opening_is_named(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(".heldout/ledger/000001.json").unlink()
    code, shown = check(capsys)
    assert code == 1
    assert (
        "ledger: opening 1 is missing; if you have a copy of .heldout/ledger: restore it" in shown
    )


@pytest.mark.parametrize("damage", [flip, empty])
def test_what_a_task_remembers_of_the_ledger_is_looked_after(
    damage: Callable[[Path], None], here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(FOLDER / "vault/witness.json")
    code, shown = check(capsys)
    assert code == 1
    assert (
        "ledger: 'results/birds/vault/witness.json' is damaged; restore it, or remove it" in shown
    )


def test_a_vault_of_somebody_else_is_a_note(
    here: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def private(path: Path) -> str:
        if "vault" in path.parts:
            raise PermissionError(13, "Permission denied")
        return file_digest(path)

    monkeypatch.setattr(files, "file_digest", private)
    code, shown = check(capsys)
    assert code == 0
    assert "note: results/birds/vault/sealed.parquet may not be read by you, and was not" in shown


# --- what is said -----------------------------------------------------------------------------------


RUN_COMMAND = f"heldout run --config {CONFIG}"
REPAIR_COMMAND = f"heldout check --repair --config {CONFIG}"
LINES = {
    "splits/kfold.csv": (
        flip,
        f"damaged  {FOLDER}/splits/kfold.csv: it is not as draw_splits.kfold wrote it; mend it by: {RUN_COMMAND}",
    ),
    "risks.csv": (
        delete,
        f"missing  {FOLDER}/risks.csv: estimate_risks has written it; mend it by: {RUN_COMMAND}",
    ),
    "receipts/select_model.json": (
        flip,
        "select_model.json: its content is not what its digest says; mend it by: heldout run",
    ),
    "receipts/render_report.json": (
        delete,
        "render_report has begun, and has not ended or left no receipt; mend it by: heldout run",
    ),
    "cells/knn/n_neighbors=5/full.safetensors": (
        flip,
        f"its content is not what its seal says; mend it by: {REPAIR_COMMAND}, then {RUN_COMMAND}",
    ),
    "cells/knn/n_neighbors=5/dev.safetensors": (
        delete,
        f"-of-2.json lists it; mend it by: {REPAIR_COMMAND}, then {RUN_COMMAND}",
    ),
    "cells/knn/n_neighbors=5/full.model": (
        empty,
        f"it is not the model that its score file names; mend it by: {REPAIR_COMMAND}, then {RUN_COMMAND}",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_fault_is_one_line_with_the_command_that_mends_it(
    name: str, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, line = LINES[name]
    damage(FOLDER / name)
    code, shown = check(capsys)
    assert code == 1
    assert line in shown


def test_foreign_files_are_named_and_left_to_the_user(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [
        "my notes.txt",
        "cells/knn/x.txt",
        "cells/.shared/x",
        "splits/old.csv",
        "receipts/x.txt",
    ]
    for name in names:
        (FOLDER / name).write_text("mine")
    (ROOT / "x.txt").write_text("mine")
    code, shown = check(capsys)
    assert code == 1
    assert (
        "foreign  results/birds/my notes.txt: no receipt accounts for it; if you do not need it: "
        in shown
    )
    assert "rm 'results/birds/my notes.txt'\n" in shown
    assert shown.count("  foreign  ") == len(names) + 1
    assert check(capsys, "--repair")[0] == 0
    assert (FOLDER / "my notes.txt").read_text() == "mine"


def test_a_file_of_a_job_without_receipt_is_not_called_the_users(here: Project) -> None:
    (FOLDER / "receipts/render_report.json").unlink()
    [fault] = [one for one in inspected(here) if one.kind == FOREIGN]
    assert fault.what == str(FOLDER / "report.html")
    assert fault.mend == RUN


def test_a_score_file_in_the_place_of_another_is_damage(here: Project) -> None:
    shutil.copy(FOLDER / "cells/knn/n_neighbors=1/k3.r1.f02.safetensors", CELL)
    assert [(one.what, one.why) for one in inspected(here) if one.kind == DAMAGED] == [
        (str(CELL), "it is the score file of another cell")
    ]


def test_the_receipt_of_another_job_is_damage(here: Project) -> None:
    shutil.copy(FOLDER / "receipts/train_final.json", FOLDER / "receipts/select_model.json")
    [fault] = [one for one in inspected(here) if one.kind == DAMAGED]
    assert fault.what.endswith("select_model.json")


def test_folders_of_other_tasks_are_a_note(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(FOLDER, ROOT / "fish")
    code, shown = check(capsys)
    assert code == 0
    assert "note: results/fish belongs to no task of this config\n" in shown


def test_what_is_not_made_yet_is_a_note(here: Project, capsys: pytest.CaptureFixture[str]) -> None:
    here.task["metrics"] = ["accuracy"]
    here.write_inputs()
    code, shown = check(capsys)
    assert code == 0
    assert "note: not made yet: compute_metrics\n" in shown


def test_cells_of_earlier_grids_are_a_note(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    here.config["learners"]["knn"]["grid"]["n_neighbors"] = [1, 9]
    here.succeed()
    code, shown = check(capsys)
    assert code == 0
    assert "birds: 30 cells and 28 files in results/birds: all whole" in shown
    assert "note: 5 cells of earlier grids" in shown


def test_unfinished_files_are_named_when_they_are_old(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    old = [FOLDER / "cells/knn/n_neighbors=1/.a.safetensors.1.tmp", FOLDER / ".risks.csv.1.tmp"]
    new = FOLDER / "cells/knn/n_neighbors=1/.b.safetensors.1.tmp"
    for path, age in ((old[0], 7200), (old[1], 7200), (new, 60)):
        path.write_text("half")
        os.utime(path, (time.time() - age, time.time() - age))
    assert {(one.what, one.mend) for one in inspected(here)} == {
        (str(path), REPAIR) for path in old
    }
    assert check(capsys, "--repair")[0] == 0
    assert [path.exists() for path in (*old, new)] == [False, False, True]
    assert check(capsys)[0] == 0


def test_models_need_not_stay_where_the_config_does_not_keep_them(here: Project) -> None:
    CELL.with_suffix(".model").unlink()
    assert [one.kind for one in inspected(here)] == [MISSING]
    here.config["models"] = "none"
    assert {one.kind for one in inspected(here)} == {STALE}


# --- nothing is changed, nothing is called --------------------------------------------------------


def test_check_changes_nothing(here: Project) -> None:
    for name in (
        "splits/kfold.csv",
        "data/X.npy",
        "final/model.joblib",
        "cells/manifests/1-of-2.json",
    ):
        flip(FOLDER / name)
    flip(CELL)
    delete(FOLDER / "folds.csv")
    (FOLDER / "cells/format").write_text("1\n")
    (FOLDER / ".x.tmp").write_text("")
    os.utime(FOLDER / ".x.tmp", (0, 0))
    here.config["level"] = 0.9
    here.write_inputs()
    before = everything(here.folder)
    found = here.check()
    assert found.code == 1
    assert all(f"  {kind}" in found.text for kind in (DAMAGED, MISSING, FOREIGN, STALE))
    assert everything(here.folder) == before


def test_code_of_the_user_is_called_only_when_asked(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("spying.py").write_text(
        "from pathlib import Path\nfrom sklearn.neighbors import KNeighborsClassifier\n"
        "Path('called').touch()\nclass Mine(KNeighborsClassifier): ...\n"
    )
    here.config["learners"]["mine"] = {"estimator": "spying.Mine"}
    here.task["learners"].append("mine")
    here.write_inputs()
    before = everything(here.folder)
    code, shown = check(capsys)
    assert code == 0
    assert "note: learner 'mine' (spying.Mine) was not built: --learners does\n" in shown
    assert everything(here.folder) == before
    code, shown = check(capsys, "--learners")
    assert code == 0
    assert "was not built" not in shown
    assert set(everything(here.folder)) - set(before) == {"called"}
    here.config["learners"]["mine"]["grid"] = {"n_neighbours": [1]}
    here.write_inputs()
    assert check(capsys)[0] == 0
    code, shown = check(capsys, "--learners")
    assert code == 1
    assert "did you mean 'n_neighbors'?" in shown


# --- stale ----------------------------------------------------------------------------------------


def change_level(project: Project) -> None:
    project.config["level"] = 0.9


def add_theta(project: Project) -> None:
    project.config["learners"]["knn"]["grid"]["n_neighbors"].append(3)


def change_rule(project: Project) -> None:
    project.task["select"] = {"rule": "one_se"}


def change_table(project: Project) -> None:
    project.lines[5] = "0.123,0.4,a,gentoo"


def change_folds(project: Project) -> None:
    project.task["kfold"] = {"k": 4}


CHANGES = {
    change_level: "level 0.95 → 0.9",
    add_theta: "knn.grid.n_neighbors: 3 added",
    change_rule: "min → one_se",
    change_table: "birds.csv is not as it was read",
    change_folds: "k 3 → 4",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_stale_is_what_the_next_run_makes(
    change: Callable[[Project], None], here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    change(here)
    here.write_inputs()
    code, shown = check(capsys)
    assert code == 0
    assert CHANGES[change] in shown
    stale = {name for one in inspected(here) for name in one.what.split(", ")}
    assert {one.kind for one in inspected(here)} == {STALE}
    dry = here.succeed("--dry-run")
    made = {name for files in dry.outputs.values() for name in files}
    assert stale == made


# --- repair ---------------------------------------------------------------------------------------


def test_a_repair_and_a_run_give_what_a_clean_run_gives(
    cold: Project, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = next((FOLDER / "cells/.shared").iterdir())
    for name in ("data/X.npy", "splits/kfold.csv", "final/model.joblib", "receipts/open_test.json"):
        flip(FOLDER / name)
    for path in (
        CELL,
        FOLDER / "cells/tree/max_depth=1/dev.model",
        shared,
        FOLDER / "cells/format",
    ):
        flip(path)
    delete(FOLDER / "cells/majority/default/full.safetensors")
    code, shown = check(capsys, "--repair")
    assert code == 0
    assert "repair: removed " in shown
    assert f"is made anew by: {RUN_COMMAND}\n" in shown
    holders = sum(shared.name in path.read_bytes().decode("latin1") for path in cells())
    run = here.succeed()
    assert here.fitted(run) in (3 + holders, 2 + holders)  # the damaged cell may hold the part
    assert inspected(here) == []
    assert here.snapshot(*TABLES) == cold.snapshot(*TABLES)


def cells() -> list[Path]:
    return list(FOLDER.glob("cells/*/*/*.safetensors"))


def test_a_repair_without_faults_removes_nothing(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(here.folder)
    code, shown = check(capsys, "--repair")
    assert code == 0
    assert "repair: removed 0 files and the receipts of 0 jobs\n" in shown
    assert everything(here.folder) == before


def hide(path: Path) -> None:
    """Let the next run believe that a file has not changed, as after a silent error of the disk."""
    found = path.stat()
    stamp = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    known = json.loads(MEMORY.read_text())
    known[str(path)] = [stamp, known[str(path)][1]]
    MEMORY.write_text(json.dumps(known))


def test_damage_that_left_no_trace_needs_a_repair(
    cold: Project, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    page = FOLDER / "report.html"
    assert not here.succeed().jobs  # remembers the digests of this copy
    flip(page)
    hide(page)
    assert not here.succeed().jobs
    assert [(one.what, one.mend) for one in inspected(here)] == [(str(page), REPAIR)]
    assert check(capsys, "--repair")[0] == 0
    assert set(here.succeed().jobs) == {"render_report", "everything"}
    assert inspected(here) == []


def test_what_no_run_makes_anew_is_forgotten_by_a_repair(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    manifests = FOLDER / "cells" / "manifests"
    old = sorted(manifests.iterdir())
    here.config["batches"] = len(old) + 1
    here.succeed()
    flip(old[0])
    assert [(one.what, one.mend) for one in inspected(here)] == [(str(old[0]), REPAIR)]
    assert check(capsys, "--repair")[0] == 0
    assert inspected(here) == []
    assert not here.succeed().jobs


@pytest.mark.parametrize("name", ["X.npy", "y.npy"])
def test_a_damaged_table_poisons_no_cell(
    name: str, cold: Project, here: Project, tmp_path: Path
) -> None:
    """Neither where the next run notices by itself, nor where only the step that reads it can."""
    path = FOLDER / "data" / name
    assert not here.succeed().jobs
    flip(path)
    hide(path)
    add_theta(here)
    run = here.run()
    assert run.code != 0
    assert f"'{path}' is damaged" in run.text
    here.succeed()
    clean = cold.copy_to(tmp_path / "clean")
    add_theta(clean)
    clean.succeed()
    assert here.snapshot(*TABLES, "data") == clean.snapshot(*TABLES, "data")
    seals = [json.loads(line) for line in manifest_lines(here)]
    assert sorted(map(str, seals)) == sorted(map(str, map(json.loads, manifest_lines(clean))))


def manifest_lines(project: Project) -> Iterator[str]:
    """The key and the seal of every cell."""
    for path in sorted(project.results.glob("cells/manifests/*-of-2.json")):
        for entry in json.loads(path.read_text())["cells"]:
            for held_out, fields in entry["sets"].items():
                yield json.dumps([entry["learner"], entry["theta"], held_out, fields[:2]])


def lock() -> Path:
    path = Path(".snakemake/locks/0.output.lock")
    path.parent.mkdir(exist_ok=True)
    path.write_text("results/birds/risks.csv\n")
    return path


@pytest.mark.parametrize("command", [["check", "--repair"], ["clean"]])
def test_nothing_is_removed_during_a_run(
    command: list[str], here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(CELL)
    locked = lock()
    before = everything(here.folder)
    assert main([*command, "--config", CONFIG]) == 1
    shown = capsys.readouterr().err
    assert "a workflow runs in this folder" in shown
    assert f"If it was killed: heldout run --unlock --config {CONFIG}\n" in shown
    assert everything(here.folder) == before
    assert "note: a workflow runs here, or was killed" in check(capsys)[1]
    locked.unlink()
    assert main([*command, "--config", CONFIG]) == 0


# --- config and data ------------------------------------------------------------------------------


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


# --- the jobs that a config asks for --------------------------------------------------------------


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
