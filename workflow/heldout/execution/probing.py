"""A process of its own that times fits, and what reads it: it can be ended at any moment.

It runs as a step does: with one thread, and without what the parent has imported. It says a line of
JSON for everything that it has measured.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from heldout.cells.price import Probe
from heldout.cells.probe import CELL, FAILURE, MEMBER, MEMBERS, SET
from heldout.execution.forkserver.client import ONE_THREAD
from heldout.execution.specs.cells import FitCells
from heldout.execution.specs.decode import decode

BEGIN = "begin"
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
            power = min(HIGHEST, max(1.0, _log(grown) / _log(share / last[0])))
        last = share, probe
    if last is None:  # not even these: so long at least
        return Probe(seconds * thetas, seconds * thetas, 0.0, share=0.0, rows=0.0)
    share, probe = last
    factor = share**-power
    first, later = probe.first * factor, probe.later * factor
    return Probe(first, later, probe.size / share, member=later, share=probe.share, rows=share)


def _log(value: float) -> float:
    import math

    return math.log(value)


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
    module = "heldout.execution.probing"
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
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(job).encode())
        process.stdin.close()
        for line in _lines(process.stdout.fileno(), lambda: deadline):
            name, kind, amount, took = json.loads(line)
            if kind == BEGIN:
                current, deadline = name, time.monotonic() + seconds
            _note(found[name], kind, amount, took)
        if process.poll() is None and time.monotonic() >= deadline:
            return str(current)
        if process.wait(5) and not found[current].failure:
            found[current].failure = "the process that timed its fits has ended; out of memory?"
            return str(current)
        return None
    finally:
        _end(process)


def _lines(descriptor: int, deadline: Any) -> Iterator[bytes]:
    """Whole lines, until the other side closes or time is up."""
    rest = b""
    while (left := deadline() - time.monotonic()) > 0:
        if not select.select([descriptor], [], [], left)[0]:
            return
        data = os.read(descriptor, 2**16)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from lines


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


# --- the process that fits -----------------------------------------------------------------------


def main() -> int:
    """Time the learners of a job, which is read from standard input."""
    job = json.load(sys.stdin)
    spoken = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    for place in (1, 2):  # what learners print is for nobody
        os.dup2(silence, place)
    with os.fdopen(spoken, "w") as out:

        def say(name: str, kind: str, amount: Any, seconds: float) -> None:
            out.write(json.dumps([name, kind, amount, seconds]) + "\n")
            out.flush()

        _time_all(job, say)
    return 0


def _time_all(job: dict[str, Any], say: Any) -> None:
    from functools import partial

    from heldout.cells.fit import share
    from heldout.cells.plan import open_plan
    from heldout.cells.probe import probe
    from heldout.errors import HeldoutError
    from heldout.user_code.search import look_in_study_folder

    if job["users_code"]:
        look_in_study_folder()
    spec = decode(FitCells, job["spec"], "price")
    folder = Path(job["folder"])
    plan = open_plan(folder, spec.cells)
    mine = {one.name for one, _ in share(plan, 1, spec.batches)}
    for name in job["names"]:
        learner = plan.learner(name)
        say(name, BEGIN, 0, 0.0)
        place = folder / "probe"
        try:
            failure = probe(
                plan, learner, thetas_of(learner, spec), place, spec.models,
                partial(say, name), mine, job["rows"],
            )  # fmt: skip
        except HeldoutError as error:
            failure = str(error)
        if failure:
            say(name, FAILURE, failure, 0.0)


def thetas_of(learner: Any, spec: FitCells) -> Any:
    """All θ of a learner; of an endless grid as many as are fitted at most."""
    if learner.endless:
        assert spec.scan is not None
        return learner.first_thetas(spec.scan.maximum)
    return learner.thetas(spec.cells.seed)


if __name__ == "__main__":
    sys.exit(main())
