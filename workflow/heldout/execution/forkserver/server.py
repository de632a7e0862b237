"""The process that imports, listens and forks: ``python -m … SOCKET [MODULE …]``.

It ends when its standard input does, so with the process that started it.
"""

import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any, NoReturn

from heldout.execution.forkserver.client import ENDED, STARTED, WAITING, user_of
from heldout.execution.forkserver.lifeline import end_after
from heldout.execution.lean_imports import without_pandas

EARLY = (
    "heldout.execution.steps.prepare_data",
    "heldout.execution.steps.draw_splits",
    "scipy.sparse",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.pipeline",
)
"""What the first step needs, then what scikit-learn imports, bit by bit, so that no step waits long."""
LATER = (
    "heldout.execution.steps.fit_cells",
    "heldout.execution.steps.estimate_risks",
    "heldout.execution.steps.select_model",
    "heldout.execution.steps.train_final",
    "heldout.execution.steps.estimate_procedures",
    "heldout.execution.steps.open_test",
    "heldout.execution.steps.train_all",
    "heldout.execution.steps.run_checks",
    "heldout.execution.steps.render_report",
    "heldout.execution.steps.render_index",
)
WITHOUT_PANDAS = frozenset({"heldout", "scipy", "sklearn"})
"""Packages that take pandas for absent while they are imported, and find it later; others would go on without it."""
BEAT = 0.5
"""Seconds between two signs of life, also while something is imported."""
PASSED = 4
"""Descriptors that come with a request: standard output and error, the claim, and the request."""
SET_DEATH_SIGNAL = 1
"""Of Linux's `prctl`."""

Run = Callable[[list[str]], int]


@dataclass
class _Call:
    """A step that waits for its child."""

    connection: socket.socket
    passed: list[int]
    module: str
    folder: str
    arguments: list[str]
    environment: dict[str, str]

    def send(self, message: bytes) -> bool:
        """Tell the step something; whether it is still there."""
        try:
            self.connection.send(message, socket.MSG_DONTWAIT)
        except BlockingIOError:  # it has not read what it was told before
            return True
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Forget the step."""
        _close(self.connection, self.passed)


class Server(MetaPathFinder):
    """Imports modules one by one, and forks a child for each step that asks.

    A step whose module is among them waits for it; another one's is imported when it is asked for.
    Meanwhile it is told now and then that it has been heard: Python asks this object, as it asks all
    of `sys.meta_path`, before each module that it imports.
    """

    def __init__(self, listener: socket.socket, modules: Iterable[str], run: Run):
        self._listener, self._run = listener, run
        self._to_import = deque(modules)
        self._calls: list[_Call] = []
        self._last_beat = 0.0

    def serve(self) -> NoReturn:
        """Go on until Snakemake ends."""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for
        gc.disable()  # collecting garbage would take a tenth of the time of the imports
        while True:
            heard = self._hear(0 if self._to_import or self._calls else None)
            if self._to_import and not heard:
                self._import(self._to_import.popleft())
            for call in [one for one in self._calls if one.module not in self._to_import]:
                self._import(call.module)
                _fork(call, [self._listener, *(one.connection for one in self._calls)], self._run)
                self._calls.remove(call)

    def _hear(self, patience: float | None) -> bool:
        """Wait for requests; whether there was one."""
        watched: list[socket.socket | int] = [self._listener, 0]
        ready, _, _ = select.select(watched, [], [], patience)
        if 0 in ready and not os.read(0, 2**16):  # Snakemake has ended
            os._exit(0)  # an orderly end would take time to free all that was imported
        if self._listener in ready:
            call = _receive(self._listener.accept()[0])
            self._calls += [call] if call else []
        return self._listener in ready

    def _import(self, module: str) -> None:
        if module in sys.modules:
            return
        sys.meta_path.insert(0, self)
        try:
            lean = module.partition(".")[0] in WITHOUT_PANDAS
            with without_pandas() if lean else nullcontext(), suppress(Exception):
                importlib.import_module(module)  # the step that needs it says what is wrong
        finally:
            sys.meta_path.remove(self)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Give a sign of life; finding the module is left to others."""
        if time.monotonic() > self._last_beat + BEAT:
            self._last_beat = time.monotonic()
            while self._hear(0):
                pass
            for call in self._calls:
                call.send(WAITING)


def _receive(connection: socket.socket) -> _Call | None:
    """The request of a step, if it is whole and of the same user."""
    passed: list[int] = []
    try:
        if user_of(connection) == os.getuid():
            connection.settimeout(BEAT)  # a step asks at once; others must not wait for it
            _, passed, _, _ = socket.recv_fds(connection, 1, PASSED)
            connection.settimeout(None)
            if len(passed) == PASSED:
                return _call(connection, passed)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    _close(connection, passed)
    return None


def _call(connection: socket.socket, passed: list[int]) -> _Call:
    with open(passed.pop(), "rb") as file:  # noqa: PTH123
        file.seek(0)
        folder, count, *rest = os.fsdecode(file.read()).split("\0")
    arguments, variables = rest[: int(count)], rest[int(count) :]
    environment = dict(one.split("=", 1) for one in variables)
    job = json.loads(Path(folder, *arguments[:1]).read_bytes())
    module = f"heldout.execution.steps.{job['request']['step']}"
    return _Call(connection, passed, module, folder, arguments, environment)


def _close(connection: socket.socket, passed: list[int]) -> None:
    connection.close()
    for one in passed:
        os.close(one)


def _fork(call: _Call, sockets: list[socket.socket], run: Run) -> None:
    with suppress(OSError):  # no process can be had: the step runs alone
        if os.fork() == 0:
            for other in sockets:
                if other is not call.connection:
                    other.close()
            _be_the_step(call, run)
    call.close()


def _be_the_step(call: _Call, run: Run) -> NoReturn:
    """In the child: if the step is not run by itself meanwhile, take it over and run it."""
    code = 1
    try:
        os.setsid()  # its own children are in its group, and end with it
        output, errors, claim = call.passed
        begun = STARTED + os.getpid().to_bytes(4, sys.byteorder)
        if not (os.read(claim, 1) and call.send(begun)):
            os._exit(0)
        gc.freeze()  # memory that the collector leaves alone stays shared with the server
        gc.enable()
        os.register_at_fork(after_in_child=call.connection.close)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for place, one in enumerate([os.open(os.devnull, os.O_RDONLY), output, errors]):
            os.dup2(one, place)
        os.chdir(call.folder)
        os.environ.clear()
        os.environ.update(call.environment)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()  # not the numbers that every other child draws
        end_after(lambda: call.connection.recv(1))
        code = run(call.arguments)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)  # workers that a learner has left behind
        call.send(ENDED + bytes([code]))
        os._exit(code)


def end_with_parent() -> None:
    """Let the system end this process with the thread that started it, even if it is stopped."""
    ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)


if __name__ == "__main__":
    from heldout.execution.steps.run import run

    end_with_parent()
    number, *libraries = sys.argv[1:]
    Server(socket.socket(fileno=int(number)), [*EARLY, *libraries, *LATER], run).serve()
