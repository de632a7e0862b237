"""Whether files of a task are as the workflow wrote them: their digests are in the receipts."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from heldout.errors import HeldoutError
from heldout.receipts import file_digest, read_receipts


@dataclass(frozen=True)
class Written:
    """What the receipts of a task say about the files that were written.

    Parameters
    ----------
    folder
        `results/TASK`.

    Examples
    --------
    >>> _ = (folder / "risks.csv").write_text("risk")
    >>> Written(folder).intact("risks.csv").name
    'risks.csv'
    """

    folder: Path

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digest of each file, by its path in the folder of the task."""
        return {
            path.partition(f"/{self.folder.name}/")[2]: found
            for receipt in read_receipts(self.folder)
            for path, found in receipt.outputs.items()
        }

    def intact(self, name: str) -> Path:
        """The path of a file; an error if it is missing, or not as it was written.

        A file that no receipt knows is taken as it is: its step may be running.
        """
        path = self.folder / name
        if not path.is_file():
            raise HeldoutError(
                f"task '{self.folder.name}' has no {name}: it is not finished, or its config does not ask for "
                "that; run: heldout run"
            )
        if name in self.digests and file_digest(path) != self.digests[name]:
            raise HeldoutError(
                f"'{path}' is not as it was written: it was edited or damaged; "
                "run: heldout check --repair, then heldout run"
            )
        return path
