"""How a process that runs a step ends with the one that waits for it."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from heldout.execution.forkserver.client import LIFELINE


def end_after(wait: Callable[[], object]) -> None:
    """End this process, and its group, when a function returns that waits for something."""
    threading.Thread(target=_end_after, args=(wait,), daemon=True, name="lifeline").start()


def _end_after(wait: Callable[[], object]) -> NoReturn:
    with suppress(OSError):
        wait()
    os.killpg(0, signal.SIGTERM)
    os._exit(1)


def end_with_client() -> None:
    """End with the client that has started this process, if one has."""
    pipe = os.environ.pop(LIFELINE, "")
    if pipe:
        end_after(lambda: os.read(int(pipe), 1))
