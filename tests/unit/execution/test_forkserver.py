"""The fork server: a step gets what it would have got by itself, and no process stays behind."""

import os
import signal
import socket
import threading
from pathlib import Path

import pytest
from asking import ALONE, CLIENT, SERVER, alive, ask, begin, name_for, serve, wait_for

from heldout.execution.forkserver import client


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


def test_a_step_with_more_threads_is_told_how_many_and_computes_with_one(
    address: str, tmp_path: Path
) -> None:
    """Learners may use the others; sums of numpy and scipy would depend on how many there are."""
    program = CLIENT.replace("sys.exit", "print(*(os.environ[v] for v in VARIABLES)) or sys.exit")
    names = [client.GRANTED, *client.ONE_THREAD]
    out, _ = ask("", tmp_path, threads=3, program=f"VARIABLES = {names}\n{program}")
    assert out == ["3 1 1 1"]
    assert ask(address, tmp_path, threads=3)[0][-1] == "code 0"


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
