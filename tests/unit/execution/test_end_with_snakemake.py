"""A step ends with the Snakemake that started it, however that ends."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import RUN, Step, alive, begin, runs, wait_for

from heldout.execution.forkserver import client

BY_ITSELF = f"""
import sys
from heldout.execution.forkserver.lifeline import end_with_client
{RUN}
end_with_client()
sys.exit(run(sys.argv[-1:]))
"""
OWN_CLIENT = """
import os, sys
from heldout.execution.forkserver import client
really = os.execv
os.execv = lambda python, command: really(python, [python, "alone.py", *command[3:]])
client.main()
"""


@pytest.fixture
def snakemake() -> Iterator[subprocess.Popen[bytes]]:
    """In place of it: a process that can be killed."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def begin_watching(address: str, folder: Path, name: str, **spec: object) -> Step:
    (folder / "alone.py").write_text(BY_ITSELF)
    return begin(address, folder, program=OWN_CLIENT, snakemake=name, **spec)


@pytest.mark.parametrize("by", ["server", "itself"])
@pytest.mark.parametrize("held", [False, True])
def test_a_step_and_its_workers_end_with_snakemake(
    by: str, held: bool, address: str, tmp_path: Path, snakemake: subprocess.Popen[bytes]
) -> None:
    name, worker, mark = client.process_name(snakemake.pid), tmp_path / "worker", tmp_path / "pid"
    given = {"file": str(mark), "worker": str(worker), "sleep": 30}
    step = begin_watching(address if by == "server" else "", tmp_path, name, **given)
    wait_for(lambda: worker.is_file() and worker.read_text() != "")
    if held:
        os.kill(int(mark.read_text()), signal.SIGSTOP)
    snakemake.kill()
    step.end()
    assert step.code == 1
    wait_for(lambda: not alive(int(mark.read_text())) and not alive(int(worker.read_text())))


@pytest.mark.parametrize("by", ["server", "itself"])
def test_a_step_that_ends_by_itself_tells_its_exit_code(
    by: str, address: str, tmp_path: Path, snakemake: subprocess.Popen[bytes]
) -> None:
    name = client.process_name(snakemake.pid)
    step = begin_watching(address if by == "server" else "", tmp_path, name, code=3, read=True)
    out, _ = step.end()
    assert out.splitlines() == [f"arguments SPEC {tmp_path} mine", "read 0"]
    assert step.code == 3


def test_a_step_by_itself_ends_with_its_client_and_says_if_it_was_killed(
    tmp_path: Path, snakemake: subprocess.Popen[bytes]
) -> None:
    name, mark, log = client.process_name(snakemake.pid), tmp_path / "pid", tmp_path / "log"
    for victim in ("client", "step"):
        mark.unlink(missing_ok=True)
        step = begin_watching("", tmp_path, name, file=str(mark), sleep=30, log="log")
        wait_for(lambda: mark.is_file() and mark.read_text() != "")
        os.kill(step.pid if victim == "client" else int(mark.read_text()), signal.SIGKILL)
        step.end()
        wait_for(lambda: not alive(int(mark.read_text())))
    assert step.code == 1
    assert log.read_text() == f"{client.KILLED}\n"


@pytest.mark.parametrize("other", ["boot", "namespace", "nonsense", "nothing"])
def test_a_process_of_another_machine_is_not_watched(
    other: str, tmp_path: Path, snakemake: subprocess.Popen[bytes]
) -> None:
    boot, namespace, pid, started = client.process_name(snakemake.pid).split()
    given = {
        "boot": f"other {namespace} {pid} {started}",
        "namespace": f"{boot} pid:[1] {pid} {started}",
        "nonsense": "nonsense",
        "nothing": "",
    }[other]
    snakemake.kill()
    snakemake.wait()
    step = begin_watching("", tmp_path, given, code=3)
    step.end()
    assert step.code == 3


@pytest.mark.parametrize("reused", [False, True])
def test_a_step_whose_snakemake_has_ended_does_not_begin(
    reused: bool, tmp_path: Path, snakemake: subprocess.Popen[bytes]
) -> None:
    """Nor if another process has its number by now."""
    name = client.process_name(snakemake.pid)
    if reused:
        name = f"{name[:-1]}{(int(name[-1]) + 1) % 10}"
    else:
        snakemake.kill()
        snakemake.wait()
    step = begin_watching("", tmp_path, name, runs="runs")
    step.end()
    assert step.code == 1
    assert runs(tmp_path) == 0
