"""The fork server starts with the first step that is due, and not before."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from harness import REPO, RISKS, TIMEOUT, Project

from heldout.execution.forkserver.client import ADDRESS

SERVER = "heldout.execution.forkserver.server"
STEP = "heldout.execution.steps.run"
HOOK = """
import os, sys
with open(os.environ["STARTED"], "a") as file:
    print(*sys.orig_argv, file=file)
"""


class Started:
    """Every Python process that a project's runs have started (but for the script of a step)."""

    def __init__(self, project: Project):
        folder = project.folder / "hook"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(HOOK)
        project.put_first(folder)
        self._file = project.folder / "started.txt"
        project.environment["STARTED"] = str(self._file)

    def count(self, module: str) -> int:
        """How many ran a module."""
        return sum(module in line.split() for line in self._file.read_text().splitlines())


@pytest.fixture
def started(project: Project) -> Started:
    return Started(project)


OPTIONS = {
    "nothing due": [],
    "a dry run": ["--dry-run", "--forceall"],
    "lint": ["--lint"],
    "unlock": ["--unlock"],
    "a report": ["--report", "report.html"],
    "touch": ["--touch", "--forceall"],
    "a list": ["--list-rules"],
    "a summary": ["--summary"],
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_run_without_a_step_starts_no_server(
    options: list[str], project: Project, started: Started
) -> None:
    project.run(*options)
    assert started.count("snakemake") >= 1
    assert started.count(SERVER) == 0


def test_steps_share_one_server(project: Project, started: Started) -> None:
    project.config["level"] = 0.8
    run = project.succeed(RISKS, "--forcerun", "draw_splits")
    assert run.jobs.total() > 3
    assert (started.count(SERVER), started.count(STEP)) == (1, 0)


def test_without_a_server_every_step_is_a_process(project: Project, started: Started) -> None:
    project.environment[ADDRESS] = ""
    project.config["level"] = 0.8
    project.succeed(RISKS)
    assert (started.count(SERVER), started.count(STEP)) == (0, 1)


def test_the_jobs_of_a_cluster_use_no_server(project: Project, started: Started) -> None:
    project.config["level"] = 0.8
    project.succeed(RISKS, "--dry-run")  # as the main process plans it
    project.succeed(RISKS, "--mode", "remote")
    assert (started.count(SERVER), started.count(STEP)) == (0, 1)


def test_the_profile_of_the_workflow_is_found(project: Project) -> None:
    """From the checkout through the link beside the Snakefile, and beside the main definition."""
    for place, profiles in (("Snakefile", "profiles"), ("workflow/Snakefile", "workflow/profiles")):
        run = project.succeed("--dry-run", "--snakefile", str(REPO / place))
        assert f"workflow specific profile {REPO / profiles / 'default'}" in run.text
    assert Path(REPO / "profiles" / "default").samefile(REPO / "workflow" / "profiles" / "default")


def server_of(project: Project) -> list[int]:
    """The fork servers of a project's runs, stopped ones too."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            here = (path / "cwd").readlink() == project.folder
            leads = os.getsid(int(path.name)) == int(path.name)  # its children are of its command
            if here and leads and SERVER in (path / "cmdline").read_text().split("\0"):
                found.append(int(path.name))
    return found


def test_a_run_whose_server_is_stopped_comes_to_its_end(project: Project) -> None:
    run = project.start(RISKS, "--forcerun", "draw_splits")
    deadline = time.monotonic() + TIMEOUT
    while not (servers := server_of(project)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(servers[0], signal.SIGSTOP)
    text, _ = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 0, text
    time.sleep(0.2)
    assert not server_of(project)
