"""A line on standard error that says what is being done, where that takes long."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE, EVERY = 2.0, 1.0
"""Seconds until the first line, and between two lines."""


class Waiting:
    """What is being done at the moment."""

    def __init__(self) -> None:
        self.text = ""
        self._said = ""

    def say(self, text: str) -> None:
        """Tell what is being done; cheap enough to be called for every file."""
        self.text = text

    def show(self) -> None:
        """Print it if it is news; on a terminal, over the line before."""
        if self.text != self._said:
            self._said = self.text
            start, end = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")
            print(f"{start}{self.text}", end=end, file=sys.stderr, flush=True)

    def wipe(self) -> None:
        """Leave an empty line on a terminal, for what is printed next."""
        if self._said and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def waiting() -> Iterator[Waiting]:
    """Show a line every second, after the first two seconds.

    Returns
    -------
    context manager
        Of what to tell.

    Examples
    --------
    >>> with waiting() as line:
    ...     line.say("1 of 1 cells")
    """
    line, ended = Waiting(), threading.Event()

    def follow() -> None:
        pause = PATIENCE
        while not ended.wait(pause):
            line.show()
            pause = EVERY

    thread = threading.Thread(target=follow, daemon=True, name="waiting")
    thread.start()
    try:
        yield line
    finally:
        ended.set()
        thread.join()
        line.wipe()
