"""Progress of the fitting jobs: each writes lines to its log, from which the total is computed.

Standard library only: the workflow and the command line read logs while jobs run.
"""

import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

EVERY = 5.0
"""Seconds between two lines of a job."""
WINDOW = 12
"""The rate is that of the last so many lines, because cells found in the store take no time."""
STALE = 60.0
"""Seconds without a new line after which a job is taken to be killed, with a rate of 0."""
TAIL = 4096
"""Bytes that are read from the end of a log."""
_NAME = re.compile(r"fit_cells\.(\d+)-of-(\d+)\.log")
_LINE = re.compile(r"^progress: (\d+) of (\d+) cells, ([\d.e+-]+) per second", re.MULTILINE)
_END = re.compile(r"^cells: (\d+) fitted, (\d+) reused, (\d+) failed", re.MULTILINE)


class Progress:
    """Counts the cells of a job and prints a line of progress every few seconds.

    Parameters
    ----------
    clock
        Returns the time in seconds.

    Examples
    --------
    >>> times = iter([0.0, 1.0, 8.0])
    >>> progress = Progress(lambda: next(times))
    >>> progress.expect(40)
    >>> progress.add()
    >>> progress.add()
    progress: 2 of 40 cells, 0.25 per second, 3 min left
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.done = self.total = 0
        self._clock = clock
        self._past = deque([(clock(), 0)], maxlen=WINDOW)

    def expect(self, cells: int) -> None:
        """Add to the number of cells that the job has to find or fit."""
        self.total += cells

    def add(self, cells: int = 1) -> None:
        """Add to the number of cells that are done; print a line if it is time."""
        self.done += cells
        now = self._clock()
        if now - self._past[-1][0] >= EVERY:
            then, before = self._past[0]
            self._past.append((now, self.done))
            rate = (self.done - before) / (now - then)
            # The cells of an endless grid are not known beforehand.
            total = max(self.total, self.done)
            left = duration((total - self.done) / rate)
            text = f"progress: {self.done} of {total} cells, {rate:.4g} per second, {left} left"
            print(text, flush=True)


@dataclass(frozen=True)
class Job:
    """The last state in a job's log.

    Parameters
    ----------
    done, total
        Cells that are done, and all cells of the job.
    rate
        Cells per second; 0 if the job does not run.
    ended
        Whether the job has ended.
    """

    done: int
    total: int
    rate: float = 0.0
    ended: bool = False


@dataclass(frozen=True)
class TaskProgress:
    """All fitting jobs of a task.

    Parameters
    ----------
    task
        The name of the task.
    jobs
        The jobs that have begun.
    parts
        The number of jobs, those that have not begun included.

    Examples
    --------
    >>> TaskProgress("penguins", [Job(30, 100, rate=2.0)], parts=2).text()
    'penguins: 30 of about 200 cells (15%), 2 per second, 85 s left, 0 of 2 jobs ended'
    """

    task: str
    jobs: list[Job]
    parts: int

    @property
    def done(self) -> int:
        """Cells that are in the store."""
        return sum(job.done for job in self.jobs)

    @property
    def total(self) -> int:
        """All cells, if jobs that have not begun are as large as the others on average."""
        known = sum(job.total for job in self.jobs)
        counted = sum(job.total > 0 for job in self.jobs)
        return known if counted == 0 else round(known * self.parts / counted)

    @property
    def rate(self) -> float:
        """Cells per second of the jobs that run."""
        return sum(job.rate for job in self.jobs)

    @property
    def ended(self) -> bool:
        """Whether every job has ended."""
        return sum(job.ended for job in self.jobs) == self.parts

    def text(self) -> str:
        """One line for a terminal."""
        if self.ended:
            return f"{self.task}: {self.done} cells, all jobs have ended"
        begun = "" if len(self.jobs) == self.parts else "about "
        share = f" ({self.done / self.total:.0%})" if self.total else ""
        parts = [f"{self.task}: {self.done} of {begun}{self.total} cells{share}"]
        if self.rate > 0:
            left = duration((self.total - self.done) / self.rate)
            parts += [f"{self.rate:.3g} per second", f"{left} left"]
        ended = sum(job.ended for job in self.jobs)
        return ", ".join([*parts, f"{ended} of {self.parts} jobs ended"])


def duration(seconds: float) -> str:
    """A time for people: 40 s, 12 min, 3.5 h, 2.1 d.

    Parameters
    ----------
    seconds
        A time.

    Returns
    -------
    str
        In the unit that suits it.

    Examples
    --------
    >>> [duration(seconds) for seconds in (40, 720, 12600)]
    ['40 s', '12 min', '3.5 h']
    """
    for size, unit in ((86400, "d"), (3600, "h")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"


def read_job(log: Path, now: float) -> Job:
    """The last state in a log, of which only the end is read."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - TAIL))
        text = file.read().decode(errors="replace")
    ends = _END.findall(text)
    if ends:
        fitted, reused, failed = map(int, ends[-1])
        return Job(fitted + reused, fitted + reused + failed, ended=True)
    lines = _LINE.findall(text)
    if not lines:
        return Job(0, 0)
    done, total, rate = lines[-1]
    runs = now - log.stat().st_mtime < STALE
    return Job(int(done), int(total), float(rate) if runs else 0.0)


def task_progress(folder: Path, now: float | None = None) -> TaskProgress | None:
    """The progress of all fitting jobs of a task.

    If logs of another number of jobs are left from an earlier run, the newest run counts.

    Parameters
    ----------
    folder
        The folder of a task, ``results/TASK``.
    now
        The time in seconds since 1970; None for the present.

    Returns
    -------
    TaskProgress or None
        None if no fitting job has begun.

    Examples
    --------
    >>> (folder / "logs").mkdir()
    >>> line = "cells: 7 fitted, 1 reused, 0 failed"
    >>> _ = (folder / "logs" / "fit_cells.1-of-1.log").write_text(line)
    >>> task_progress(folder).done
    8
    """
    by_parts: dict[int, list[Path]] = {}
    for log in folder.glob("logs/fit_cells.*.log"):
        match = _NAME.fullmatch(log.name)
        if match:
            by_parts.setdefault(int(match[2]), []).append(log)
    if not by_parts:
        return None
    parts = max(by_parts, key=lambda count: max(log.stat().st_mtime for log in by_parts[count]))
    when = time.time() if now is None else now
    return TaskProgress(folder.name, [read_job(log, when) for log in by_parts[parts]], parts)


def report_progress(
    folders: Iterable[Path], since: float, say: Callable[[str], None], last: dict[str, str]
) -> None:
    """Pass on a line for each task whose progress has changed.

    Parameters
    ----------
    folders
        The folders of the tasks.
    since
        Logs that were last written before this time are ignored.
    say
        Gets each line.
    last
        The last line by task; updated.
    """
    for folder in folders:
        logs = list(folder.glob("logs/fit_cells.*.log"))
        if any(log.stat().st_size and log.stat().st_mtime >= since for log in logs):
            progress = task_progress(folder)
            if progress is not None and progress.text() != last.get(folder.name):
                last[folder.name] = progress.text()
                say(progress.text())


def watch(folders: list[Path], say: Callable[[str], None], every: float = 2 * EVERY) -> None:
    """Report progress from a thread of its own until the process ends.

    Parameters
    ----------
    folders
        The folders of the tasks.
    say
        Gets each line.
    every
        Seconds between two reports.
    """
    since, last = time.time(), dict[str, str]()

    def follow() -> None:
        while True:
            time.sleep(every)
            report_progress(folders, since, say, last)

    threading.Thread(target=follow, daemon=True, name="progress").start()
