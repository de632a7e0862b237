"""A job: one run of a step, with all that it depends on, in a file that the step is given.

The file is ``.snakemake/heldout/specs/{task}/{job}/{digest}.json``. Its name is the digest of its
content, so that what a running workflow reads is never changed by another one; only its nonce and
its reasons may differ. Each job has a folder of its own, because Snakemake lists a folder once and
takes for missing what is written there later. Standard library only: every job reads one.
"""

import functools
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heldout.files import write_text
from heldout.names import canonical, digest
from heldout.receipts import RECEIPTS

SPECS = Path(".snakemake", "heldout", "specs")
"""Below Snakemake's folder: a dry run may write there."""
RESULTS = "results"


@dataclass(frozen=True)
class Job:
    """One run of a step.

    Parameters
    ----------
    request
        The step, the digest of its code, and its spec as JSON.
    log
        The file of its log, ``FOLDER/logs/NAME.log``, which names the job.
    inputs
        The files that it reads; for each the receipt of the job that writes it, or None for the
        user's own files.
    outputs
        The files that it writes.
    batches
        How many batches the cells that it reads were fitted in; None if it reads none.
    """

    request: dict[str, Any]
    log: str
    inputs: dict[str, str | None]
    outputs: list[str]
    batches: int | None = None

    @property
    def step(self) -> str:
        """The name of the step."""
        return str(self.request["step"])

    @property
    def name(self) -> str:
        """The name of the job in its folder: ``draw_splits.kfold``."""
        return Path(self.log).name.removesuffix(".log")

    @property
    def folder(self) -> Path:
        """The folder of the task, or of all results."""
        return Path(self.log).parents[1]

    @property
    def title(self) -> str:
        """The name of the job in messages: ``penguins draw_splits.kfold``."""
        return f"{self._task} {self.name}".strip()

    @property
    def receipt(self) -> Path:
        """The file of its receipt."""
        return receipt_of(self.log)

    @functools.cached_property
    def file(self) -> Path:
        """The file that the step is given."""
        return SPECS / (self._task or RESULTS) / self.name / f"{digest(self._text())[:16]}.json"

    @property
    def _task(self) -> str:
        return "" if self.folder.name == RESULTS else self.folder.name

    def _text(self, **more: Any) -> str:
        return canonical(vars_of(self) | more)

    def write(self, reasons: list[str]) -> None:
        """Write the file, as one that has just changed."""
        write_text(self.file, self._text(nonce=os.urandom(8).hex(), reasons=reasons))

    def write_once(self) -> None:
        """Write the file if it is not there, as one that has not changed for long."""
        if not self.file.is_file():
            self.write([])
            os.utime(self.file, (1, 1))


def receipt_of(log: str) -> Path:
    """The file of the receipt of the job with this log."""
    path = Path(log)
    return path.parents[1] / RECEIPTS / f"{path.name.removesuffix('.log')}.json"


def vars_of(job: Job) -> dict[str, Any]:
    """The fields of a job."""
    return {name: getattr(job, name) for name in Job.__dataclass_fields__}


def read_job(path: Path) -> Job:
    """Read the file that a step is given.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Job
        As it was written.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    return Job(**{name: content[name] for name in Job.__dataclass_fields__})
