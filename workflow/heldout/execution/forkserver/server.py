"""The process that imports, listens and forks: ``python -m … SOCKET [MODULE …]``.

It ends when its standard input does, so with the process that started it.
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from heldout.execution.forkserver.client import LENGTH, user_of
from heldout.execution.lean_imports import without_pandas

EARLY = (
    "heldout.execution.steps.draw_splits",
    "scipy.sparse",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.pipeline",
)
"""What scikit-learn imports, bit by bit, so that no step waits long."""
LATER = (
    "heldout.execution.steps.fit_cells",
    "heldout.execution.steps.estimate_risks",
    "heldout.execution.steps.select_model",
    "heldout.execution.steps.train_final",
    "heldout.execution.steps.estimate_procedures",
    "heldout.execution.steps.open_test",
    "heldout.execution.steps.run_checks",
    "heldout.execution.steps.render_report",
    "heldout.execution.steps.render_index",
)
PATIENCE = 10.0
"""Seconds for a request to arrive."""


@dataclass
class _Call:
    """A step that waits for its child."""

    connection: socket.socket
    outputs: list[int]
    module: str
    spec: str
    folder: str
    arguments: list[str]
    environment: dict[str, str]


def serve(
    listener: socket.socket, modules: Iterable[str], run: Callable[[list[str], str], int]
) -> NoReturn:
    """Import modules one by one, and fork a child for each step that asks.

    A step whose module is among them waits for it; another one's is imported when it is asked for.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for
    gc.disable()  # collecting garbage would take a tenth of the time of the imports
    to_import, calls = deque(modules), list[_Call]()
    watched: list[socket.socket | int] = [listener, 0]
    while True:
        ready, _, _ = select.select(watched, [], [], 0 if to_import else None)
        if 0 in ready and not os.read(0, 2**16):  # Snakemake has ended
            os._exit(0)  # an orderly end would take time to free all that was imported
        if listener in ready:
            call = _receive(listener.accept()[0])
            calls += [call] if call else []
        elif to_import:
            _import(to_import.popleft())
        waiting = list[_Call]()
        for call in calls:
            if call.module in to_import:
                waiting.append(call)
            else:
                _import(call.module)
                _fork(call, [listener, *(other.connection for other in calls)], run)
        calls = waiting


def _import(module: str) -> None:
    with without_pandas(), suppress(Exception):  # the step that needs it will say what is wrong
        importlib.import_module(module)


def _receive(connection: socket.socket) -> _Call | None:
    """The request of a step, if it is whole and of the same user."""
    outputs: list[int] = []
    try:
        if user_of(connection) == os.getuid():
            connection.settimeout(PATIENCE)
            head, outputs, _, _ = socket.recv_fds(connection, LENGTH, 2)
            with connection.makefile("rb") as file:
                body = file.read(int.from_bytes(head))
            connection.settimeout(None)
            if len(body) == int.from_bytes(head):
                spec, folder, count, *rest = os.fsdecode(body).split("\0")
                arguments, variables = rest[: int(count)], rest[int(count) :]
                environment = dict(one.split("=", 1) for one in variables)
                module = f"heldout.execution.steps.{json.loads(spec)['step']}"
                return _Call(connection, outputs, module, spec, folder, arguments, environment)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    _close(connection, outputs)
    return None


def _close(connection: socket.socket, outputs: list[int]) -> None:
    connection.close()
    for output in outputs:
        os.close(output)


def _fork(call: _Call, sockets: list[socket.socket], run: Callable[[list[str], str], int]) -> None:
    with suppress(OSError):  # no process can be had: the step fails, and says so
        if os.fork() == 0:
            for other in sockets:
                if other is not call.connection:
                    other.close()
            _be_the_step(call, run)
    _close(call.connection, call.outputs)


def _be_the_step(call: _Call, run: Callable[[list[str], str], int]) -> NoReturn:
    """In the child: take over the step's outputs, folder and environment, and run it."""
    code = 1
    try:
        gc.freeze()  # memory that the collector leaves alone stays shared with the server
        gc.enable()
        os.setsid()  # its own children are in its group, and end with it
        os.register_at_fork(after_in_child=call.connection.close)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for place, output in enumerate([os.open(os.devnull, os.O_RDONLY), *call.outputs]):
            os.dup2(output, place)
        os.chdir(call.folder)
        os.environ.clear()
        os.environ.update(call.environment)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()  # not the numbers that every other child draws
        threading.Thread(target=_end_with, args=(call.connection,), daemon=True).start()
        code = run(call.arguments, call.spec)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)  # workers that a learner has left behind
        with suppress(OSError):
            call.connection.sendall(bytes([code]))
        os._exit(code)


def _end_with(connection: socket.socket) -> NoReturn:
    """End this process, and its own, when the step that asked for it has ended."""
    with suppress(OSError):
        connection.recv(1)
    os.killpg(0, signal.SIGTERM)
    os._exit(1)


if __name__ == "__main__":
    from heldout.execution.steps.run import run

    number, *libraries = sys.argv[1:]
    serve(socket.socket(fileno=int(number)), [*EARLY, *libraries, *LATER], run)
