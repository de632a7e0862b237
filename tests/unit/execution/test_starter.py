"""Snakemake's side of the fork server."""

import os
import subprocess
import sys
from pathlib import Path

from asking import alive, wait_for

from heldout.execution.forkserver import client

STARTER = """
import json, os, subprocess, sys, threading
from heldout.execution.forkserver import client, starter

def children():
    threads = os.listdir("/proc/self/task")
    return [c for t in threads for c in open(f"/proc/self/task/{t}/children").read().split()]

def step():
    request = {"step": "render_index", "code": "", "spec": {"losses": 1}}
    job = {"request": request, "log": "logs/log", "inputs": {}, "outputs": [], "batches": None}
    open("SPEC", "w").write(json.dumps(job))
    subprocess.run([python, "-P", "-m", "heldout.execution.step", "SPEC"])
    return open("logs/log").read()

python = sys.executable
"""


def start(code: str, folder: Path, **environment: str) -> list[str]:
    """Run code as Snakemake's process; what it printed."""
    whole = {k: v for k, v in os.environ.items() if k != client.ADDRESS} | environment
    done = subprocess.run(
        [sys.executable, "-c", STARTER + code],
        cwd=folder,
        env=whole,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_server_starts_with_the_first_step(tmp_path: Path) -> None:
    code = "starter.listen([]); print(len(children())); step(); step(); print(len(children()))"
    assert start(code, tmp_path) == ["0", "1"]


def test_the_server_imports_what_the_steps_need(tmp_path: Path) -> None:
    """The real server, told what to import as the Snakefile tells it, serves a real client."""
    (tmp_path / "sees.py").write_text("import sys; open('seen', 'w').write(' '.join(sys.modules))")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    code = 'starter.listen(["sklearn.tree", "sees"]); print(step())'
    text = "\n".join(start(code, tmp_path, PYTHONPATH=path))
    assert "render_index: the field 'audits' is missing" in text  # the step was reached
    assert "sklearn.tree" in (tmp_path / "seen").read_text().split()


def test_a_server_that_cannot_be_started_leaves_the_steps_alone(tmp_path: Path) -> None:
    code = 'sys.executable = "/nowhere/python"; starter.listen([]); print(step())'
    text = "\n".join(start(code, tmp_path))
    assert "render_index: the field 'audits' is missing" in text


def test_an_empty_variable_turns_the_server_off(tmp_path: Path) -> None:
    code = "starter.listen([]); print(threading.active_count()); step(); print(len(children()))"
    assert start(code, tmp_path, **{client.ADDRESS: ""}) == ["1", "0"]


def test_a_stopped_server_ends_with_snakemake(tmp_path: Path) -> None:
    """However Snakemake ends: a stopped process would not see that its pipe is closed."""
    code = """if True:
        starter.listen([]); step()
        [server] = children()
        os.kill(int(server), 19)
        print(server, flush=True)
        os.kill(os.getpid(), int(sys.argv[1])) if sys.argv[1] != "0" else None
        """
    for number in ("0", "9"):
        whole = {k: v for k, v in os.environ.items() if k != client.ADDRESS}
        command = [sys.executable, "-c", STARTER + code, number]
        done = subprocess.run(command, cwd=tmp_path, env=whole, capture_output=True, text=True)
        assert done.returncode == -int(number), done.stderr
        server = int(done.stdout)
        wait_for(lambda server=server: not alive(server))
