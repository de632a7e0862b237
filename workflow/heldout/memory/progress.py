"""One line on a terminal, or in a notebook: cells done, of how many, and the time that is left."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

from heldout.cells.progress import Progress, duration

EVERY = 0.2
"""Seconds between two states of the line."""
START = 1.0
"""Seconds before a time that is left is told."""


def is_watched(stream: TextIO) -> bool:
    """Whether a person looks at what is written: on a terminal, or in a notebook.

    Parameters
    ----------
    stream
        Standard error.

    Returns
    -------
    bool
        Whether to show progress.

    Examples
    --------
    >>> import io
    >>> is_watched(io.StringIO())
    False
    """
    notebook = type(stream).__module__.startswith("ipykernel")
    return notebook or bool(getattr(stream, "isatty", lambda: False)())


class Line(Progress):
    """A line that is written over again, and wiped out in the end.

    Parameters
    ----------
    name
        What it begins with.
    stream
        Where it is written; None: nowhere.
    clock
        Returns the time in seconds.

    Examples
    --------
    >>> times = iter([0.0, 2.0])
    >>> line = Line("irises", sys.stdout, lambda: next(times))
    >>> line.expect(40)
    >>> line.add(10)
    \ririses   10 of 40 cells   6 s left
    """

    def __init__(
        self, name: str, stream: TextIO | None, clock: Callable[[], float] = time.monotonic
    ):
        super().__init__(clock)
        self._name, self._stream, self._now = name, stream, clock
        self._started, self._shown, self._width = self._past[0][0], -EVERY, 0

    def add(self, cells: int = 1) -> None:
        """Count cells; show the line if it is time."""
        self.done += cells
        if self._stream is None:
            return
        passed = self._now() - self._started
        if passed - self._shown >= EVERY:
            self._shown = passed
            self._show(self._stream, passed)

    def end(self) -> None:
        """Wipe the line out."""
        if self._stream is not None and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()

    def _show(self, stream: TextIO, passed: float) -> None:
        total = max(self.total, self.done)
        left = (
            f"   {duration((total - self.done) * passed / self.done)} left"
            if passed > START
            else ""
        )
        text = f"{self._name}   {self.done:,} of {total:,} cells{left}"
        stream.write("\r" + text.ljust(self._width))
        stream.flush()
        self._width = max(self._width, len(text))


def line_for(name: str, wanted: bool | None) -> Line:
    """The line of an evaluation.

    Parameters
    ----------
    name
        What it begins with.
    wanted
        Whether to show it; None: if somebody watches.

    Returns
    -------
    Line
        On standard error.

    Examples
    --------
    >>> line_for("irises", False).add()
    """
    shown = is_watched(sys.stderr) if wanted is None else wanted
    return Line(name, sys.stderr if shown else None)
