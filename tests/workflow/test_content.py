"""Content decides what runs again: not clocks, and not what Snakemake remembers."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import ALL_CELLS, ESTIMATES, RISKS, Project, Run

from heldout.execution.jobs import read_job

TABLES = ("risks.csv", "estimates.csv", "folds.csv", "checks.csv", "selection.json", "splits")
"""What a clean run of the same config must give too, byte for byte."""


def clean_tables(project: Project, folder: Path) -> dict[str, bytes]:
    """The tables of a run that starts from nothing."""
    folder.mkdir()
    clean = Project(folder, project.config, project.lines)
    clean.succeed()
    return clean.snapshot(*TABLES)


def everything(folder: Path, *left_out: str) -> dict[str, tuple[int, bytes]]:
    """Every file with its time and content."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] not in left_out
    }


def nothing(run: Run) -> bool:
    return not run.jobs and "Nothing to be done" in run.text


def test_touching_everything_runs_nothing(project: Project) -> None:
    for path in (*project.folder.rglob("*.*"), project.folder / "birds.csv"):
        if path.is_file() and ".snakemake" not in path.parts:
            path.touch()
            time.sleep(0.0002)
    assert nothing(project.succeed())


def test_a_copy_with_other_times_and_without_snakemakes_memory_runs_nothing(
    cold: Project, tmp_path: Path
) -> None:
    project = Project(tmp_path / "study")
    shutil.copytree(cold.folder, project.folder, copy_function=shutil.copyfile)
    shutil.rmtree(project.folder / ".snakemake")
    assert nothing(project.succeed())


def test_a_copy_without_snakemakes_memory_follows_the_config(
    project: Project, tmp_path: Path
) -> None:
    shutil.rmtree(project.folder / ".snakemake")
    project.config["level"] = 0.8
    run = project.succeed()
    assert "birds estimate_risks: level 0.95 → 0.8" in run.text
    assert "fit_cells" not in run.jobs
    assert project.snapshot(*TABLES) == clean_tables(project, tmp_path / "clean")


def test_older_results_over_newer_ones_are_made_new_again(project: Project, tmp_path: Path) -> None:
    shutil.copytree(project.folder / "results", tmp_path / "older")
    project.task["kfold"] = {"k": 4}
    project.succeed("--config", "open_again=true")
    newer = project.snapshot(*TABLES)
    shutil.rmtree(project.folder / "results")
    shutil.copytree(tmp_path / "older", project.folder / "results")
    run = project.succeed("--config", "open_again=true")
    assert "birds draw_splits.kfold: k 3 → 4" in run.text
    assert project.snapshot("risks.csv", "folds.csv", "splits") == {
        name: data for name, data in newer.items() if name.startswith(("risks", "folds", "splits"))
    }
    assert nothing(project.succeed("--config", "open_again=true"))


def replaced(path: Path, text: str) -> None:
    """Another content with an older time."""
    path.write_text(text)
    os.utime(path, (1_000_000_000, 1_000_000_000))


def test_a_table_with_an_older_time_is_read(project: Project, tmp_path: Path) -> None:
    project.lines = [*project.lines[:-1], "0.5,0.5,a,adelie"]
    replaced(project.folder / "birds.csv", "\n".join(project.lines) + "\n")
    run = project.succeed(RISKS)
    assert "birds prepare_data: birds.csv is not as it was read" in run.text
    clean = clean_tables(project, tmp_path / "clean")
    assert project.snapshot("risks.csv").items() <= clean.items()


