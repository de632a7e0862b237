"""Nested CV on a real SLURM, in spite of everything that goes wrong on one.

One study, two runs of Snakemake. The first is killed. During the second, the controller
crashes, a job is cancelled, a node goes down and a job takes more memory than it asked for. Every job waits
for the test at a gate, so that nothing depends on how fast this machine is.
"""

import os
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from slurm import NODES, Job, Slurm, wait_until
from workflow.harness import ESTIMATES, REPO, Project, small_config

pytestmark = pytest.mark.cluster

TABLES = ("risks.csv", "estimates.csv", "selection.json")
THETAS = [1, 3, 5, 7, 9, 11]
SETS = 1 + 4 + 6
"""Nothing left out, one of four folds, two of them."""
ROWS = 60
"""Of 75, a fifth is sealed."""
JOBS = 3
FREE = 2
"""Fits before the gate, in each job."""
OPTIONS = (
    *("--workflow-profile", str(REPO / "workflow/profiles/slurm")),
    *("--slurm-init-seconds-before-status-checks", "1", "--max-status-checks-per-second", "1"),
    *("--latency-wait", "10", "--config", "batch_cells=26"),
)
"""The profile as users have it, but for less patience and smaller jobs."""
PATIENCE = 240
"""Far more than a quiet machine needs for any one step."""


class Study(Project):
    """Nested CV over four folds for k-NN behind a gate, and for a baseline."""

    def __init__(self, folder: Path):
        super().__init__(folder, small_config())
        grid = {"n_neighbors": THETAS}
        self.config["learners"] = {"gated": {"estimator": "gated.GatedNeighbors", "grid": grid}}
        self.task["learners"] = ["gated", "majority"]
        self.task["estimators"] = ["training", "kfold", "min_cv", "nested_cv", "test"]
        self.task["kfold"] = {"k": 4}
        self.put_first(folder)
        folder.mkdir()
        shutil.copy(Path(__file__).with_name("gated.py"), folder)

    def close_gate(self, megabytes: int) -> None:
        """Let jobs wait before their third fit, and one fit on all rows take this much memory."""
        (self.folder / "gate").touch()
        (self.folder / "hungry").write_text(f"{ROWS} {megabytes}")

    def open_gate(self) -> None:
        """Let the jobs go on."""
        (self.folder / "gate").unlink()

    def fits(self) -> Counter[str]:
        """How often each fit of the gated learner came to its end."""
        path = self.folder / "fits.txt"
        return Counter(path.read_text().splitlines() if path.exists() else [])


class Running:
    """Snakemake under way. What it says is read as it comes, lest the pipe fills."""

    def __init__(self, study: Study, *options: str, cores: int = 100):
        self.process = study.start(ESTIMATES, *options, cores=cores)
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            self._lines.extend(lines)

    def said(self) -> str:
        """What it said so far."""
        return "".join(self._lines)

    def kill(self) -> None:
        """SIGKILL to it and to what it started on this machine; the cluster's jobs go on."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.end()

    def end(self) -> int:
        """Wait for its end."""
        code = self.process.wait(timeout=PATIENCE)
        self._reader.join()
        return code

    def succeed(self) -> None:
        """Wait for its good end."""
        assert self.end() == 0, self.said()


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Starts Snakemake; whatever a test starts is ended."""
    runs: list[Running] = []

    def start(study: Study, *options: str, cores: int = 100) -> Running:
        runs.append(Running(study, *options, cores=cores))
        return runs[-1]

    yield start
    for run in runs:
        run.kill()


def wait_at_gate(slurm: Slurm, study: Study, run: Running, fits: int) -> list[Job]:
    """Wait until so many fits are done and all jobs stand at the gate; return them by part."""

    def all_there() -> bool:
        assert run.process.poll() is None, run.said()
        return study.fits().total() == fits and len(slurm.running_fits()) == JOBS

    wait_until(all_there, "jobs at the gate", run.said, PATIENCE)
    return slurm.running_fits()


def assert_refused(study: Study) -> None:
    """A second run in the same folder ends at once and says why."""
    second = study.run(ESTIMATES, *OPTIONS, cores=100)
    assert second.code != 0
    assert "no other Snakemake process is trying to create the same files" in second.text
    assert str(study.folder) in second.text


def test_nested_cv_survives_what_happens_on_a_cluster(
    slurm: Slurm, start: Callable[..., Running], tmp_path: Path
) -> None:
    local, study = Study(tmp_path / "local"), Study(tmp_path / "cluster")
    study.put_first(slurm.plugins)
    study.environment["PATH"] = f"{slurm.commands}:{os.environ['PATH']}"
    study.close_gate(megabytes=700)

    # Snakemake is killed. Its jobs live on: they are cancelled as docs/cluster.md says.
    first = start(study, *OPTIONS)
    orphans = wait_at_gate(slurm, study, first, JOBS * FREE)
    first.kill()
    slurm.cancel(*orphans)
    after_kill = study.cells()

    # It is started again, and meanwhile refuses a second run in its folder.
    study.succeed("--unlock")
    second = start(study, *OPTIONS)
    hungry, cancelled, lost = wait_at_gate(slurm, study, second, 2 * JOBS * FREE)
    assert_refused(study)
    at_gate = study.cells()

    # The controller crashes and is asked in vain; a job is cancelled; a node goes down. Behind the gate,
    # the fit on all rows is ended for its memory. A controller that crashes forgets a job that was
    # submitted a moment before, so nothing is cancelled, and submitted again, before it is back.
    slurm.stop_controller()
    reference = start(local, cores=2)
    asked = slurm.times_asked()
    wait_until(lambda: slurm.times_asked() > asked, "question in vain", second.said, PATIENCE)
    slurm.start_controller()
    slurm.cancel(cancelled)
    slurm.stop_node(lost.node)
    study.open_gate()
    second.succeed()
    reference.succeed()

    assert study.snapshot(*TABLES) == local.snapshot(*TABLES)
    assert after_kill.items() < at_gate.items() < study.cells().items()
    assert set(study.fits().values()) == {1}
    assert len(study.fits()) == len(THETAS) * SETS
    assert_accounts(study)

    assert {job.node for job in slurm.jobs() if job.is_fit} == set(NODES)
    assert slurm.states(lost) == ["NODE_FAIL", "COMPLETED"]
    for job, end in ((cancelled, "CANCELLED"), (hungry, "FAILED")):
        first_run, ended, again = (other for other in slurm.jobs() if other.comment == job.comment)
        assert (first_run.state, ended.state, again.state) == ("CANCELLED", end, "COMPLETED")
        assert (ended.memory, again.memory) == ("1001M", "2002M")


def assert_accounts(study: Study) -> None:
    """The manifests list every cell once, and each job found some of its cells in the store."""
    manifests = [
        study.manifest(f"results/birds/cells/manifests/{part}-of-{JOBS}.json")
        for part in range(1, JOBS + 1)
    ]
    listed = sum(manifest["fitted"] + manifest["reused"] for manifest in manifests)
    assert listed == len(study.cells()) == (len(THETAS) + 1) * SETS
    assert all(manifest["reused"] >= FREE for manifest in manifests)
