"""The fork server: a step gets what it would have got by itself, and no process stays behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from heldout.execution.forkserver import client

SERVER = """
import json, os, socket, subprocess, sys, time
from heldout.execution.forkserver.server import serve

def run(arguments, spec):
    given = json.loads(spec)
    print("arguments", *arguments, os.getcwd(), os.environ["MARK"], flush=True)
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

serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:], run)
"""
CLIENT = """
import os, sys
from heldout.execution.forkserver import client
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
    name: str, folder: Path, *modules: str, command: Sequence[str] = ("-c", SERVER)
) -> subprocess.Popen[bytes]:
    """A server as Snakemake starts it: the socket is there before the process."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        number = listener.fileno()
        whole = [sys.executable, *command, str(number), *modules]
        return subprocess.Popen(whole, stdin=subprocess.PIPE, cwd=folder, pass_fds=[number])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    for module in ("one", "two", "three"):
        text = f"import time; time.sleep(0.5); open('imported {module}', 'w')"
        (tmp_path / f"{module}.py").write_text(text)
    process = serve(name_for(tmp_path), tmp_path, "one", "two", "heldout.execution.steps.late")
    assert process.stdin is not None
    yield process
    process.stdin.close()
    process.wait(10)


def name_for(folder: Path) -> str:
    return f"heldout-test-{os.getpid()}-{folder.name}"


@pytest.fixture
def address(server: subprocess.Popen[bytes], tmp_path: Path) -> str:
    return name_for(tmp_path)


def begin(address: str, folder: Path, **spec: object) -> subprocess.Popen[str]:
    """A step that asks."""
    threads = dict.fromkeys(client.ONE_THREAD, str(spec.pop("threads", 1)))
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, "FOLDER", "LOG"],
        env=os.environ | threads | {client.ADDRESS: address, "MARK": "mine"},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it runs alone, and its spec is for whom it becomes
        process.stdin.write(json.dumps({"step": "any"} | spec))
        process.stdin.close()
    process.stdin = None
    return process


def ask(address: str, folder: Path, **spec: object) -> tuple[list[str], str]:
    """What the step printed, line by line, and its errors."""
    out, errors = begin(address, folder, **spec).communicate(timeout=20)
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


def test_a_step_keeps_its_folder_environment_output_and_exit_code(
    address: str, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    assert ask(address, folder)[0] == [f"arguments FOLDER LOG {folder} mine", "code 0"]
    assert ask(address, folder, code=3)[0][-1] == "code 3"


def test_an_exception_is_shown_and_fails_the_step_alone(address: str, tmp_path: Path) -> None:
    lines, errors = ask(address, tmp_path, **{"raise": True})
    assert lines[-1] == "code 1"
    assert "ValueError: a bad step" in errors
    assert ask(address, tmp_path)[0][-1] == "code 0"


def test_a_killed_child_fails_its_step_and_says_so(address: str, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    step = begin(address, tmp_path, sleep=30, file=str(mark))
    wait_for(lambda: mark.is_file() and mark.read_text() != "")
    os.kill(int(mark.read_text()), signal.SIGKILL)
    out, errors = step.communicate(timeout=20)
    assert out.splitlines()[-1] == "code 1"
    assert "killed" in errors


def test_a_child_ends_with_the_step_that_asked(address: str, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    step = begin(address, tmp_path, sleep=30, file=str(mark))
    wait_for(lambda: mark.is_file() and mark.read_text() != "")
    child = int(mark.read_text())
    assert alive(child)
    step.kill()
    step.communicate()
    wait_for(lambda: not alive(child))


def test_the_server_ends_when_its_starter_has_ended(tmp_path: Path) -> None:
    name = name_for(tmp_path)
    process = serve(name, tmp_path)
    assert process.stdin is not None
    assert ask(name, tmp_path)[0][-1] == "code 0"
    process.stdin.close()
    assert process.wait(10) == 0
    assert ask(name, tmp_path) == ALONE


@pytest.mark.parametrize("name", ["", "heldout-nobody-listens"])
def test_without_a_server_a_step_runs_alone(name: str, tmp_path: Path) -> None:
    assert ask(name, tmp_path) == ALONE


def test_a_step_with_more_threads_runs_alone(address: str, tmp_path: Path) -> None:
    assert ask(address, tmp_path, threads=2) == ALONE


def test_a_step_has_nothing_to_read(address: str, tmp_path: Path) -> None:
    assert ask(address, tmp_path, read=True)[0][1:] == ["read 0", "code 0"]


@pytest.mark.parametrize("killed", [False, True])
def test_what_a_step_has_started_ends_with_it(address: str, tmp_path: Path, killed: bool) -> None:
    mark = tmp_path / "worker"
    step = begin(address, tmp_path, worker=str(mark), sleep=30 if killed else 0)
    wait_for(lambda: mark.is_file() and mark.read_text() != "")
    if killed:
        step.kill()
    out, _ = step.communicate(timeout=20)
    assert killed or out.splitlines()[-1] == "code 0"
    wait_for(lambda: not alive(int(mark.read_text())))


def test_steps_run_side_by_side(address: str, tmp_path: Path) -> None:
    marks = [tmp_path / f"pid{i}" for i in range(3)]
    steps = [begin(address, tmp_path, sleep=30, file=str(mark)) for mark in marks]
    wait_for(lambda: all(mark.is_file() and mark.read_text() != "" for mark in marks))
    assert len({mark.read_text() for mark in marks}) == 3
    for step in steps:
        step.kill()
        step.communicate()


def test_a_step_waits_until_its_module_has_been_imported(address: str, tmp_path: Path) -> None:
    assert ask(address, tmp_path, step="late")[0][-1] == "code 0"
    assert (tmp_path / "imported two").is_file()


# --- from Snakemake's side -----------------------------------------------------------------

STARTER = """
import os, subprocess, sys, threading
from heldout.execution.forkserver import client, starter