def test_a_test_table_with_an_older_time_is_read(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.task["test"] = "sealed.csv"
    sealed = tmp_path / "sealed.csv"
    sealed.write_text("\n".join(project.lines[:20]) + "\n")
    project.succeed(ESTIMATES)
    replaced(sealed, "\n".join([project.lines[0], *project.lines[30:45]]) + "\n")
    run = project.succeed(ESTIMATES, "--config", "open_again=true")
    assert "birds prepare_data: sealed.csv is not as it was read" in run.text
    assert run.jobs["open_test"] == 1


def flip(path: Path) -> None:
    """One bit, with the times as they were."""
    data, times = bytearray(path.read_bytes()), path.stat()
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(
    "name",
    [
        *("data/X.npy", "data/y.npy", "data/rows.npy", "data/table.json", "splits/kfold.csv"),
        *("risks.csv", "estimates/unsealed.csv", "selection.json", "final/model.joblib"),
        *("report.html", "receipts/prepare_data.json"),
    ],
)
def test_a_flipped_bit_is_found_and_mended(name: str, project: Project, cold: Project) -> None:
    flip(project.results / name)
    run = project.succeed()
    assert run.jobs, "nothing was run"
    assert project.snapshot(*TABLES) == cold.snapshot(*TABLES)
    assert project.fitted(run) == 0, "no cell was fitted from damaged data, or without need"
    assert nothing(project.succeed())


def test_a_bit_that_flips_after_the_plan_ends_the_step_and_no_cell_is_poisoned(
    project: Project, cold: Project
) -> None:
    """As if the disk had done it: the planner's memory says that the file has not changed."""
    features = project.results / "data" / "X.npy"
    project.config["learners"]["knn"]["grid"]["n_neighbors"].append(3)
    project.succeed("--dry-run")
    spec = next(
        path
        for path in project.folder.glob(".snakemake/heldout/specs/birds/fit_cells.1-of-2/*.json")
        if "[1, 5, 9, 3]" in path.read_text().replace(",", ", ")
    )
    cells = project.cells()
    flip(features)
    command = f"python -P -m heldout.execution.step {spec.relative_to(project.folder)}"
    done = project.shell(command)
    assert done.returncode == 1
    log = (project.results / "logs" / "fit_cells.1-of-2.log").read_text()
    assert "'results/birds/data/X.npy' is damaged" in log
    assert project.cells() == cells
    project.config["learners"]["knn"]["grid"]["n_neighbors"].remove(3)
    project.succeed()
    assert project.snapshot(*TABLES) == cold.snapshot(*TABLES)


def test_a_dry_run_changes_nothing_and_shows_commands_that_can_be_pasted(
    project: Project,
) -> None:
    project.config["level"] = 0.8
    project.write_inputs()
    before = everything(project.folder, ".snakemake")
    run = project.succeed("--dry-run", "--printshellcmds")
    assert everything(project.folder, ".snakemake") == before
    assert "birds run_checks: level 0.95 → 0.8" in run.text
    commands = [
        line.partition("Shell command: ")[2]
        for line in run.text.splitlines()
        if "Shell command: " in line
    ]
    assert len(commands) > 5
    assert max(map(len, commands)) <= 200
    [command] = [one for one in commands if "/estimate_risks/" in one]
    done = project.shell(command)
    assert done.returncode == 0, done.stderr
    assert "level" not in project.succeed(RISKS).text, "the pasted command has done the work"


@pytest.mark.parametrize("cores", [1, 2])
def test_reasons_fit_a_line(cores: int, project: Project) -> None:
    project.config["learners"]["knn"]["grid"]["n_neighbors"] = [*range(1, 60)]
    run = project.succeed("--dry-run", cores=cores)
    reasons = [line for line in run.text.splitlines() if line.startswith("birds ")]
    assert len(reasons) == run.jobs.total() - 2, "one for each due job, the index and `all` aside"
    assert max(map(len, reasons)) <= 120


def forced(project: Project) -> Run:
    return project.succeed("--forcerun", "draw_splits")


def test_a_forced_step_passes_on_what_it_makes(project: Project) -> None:
    run = forced(project)
    assert run.jobs["draw_splits"] == 2
    assert run.jobs["estimate_risks"] == 1
    assert project.fitted(run) == 0
    assert nothing(project.succeed())


def test_a_forced_step_hides_no_other_change(project: Project, tmp_path: Path) -> None:
    """Snakemake does not look at jobs behind a forced one, unless it may compare times."""
    project.config["level"] = 0.8
    project.succeed("--forcerun", "prepare_data")
    assert project.snapshot(*TABLES) == clean_tables(project, tmp_path / "clean")


@pytest.mark.parametrize(
    "options",
    [[], ["--workflow-profile", "none", "--rerun-incomplete", "--rerun-triggers", "mtime"]],
    ids=["by the profile", "without it"],
)
def test_what_snakemake_takes_for_incomplete_hides_no_change(
    options: list[str], project: Project, tmp_path: Path
) -> None:
    """It was killed when the steps had ended, and before it had noted so."""
    memory = project.folder / ".snakemake"
    for path in (memory / "metadata").rglob("*"):
        if path.is_file():
            mark = memory / "incomplete" / path.relative_to(memory / "metadata")
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text('{"external_jobid": null}')
    project.config["level"] = 0.8
    run = project.succeed(*options)
    assert project.fitted(run) == 0
    assert project.snapshot(*TABLES) == clean_tables(project, tmp_path / "clean")


def remove_receipts(project: Project) -> None:
    shutil.rmtree(project.results / "receipts")


def remove_specs(project: Project) -> None:
    shutil.rmtree(project.folder / ".snakemake" / "heldout")


@pytest.mark.parametrize(("remove", "fits"), [(remove_receipts, True), (remove_specs, False)])
def test_what_heldout_remembers_can_be_lost(
    remove: Callable[[Project], None], fits: bool, project: Project, cold: Project
) -> None:
    """Without receipts every step runs once more, and no cell is fitted."""
    remove(project)
    run = project.succeed()
    assert bool(run.jobs) == fits
    assert project.fitted(run) == 0
    assert project.reused(run) == (ALL_CELLS if fits else 0)
    assert project.snapshot(*TABLES) == cold.snapshot(*TABLES)


def test_a_second_run_cannot_change_what_a_running_one_reads(project: Project) -> None:
    """A file of a job is named by its content."""
    folder = project.folder / ".snakemake" / "heldout" / "specs"
    jobs = {path: vars(read_job(path)) for path in folder.rglob("*.json")}
    project.config["level"] = 0.8
    project.succeed("--dry-run")
    assert {path: vars(read_job(path)) for path in jobs} == jobs
    assert len(list(folder.rglob("*.json"))) > len(jobs)


def test_a_table_of_the_future_is_refused_with_what_to_do(project: Project) -> None:
    """Snakemake would refuse the results that are made from it."""
    project.lines = project.lines[:-1]
    project.write_inputs()
    soon = time.time() + 1e6
    os.utime(project.folder / "birds.csv", (soon, soon))
    run = project.run()
    assert run.code == 1
    assert "'birds.csv' has a modification time in the future" in run.text
    assert "touch birds.csv" in run.text
    subprocess.run(["touch", "birds.csv"], cwd=project.folder, check=True)
    assert project.run().code == 0
