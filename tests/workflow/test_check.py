"""`heldout check` names everything that is wrong and changes nothing."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from checking import (
    CELL,
    FOLDER,
    REPAIR_COMMAND,
    ROOT,
    RUN_COMMAND,
    add_theta,
    check,
    delete,
    empty,
    everything,
    flip,
    inspected,
)
from harness import ALL_CELLS, CONFIG, Project

from heldout.execution.upkeep import files
from heldout.faults import DAMAGED, FOREIGN, MISSING, REPAIR, RUN, STALE
from heldout.receipts import file_digest

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
