"""Nested CV on a real SLURM, in spite of everything that goes wrong on one.

One study, two runs of Snakemake. The first is killed. During the second a job is cancelled, the
controller crashes, a node goes down, and a job takes more memory than it asked for. At a gate
every job waits for the test, so that nothing depends on how fast this machine is.
"""

import os
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from slurm import Job, Slurm, wait_until
from workflow.harness import ESTIMATES, REPO, Project, small_config

pytestmark = pytest.mark.cluster

TABLES = ("risks.csv", "estimates.csv", "selection.json")
THETAS = [1, 3, 5, 7, 9, 11]
SETS = 1 + 4 + 6
"""Nothing left out, one of four folds, two of them."""
FREE = 2
"""Fits before the gate, in each job."""
JOBS = 4
PROFILE = (
    *("--workflow-profile", str(REPO / "workflow/profiles/slurm")),
    *("--slurm-init-seconds-before-status-checks", "1", "--max-status-checks-per-second", "1"),
    *("--latency-wait", "10", "--config", "batch_cells=20"),
)
"""The profile as users have it, but for less patience and smaller jobs."""
PATIENCE = 200


def study(folder: Path) -> Project:
    """Nested CV over four folds for k-NN behind a gate, and a baseline."""
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("gated.py"), folder)
    config: dict[str, Any] = small_config()
    config["learners"] = {
        "gated": {"estimator": "gated.GatedNeighbors", "grid": {"n_neighbors": THETAS}}
    }
    project = Project(folder, config)
    project.task["learners"] = ["gated", "majority"]
    project.task["estimators"] = ["training", "kfold", "min_cv", "nested_cv", "test"]
    project.task["kfold"] = {"k": 4}
    project.put_first(folder)
    return project


class Running:
    """Snakemake under way on the cluster. What it says is read as it comes, lest the pipe fills."""

    def __init__(self, project: Project):
        self.process = project.start(ESTIMATES, *PROFILE, cores=100)
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self._lines.extend(self.process.stdout)

    def kill(self) -> None:
        """SIGKILL to it and to what it started on this machine; the cluster's jobs go on."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.text()

    def text(self) -> str:
        """Everything it said, once it is done."""
        self.process.wait(timeout=PATIENCE)
        self._reader.join()
        return "".join(self._lines)

    def said(self) -> str:
        """What it said so far."""
        return "".join(self._lines)


@pytest.fixture
def running() -> Iterator[list[Running]]:
    """Whatever a test starts is ended."""
    started: list[Running] = []
    yield started
    for run in started:
        run.kill()


def wait_at_gate(slurm: Slurm, project: Project, run: Running, fits: int) -> list[Job]:
    """Wait until all jobs stand before the gate, and return them by part."""

    def all_there() -> bool:
        assert run.process.poll() is None, run.text()
        return fit_count(project) == fits and len(slurm.running_fits()) == JOBS

    wait_until(all_there, "jobs at the gate", run.said, PATIENCE)
    return sorted(slurm.running_fits(), key=lambda job: job.comment)


def fit_count(project: Project) -> int:
    """How many fits of the gated learner came to their end."""
    path = project.folder / "fits.txt"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_nested_cv_survives_what_happens_on_a_cluster(
    slurm: Slurm, running: list[Running], tmp_path: Path
) -> None:
    local = study(tmp_path / "local")
    local.succeed(ESTIMATES)
    project = study(tmp_path / "cluster")
    gate = project.folder / "gate"
    gate.touch()
    (project.folder / "hungry").write_text("60 700")

    first = Running(project)
    running.append(first)
    orphans = wait_at_gate(slurm, project, first, JOBS * FREE)
    first.kill()
    killed = project.cells()
    for job in orphans:
        slurm.cancel(job)
    refused = project.run(ESTIMATES, *PROFILE, cores=100)
    assert refused.code != 0
    assert "Directory cannot be locked" in refused.text
    assert "--unlock" in refused.text
    project.succeed("--unlock")

    second = Running(project)
    running.append(second)
    hungry, cancelled, lost, _ = wait_at_gate(slurm, project, second, 2 * JOBS * FREE)
    finished = project.cells()
    assert killed.items() < finished.items()
    slurm.cancel(cancelled)
    slurm.stop_controller()
    time.sleep(5)
    slurm.start_controller()
    slurm.stop_node(lost.node)
    gate.unlink()

    text = second.text()
    assert second.process.returncode == 0, text
    print(text)
    for job in slurm.jobs(): print(job)
    print((slurm.folder/"finished.txt").read_text())
    assert project.snapshot(*TABLES) == local.snapshot(*TABLES)
    assert finished.items() < project.cells().items()
    fits = Counter((project.folder / "fits.txt").read_text().splitlines())
    assert len(fits) == len(THETAS) * SETS
    assert set(fits.values()) == {1}
    assert 0
