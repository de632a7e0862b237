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
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from heldout.errors import HeldoutError
from heldout.execution.batches import complete_sets
from heldout.execution.digests import Digests
from heldout.execution.graph import Declared, Files, Graph, Key, fitting, job_key
from heldout.execution.jobs import Job
from heldout.execution.reasons import differences
from heldout.receipts import Receipt, read_receipt

NEW = "not made yet"


@dataclass(frozen=True)
class Situation:
    """How this process was started.

    Parameters
    ----------
    decides
        Whether this is the main process. A job on a cluster parses the workflow again, and finds
        the decisions of the main process on disk.
    hides_times
        Whether times that mean nothing are hidden from Snakemake. Not so where this is a module of
        another workflow, which may make the table, or where Snakemake may run jobs for reasons of
        its own: it must see then that what these write is new.
    dry
        Whether nothing may be written outside ``.snakemake``.
    """

    decides: bool = True
    hides_times: bool = True
    dry: bool = False


@dataclass(frozen=True)
class Flags:
    """Snakemake's marks for inputs.

    Parameters
    ----------
    ancient
        For a file whose times do not count.
    unpack
        For a function that returns several named inputs.
    """

    ancient: Callable[[str], str]
    unpack: Callable[[Any], Any]


class Planner:
    """Decides for each job whether it is due, and returns its inputs accordingly.

    Parameters
    ----------
    graph
        All jobs of the study.
    situation
        Tells how this process was started; asked when the first job is planned, because Snakemake
        does not know it while the workflow is parsed.
    flags
        Snakemake's marks for inputs.
    say
        Prints a line.
    begin
        Called once, when the first job is found to be due and may run.
    """

    def __init__(
        self,
        graph: Graph,
        situation: Callable[[], Situation],
        flags: Flags,
        say: Callable[[str], Any],
        begin: Callable[[], object] = lambda: None,
    ):
        self._graph, self._ask_situation = graph, situation
        self._flags, self._say, self._begin = flags, say, begin
        self._begun = False
        self._digests = Digests()
        self._reasons: dict[Key, list[str]] = {}
        self._receipts: dict[str, Receipt | None] = {}
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
        self._graph.declare(step, files)
        return self._flags.unpack(
            lambda wildcards: self._inputs_of(job_key(step, dict(wildcards.items())))
        )

    def manifests(self, wildcards: Any) -> list[str]:
        """The manifests of all batches of a task."""
        return self._graph.manifests(wildcards.task, self.batches(wildcards.task))

    def _inputs_of(self, key: Key) -> dict[str, Any]:
        due = self._prepare(key) if self._situation.decides else self._adopt(key)
        spec = str(self._graph.job(key).file)
        named = {name: self._flagged(files) for name, files in self._graph.inputs(key).items()}
        return {"spec": spec if due or not self._hides_times else self._flags.ancient(spec)} | named

    @property
    def _hides_times(self) -> bool:
        return self._situation.decides and self._situation.hides_times

    def _flagged(self, files: Files) -> Files:
        if isinstance(files, list):
            return [self._flag(path) for path in files]
        return self._flag(files)

    def _flag(self, path: str) -> str:
        """A file that a due job will write anew as it is; another one without its times."""
        if not self._hides_times:
            return path
        writer = self._graph.writer(path)
        return path if writer and self._is_due(writer) else self._flags.ancient(path)

    # --- what becomes of a job -----------------------------------------------------------------

    def _prepare(self, key: Key) -> bool:
        """Write the file of a job, and say why it is due if it is."""
        job, reasons = self._graph.job(key), self.reasons(key)
        if not reasons:
            job.write_once()
            return False
        if not (self._begun or self._situation.dry):
            self._begun = True
            self._begin()
        self._announce(job, reasons)
        job.write(reasons)
        self._mend_times(job)
        return True

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
        for path in (*job.outputs, *(one for one, receipt in job.inputs.items() if receipt)):
            if os.path.isfile(path) and os.stat(path).st_mtime > now:  # noqa: PTH113, PTH116
                os.utime(path, (now, now))

    def _adopt(self, key: Key) -> bool:
        """In a job on a cluster: find the file that the main process wrote for it."""
        task = dict(key[1]).get("task", "")
        files: dict[int, Path] = {}
        for count in self._candidates(task) if self._graph.reads_cells(key) else [0]:
            files[count] = self._with_batches(key, task, count).file
        planned = [count for count, file in files.items() if file.is_file()]
        if not planned:
            raise HeldoutError(
                f"{self._graph.job(key).title}: this job was planned with another config, other "
                "code or other libraries than are found here; use the same environment on all "
                "nodes, and start again"
            )
        # An earlier run may have left the file of another division; the last one written counts.
        self._with_batches(key, task, max(planned, key=lambda count: files[count].stat().st_mtime))
        return True

    def _with_batches(self, key: Key, task: str, count: int) -> Job:
        """The job, if the cells that it reads were fitted in so many batches."""
        self._batches[task] = count
        self._graph.forget(key)
        return self._graph.job(key)

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
        new = self._graph.study.batches(task)
        if self._graph.study.config.batches:
            return [new]
        serves = self._is_fresh if self._situation.decides else self.same_chain
        finished = [
            count
            for count in complete_sets(Path("results", task))
            if all(serves(fitting(task, batch, count)) for batch in range(1, count + 1))
        ]
        used = self._last_used(task)
        finished.sort(key=lambda count: (count != used, -count))
        return [*finished, new]

    def _last_used(self, task: str) -> int:
        """The number of manifests that the risks were estimated from."""
        receipt = self._receipt(f"results/{task}/receipts/estimate_risks.json")
        return sum("/manifests/" in path for path in receipt.inputs) if receipt else 0

    # --- due or not ----------------------------------------------------------------------------

    def _is_due(self, key: Key) -> bool:
        return bool(self.reasons(key))

    def _is_fresh(self, key: Key) -> bool:
        return not self._is_due(key)

    def reasons(self, key: Key) -> list[str]:
        """Why a job is due; nothing if it is not."""
        if key not in self._reasons:
            self._reasons[key] = self._own_reasons(self._graph.job(key)) or [
                f"{self._graph.job(writer).name} runs, whose files it reads"
                for writer in self._graph.writers(key)
                if self._is_due(writer)
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
        for path, writer in job.inputs.items():
            found = self._written(writer, path) if writer else self._digests.of(path)
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
        job = self._graph.job(key)
        receipt = self._receipt(str(job.receipt))
        if receipt is None or receipt.request != job.request:
            return False
        if set(receipt.inputs) != set(job.inputs):
            return False
        linked = all(
            writer is None or receipt.inputs[path] == self._written(writer, path)
            for path, writer in job.inputs.items()
        )
        return linked and all(self.same_chain(writer) for writer in self._graph.writers(key))
