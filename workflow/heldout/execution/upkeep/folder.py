"""A folder of results with its receipts: ``results/TASK``, or ``results`` for what all tasks share."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from heldout.execution.jobs import RESULTS
from heldout.receipts import RECEIPTS, Receipt, read_receipt

LOGS = "logs"


@dataclass(frozen=True)
class Results:
    """All results, wherever they lie; receipts name files below ``results``.

    Parameters
    ----------
    root
        The folder of all results.

    Examples
    --------
    >>> Results(Path("elsewhere")).place("results/penguins/risks.csv").as_posix()
    'elsewhere/penguins/risks.csv'
    >>> Results(Path("elsewhere")).place("data/penguins.csv").as_posix()
    'data/penguins.csv'
    """

    root: Path

    def place(self, name: str) -> Path:
        """Where a file lies that a receipt names."""
        path = Path(name)
        return self.root.joinpath(*path.parts[1:]) if self.is_ours(name) else path

    @staticmethod
    def is_ours(name: str) -> bool:
        """Whether a file that a receipt names is a result, not the user's own."""
        return Path(name).parts[:1] == (RESULTS,)

    def folder(self, task: str) -> "Folder":
        """The folder of a task; of all tasks, if there is none."""
        return Folder(self.root / task, self)


@dataclass(frozen=True)
class Folder:
    """A folder with receipts of its own.

    Parameters
    ----------
    path
        The folder.
    results
        All results.
    """

    path: Path
    results: Results

    @cached_property
    def receipts(self) -> dict[str, Receipt]:
        """The intact receipts, by name of the job."""
        found = {path.stem: read_receipt(path) for path in self.receipt_files}
        return {job: one for job, one in found.items() if one is not None and one.job == job}

    @cached_property
    def receipt_files(self) -> list[Path]:
        """The files of all receipts, damaged ones too."""
        return sorted((self.path / RECEIPTS).glob("*.json"))

    def receipt_file(self, job: str) -> Path:
        """The file of a job's receipt."""
        return self.path / RECEIPTS / f"{job}.json"

    def log_file(self, job: str) -> Path:
        """The file of a job's log."""
        return self.path / LOGS / f"{job}.log"

    @cached_property
    def batches(self) -> int | None:
        """The number of manifests that the risks were estimated from; None if they were not."""
        risks = self.receipts.get("estimate_risks")
        return sum("/manifests/" in path for path in risks.inputs) if risks else None
