"""What is wrong with the results of a study. Nothing is changed, nothing of the user's is called."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from heldout.cells.kept_models import kept_models
from heldout.cells.manifest import read_manifests
from heldout.cells.pack import read_pack
from heldout.cells.packs import PACKS, pack_files
from heldout.cells.store import read_score
from heldout.cells.verify import CellCheck, Listing
from heldout.cells.version import FILE, LINE
from heldout.errors import counted
from heldout.execution.batches import batch_numbers
from heldout.execution.digests import Digests
from heldout.execution.older import older_note
from heldout.execution.study import Study
from heldout.execution.upkeep.files import (
    CELLS,
    foreign_faults,
    receipt_faults,
    written_faults,
)
from heldout.execution.upkeep.folder import LOGS, Folder, Results
from heldout.execution.upkeep.freshness import Freshness
from heldout.faults import DAMAGED, MISSING, REPAIR, STALE, Fault
from heldout.receipts import RECEIPTS, file_digest

Say = Callable[[str], None]


@dataclass
class Findings:
    """What was found in a folder of results.

    Parameters
    ----------
    task
        The name of the task; empty for what all tasks share.
    folder
        The folder.
    cells, files
        How many were inspected.
    faults
        What is wrong.
    notes
        What a user should know although it is no fault.
    """

    task: str
    folder: Path
    cells: int = 0
    files: int = 0
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Inspection:
    """Inspects the folders of all tasks.

    Parameters
    ----------
    study
        The present config.
    root
        The folder of all results.
    progress
        Is told what is being read.
    """

    def __init__(self, study: Study, root: Path, progress: Say = lambda text: None):
        self._study, self._progress = study, progress
        self._freshness = Freshness(study, Results(root))
        self._digests = Digests()

    def findings(self) -> Iterator[Findings]:
        """What is wrong with each task, then with what they share."""
        for task in (*self._study.tasks, ""):
            yield self._inspect(task)

    def _inspect(self, task: str) -> Findings:
        folder = self._freshness.folders[task]
        found = Findings(task, folder.path)
        found.faults += _format_faults(folder.path / CELLS)
        older = older_note(folder.path) if task and not found.faults else None
        if older:
            found.notes.append(older)
            return found
        if task:
            found.faults += self._cell_faults(found, folder)
        found.faults += self._file_faults(found, folder)
        found.faults += self._stale(task, folder)
        found.notes += self._notes(task, folder, found)
        return found

    # --- files -----------------------------------------------------------------------------------

    def _file_faults(self, found: Findings, folder: Folder) -> Iterator[Fault]:
        found.files = sum(len(receipt.outputs) for receipt in folder.receipts.values())
        wanted = self._freshness.wanted(found.task)
        yield from written_faults(
            folder,
            wanted,
            self._digests,
            self._progress,
            lambda path: found.notes.append(f"{path} may not be read by you, and was not checked"),
        )
        lost = list(receipt_faults(folder, wanted))
        yield from lost
        yield from foreign_faults(folder, tasks=not found.task, complete=not lost)

    def _stale(self, task: str, folder: Folder) -> Iterator[Fault]:
        for job in self._freshness.wanted(task):
            receipt = folder.receipts.get(job)
            reasons = self._freshness.reasons(task, job) if receipt else []
            if receipt and reasons:
                files = ", ".join(str(folder.results.place(path)) for path in receipt.outputs)
                yield Fault(STALE, files, ", ".join(reasons))

    # --- cells -----------------------------------------------------------------------------------

    def _cell_faults(self, found: Findings, folder: Folder) -> Iterator[Fault]:
        def progress(done: int, total: int) -> None:
            self._progress(f"{done:,} of {total:,} cells of {found.task}")

        store = folder.path / CELLS
        expected = kept_models(store, self._study.config.models) == "all"
        check = CellCheck(store, list(self._listings(found.task, folder)), expected, progress)
        yield from check.faults()
        found.cells = check.cells
        if check.kept:
            found.notes.append(
                f"{counted(check.kept, 'cell')} of earlier grids, or of a run that has not ended, "
                "kept for later; those that the config does not name go with: heldout clean"
            )

    def _listings(self, task: str, folder: Folder) -> Iterator[Listing]:
        """What intact manifests say; those of jobs that are due count for nothing."""
        for job, receipt in folder.receipts.items():
            numbers = batch_numbers(f"{job}.json")
            for name, digest in receipt.outputs.items() if numbers else ():
                path = folder.results.place(name)
                if path.is_file() and file_digest(path) == digest:
                    counts = not self._freshness.reasons(task, job)
                    file = folder.receipt_file(job)
                    cells, wanted = read_manifests([path]), self._freshness.wanted(task)
                    yield Listing(path.name, file, counts, cells, job in wanted)

    # --- notes -----------------------------------------------------------------------------------

    def _notes(self, task: str, folder: Folder, found: Findings) -> Iterator[str]:
        wanted = self._freshness.wanted(task)
        missing = [job for job in wanted if not folder.receipt_file(job).is_file()]
        begun = {job for job in missing if folder.log_file(job).is_file()}
        if found.files and len(missing) > len(begun):
            jobs = [job for job in missing if job not in begun]
            yield f"not made yet: {', '.join(jobs)}"
        kept = [job for job in folder.receipts if job not in wanted]
        if kept:
            yield f"the config does not ask for what these jobs made: {', '.join(kept)}"
        if not task:
            yield from self._other_folders(folder.path)

    def _other_folders(self, root: Path) -> Iterator[str]:
        known = {LOGS, RECEIPTS, *self._study.tasks}
        for path in sorted(root.iterdir()) if root.is_dir() else ():
            if path.is_dir() and path.name not in known:
                yield f"{path} belongs to no task of this config"


def _format_faults(store: Path) -> Iterator[Fault]:
    """The file that says the format of the cells, where they are of the present one."""
    path = store / FILE
    if path.is_file() and path.read_bytes() == LINE.encode():
        return
    packed = any(read_pack(one).cells for one in pack_files(store / PACKS))
    if packed or any(read_score(one) is not None for one in _some_scores(store)):
        kind, why = MISSING, "the cells are there"
        if path.is_file():
            kind, why = DAMAGED, "the cells are of another format than it says"
        yield Fault(kind, str(path), why, REPAIR, (path,))


def _some_scores(store: Path) -> Iterator[Path]:
    for number, path in enumerate(store.glob("*/*/*.safetensors")):
        if number == 10:  # enough to meet a whole one
            return
        yield path
