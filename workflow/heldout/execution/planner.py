"""Which jobs are due: those of which something has changed since they left their receipt.

Snakemake decides by modification times and by what it remembers in ``.snakemake``; both can be wrong
(a restored folder, a table with an older time). So heldout decides by content, and tells Snakemake
through times that it cannot misread: the file that a due job is given (see `jobs`) is written anew,
and everything that has not changed is `ancient`, so that its times do not count.

A job is due if its receipt is missing or damaged, if its request differs (spec, code, versions), if
one of its files is not as the receipt says, or if a job that writes one of its inputs is due.

Standard library only: the workflow imports this while it is parsed.
"""

import atexit
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from heldout.errors import HeldoutError
from heldout.execution.batches import complete_sets
from heldout.execution.digests import Digests
from heldout.execution.jobs import Job, receipt_of
from heldout.execution.reasons import differences
from heldout.execution.study import Study
from heldout.receipts import Receipt, read_receipt

NEW = "not made yet"
FITTING = "fit_cells"
Files = str | list[str]
Declared = Files | Callable[[Any], Files]
"""What a rule declares as an input: a path, paths, or a function of the wildcards."""
Key = tuple[str, tuple[tuple[str, str], ...]]
"""A step and its wildcards: one job."""


class Rule(Protocol):
    """What the planner asks a rule of Snakemake."""

    output: Iterable[str]
    log: Iterable[str]


@dataclass(frozen=True)
class Situation:
    """How this process was started.

    Parameters
    ----------
    decides
        Whether this is the main process. A job on a cluster parses the workflow again, and finds
        the decisions of the main process on disk.
    keeps_times
        Whether times that mean nothing are hidden from Snakemake. Not so where this is a module of
        another workflow, which may make the table, or where the user forces jobs to run.
    dry
        Whether nothing may be written outside ``.snakemake``.
    """

    decides: bool = True
    keeps_times: bool = True
    dry: bool = False


