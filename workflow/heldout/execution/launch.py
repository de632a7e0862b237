"""Running the workflow from Python or from `heldout run`: Snakemake as a process of its own.

What Snakemake prints goes to a log. A line per task says how far it is; of a failure, what is worth
reading. In a checkout, `snakemake --cores N` does the same.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from heldout.config.files import read_config
from heldout.errors import HeldoutError
from heldout.execution import snakemake_log
from heldout.execution.installed import SNAKEFILE, profile_hint, profile_options, workflow_folder
from heldout.execution.jobs import RESULTS
from heldout.execution.run_lines import Lines, on_screen
from heldout.execution.study import Study
from heldout.execution.upkeep.lock import refuse_during_a_run
from heldout.results.study import Study as OpenedStudy
from heldout.results.study import open_study

CONFIG = Path("config/config.yaml")
"""What is read if no config is named, as Snakemake does."""
LOG = Path(RESULTS, "logs", "run.log")
EVERY = 0.5
"""Seconds between two looks at the jobs."""
INTERRUPTED = 130
"""The exit code of what was ended by Ctrl-C."""
ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class RunError(HeldoutError):
    """A run that failed; `code` is the exit code of Snakemake."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Launch:
    """How the workflow is to be run.

    Parameters
    ----------
    config
        A config file; None for `config/config.yaml`.
    cores
        The number of cores; None for all, or for what the profile says.
    profile
        The name of a profile, or its folder.
    more
        Further options, as they are, for Snakemake.
    """

    config: Path | None = None
    cores: int | None = None
    profile: str | None = None
    more: list[str] = field(default_factory=list)

    @property
    def command(self) -> list[str]:
        """The command line, for the interpreter that runs this."""
        snakefile = str(workflow_folder() / SNAKEFILE)
        parts = [sys.executable, "-P", "-m", "snakemake", "--snakefile", snakefile]
        parts += profile_options(self.profile)
        if self.config is not None:
            parts += ["--configfile", str(self.config)]
        if self.cores is not None or self.profile is None:
            parts += ["--cores", str(self.cores or "all")]
        return [*parts, *self.more]

    @property
    def unlocking(self) -> str:
        """The command that removes the lock of this run, if it was killed."""
        given = [] if self.config is None else ["--config", str(self.config)]
        return " ".join(["heldout run --unlock", *given])

    def study(self) -> Study | None:
        """The study that the config describes; None if it is put together by Snakemake's options."""
        if any(option.startswith("--config") for option in self.more):
            return None
        study = Study(read_config(self.config or CONFIG))
        study.check_sources()
        return study


def run_workflow(launch: Launch, lines: Lines | None = None) -> list[str]:
    """Run what is due, and wait for it.

    Parameters
    ----------
    launch
        How to run it.
    lines
        Shows how far the tasks are; None for silence.

    Returns
    -------
    list of str
        The tasks of the config, in its order.

    Raises
    ------
    HeldoutError
        If the config is wrong, if another run is under way, or if a job fails; a `RunError` then.
    """
    study = launch.study()
    refuse_during_a_run(launch.unlocking)
    tasks, lines = study.tasks if study else [], lines or Lines()
    for note in study.notes if study else ():
        lines.say(note)
    lines.begin(tasks)
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with LOG.open("wb") as log:
        code = _wait(_start(launch.command, log), lambda: lines.show(_read()))
    text = _read()
    lines.end(text, failed=code != 0)
    if code:
        raise RunError(f"{_failure(text, launch)}\nall that Snakemake said: {LOG}", code)
    begun = snakemake_log.tasks(text)
    if launch.more and not begun:
        lines.say(f"{snakemake_log.said(text)}\n")
    return tasks or begun


def run(
    config: str | Path = CONFIG,
    *,
    cores: int | None = None,
    profile: str | None = None,
    progress: bool = True,
    options: Sequence[str] = (),
) -> OpenedStudy:
    """Run what is due of a study in this folder, and open its results: `heldout.run`.

    Parameters
    ----------
    config
        A config file.
    cores
        The number of cores; None for all, or for what the profile says.
    profile
        The name of a profile, such as `slurm`, or its folder.
    progress
        Whether standard error shows how far the tasks are.
    options
        Further options for Snakemake, such as `["--keep-going"]`.

    Returns
    -------
    Study
        What `heldout.open` returns: the tasks by their names.

    Raises
    ------
    HeldoutError
        If the config is wrong, or if a job fails: the message holds the end of its log.

    Examples
    --------
    >>> run("other.yaml")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: no config at 'other.yaml'; `heldout init TABLE --target COLUMN` writes one
    """
    given = None if Path(config) == CONFIG else Path(config)
    launch = Launch(given, cores, profile, [*options])
    run_workflow(launch, on_screen() if progress else None)
    return open_study(RESULTS)


def dry_run(launch: Launch) -> str:
    """What would run, and why.

    Parameters
    ----------
    launch
        How it would be run.

    Returns
    -------
    str
        A line per reason, and the number of jobs.
    """
    launch.study()
    text, code = _ask([*launch.command, "--dry-run"])
    if code:
        raise RunError(_failure(text, launch), code)
    return snakemake_log.planned(text)


def unlock(launch: Launch) -> None:
    """Remove the lock that a killed run has left.

    Parameters
    ----------
    launch
        As that of the run.
    """
    text, code = _ask([*launch.command, "--unlock"])
    if code:
        raise RunError(_failure(text, launch), code)


def _failure(text: str, launch: Launch) -> str:
    found = snakemake_log.failures(text)
    if launch.profile and "Profile has to be given" in text:
        found += f"\nheldout has no profile '{launch.profile}'{profile_hint(launch.profile)}"
    if "argument --executor" in text:
        found += "\nits plugin is not installed: pip install 'heldout[slurm]'"
    return found


def _ask(command: list[str]) -> tuple[str, int]:
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout.decode(errors="replace"), done.returncode


def _read() -> str:
    return LOG.read_text(encoding="utf-8", errors="replace")


# --- the process -----------------------------------------------------------------------------------


def _start(command: list[str], log: Any) -> "subprocess.Popen[bytes]":
    """Start Snakemake in a group of its own: Ctrl-C is passed on once, whoever is meant by it."""
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0
    )


def _wait(process: "subprocess.Popen[bytes]", look: Callable[[], None]) -> int:
    """Look now and then until it has ended; if this process is to end, end it and its jobs first."""
    try:
        with _ended_by_signals():
            while process.poll() is None:
                look()
                _pause(process)
    except BaseException:
        _interrupt(process)
        raise
    return process.returncode


def _pause(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(EVERY)
    except subprocess.TimeoutExpired:
        return


def _interrupt(process: "subprocess.Popen[bytes]") -> None:
    """Send Ctrl-C to Snakemake and its jobs, which removes its lock, and wait for its end."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    process.wait()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Take a request to end for Ctrl-C, so that Snakemake ends as well; `nohup` stays what it is."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    kept = {one: signal.getsignal(one) for one in _to_catch()}
    for one in kept:
        signal.signal(one, interrupt)
    try:
        yield
    finally:
        for one, handler in kept.items():
            signal.signal(one, handler)


def _to_catch() -> Iterable[signal.Signals]:
    """Only the main thread may say what a signal does."""
    import threading

    if threading.current_thread() is not threading.main_thread():
        return []
    return [one for one in ENDINGS if signal.getsignal(one) is signal.SIG_DFL]
