"""Snakemake's side: listen, and start the server when a step is due, or asks for it.

A run in which no step is due (a dry run, `--lint`, `--unlock`, `--report`, nothing to be done)
starts no process. Otherwise the server imports while Snakemake goes on planning.
"""

import atexit
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

from heldout.execution.forkserver.client import ADDRESS, ONE_THREAD

WAITING = 128
"""How many steps may wait until the server has started."""


def listen(libraries: Iterable[str]) -> Callable[[], object]:
    """Tell the jobs of this process where to ask; `libraries` are modules that their steps need.

    Returns a function that starts the server, if no step has asked yet; to be called once at most.
    """
    if sys.platform != "linux" or ADDRESS in os.environ:
        return _nothing
    address = f"heldout-{os.urandom(16).hex()}"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(f"\0{address}")
    listener.listen(WAITING)
    os.environ[ADDRESS] = address
    bell, begin = os.pipe()
    threading.Thread(
        target=_start_when_asked,
        args=(listener, bell, [*libraries]),
        daemon=True,
        name="forkserver",
    ).start()
    return lambda: os.write(begin, b"!")


def _nothing() -> None:
    """What starts no server."""


def _start_when_asked(listener: socket.socket, bell: int, libraries: list[str]) -> None:
    """Wait for a step or the bell, then leave the socket to the server, and wait for its end.

    The server ends when this thread does or its pipe is closed, so with this process, however that
    ends. If no process can be started, closing the socket sends the steps that wait away: they run
    alone.
    """
    asked: list[socket.socket | int] = [listener, bell]
    select.select(asked, [], [])
    command = [sys.executable, "-P", "-m", "heldout.execution.forkserver.server"]
    with suppress(OSError):
        with listener:
            server = subprocess.Popen(
                [*command, str(listener.fileno()), *libraries],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env=os.environ | ONE_THREAD,
                pass_fds=[listener.fileno()],
                start_new_session=True,  # Ctrl-C is for the steps: their children end with them
            )
        atexit.register(server.kill)  # one that is stopped would not see the end of its pipe
        server.wait()
