"""What is finished stays: after a kill, a failing fit, a lost or damaged file."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import joblib
import pytest
from harness import (
    ALL_CELLS,
    MODEL,
    RISKS,
    SETS,
    TASK,
    TIMEOUT,
    UNSEALED,
    Project,
    small_config,
    whole_cells,
)

from heldout.cells.packs import PACKS
from heldout.cells.store import Cell, Store
from heldout.execution.forkserver.client import ADDRESS
from heldout.results.study import open_study

TABLES = ("risks.csv", "estimates/unsealed.csv", "selection.json")
CELL = "knn/n_neighbors=5/k3.r1.f02"
NAME = """learner 'knn', θ = {"n_neighbors": 5}, held-out set 'k3.r1.f02'"""

SLEEPY = """
import os
import time

from sklearn.neighbors import KNeighborsClassifier


class SleepyNeighbors(KNeighborsClassifier):
    fits = 0

    def fit(self, X, y):
        SleepyNeighbors.fits += 1
        while SleepyNeighbors.fits > 2 and os.path.exists(os.environ.get("GATE", "")):
            time.sleep(0.05)
        time.sleep(float(os.environ["SLEEP"]))
        super().fit(X, y)
        self.fitted_by = os.urandom(8)  # so the models of two jobs differ
        return self
"""


# --- kills ---------------------------------------------------------------------------------


def sleepy_project(folder: Path, sleep: float, form: str = "files") -> Project:
    """A study whose every fit takes some time: 20 cells in 2 jobs."""
    folder.mkdir()
    (folder / "sleepy.py").write_text(SLEEPY)
    project = Project(folder, small_config(), environment={"SLEEP": str(sleep)})
    project.put_first(folder)
    project.config |= {"batches": 2, "cells": form}
    project.config["learners"] = {
        "sleepy": {"estimator": "sleepy.SleepyNeighbors", "grid": {"n_neighbors": [1, 3, 5, 7]}}
    }
    project.task["learners"] = ["sleepy"]
    return project


def gated_project(folder: Path) -> tuple[Project, Path]:
    """The same, with a file: while it is there, a job stops before its third fit."""
    project = sleepy_project(folder, sleep=0)
    gate = folder / "gate"
    gate.touch()
    project.environment["GATE"] = str(gate)
    return project, gate


def kill_after(project: Project, cells: int) -> set[str]:
    """Start a run, and kill it and its children without warning once so many cells are there."""
    process = project.start(UNSEALED)
    wait_for_cells(project, cells, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return set(project.cells())


def wait_for_cells(project: Project, cells: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while len(project.cells()) < cells:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("form", ["files", "packed"])
def test_a_killed_run_keeps_its_cells_and_ends_like_an_undisturbed_one(
    tmp_path: Path, form: str
) -> None:
    project = sleepy_project(tmp_path / "killed", sleep=0.4, form=form)
    first = kill_after(project, 3)
    refused = project.check("--repair")
    assert refused.code == 1
    assert "If it was killed: heldout run --unlock" in refused.text
    project.succeed("--unlock")
    assert project.check("--repair").code == 0
    assert first == set(project.cells())
    second = kill_after(project, len(first) + 3)
    kept = project.cells()
    assert first < second
    assert len(second) < 20
    project.succeed("--unlock")
    project.environment["SLEEP"] = "0"
    run = project.succeed(UNSEALED)
    assert project.fitted(run) == 20 - len(kept)
    assert kept.items() <= project.cells().items()

    undisturbed = sleepy_project(tmp_path / "undisturbed", sleep=0)
    undisturbed.succeed(UNSEALED)
    assert project.snapshot(*TABLES) == undisturbed.snapshot(*TABLES)


def kill_only_snakemake(project: Project, *options: str, cells: int = 3) -> None:
    """Start a run, and kill Snakemake, but not its jobs, once so many cells are there."""
    process = project.start(UNSEALED, *options)
    wait_for_cells(project, cells, process)
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def processes(project: Project) -> list[int]:
    """The processes that work in the project's folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            here = (path / "cwd").readlink() == project.folder
            if here and "Z" not in (path / "stat").read_text().rpartition(")")[2]:
                found.append(int(path.name))
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("forkserver", [True, False])
def test_jobs_end_with_their_snakemake(tmp_path: Path, forkserver: bool) -> None:
    project = sleepy_project(tmp_path / "killed", sleep=0.4)
    if not forkserver:
        project.environment[ADDRESS] = ""
    kill_only_snakemake(project)
    wait_until(lambda: not processes(project))
    kept = project.cells()
    assert len(kept) < 20
    project.succeed("--unlock")
    project.environment["SLEEP"] = "0"
    run = project.succeed(UNSEALED)
    assert project.fitted(run) == 20 - len(kept)
    assert project.check().code == 0


