"""A fork server, and steps that ask it."""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from heldout.execution.forkserver import client

RUN = """
import json, os, subprocess, sys, time

def run(arguments):
    given = json.loads(open(arguments[0]).read())
    print("arguments", *arguments, os.getcwd(), os.environ["MARK"], flush=True)
    if "runs" in given:
        open(given["runs"], "a").write("once ")
    if "file" in given:
        open(given["file"], "w").write(str(os.getpid()))
    if given.get("raise"):
        raise ValueError("a bad step")
    if given.get("read"):
        print("read", len(sys.stdin.read()), flush=True)
    if "worker" in given:
        worker = subprocess.Popen(["sleep", "60"])
        open(given["worker"], "w").write(str(worker.pid))
    time.sleep(given.get("sleep", 0))
    return given.get("code", 0)
"""
SERVER = f"""
import signal, socket
from heldout.execution.forkserver import server
{RUN}
def stop(*_):
    os.kill(os.getpid(), signal.SIGSTOP)

CHANGES
server.Server(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:], run).serve()
"""
CLIENT = """
import os, sys
from heldout.execution.forkserver import client
client.PATIENCE = float(os.environ["PATIENCE"])
os.execv = lambda *_: sys.exit("alone")
try:
    client.main()
except SystemExit as end:
    if end.code == "alone":
        raise
    print(f"code {end.code}")
"""
ALONE: tuple[list[str], str] = ([], "alone\n")


def serve(
    name: str,
    folder: Path,
    *modules: str,
    command: Sequence[str] = ("-c", SERVER.replace("CHANGES", "")),
) -> subprocess.Popen[bytes]:
    """A server as Snakemake starts it: the socket is there before the process."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        number = listener.fileno()
        whole = [sys.executable, *command, str(number), *modules]
        return subprocess.Popen(whole, stdin=subprocess.PIPE, cwd=folder, pass_fds=[number])


def name_for(folder: Path) -> str:
    return f"heldout-test-{os.getpid()}-{folder.name}"


class Step:
    """A step that asks; what it prints goes to files, for a stopped server would hold a pipe open."""

    def __init__(self, program: str, folder: Path, **environment: str):
        number = next(_numbers)
        self._files = [folder / f"out{number}", folder / f"err{number}"]
        with self._files[0].open("w") as out, self._files[1].open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program, "SPEC"],
                env=os.environ | environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
            )
        self.pid, self.kill, self.poll = self._process.pid, self._process.kill, self._process.poll

    def end(self) -> tuple[str, str]:
        """Wait for its end; what it has printed."""
        self.code = self._process.wait(20)
        out, errors = (path.read_text() for path in self._files)
        return out, errors


_numbers = itertools.count()


def begin(address: str, folder: Path, **spec: object) -> Step:
    """A step that asks."""
    threads = dict.fromkeys(client.ONE_THREAD, str(spec.pop("threads", 1)))
    program, snakemake = str(spec.pop("program", CLIENT)), str(spec.pop("snakemake", ""))
    patience = str(spec.pop("patience", 8.0))
    (folder / "SPEC").write_text(json.dumps({"request": {"step": "any"}} | spec))
    given = {client.ADDRESS: address, client.SNAKEMAKE: snakemake, "MARK": "mine"}
    return Step(program, folder, **threads, **given, PATIENCE=patience)


def ask(address: str, folder: Path, **spec: object) -> tuple[list[str], str]:
    """What the step printed, line by line, and its errors."""
    out, errors = begin(address, folder, **spec).end()
    return out.splitlines(), errors


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("waited for 10 seconds")


def alive(pid: int) -> bool:
    """Whether a process still does something (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def changed_server(folder: Path, changes: str, *modules: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server with other functions here and there."""
    process = serve(
        name_for(folder), folder, *modules, command=("-c", SERVER.replace("CHANGES", changes))
    )
    assert process.stdin is not None
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.stdin.close()
        process.wait(10)


def runs(folder: Path) -> int:
    """How often the step of a folder was run by the server."""
    mark = folder / "runs"
    return len(mark.read_text().split()) if mark.is_file() else 0


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
