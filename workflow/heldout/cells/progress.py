"""Progress of the fitting jobs: each writes lines to its log, and anybody can add them up.

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
"""The rate is that of this many lines: cells found in the store go by much faster than fits."""
STALE = 60.0
"""A log that has been silent for longer tells no rate."""
TAIL = 4096
_NAME = re.compile(r"fit_cells\.(\d+)-of-(\d+)\.log")
_LINE = re.compile(r"^progress: (\d+) of (\d+) cells, ([\d.e+-]+) per second", re.MULTILINE)
_END = re.compile(r"^cells: (\d+) fitted, (\d+) reused, (\d+) failed", re.MULTILINE)


class Progress:
    """Counts cells, and says from time to time how far it is; costs a look at the clock per cell."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.done = self.total = 0
        self._clock = clock
        self._past = deque([(clock(), 0)], maxlen=WINDOW)

    def expect(self, cells: int) -> None:
        """So many more cells are to come."""
        self.total += cells

    def add(self, cells: int = 1) -> None:
        """So many cells are done."""
        self.done += cells
        now = self._clock()
        if now - self._past[-1][0] >= EVERY:
            then, before = self._past[0]
            self._past.append((now, self.done))
            rate = (self.done - before) / (now - then)
            total = max(self.total, self.done)  # the scan of an endless grid expects nothing
            left = duration((total - self.done) / rate)
            text = f"progress: {self.done} of {total} cells, {rate:.4g} per second, {left} left"
            print(text, flush=True)


@dataclass(frozen=True)
class Job:
    """What a job's log says last; `rate` is 0 if it does not run."""

    done: int
    total: int
    rate: float = 0.0
    ended: bool = False


@dataclass(frozen=True)
class TaskProgress:
    """All fitting jobs of a task."""

    task: str
    jobs: list[Job]
    parts: int

    @property
    def done(self) -> int:
        """Cells that are in the store."""
        return sum(job.done for job in self.jobs)

    @property
    def total(self) -> int:
        """All cells; jobs that have not begun are taken to be as large as the others."""
        known = sum(job.total for job in self.jobs)
        counted = sum(job.total > 0 for job in self.jobs)
        return known if counted == 0 else round(known * self.parts / counted)

    @property
    def rate(self) -> float:
        """Cells per second of the jobs that run."""
        return sum(job.rate for job in self.jobs)

    @property
    def ended(self) -> bool:
        """Whether every job has come to its end."""
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
    """40 s, 12 min, 3.5 h, 2.1 d."""
    for size, unit in ((86400, "d"), (3600, "h")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"


def read_job(log: Path, now: float) -> Job:
    """The last thing that a log says, from its end."""
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
    """The jobs of a task; where it was once cut into another number of jobs, of the newest."""
    by_parts: dict[int, list[Path]] = {}
    for log in folder.glob("logs/fit_cells.*.log"):
        found = _NAME.fullmatch(log.name)
        if found:
            by_parts.setdefault(int(found[2]), []).append(log)
    if not by_parts:
        return None
    parts = max(by_parts, key=lambda one: max(log.stat().st_mtime for log in by_parts[one]))
    when = time.time() if now is None else now
    return TaskProgress(folder.name, [read_job(log, when) for log in by_parts[parts]], parts)


def report_progress(
    folders: Iterable[Path], since: float, say: Callable[[str], None], said: dict[str, str]
) -> None:
    """A line for each task whose jobs have said something new since a moment."""
    for folder in folders:
        logs = list(folder.glob("logs/fit_cells.*.log"))
        if any(log.stat().st_size and log.stat().st_mtime >= since for log in logs):
            found = task_progress(folder)
            if found is not None and found.text() != said.get(folder.name):
                said[folder.name] = found.text()
                say(found.text())


def watch(folders: list[Path], say: Callable[[str], None], every: float = 2 * EVERY) -> None:
    """Report from a thread of its own until the process ends."""
    since, said = time.time(), dict[str, str]()

    def follow() -> None:
        while True:
            time.sleep(every)
            report_progress(folders, since, say, said)

    threading.Thread(target=follow, daemon=True, name="progress").start()
