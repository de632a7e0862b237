"""Times fits in a process of its own (`prober`), which is ended when time is up.

Nothing of what was said before is lost then.
"""

import json
import math
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from heldout.cells.price import Probe
from heldout.cells.probe import BEGIN, CELL, FAILURE, MEMBER, MEMBERS, SET
from heldout.execution.forkserver.client import ONE_THREAD
from heldout.execution.specs.cells import FitCells

START_SECONDS = 60.0
"""A process that has not begun after so long is given up."""
SHARES = (1 / 16, 1 / 4)
"""Of the training rows, where no fit to all of them ends in time."""
LIKELY, HIGHEST = 1.5, 3.0
"""How the time grows with the rows, if that is not known: this power; and the highest that is believed."""


@dataclass
class Measured:
    """What was said of a learner."""

    cells: tuple[float, float] = (0.0, 0.0)
    sets: list[tuple[float, float]] = field(default_factory=list)
    members: list[tuple[float, float]] = field(default_factory=list)
    failure: str = ""
    left: float = 0.0
    """The bytes that were on disk when the process was ended."""


def probes(
    folder: Path, spec: FitCells, names: dict[str, int], seconds: float, users_code: bool
) -> dict[str, Probe]:
    """Time the fits of some learners.

    Parameters
    ----------
    folder
        A temporary folder with the prepared table and the splits of a task.
    spec
        What the fitting jobs of the task depend on, with their number.
    names
        The learners, and how many θ each has.
    seconds
        How long the fits of a learner are timed at most.
    users_code
        Whether the user's modules may be imported.

    Returns
    -------
    dict
        What was found, by learner.
    """
    found = _measured(folder, spec, list(names), seconds, users_code)
    probed = {}
    for name, thetas in names.items():
        one = found[name]
        if one.sets or one.cells[0] or one.failure:
            probed[name] = _probe(one, thetas)
        else:
            probed[name] = _by_fewer_rows(folder, spec, name, thetas, seconds, users_code)
    return probed


def _by_fewer_rows(
    folder: Path, spec: FitCells, name: str, thetas: int, seconds: float, users_code: bool
) -> Probe:
    """A probe of shares of the rows, and how its time grows from one to the next."""
    last: tuple[float, Probe] | None = None
    power = LIKELY
    for share in SHARES:
        one = _measured(folder, spec, [name], seconds / 2, users_code, share)[name]
        if not (one.sets or one.cells[0]) or one.failure:
            break
        probe = _probe(one, thetas)
        if last is not None:
            grown = max(probe.first, 1e-9) / max(last[1].first, 1e-9)
            power = min(HIGHEST, max(1.0, math.log(grown) / math.log(share / last[0])))
        last = share, probe
    if last is None:  # not even these: so long at least
        return Probe(seconds * thetas, seconds * thetas, 0.0, share=0.0, rows=0.0)
    share, probe = last
    factor = share**-power
    first, later = probe.first * factor, probe.later * factor
    return Probe(first, later, probe.size / share, member=later, share=probe.share, rows=share)


def _probe(one: Measured, thetas: int) -> Probe:
    if one.sets:
        first = one.sets[0][1]
        rest = [seconds for _, seconds in one.sets[1:]]
        later = sum(rest) / len(rest) if rest else first
        size = sum(size for size, _ in one.sets) / len(one.sets)
        share = 1.0
    else:
        done, seconds = one.cells
        share = done / thetas if done else 0.0
        first = later = seconds / share if done else 0.0
        size = one.left / share if done else 0.0
    fixed, member = _of_members(one.members, later)
    return Probe(first, later, size, fixed, member, share, failure=one.failure)


def _of_members(timed: list[tuple[float, float]], fit: float) -> tuple[float, float]:
    """Seconds for a chunk of leave-one-out, and for each row; a fit each, if that is all that is known."""
    if len(timed) < len(MEMBERS):
        return 0.0, timed[0][1] / timed[0][0] if timed else fit
    (few, short), (many, long) = timed
    member = max(0.0, (long - short) / (many - few))
    return max(0.0, short - few * member), member


# --- the parent's side ---------------------------------------------------------------------------


def _measured(
    folder: Path,
    spec: FitCells,
    names: list[str],
    seconds: float,
    users_code: bool,
    rows: float = 1.0,
) -> dict[str, Measured]:
    """All that was said, learner by learner; after one that takes too long, a new process goes on."""
    found = {name: Measured() for name in names}
    todo = list(names)
    while todo:
        job = {"folder": str(folder), "spec": asdict(spec), "names": todo, "rows": rows}
        ended = _follow(job | {"users_code": users_code}, found, seconds)
        if ended is None:
            break
        found[ended].left = _bytes_in(folder / "probe")
        todo = todo[todo.index(ended) + 1 :]
    return found


def _follow(job: dict[str, Any], found: dict[str, Measured], seconds: float) -> str | None:
    """Read what a process says; the learner at which it was ended, None if it has ended by itself."""
    module = "heldout.execution.prober"
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | ONE_THREAD,
        start_new_session=True,
    )
    current, deadline = job["names"][0], time.monotonic() + START_SECONDS
    try:
        _tell(process, job)
        lines = Lines(process)
        while (left := deadline - time.monotonic()) > 0 and not lines.ended:
            for name, kind, amount, took in lines.read(left):
                if kind == BEGIN:
                    current, deadline = name, time.monotonic() + seconds
                _note(found[name], kind, amount, took)
        if not lines.ended:
            return str(current)
        if process.wait(5) and not found[current].failure:
            found[current].failure = "the process that timed its fits has ended; out of memory?"
            return str(current)
        return None
    finally:
        _end(process)


def _tell(process: "subprocess.Popen[bytes]", job: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(job).encode())
    process.stdin.close()


class Lines:
    """What a process says, line by line, as far as it has said it."""

    def __init__(self, process: "subprocess.Popen[bytes]"):
        assert process.stdout is not None
        self._descriptor = process.stdout.fileno()
        self._rest = b""
        self.ended = False
        """Whether the process has closed its side."""

    def read(self, seconds: float) -> list[Any]:
        """What is said until something is; nothing if it takes longer."""
        if not select.select([self._descriptor], [], [], seconds)[0]:
            return []
        data = os.read(self._descriptor, 2**16)
        self.ended = not data
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]


def _note(one: Measured, kind: str, amount: Any, seconds: float) -> None:
    if kind == CELL:
        one.cells = amount, seconds
    elif kind == SET:
        one.sets.append((amount, seconds))
    elif kind == MEMBER:
        one.members.append((amount, seconds))
    elif kind == FAILURE:
        one.failure = amount


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End it and what it has started; it has a session of its own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _bytes_in(folder: Path) -> float:
    return float(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))
