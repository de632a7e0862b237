"""`heldout run` as a user calls it: few lines, the answer, errors as clear as those of Snakemake, Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness import CONFIG, REPO, TASK, TIMEOUT, Project

import heldout


def start(project: Project, *options: str) -> "subprocess.Popen[str]":
    project.write_inputs()
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "heldout", "run", "--config", CONFIG, *options],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(REPO / "workflow"), **project.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(project: Project, *options: str) -> tuple[int, str, str]:
    process = start(project, *options)
    out, err = process.communicate(timeout=TIMEOUT)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, tuple[int, str, str]]:
    """A study of two tasks and 34 jobs that `heldout run` has finished, and what it said."""
    project = Project(tmp_path_factory.mktemp("run"))
    tasks = project.config["tasks"]
    tasks["others"] = json.loads(json.dumps(tasks[TASK]))
    for task in tasks.values():
        task["estimators"] += ["montecarlo", "nested_cv"]
        task["metrics"] = ["accuracy"]
    return project, run(project, "--cores", "2")


def test_a_run_of_34_jobs_says_little(done: tuple[Project, tuple[int, str, str]]) -> None:
    project, (code, out, err) = done
    assert code == 0, err
    log = (project.folder / "results" / "logs" / "run.log").read_text()
    assert max(int(steps) for steps in re.findall(r"^(\d+) of \d+ steps", log, re.M)) >= 34
    lines = err.splitlines()
    done_lines = [line for line in lines if re.search(r" (\d+) of \1 cells ", line)]
    assert {line.split()[0] for line in done_lines} == {TASK, "others"}
    assert lines[-1] == ""  # before it there are more lines of progress on a slow machine
    assert len(done_lines) + 1 + len(out.splitlines()) <= 25
    for task in (TASK, "others"):
        assert f"results/{task}/report.html" in out


def test_again_nothing_runs(done: tuple[Project, tuple[int, str, str]]) -> None:
    project, (_, before, _) = done
    code, out, err = run(project)
    assert (code, out) == (0, before)
    assert err.splitlines() == [f"{TASK}    nothing to do", "others   nothing to do", ""]
    assert run(project, "-n") == (0, "nothing to be done\n", "")


def test_what_snakemake_is_asked_is_shown(done: tuple[Project, tuple[int, str, str]]) -> None:
    project = done[0]
    code, out, err = run(project, "--", "--report", "all.html")
    assert (code, out) == (0, done[1][1])
    assert "Report created." in err.splitlines()
    assert (project.folder / "all.html").stat().st_size > 100_000
    code, out, _ = run(project, "--", "--forceall", "-n")
    assert code == 0
    assert "prepare_data" in out
    assert run(project, "-n")[1] == "nothing to be done\n"


def test_a_cluster_without_its_plugin(tmp_path: Path) -> None:
    project = Project(tmp_path)
    profile = tmp_path / "far" / "config.yaml"
    profile.parent.mkdir()
    profile.write_text("executor: far-away\n")
    for options in ((), ("-n",)):
        code, _, err = run(project, "--profile", str(profile.parent), *options)
        assert code != 0
        assert "invalid choice: 'far-away'" in err
        assert "pip install 'heldout[slurm]'" in err


def test_snakemake_finds_nothing_left_to_do(done: tuple[Project, tuple[int, str, str]]) -> None:
    assert not done[0].succeed("--dry-run").jobs


def test_a_dry_run_says_why_and_writes_nothing(
    done: tuple[Project, tuple[int, str, str]], tmp_path: Path
) -> None:
    project = done[0].copy_to(tmp_path / "study")
    project.config["learners"]["tree"]["grid"]["max_depth"] += [2]
    code, out, _ = run(project, "-n")
    assert code == 0
    assert f"{TASK}: learners.tree.grid.max_depth: 2 added (" in out
    assert out.splitlines()[-1].split(":")[0].endswith(" jobs")
    assert len(out.splitlines()) <= 7
    fresh = Project(tmp_path / "fresh")
    fresh.folder.mkdir()
    code, out, _ = run(fresh, "--dry-run")
    assert out.splitlines()[:2] == ["results: not made yet", f"{TASK}: not made yet"]
    assert not (fresh.folder / "results").exists()


def test_an_error_of_the_config_is_one_line(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.task["learners"] = ["knn", "treee"]
    expected = "heldout: learners.treee: unknown learner 'treee'; did you mean 'tree'? (or give an "
    code, out, err = run(project)
    assert (code, out) == (1, "")
    assert err.startswith(expected)
    assert err.count("\n") == 1
    assert run(project, "-n")[2] == err
    # with options of Snakemake it is Snakemake that reads the config
    code, _, err = run(project, "--", "--config", "level=0.9")
    assert code == 1
    assert expected.removeprefix("heldout: ") in err


def test_a_failed_job_shows_the_end_of_its_log(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.task["target"] = "sort"
    code, out, err = run(project)
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "",
        f"heldout: prepare_data failed (results/{TASK}/logs/prepare_data.log):",
        "  heldout: target: no column 'sort' in birds.csv; known: bill, mass, island, species",
        "all that Snakemake said: results/logs/run.log",
    ]


def test_a_misspelt_profile(tmp_path: Path) -> None:
    _, _, err = run(Project(tmp_path), "--profile", "slrum")
    assert "heldout has no profile 'slrum'; did you mean 'slurm'?" in err


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it_cleanly(tmp_path: Path, sent: signal.Signals) -> None:
    project = Project(tmp_path)
    project.task["learners"] = ["knn", "forest"]
    project.config["learners"]["forest"] = {
        "estimator": "forest",
        "params": {"n_estimators": 5000},
        "grid": {"max_depth": [1, 2, 3, 4]},
    }
    # a shell starts what runs in the background deaf to Ctrl-C, and its children inherit that
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start(project)
    signal.signal(signal.SIGINT, heard)
    wait_for(project.results / "cells")
    process.send_signal(sent)
    _, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130, err
    assert err.endswith("heldout: ended; what was done is kept, and the same command goes on\n")
    assert not [*project.folder.glob(".snakemake/locks/*")]
    assert run(project, "-n")[0] == 0


def wait_for(path: Path) -> None:
    end = time.monotonic() + TIMEOUT
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_lock_that_was_left_is_removed_by_unlock(tmp_path: Path) -> None:
    project = Project(tmp_path)
    locks = project.folder / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.output.lock").write_text("results/index.html\n")
    code, _, err = run(project)
    assert code == 1
    assert err.endswith(f"If it was killed: heldout run --unlock --config {CONFIG}\n")
    assert run(project, "--unlock")[0] == 0
    assert not [*locks.glob("*")]


def test_from_python(
    done: tuple[Project, tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(done[0].folder)
    study = heldout.run(CONFIG, cores=2, progress=False)
    assert [*study] == [TASK, "others"]
    assert study[TASK].selection["learner"] in ("knn", "tree", "majority")
    assert capfd.readouterr() == ("", "")