def test_the_jobs_of_a_cluster_live_on_and_share_the_store(tmp_path: Path) -> None:
    """The second run overtakes; what it has listed stays when the jobs of the first come to it."""
    project, gate = gated_project(tmp_path / "killed")
    submit = project.folder / "submit"
    submit.write_text('setsid nohup sh "$1" > /dev/null 2>&1 & echo $!')
    options = ["--executor", "cluster-generic", "--jobs", "4"]
    options += ["--cluster-generic-submit-cmd", f"bash {submit}"]
    kill_only_snakemake(project, *options, cells=2)
    project.succeed("--unlock")
    del project.environment["GATE"]
    project.succeed(UNSEALED)
    assert processes(project)
    cells = project.snapshot("cells/sleepy")
    gate.unlink()
    wait_until(lambda: not processes(project))
    assert project.snapshot("cells/sleepy") == cells
    assert len(project.cells()) == 20
    check = project.check()
    assert check.code == 0, check.text


# --- failing fits --------------------------------------------------------------------------


def test_a_failing_theta_is_named_and_the_other_cells_are_kept(tmp_path: Path) -> None:
    project = Project(tmp_path)
    grid = project.config["learners"]["knn"]["grid"]
    grid["n_neighbors"] = [1, 5, 45]  # more than the folds leave for training, fewer than all rows
    run = project.run(RISKS)
    assert run.code != 0
    for fold in ("k3.r1.f01", "k3.r1.f02", "k3.r1.f03"):
        assert (
            f"learner 'knn', θ = {{\"n_neighbors\": 45}}, held-out set '{fold}': ValueError"
            in run.text
        )
    assert not (project.results / "risks.csv").exists()
    kept = project.cells()
    assert len(kept) == ALL_CELLS - 3
    grid["n_neighbors"] = [1, 5, 9]
    run = project.succeed(RISKS)
    assert project.fitted(run) == len(SETS)
    assert kept.items() <= project.cells().items()


# --- lost and damaged files ----------------------------------------------------------------


def delete(path: Path) -> None:
    path.unlink()


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-40] ^= 1
    path.write_bytes(content)


def score_of(project: Project) -> Path:
    return project.results / "cells" / f"{CELL}.safetensors"


def written_by(project: Project, *options: str) -> set[str]:
    """Run with these targets and options, and say which cells were written."""
    before = project.cells()
    run = project.succeed(*options)
    written = {name for name, when in project.cells().items() if before.get(name) != when}
    assert project.fitted(run) == len(written)
    return written


@pytest.mark.parametrize(
    ("damage", "word"), [(delete, "missing"), (truncate, "damaged"), (flip_a_bit, "damaged")]
)
def test_a_damaged_cell_is_noticed_and_only_it_is_fitted_again(
    damage: Callable[[Path], None], word: str, cold: Project, project: Project
) -> None:
    damage(score_of(project))
    assert not project.succeed().jobs

    run = project.run(RISKS, "--forcerun", "estimate_risks")
    assert run.code != 0
    assert f"the stored scores of {NAME} are {word}; run `heldout check --repair`" in run.text

    assert f"  {word}  results/{TASK}/cells/{CELL}.safetensors: " in project.check("--repair").text
    assert written_by(project, RISKS) == {CELL}
    assert project.snapshot("risks.csv") == cold.snapshot("risks.csv")