class Planner:
    """Decides for each job whether it is due, and returns its inputs accordingly.

    Parameters
    ----------
    study
        The config: it makes the request of each step.
    rule_of
        The rule of a step, with its outputs and its log.
    situation
        Tells how this process was started; asked when the first job is planned, because Snakemake
        does not know it while the workflow is parsed.
    ancient, unpack
        Snakemake's flags for files whose times do not count, and for functions that return several
        named inputs.
    say
        Prints a line.
    """

    def __init__(
        self,
        study: Study,
        rule_of: Callable[[str], Rule],
        situation: Callable[[], Situation],
        ancient: Callable[[str], str],
        unpack: Callable[[Any], Any],
        say: Callable[[str], Any],
    ):
        self._study, self._rule, self._ask_situation = study, rule_of, situation
        self._ancient, self._unpack, self._say = ancient, unpack, say
        self._declared: dict[str, dict[str, Declared]] = {}
        self._digests = Digests()
        self._jobs: dict[Key, Job] = {}
        self._named: dict[Key, dict[str, Files]] = {}
        self._reasons: dict[Key, list[str]] = {}
        self._receipts: dict[str, Receipt | None] = {}
        self._makers: dict[str, Key | None] = {}
        self._receipt_files: dict[str, str | None] = {}
        self._patterns: list[tuple[str, re.Pattern[str]]] = []
        self._said: set[str] = set()
        self._batches: dict[str, int] = {}

    @cached_property
    def _situation(self) -> Situation:
        situation = self._ask_situation()
        if situation.decides:
            atexit.register(self._digests.save)
        return situation

    # --- what the rules call -------------------------------------------------------------------

    def reads(self, step: str, **files: Declared) -> Any:
        """Declare what a step reads; returns the inputs of its rule.

        Parameters
        ----------
        step
            The name of the step.
        files
            Paths with wildcards, lists of them, or functions of the wildcards.
        """
        self._declared[step] = files
        return self._unpack(lambda wildcards: self._inputs_of(_key(step, dict(wildcards.items()))))

    def manifests(self, wildcards: Any) -> list[str]:
        """The manifests of all batches of a task."""
        return self._manifests(wildcards.task, self.batches(wildcards.task))

    def _inputs_of(self, key: Key) -> dict[str, Any]:
        due = self._prepare(key) if self._situation.decides else self._adopt(key)
        spec = str(self._job(key).file)
        keeps_times = self._situation.decides and self._situation.keeps_times
        named = {name: self._flagged(files) for name, files in self._named[key].items()}
        return {"spec": spec if due or not keeps_times else self._ancient(spec)} | named

    def _prepare(self, key: Key) -> bool:
        """Write the file of a job, and say why it is due if it is."""
        job, reasons = self._job(key), self.reasons(key)
        if not reasons:
            job.write_once()
            return False
        self._announce(job, reasons)
        job.write(reasons)
        self._mend_times(job)
        return True

    def _adopt(self, key: Key) -> bool:
        """In a job on a cluster: find the file that the main process wrote for it."""
        task = dict(key[1]).get("task", "")
        reads_cells = "manifests" in self._declared[key[0]]
        files: dict[int, Path] = {}
        for count in self._candidates(task) if reads_cells else [0]:
            files[count] = self._with_batches(key, task, count).file
        planned = [count for count, file in files.items() if file.is_file()]
        if not planned:
            raise HeldoutError(
                f"{self._job(key).title}: this job was planned with another config, other code or "
                "other libraries than are found here; use the same environment on all nodes, and "
                "start again"
            )
        # An earlier run may have left the file of another division; the last one written counts.
        self._with_batches(key, task, max(planned, key=lambda count: files[count].stat().st_mtime))
        return True

    def _with_batches(self, key: Key, task: str, count: int) -> Job:
        """The job, if the cells that it reads were fitted in so many batches."""
        self._batches[task] = count
        self._jobs.pop(key, None)
        return self._job(key)

    def _flagged(self, files: Files) -> Files:
        if isinstance(files, list):
            return [self._flag(path) for path in files]
        return self._flag(files)

    def _flag(self, path: str) -> str:
        """A file that a due job will write anew as it is; another one without its times."""
        if not (self._situation.decides and self._situation.keeps_times):
            return path
        maker = self._maker(path)
        return path if maker is not None and self._is_due(maker) else self._ancient(path)

    def _announce(self, job: Job, reasons: list[str]) -> None:
        """Say once why a job is due; of a task that is wholly new, only that."""
        first, *more = reasons
        line = f"{job.title}: {first}{f' (and {len(more)} more)' if more else ''}"
        if first == NEW and not any(job.receipt.parent.glob("*.json")):
            line = f"{job.folder.name}: {NEW}"
        if line not in self._said:
            self._said.add(line)
            self._say(line)

    def _mend_times(self, job: Job) -> None:
        """Take back times in the future, behind which Snakemake would not see that a job is due."""
        if self._situation.dry:
            return
        now = time.time()
        for path in (*job.outputs, *(one for one, maker in job.inputs.items() if maker)):
            if os.path.isfile(path) and os.stat(path).st_mtime > now:  # noqa: PTH113, PTH116
                os.utime(path, (now, now))

    # --- jobs ----------------------------------------------------------------------------------

    def _job(self, key: Key) -> Job:
        if key not in self._jobs:
            step, wildcards = key[0], dict(key[1])
            rule = self._rule(step)
            self._named[key] = self._files(step, wildcards)
            paths = [path for files in self._named[key].values() for path in _listed(files)]
            manifests = self._named[key].get("manifests")
            self._jobs[key] = Job(
                request=self._study.request(step, **wildcards),
                log=_filled(next(iter(rule.log)), wildcards),
                inputs={path: self._receipt_file(path) for path in paths},
                outputs=[_filled(pattern, wildcards) for pattern in rule.output],
                batches=None if manifests is None else len(_listed(manifests)),
            )
        return self._jobs[key]

    def _files(self, step: str, wildcards: dict[str, str]) -> dict[str, Files]:
        """The paths of all inputs by name; those that are empty are left out."""
        found: dict[str, Files] = {}
        for name, declared in self._declared[step].items():
            files = declared(_Wildcards(wildcards)) if callable(declared) else declared
            if isinstance(files, str):
                found[name] = _filled(files, wildcards)
            elif files:
                found[name] = [_filled(path, wildcards) for path in files]
        return found

    def _receipt_file(self, path: str) -> str | None:
        """The receipt of the job that writes a file; None if it is the user's own."""
        if path not in self._receipt_files:
            maker = self._maker(path)
            log = maker and _filled(next(iter(self._rule(maker[0]).log)), dict(maker[1]))
            self._receipt_files[path] = str(receipt_of(log)) if log else None
        return self._receipt_files[path]

    def _maker(self, path: str) -> Key | None:
        """The job that writes a file; None if it is the user's own."""
        if path not in self._makers:
            self._makers[path] = self._find_maker(path)
        return self._makers[path]

    def _find_maker(self, path: str) -> Key | None:
        if not self._patterns:
            tasks = self._study.task_pattern
            self._patterns = [
                (step, _pattern(output, tasks))
                for step in self._declared
                for output in self._rule(step).output
            ]
        for step, pattern in self._patterns:
            match = pattern.fullmatch(path)
            if match:
                return _key(step, match.groupdict())
        return None

    # --- batches -------------------------------------------------------------------------------

    def batches(self, task: str) -> int:
        """How many jobs share the cells of a task.

        What the config says; else what a finished task has, so that another number of cores alone
        runs nothing; else what suits the machine.
        """
        if task not in self._batches:
            self._batches[task] = self._candidates(task)[0]
        return self._batches[task]

    def _candidates(self, task: str) -> list[int]:
        """The numbers of batches that serve a task, the best one first."""
        new = self._study.batches(task)
        if self._study.config.batches:
            return [new]
        serves = self._is_fresh if self._situation.decides else self.same_chain
        finished = [
            count
            for count in complete_sets(Path("results", task))
            if all(serves(_fitting(task, batch, count)) for batch in range(1, count + 1))
        ]
        used = self._last_used(task)
        finished.sort(key=lambda count: (count != used, -count))
        return [*finished, new]

    def _is_fresh(self, key: Key) -> bool:
        return not self._is_due(key)

    def _last_used(self, task: str) -> int:
        """The number of manifests that the risks were estimated from."""
        receipt = self._receipt(f"results/{task}/receipts/estimate_risks.json")
        return sum("/manifests/" in path for path in receipt.inputs) if receipt else 0

    def _manifests(self, task: str, count: int) -> list[str]:
        [pattern] = self._rule(FITTING).output
        keys = [dict(_fitting(task, batch, count)[1]) for batch in range(1, count + 1)]
        return [_filled(pattern, wildcards) for wildcards in keys]

    # --- due or not ----------------------------------------------------------------------------

    def _is_due(self, key: Key) -> bool:
        return bool(self.reasons(key))

    def reasons(self, key: Key) -> list[str]:
        """Why a job is due; nothing if it is not."""
        if key not in self._reasons:
            job = self._job(key)
            makers = {maker for path in job.inputs if (maker := self._maker(path)) is not None}
            self._reasons[key] = self._own_reasons(job) or [
                f"{self._job(maker).name} runs, whose files it reads"
                for maker in sorted(makers)
                if self._is_due(maker)
            ]
        return self._reasons[key]

    def _own_reasons(self, job: Job) -> list[str]:
        receipt = self._receipt(str(job.receipt))
        if receipt is None:
            made = any(Path(path).exists() for path in job.outputs)
            return ["its receipt is missing or damaged" if made else NEW]
        found = differences(receipt.request, job.request)
        return found or [*self._input_reasons(job, receipt), *self._output_reasons(job, receipt)]

    def _input_reasons(self, job: Job, receipt: Receipt) -> Iterable[str]:
        if set(receipt.inputs) != set(job.inputs):
            yield "it reads other files than before"
            return
        for path, maker in job.inputs.items():
            found = self._digests.of(path) if maker is None else self._written(maker, path)
            if found != receipt.inputs[path]:
                yield f"{path} is not as it was read" if found else f"{path} is missing"

    def _written(self, receipt_file: str, path: str) -> str | None:
        """The digest with which a file was last written: that of its writer's receipt."""
        receipt = self._receipt(receipt_file)
        return receipt.outputs.get(path) if receipt else None

    def _output_reasons(self, job: Job, receipt: Receipt) -> Iterable[str]:
        for path in job.outputs:
            found = self._digests.of(path)
            if found is None:
                yield f"{path} is missing"
            elif found != receipt.outputs.get(path):
                yield f"{path} is not as it was written"

    def _receipt(self, file: str) -> Receipt | None:
        if file not in self._receipts:
            self._receipts[file] = read_receipt(Path(file))
        return self._receipts[file]

    def same_chain(self, key: Key) -> bool:
        """Whether a job and all before it were made for the present requests, from one another.

        Reads receipts only: whether files are still as they were written is not asked.
        """
        job = self._job(key)
        receipt = self._receipt(str(job.receipt))
        if (
            receipt is None
            or receipt.request != job.request
            or set(receipt.inputs) != set(job.inputs)
        ):
            return False
        for path, maker_file in job.inputs.items():
            maker = self._maker(path)
            if maker is None or maker_file is None:
                continue
            if receipt.inputs[path] != self._written(maker_file, path) or not self.same_chain(
                maker
            ):
                return False
        return True


class _Wildcards:
    """Wildcards as attributes, as Snakemake gives them to input functions."""

    def __init__(self, values: Mapping[str, str]):
        self.__dict__.update(values)


def _key(step: str, wildcards: Mapping[str, str]) -> Key:
    return step, tuple(sorted(wildcards.items()))


def _fitting(task: str, batch: int, batches: int) -> Key:
    return _key(FITTING, {"task": task, "batch": str(batch), "batches": str(batches)})


def _filled(pattern: str, wildcards: Mapping[str, str]) -> str:
    for name, value in wildcards.items():
        pattern = pattern.replace(f"{{{name}}}", value)
    return pattern


def _listed(files: Files) -> list[str]:
    return files if isinstance(files, list) else [files]


def _pattern(output: str, tasks: str) -> re.Pattern[str]:
    """A regular expression of the files that a rule can write."""
    parts = re.split(r"\{(\w+)\}", output)
    return re.compile(
        "".join(
            re.escape(part)
            if i % 2 == 0
            else f"(?P<{part}>{tasks if part == 'task' else '[^/]+?'})"
            for i, part in enumerate(parts)
        )
    )
