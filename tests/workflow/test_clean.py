"""`heldout clean` removes what the config no longer names, says how much, and nothing else."""

from pathlib import Path

import pytest
from harness import CONFIG, SETS, TASK, Project

from heldout.cli import main
from heldout.execution.jobs import SPECS

FOLDER = Path("results", TASK)


def clean(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["clean", "--config", CONFIG, *options]) == 0
    return capsys.readouterr().out


def files() -> set[str]:
    places = [*Path("results").rglob("*"), *SPECS.rglob("*")]
    return {str(path) for path in places if path.is_file()}


def test_a_finished_study_loses_spec_files_only(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files()
    shown = clean(capsys)
    gone = before - files()
    assert gone == {str(path) for path in map(Path, before) if path.is_relative_to(SPECS)}
    assert f"removed {len(gone)} files, " in shown
    assert not here.succeed().jobs


def test_cells_of_removed_theta_and_learners_go_with_their_models_and_parts(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    here.config["learners"]["knn"]["grid"]["n_neighbors"] = [1, 9]
    here.task["learners"] = ["knn"]
    here.config["batches"] = 2
    here.succeed()
    before = files()
    parts = set(map(str, (FOLDER / "cells/.shared").iterdir()))
    size = sum(Path(name).stat().st_size for name in before)
    would = clean(capsys, "--dry-run")
    assert files() == before
    shown = clean(capsys)
    gone = before - files()
    folders = ("knn/n_neighbors=5", "tree/max_depth=1", "tree/max_depth=3", "majority/default")
    expected = {
        f"{FOLDER}/cells/{folder}/{name}.{ending}"
        for folder in folders
        for name in SETS
        for ending in ("safetensors", "model")
    }
    assert {name for name in gone if "/cells/" in name and ".shared" not in name} == expected
    assert gone & parts
    assert parts - gone  # those that models of knn hold
    assert not (FOLDER / "cells/tree").exists()
    assert would.replace("would remove", "removed") == shown
    assert shown.splitlines()[-1].startswith(f"removed {len(gone)} files, ")
    left = sum(Path(name).stat().st_size for name in files())
    assert f"{(size - left) / 1000:.1f} kB" in shown.splitlines()[-1]
    check = here.check()
    assert check.code == 0, check.text
    assert "earlier grids" not in check.text
    assert not here.succeed().jobs


def test_cells_that_are_asked_for_again_after_a_cleaning_are_fitted_again(
    cold: Project, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their manifests must not be taken for good, although nothing was run in between."""
    grid = here.config["learners"]["knn"]["grid"]
    grid["n_neighbors"] = [1, 9]
    here.write_inputs()
    clean(capsys)
    grid["n_neighbors"] = [1, 5, 9]
    run = here.succeed()
    assert here.fitted(run) == len(SETS)
    assert here.snapshot("risks.csv") == cold.snapshot("risks.csv")


def test_an_endless_grid_keeps_all_its_theta(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    here.config["learners"]["knn"]["grid"] = {"n_neighbors": {"from": 1, "step": 2}}
    here.task["select"] = {"rule": "first_local_min"}
    here.write_inputs()
    before = files()
    clean(capsys)
    assert not [name for name in before - files() if "/cells/knn/" in name]


def test_fitting_jobs_of_another_number_of_batches_go(
    here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    here.config["batches"] = 3
    here.succeed()
    shown = clean(capsys)
    assert "receipts, logs and manifests of earlier fitting jobs in results/birds: 6 files" in shown
    names = {path.name for path in FOLDER.rglob("*-of-*") if path.is_file()}
    assert {name for name in names if "of-3" not in name} == set()
    check = here.check()
    assert check.code == 0, check.text
    assert not here.succeed().jobs


def test_a_file_of_the_user_stays(here: Project, capsys: pytest.CaptureFixture[str]) -> None:
    mine = FOLDER / "cells/tree/max_depth=1/mine.txt"
    mine.write_text("mine")
    here.task["learners"] = ["knn", "majority"]
    here.write_inputs()
    clean(capsys)
    assert [path for path in (FOLDER / "cells/tree").rglob("*") if path.is_file()] == [mine]
