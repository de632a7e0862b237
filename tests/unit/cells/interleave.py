"""All interleavings of two processes that work on the same files, each killed at any moment, or not.

The processes are threads that stop before each file operation; a schedule says who goes on. Runs with
every schedule are tried, but for those that lead to a state that was seen: the same files, and for
each process the same past.
"""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heldout.names import digest

Choice = tuple[str, int]
"""What happens next: ("go" or "kill", which process)."""


class Killed(BaseException):
    """No code of a killed process is run: whatever it does while it ends does nothing."""


@dataclass
class Process:
    """A thread that waits before each file operation."""

    work: Callable[[], Any]
    past: list[tuple[str, ...]] = field(default_factory=list)
    result: Any = None
    ended: bool = False
    killed: bool = False
    waits: bool = False
    """Whether nothing is to be gained by going on before the other one has."""
    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    stopped: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def run(self) -> None:
        self.go.acquire()
        with suppress(Killed):
            self.result = self.work()
        self.ended = True
        self.stopped.release()

    def proceed(self) -> None:
        """Let it run to its next file operation, or to its end."""
        self.go.release()
        assert self.stopped.acquire(timeout=20)


def own(*arguments: Any) -> bool:
    """Whether an operation is about a file that nobody else knows: it does not matter when it comes."""
    paths = [one for one in arguments if isinstance(one, str) and "/" in one]
    return bool(paths) and all(Path(one).name.startswith(".") for one in paths)


class Files:
    """The file operations of the code under test; each is a step of the process that calls it."""

    def __init__(self) -> None:
        self.processes: dict[int, Process] = {}

    def step(self, name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        """An operation that waits for its turn, and remembers what came of it."""

        def stepped(*arguments: Any, **options: Any) -> Any:
            process = self.processes.get(threading.get_ident())
            if process is None or (own(*arguments) and not process.killed):
                return operation(*arguments, **options)
            process.waits = name == "sleep"
            process.stopped.release()
            process.go.acquire()
            process.waits = False
            if process.killed:
                raise Killed
            about = [name, *(Path(one).name for one in arguments if isinstance(one, str))]
            try:
                result = operation(*arguments, **options)
            except Exception as error:
                process.past.append((*about, type(error).__name__))
                raise
            seen = _content(arguments[0]) if name in ("open", "stat") else ""
            process.past.append((*about, seen))
            return result

        return stepped


def _content(path: str) -> str:
    """What is in a file, but for its order: safetensors writes metadata in any."""
    try:
        return digest(bytes(sorted(Path(path).read_bytes())))
    except FileNotFoundError:
        return "none"


@dataclass(frozen=True)
class End:
    """How one run ended."""

    folder: Path
    results: list[Any]
    """What each process returned; None if it was killed."""
    killed: bool
    choices: list[Choice]


class Explorer:
    """Runs two processes with all schedules.

    Parameters
    ----------
    files
        The file operations that are steps.
    folder
        A place for the files of a run.
    prepare
        Fills a folder, and returns what the two processes do in it.
    kills
        Whether one of the processes may be killed.
    """

    def __init__(
        self,
        files: Files,
        folder: Path,
        prepare: Callable[[Path], list[Callable[[], Any]]],
        kills: bool,
    ):
        self._files, self._folder, self._prepare, self._kills = files, folder, prepare, kills
        self._seen: set[Any] = set()
        self._to_try: list[list[Choice]] = [[]]

    def ends(self) -> Iterator[End]:
        """The end of each run."""
        while self._to_try:
            end = self._run(self._to_try.pop())
            if end is not None:
                yield end

    def _run(self, schedule: list[Choice]) -> End | None:
        """One run; None if it comes to a state from which all ways on are known."""
        folder = self._folder / "run"
        shutil.rmtree(folder, ignore_errors=True)
        processes = [Process(work) for work in self._prepare(folder)]
        self._start(processes)
        choices: list[Choice] = []
        while options := self._options(processes, choices):
            if len(choices) < len(schedule):
                choice = schedule[len(choices)]
            else:
                choice = options[0]
                state = self._state(folder, processes)
                if state in self._seen:
                    return _abandon(processes)
                self._seen.add(state)
                self._to_try += [[*choices, other] for other in options[1:]]
            choices.append(choice)
            _take(choice, processes)
        results = [None if process.killed else process.result for process in processes]
        return End(folder, results, any(process.killed for process in processes), choices)

    def _start(self, processes: list[Process]) -> None:
        self._files.processes.clear()
        for process in processes:
            thread = threading.Thread(target=process.run, daemon=True)
            thread.start()
            assert thread.ident is not None
            self._files.processes[thread.ident] = process
            process.proceed()

    def _options(self, processes: list[Process], choices: list[Choice]) -> list[Choice]:
        alive = [i for i, process in enumerate(processes) if not process.ended]
        able = [i for i in alive if not processes[i].waits] or alive
        killed = any(what == "kill" for what, _ in choices)
        kills: list[Choice] = [("kill", i) for i in alive if self._kills and not killed]
        return [("go", i) for i in able] + (kills if alive else [])

    def _state(self, folder: Path, processes: list[Process]) -> Any:
        files = {
            path.relative_to(folder).as_posix(): _content(str(path))
            for path in folder.rglob("*")
            if path.is_file()
        }
        pasts = [(tuple(one.past), one.ended, one.killed, one.waits) for one in processes]
        return (tuple(sorted(files.items())), *pasts)


def _take(choice: Choice, processes: list[Process]) -> None:
    what, which = choice
    process = processes[which]
    process.killed |= what == "kill"
    while True:
        process.proceed()
        if process.ended or not process.killed:
            break
    for other in processes:
        if other is not process:
            other.waits = False


def _abandon(processes: list[Process]) -> None:
    for which, process in enumerate(processes):
        if not process.ended:
            _take(("kill", which), processes)


def stepped_module(files: Files, module: Any, *names: str) -> Any:
    """A copy of a module in which some functions are steps."""
    stepped = type(module)(module.__name__)
    vars(stepped).update(vars(module))
    for name in names:
        setattr(stepped, name, files.step(name, getattr(module, name)))
    return stepped
