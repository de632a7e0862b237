"""A fork server that is stopped or slow holds no step up, and lets none run twice."""

import os
import signal
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from asking import ALONE, ask, begin, changed_server, children, name_for, runs, stopped, wait_for


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
