"""How far a run is: a line per task, drawn again and again in a terminal, and few plain lines elsewhere."""

import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from heldout.cells.progress import TaskProgress, duration, task_progress
from heldout.execution import snakemake_log
from heldout.execution.jobs import RESULTS
from heldout.receipts import RECEIPTS, read_receipt

FIRST = 30.0
"""Seconds until the first plain line; the pause doubles with each."""
LAST_STEP = "render_report"
"""With this step a task is done."""
NOTHING = "nothing to do"
_UP, _WIPE = "\x1b[{}F", "\x1b[J"


@dataclass
class Lines:
    """Shows a run. What is done stays; what runs is drawn again.

    Parameters
    ----------
    stream
        Where to; None for silence.
    clock
        Returns the time in seconds since 1970.
    """

    stream: TextIO | None = None
    clock: Callable[[], float] = time.time
    _tasks: list[str] = field(default_factory=list)
    _done: set[str] = field(default_factory=set)
    _drawn: int = 0
    _since: float = 0.0
    _next: float = 0.0
    _pause: float = FIRST

    def begin(self, tasks: list[str]) -> None:
        """A run starts; its tasks, if they are known."""
        self._tasks, self._since = list(tasks), self.clock()
        self._next = self._since + FIRST

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self._draw([])
        self._write(f"{text}\n")

    def show(self, log: str) -> None:
        """Show how far the run is, from what Snakemake has printed so far."""
        if self.stream is None:
            return
        running = snakemake_log.running(log)
        finished = snakemake_log.finished(log, LAST_STEP)
        for task in finished:
            self._finish(task)
        begun = [task for task in self._named(running) if task not in self._done]
        lines = [self._line(task, running.get(task, [])) for task in begun]
        if self.stream.isatty():
            self._draw(lines)
        elif self.clock() >= self._next:
            self._next, self._pause = self.clock() + 2 * self._pause, 2 * self._pause
            self._write("".join(f"{line}\n" for line in lines))

    def end(self, log: str, failed: bool) -> None:
        """The run is over: a line for each task that has not got one, then an empty one."""
        seen = snakemake_log.tasks(log)
        for task in self._named(seen):
            progress = current(Path(RESULTS, task), self._since)
            if not failed or (progress and progress.total):
                self._finish(task, begun=task in seen)
        self.say("")

    # --- lines -----------------------------------------------------------------------------------

    def _named(self, running: Iterable[str]) -> list[str]:
        """The tasks in the order of the config; others are those of Snakemake's options."""
        others = [task for task in running if task and task not in self._tasks]
        return [*self._tasks, *sorted(others)]

    def _finish(self, task: str, begun: bool = True) -> None:
        if task not in self._done:
            self._done.add(task)
            self.say(self._line(task, []) if begun else self._row(task, NOTHING))
            gone = models_text(Path(RESULTS, task), self._since)
            if gone:
                self.say(self._row("", gone))

    def _line(self, task: str, rules: list[str]) -> str:
        progress = current(Path(RESULTS, task), self._since)
        parts = [cells_text(progress, self._since)] if progress and progress.total else []
        doing = ", ".join(rule.replace("_", " ") for rule in rules if rule != "fit_cells")
        parts += [doing] if doing else []
        return self._row(task, *(parts or ["no cell to fit" if task in self._done else "waits"]))

    def _row(self, task: str, *parts: str) -> str:
        width = max(map(len, [task, *self._tasks]))
        return "   ".join([task.ljust(width), *parts])

    # --- the stream ------------------------------------------------------------------------------

    def _draw(self, lines: list[str]) -> None:
        """Put lines in the place of those that were drawn last."""
        columns, rows = shutil.get_terminal_size()
        up = _UP.format(self._drawn) + _WIPE if self._drawn else ""
        kept = [line[: columns - 1] for line in lines[: rows - 1]]
        self._drawn = len(kept)
        self._write(up + "".join(f"{line}\n" for line in kept))

    def _write(self, text: str) -> None:
        if self.stream is not None and text:
            self.stream.write(text)
            self.stream.flush()


