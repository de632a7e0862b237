"""The fork server: a step gets what it would have got by itself, and no process stays behind."""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
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


def test_a_step_keeps_its_folder_environment_output_and_exit_code(
    address: str, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    assert ask(address, folder)[0] == [f"arguments SPEC {folder} mine", "code 0"]
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
    out, errors = step.end()
    assert out.splitlines()[-1] == "code 1"
    assert "killed" in errors


def test_a_child_ends_with_the_step_that_asked(address: str, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    step = begin(address, tmp_path, sleep=30, file=str(mark))
    wait_for(lambda: mark.is_file() and mark.read_text() != "")
    child = int(mark.read_text())
    assert alive(child)
    step.kill()
    step.end()
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
    out, _ = step.end()
    assert killed or out.splitlines()[-1] == "code 0"
    wait_for(lambda: not alive(int(mark.read_text())))


def test_steps_run_side_by_side(address: str, tmp_path: Path) -> None:
    folders = [tmp_path / str(i) for i in range(3)]
    for folder in folders:
        folder.mkdir()
    marks = [folder / "pid" for folder in folders]
    steps = [begin(address, mark.parent, sleep=30, file=str(mark)) for mark in marks]
    wait_for(lambda: all(mark.is_file() and mark.read_text() != "" for mark in marks))
    assert len({mark.read_text() for mark in marks}) == 3
    for step in steps:
        step.kill()
        step.end()


def test_a_step_waits_until_its_module_has_been_imported(address: str, tmp_path: Path) -> None:
    assert ask(address, tmp_path, request={"step": "late"})[0][-1] == "code 0"
    assert (tmp_path / "imported two").is_file()


# --- from Snakemake's side -----------------------------------------------------------------

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


# --- odd requests --------------------------------------------------------------------------


def test_a_step_finds_the_modules_of_its_own_folder(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
        (folder / "own.py").write_text("")
    look = "from heldout.user_code.search import look_in_study_folder; look_in_study_folder(); "
    text = SERVER.replace("CHANGES", "").replace(
        "return given", f"{look}import own; print(own.__file__); return given"
    )
    name = name_for(tmp_path)
    process = serve(name, there, command=["-P", "-c", text])
    assert process.stdin is not None
    assert ask(name, here)[0][1:] == [str(here / "own.py"), "code 0"]
    process.stdin.close()
    process.wait(10)


def test_a_step_that_nobody_heard_has_not_been_run() -> None:
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    assert client.ask(mine, [], None) is None


def test_a_step_that_was_heard_by_a_server_that_died_has_not_been_run() -> None:
    mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    thread = threading.Thread(target=lambda: (socket.recv_fds(theirs, 1, 4), theirs.close()))
    thread.start()
    assert client.ask(mine, [], None) is None
    thread.join()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no parts",
        b"/\x001\0no such file\0A=1",
        b"/dev\x001\0null\0A=1",
        b"folder\0x\0a",
        b"folder\x000\0no sign",
    ],
)
def test_nonsense_harms_nobody(address: str, tmp_path: Path, body: bytes) -> None:
    request = tmp_path / "request"
    request.write_bytes(body)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection, request.open() as file:
        connection.connect(f"\0{address}")
        socket.send_fds(connection, [client.WAITING], [1, 2, 0, file.fileno()])
        assert connection.recv(1) in (b"", client.WAITING)
    assert ask(address, tmp_path)[0][-1] == "code 0"


def test_a_message_without_a_request_harms_nobody(address: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(f"\0{address}")
        socket.send_fds(connection, [b"w"], [1, 2])
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(f"\0{address}")
        assert ask(address, tmp_path)[0][-1] == "code 0"


# --- a server that is stopped --------------------------------------------------------------


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


def test_a_step_runs_alone_if_the_server_is_stopped_and_never_twice(tmp_path: Path) -> None:
    with changed_server(tmp_path, "") as process:
        process.send_signal(signal.SIGSTOP)
        assert ask(name_for(tmp_path), tmp_path, runs="runs", patience=1) == ALONE
        process.send_signal(signal.SIGCONT)
        assert ask(name_for(tmp_path), tmp_path)[0][-1] == "code 0"
        wait_for(lambda: not children(process.pid))
        assert runs(tmp_path) == 0


@pytest.mark.parametrize(
    "place",
    ["server._receive", "server.json.loads", "server._fork", "server.os.fork", "server.os.setsid"],
)
def test_whoever_is_stopped_before_a_step_has_begun_does_not_run_it_later(
    place: str, tmp_path: Path
) -> None:
    """The server, or in the last case its child."""
    changes = f"""
before = {place}
def changed(*arguments):
    if not os.path.exists("once"):
        open("once", "w")
        stop()
    return before(*arguments)
{place} = changed
"""
    with changed_server(tmp_path, changes) as process:
        assert ask(name_for(tmp_path), tmp_path, runs="runs", patience=1) == ALONE
        held = [one for one in [process.pid, *children(process.pid)] if stopped(one)]
        assert len(held) == 1
        os.kill(held[0], signal.SIGCONT)
        wait_for(lambda: not children(process.pid))
        assert ask(name_for(tmp_path), tmp_path)[0][-1] == "code 0"
        assert runs(tmp_path) == 0


def test_a_child_that_is_stopped_when_it_has_begun_is_waited_for(tmp_path: Path) -> None:
    """It has the claim, but its step has not been told so."""
    changes = """
before = server._Call.send
def send(call, message):
    if message[:1] == server.STARTED:
        stop()
    return before(call, message)
server._Call.send = send
"""
    with changed_server(tmp_path, changes) as process:
        step = begin(name_for(tmp_path), tmp_path, runs="runs", patience=1)
        wait_for(lambda: any(map(stopped, children(process.pid))))
        time.sleep(1.5)  # longer than the patience of the step
        assert step.poll() is None
        [child] = children(process.pid)
        os.kill(child, signal.SIGCONT)
        assert step.end()[0].splitlines()[-1] == "code 0"
        assert runs(tmp_path) == 1


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_a_step_is_run_once_whenever_the_server_is_stopped(delay: float, tmp_path: Path) -> None:
    with changed_server(tmp_path, "") as process:
        assert ask(name_for(tmp_path), tmp_path)[0][-1] == "code 0"
        step = begin(name_for(tmp_path), tmp_path, runs="runs", patience=1)
        time.sleep(delay)
        process.send_signal(signal.SIGSTOP)
        out, errors = step.end()
        process.send_signal(signal.SIGCONT)
        assert ask(name_for(tmp_path), tmp_path)[0][-1] == "code 0"
        wait_for(lambda: not children(process.pid))
        assert runs(tmp_path) + (errors == "alone\n") == 1
        assert (out.splitlines()[-1:] == ["code 0"]) == (runs(tmp_path) == 1)


def test_a_long_import_is_no_reason_to_run_alone(tmp_path: Path) -> None:
    """Between the modules that a module imports, the server gives signs of life."""
    (tmp_path / "long.py").write_text("".join(f"import part{i}\n" for i in range(6)))
    for i in range(6):
        (tmp_path / f"part{i}.py").write_text("import time; time.sleep(0.6)")
    with changed_server(tmp_path, "", "long", "heldout.execution.steps.any"):
        assert ask(name_for(tmp_path), tmp_path, runs="runs", patience=2)[0][-1] == "code 0"
    assert runs(tmp_path) == 1


def test_a_queue_that_is_full_is_no_reason_to_wait(tmp_path: Path) -> None:
    with changed_server(tmp_path, "") as process:
        process.send_signal(signal.SIGSTOP)
        with ExitStack() as stack:
            for _ in range(200):
                one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                stack.enter_context(one).setblocking(False)
                with suppress(BlockingIOError):
                    one.connect(f"\0{name_for(tmp_path)}")
            assert ask(name_for(tmp_path), tmp_path) == ALONE


# --- the end of Snakemake ------------------------------------------------------------------

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
