"""The graph of jobs: what each reads and writes, and which job writes a file.

Rules declare their inputs to it; outputs and logs are asked of the rules themselves, so that each
path stands in one place. Standard library only: the workflow imports this while it is parsed.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from heldout.execution.jobs import Job, receipt_of
from heldout.execution.study import Study

FITTING = "fit_cells"
Files = str | list[str]
Declared = Files | Callable[[Any], Files]
"""What a rule declares as an input: a path, paths, or a function of the wildcards."""
Key = tuple[str, tuple[tuple[str, str], ...]]
"""A step and its wildcards: one job."""


class Rule(Protocol):
    """What is asked of a rule of Snakemake."""

    output: Iterable[str]
    log: Iterable[str]


class Graph:
    """All jobs of a study.

    Parameters
    ----------
    study
        The config: it makes the request of each step.
    rule_of
        The rule of a step.
    """

    def __init__(self, study: Study, rule_of: Callable[[str], Rule]):
        self.study = study
        self._rule = rule_of
        self._declared: dict[str, dict[str, Declared]] = {}
        self._jobs: dict[Key, Job] = {}
        self._named: dict[Key, dict[str, Files]] = {}
        self._writers: dict[str, Key | None] = {}
        self._receipt_files: dict[str, str | None] = {}
        self._patterns: list[tuple[str, re.Pattern[str]]] = []

    def declare(self, step: str, files: dict[str, Declared]) -> None:
        """What a step reads, by name."""
        self._declared[step] = files

    def reads_cells(self, key: Key) -> bool:
        """Whether a job reads the cells of a task, so the manifests of all its batches."""
        return "manifests" in self._declared[key[0]]

    def job(self, key: Key) -> Job:
        """A job with all that it depends on."""
        if key not in self._jobs:
            self._jobs[key] = self._new_job(key)
        return self._jobs[key]

    def forget(self, key: Key) -> None:
        """Let a job be made anew, for instance with another number of batches."""
        self._jobs.pop(key, None)

    def _new_job(self, key: Key) -> Job:
        step, wildcards = key[0], dict(key[1])
        self._named[key] = named = self._files(step, wildcards)
        paths = [path for files in named.values() for path in _listed(files)]
        return Job(
            request=self.study.request(step, **wildcards),
            log=self._log(key),
            inputs={path: self._receipt_file(path) for path in paths},
            outputs=[_filled(pattern, wildcards) for pattern in self._rule(step).output],
            batches=len(_listed(named["manifests"])) if "manifests" in named else None,
        )

    def inputs(self, key: Key) -> dict[str, Files]:
        """The inputs of a job by name."""
        self.job(key)
        return self._named[key]

    def writer(self, path: str) -> Key | None:
        """The job that writes a file; None if it is the user's own."""
        if path not in self._writers:
            self._writers[path] = self._find_writer(path)
        return self._writers[path]

    def writers(self, key: Key) -> list[Key]:
        """The jobs that write the inputs of a job."""
        found = {self.writer(path) for path in self.job(key).inputs}
        return sorted(one for one in found if one is not None)

    def manifests(self, task: str, batches: int) -> list[str]:
        """The manifests of a task whose cells are fitted in so many batches."""
        [pattern] = self._rule(FITTING).output
        keys = [fitting(task, batch, batches) for batch in range(1, batches + 1)]
        return [_filled(pattern, dict(wildcards)) for _, wildcards in keys]

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

    def _log(self, key: Key) -> str:
        return _filled(next(iter(self._rule(key[0]).log)), dict(key[1]))

    def _receipt_file(self, path: str) -> str | None:
        if path not in self._receipt_files:
            writer = self.writer(path)
            self._receipt_files[path] = str(receipt_of(self._log(writer))) if writer else None
        return self._receipt_files[path]

    def _find_writer(self, path: str) -> Key | None:
        if not self._patterns:
            self._patterns = [
                (step, _pattern(output, self.study.task_pattern))
                for step in self._declared
                for output in self._rule(step).output
            ]
        for step, pattern in self._patterns:
            match = pattern.fullmatch(path)
            if match:
                return job_key(step, match.groupdict())
        return None


class _Wildcards:
    """Wildcards as attributes, as Snakemake gives them to input functions."""

    def __init__(self, values: Mapping[str, str]):
        self.__dict__.update(values)


def job_key(step: str, wildcards: Mapping[str, str]) -> Key:
    """The job of a step with these wildcards."""
    return step, tuple(sorted(wildcards.items()))


def fitting(task: str, batch: int, batches: int) -> Key:
    """The fitting job of one batch."""
    return job_key(FITTING, {"task": task, "batch": str(batch), "batches": str(batches)})


def _filled(pattern: str, wildcards: Mapping[str, str]) -> str:
    for name, value in wildcards.items():
        pattern = pattern.replace(f"{{{name}}}", value)
    return pattern


def _listed(files: Files) -> list[str]:
    return files if isinstance(files, list) else [files]


def _pattern(output: str, tasks: str) -> re.Pattern[str]:
    """A regular expression of the files that a rule can write."""
    names = {"task": tasks}
    parts = re.split(r"\{(\w+)\}", output)
    return re.compile(
        "".join(
            f"(?P<{part}>{names.get(part, '[^/]+?')})" if i % 2 else re.escape(part)
            for i, part in enumerate(parts)
        )
    )