def on_screen() -> Lines:
    """Lines on standard error, which leaves the answer alone on standard output.

    Returns
    -------
    Lines
        For a run.
    """
    return Lines(sys.stderr)


def current(folder: Path, since: float) -> TaskProgress | None:
    """The progress of a task's fitting jobs of this run; None before the first has begun.

    Parameters
    ----------
    folder
        The folder of a task.
    since
        When the run began, in seconds since 1970.

    Returns
    -------
    TaskProgress or None
        Logs of an earlier run alone are none.

    Examples
    --------
    >>> (folder / "logs").mkdir()
    >>> log = folder / "logs" / "fit_cells.1-of-1.log"
    >>> _ = log.write_text("cells: 7 fitted, 1 reused, 0 failed")
    >>> current(folder, since=0.0).done
    8
    >>> current(folder, since=log.stat().st_mtime + 1) is None
    True
    """
    logs = folder.glob("logs/fit_cells.*.log")
    return task_progress(folder) if any(log.stat().st_mtime >= since for log in logs) else None


def cells_text(progress: TaskProgress, since: float) -> str:
    """Cells done of how many, and the time that is left or that it took.

    Parameters
    ----------
    progress
        Of a task.
    since
        When the run began, in seconds since 1970.

    Returns
    -------
    str
        Part of a line.

    Examples
    --------
    >>> from heldout.cells.progress import Job
    >>> cells_text(TaskProgress("iris", [Job(30, 100, rate=2.0)], parts=2), 0.0)
    '30 of about 200 cells   85 s left'
    >>> cells_text(TaskProgress("iris", [Job(30, 30, ended=True)], parts=1), 0.0)
    '30 of 30 cells'
    """
    begun = "" if len(progress.jobs) == progress.parts else "about "
    text = f"{progress.done} of {begun}{progress.total} cells"
    if not progress.ended:
        left = progress.total - progress.done
        return f"{text}   {duration(left / progress.rate)} left" if progress.rate > 0 else text
    took = _seconds(Path(RESULTS, progress.task), progress.parts, since)
    return f"{text}   {duration(took)}" if took is not None else text


def models_text(folder: Path, since: float) -> str:
    """That this run deleted models, and how large all were; empty if it did not.

    Parameters
    ----------
    folder
        The folder of a task.
    since
        When the run began, in seconds since 1970.

    Returns
    -------
    str
        A line.

    Examples
    --------
    >>> from heldout.receipts import Receipt, write_receipt
    >>> facts = {"kept": "selected", "bytes": 3_140_000_000, "deleted": 1200}
    >>> write_receipt(folder / RECEIPTS / "train_final.json", Receipt("train_final", {}, {}, {}, facts))
    >>> models_text(folder, 0.0)
    '1,200 models of other θ than the selected ones are deleted: all took 3.1 GB (models: all keeps them)'
    """
    file = folder / RECEIPTS / "train_final.json"
    receipt = read_receipt(file) if file.is_file() and file.stat().st_mtime >= since else None
    if receipt is None or not receipt.facts.get("deleted"):
        return ""
    gone, size = receipt.facts["deleted"], receipt.facts["bytes"] / 1e9
    others = f"{gone:,} models of other θ than the selected ones are deleted"
    return f"{others}: all took {size:.1f} GB (models: all keeps them)"


def _seconds(folder: Path, parts: int, since: float) -> float | None:
    """From the start of the first fitting job of this run to the end of its last."""
    spans = []
    for file in folder.glob(f"{RECEIPTS}/fit_cells.*-of-{parts}.json"):
        ended = file.stat().st_mtime
        receipt = read_receipt(file) if ended >= since else None
        if receipt is not None:
            spans.append((ended - receipt.seconds, ended))
    return max(end for _, end in spans) - min(start for start, _ in spans) if spans else None