def test_a_damaged_pack_is_noticed_and_only_its_damaged_cells_are_fitted_again(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path)
    project.config["cells"] = "packed"
    project.succeed()
    before = project.snapshot(*TABLES)
    [cell] = [one for one in whole_cells(project.results / "cells" / PACKS) if one.name == CELL]
    data = bytearray(cell.pack.read_bytes())
    data[cell.at + cell.row.size // 2] ^= 8
    cell.pack.write_bytes(data)
    (project.results / "risks.csv").unlink()
    run = project.run()
    assert run.code == 1
    assert (
        f"the stored scores of {NAME} are damaged"
        in (project.results / "logs" / "estimate_risks.log").read_text()
    )
    checked = project.check("--repair")
    assert f"{CELL} in {cell.pack.relative_to(tmp_path)}" in checked.text
    assert project.fitted(project.succeed()) == 1
    assert project.snapshot(*TABLES) == before
    assert project.check().code == 0
    opened = open_study(project.folder / "results")[TASK]
    fitted = opened.cell("knn", {"n_neighbors": 5}, "k3.r1.f02")
    assert fitted.model.pipeline[-1].n_neighbors == 5
    project.config["cells"] = "files"
    assert project.fitted(project.succeed()) == 0
    assert project.snapshot(*TABLES) == before


@pytest.mark.parametrize("damage", [truncate, flip_a_bit])
def test_a_damaged_cell_is_not_taken_for_a_whole_one_when_a_theta_is_added(
    damage: Callable[[Path], None], project: Project
) -> None:
    damage(score_of(project))
    project.config["learners"]["tree"]["grid"]["max_depth"].append(2)
    added = {f"tree/max_depth=2/{held_out}" for held_out in SETS}
    assert written_by(project, RISKS) == {CELL, *added}


@pytest.mark.parametrize(("damage", "word"), [(delete, "missing"), (flip_a_bit, "damaged")])
def test_a_damaged_model_is_noticed_and_fitted_again(
    damage: Callable[[Path], None], word: str, project: Project
) -> None:
    damage(score_of(project).with_suffix(".model"))
    assert f"  {word}  results/{TASK}/cells/{CELL}.model: " in project.check("--repair").text
    assert written_by(project) == {CELL}
    check = project.check()
    assert check.code == 0
    assert f"{ALL_CELLS} cells and 28 files in results/{TASK}: all whole" in check.text


@pytest.mark.parametrize("damage", [delete, truncate])
def test_a_damaged_model_does_not_become_the_final_one(
    damage: Callable[[Path], None], cold: Project, project: Project
) -> None:
    selection = json.loads((project.results / "selection.json").read_text())
    cell = Cell(selection["learner"], selection["theta"], "full")
    damage(Store(project.results / "cells").path(cell, "model"))
    project.succeed(MODEL, "--forcerun", "train_final")
    assert predictions(project) == predictions(cold)


def predictions(project: Project) -> list[list[float]]:
    """What the final model says about the whole table, to the last bit."""
    model = joblib.load(project.folder / MODEL)
    return model.predict_proba(project.folder / "birds.csv").tolist()


def test_results_of_an_older_version_are_fitted_again_with_a_word(project: Project) -> None:
    cells = project.results / "cells"
    (cells / "format").unlink()
    for path in cells.glob("*/*/*.safetensors"):
        path.rename(path.with_suffix(".score"))
    run = project.succeed(RISKS, "--forcerun", "fit_cells")
    assert "made by an older version of heldout: every step runs again, once, and all" in run.text
    assert "cells are fitted again (their format is 1, now 2)" in run.text
    assert project.fitted(run) == ALL_CELLS
    assert not list(cells.glob("*/*/*.score"))
    again = project.succeed(RISKS, "--forcerun", "fit_cells")
    assert "older version" not in again.text
    assert project.fitted(again) == 0


def test_results_without_receipts_are_made_again_with_a_word_and_without_a_fit(
    project: Project,
) -> None:
    shutil.rmtree(project.results / "receipts")
    words = (
        f"results/{TASK} was made by an older version of heldout: every step runs again, once, and of "
        f"its {ALL_CELLS} cells those are fitted again whose fitting code has changed"
    )
    check = project.check()
    assert check.code == 0
    assert check.text.count(words) == 1
    run = project.succeed(RISKS)
    assert words in run.text
    assert project.fitted(run) == 0
    assert "older version" not in project.check().text


# --- a look at a study while it runs --------------------------------------------------------------


def test_check_looks_at_a_running_study_and_repairs_nothing(tmp_path: Path) -> None:
    project, gate = gated_project(tmp_path / "running")
    process = project.start(UNSEALED)
    wait_for_cells(project, 2, process)
    look = project.check()
    assert "note: a workflow runs here, or was killed" in look.text
    assert "damaged" not in look.text
    assert project.check("--repair").code == 1
    gate.unlink()
    text, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, text
    assert len(project.cells()) == 20