def children():
    threads = os.listdir("/proc/self/task")
    return [c for t in threads for c in open(f"/proc/self/task/{t}/children").read().split()]

def step():
    spec = '{"step": "render_index", "spec": {"losses": 1}}'
    command = [python, "-S", client.__file__, ".", "log"]
    return subprocess.run(command, input=spec, text=True, capture_output=True)

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
    code = 'starter.listen(["sklearn.tree", "sees"]); print(step().stderr)'
    text = "\n".join(start(code, tmp_path, PYTHONPATH=path))
    assert "render_index: the field 'audits' is missing" in text  # the step was reached
    assert "sklearn.tree" in (tmp_path / "seen").read_text().split()


def test_a_server_that_cannot_be_started_leaves_the_steps_alone(tmp_path: Path) -> None:
    code = 'sys.executable = "/nowhere/python"; starter.listen([]); print(step().stderr)'
    text = "\n".join(start(code, tmp_path))
    assert "render_index: the field 'audits' is missing" in text


def test_an_empty_variable_turns_the_server_off(tmp_path: Path) -> None:
    code = "starter.listen([]); print(threading.active_count()); step(); print(len(children()))"
    assert start(code, tmp_path, **{client.ADDRESS: ""}) == ["1", "0"]


# --- odd requests --------------------------------------------------------------------------


def test_a_step_finds_the_modules_of_its_own_folder(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
        (folder / "own.py").write_text("")
    look = "from heldout.user_code.search import look_in_study_folder; look_in_study_folder(); "
    text = SERVER.replace("return given", f"{look}import own; print(own.__file__); return given")
    name = name_for(tmp_path)
    process = serve(name, there, command=["-P", "-c", text])
    assert process.stdin is not None
    assert ask(name, here)[0][1:] == [str(here / "own.py"), "code 0"]
    process.stdin.close()
    process.wait(10)


def test_a_step_that_nobody_heard_has_not_been_run() -> None:
    mine, theirs = socket.socketpair()
    with mine:
        theirs.close()
        assert client.ask(mine, [], "{}") is None


def test_what_was_read_of_the_spec_can_be_read_again() -> None:
    code = """if True:
        import os, sys
        from heldout.execution.forkserver import client
        client._put_back(sys.stdin.read())
        os.execv(sys.executable, [sys.executable, "-c", "import sys; print(sys.stdin.read())"])
        """
    spec = json.dumps({"step": "any", "much": "x" * 200_000})
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=spec, capture_output=True, text=True, check=True)
    assert done.stdout == f"{spec}\n"


def test_half_a_request_harms_nobody(address: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"\0{address}")
        socket.send_fds(connection, [(1000).to_bytes(client.LENGTH)], [1, 2])
        connection.sendall(b"half")
    assert ask(address, tmp_path)[0][-1] == "code 0"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no parts",
        b"{}\0folder\x002\0a\0b\0A=1",
        b'{"step":"a"}\0f\0x\0a',
        b'{"step":"a"}\0f\x000\0no sign',
    ],
)
def test_nonsense_harms_nobody(address: str, tmp_path: Path, body: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"\0{address}")
        socket.send_fds(connection, [len(body).to_bytes(client.LENGTH)], [1, 2])
        connection.sendall(body)
        assert connection.recv(1) == b""
    assert ask(address, tmp_path)[0][-1] == "code 0"
