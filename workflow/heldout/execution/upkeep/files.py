"""Compares files with the receipts of the jobs that wrote them, and finds files that nobody wrote."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from heldout.cells.strangers import stranger
from heldout.data.openings import OLD_LEDGER
from heldout.data.witness import WITNESS
from heldout.execution.batches import batch_numbers
from heldout.execution.digests import Digests
from heldout.execution.upkeep.folder import LOGS, Folder
from heldout.faults import BY_HAND, DAMAGED, MISSING, REPAIR, RUN, Fault
from heldout.receipts import RECEIPTS, Receipt, file_digest

CELLS, MANIFESTS = "cells", "manifests"


def written_faults(
    folder: Folder,
    wanted: Collection[str],
    digests: Digests,
    progress: Callable[[str], None],
    skipped: Callable[[str], None],
) -> Iterator[Fault]:
    """Files that are not as their job wrote them.

    Parameters
    ----------
    folder
        A folder with receipts.
    wanted
        The jobs that the config asks for. No run makes anew what others have written: a repair forgets it.
    digests
        What the next run remembers: damage that leaves no trace in a file's times is hidden from it.
    progress
        Is told which file is read.
    skipped
        Is told which file may not be read: a vault is private to its owner.

    Returns
    -------
    iterator of Fault
        Damaged and missing files.
    """
    for receipt in folder.receipts.values():
        for name, expected in receipt.outputs.items():
            path = folder.results.place(name)
            progress(str(path))
            try:
                found = file_digest(path)
            except PermissionError:
                skipped(str(path))
                continue
            except OSError:
                fault = Fault(MISSING, str(path), f"{receipt.job} has written it")
            else:
                if found == expected:
                    continue
                hidden = digests.remembered(path) == expected
                fault = _changed(path, receipt.job, hidden)
            if receipt.job not in wanted:
                forgotten = (path, folder.receipt_file(receipt.job))
                fault = replace(fault, mend=REPAIR, remove=forgotten, touch=())
            yield fault


def _changed(path: Path, job: str, hidden: bool) -> Fault:
    """A file that was changed behind heldout's back, and perhaps behind that of the file system."""
    mend, touch = (REPAIR, (path,)) if hidden else (RUN, ())
    return Fault(DAMAGED, str(path), f"it is not as {job} wrote it", mend, touch=touch)


def receipt_faults(folder: Folder, wanted: Iterable[str]) -> Iterator[Fault]:
    """Receipts that are damaged, or missing although their job has begun.

    Parameters
    ----------
    folder
        A folder with receipts.
    wanted
        The jobs that the config asks for. Of others, logs may be left.

    Returns
    -------
    iterator of Fault
        Their jobs run again by themselves.
    """
    for path in folder.receipt_files:
        if path.stem not in folder.receipts:
            yield Fault(DAMAGED, str(path), "its content is not what its digest says")
    for job in wanted:
        path = folder.receipt_file(job)
        if folder.log_file(job).is_file() and not path.is_file():
            yield Fault(
                MISSING, str(path), f"{job} has begun, and has not ended or left no receipt"
            )


def foreign_faults(folder: Folder, tasks: bool, complete: bool) -> Iterator[Fault]:
    """Files that nothing accounts for.

    Parameters
    ----------
    folder
        A folder with receipts. Its cells are looked at elsewhere.
    tasks
        Whether its folders are those of tasks, which are looked at by themselves.
    complete
        Whether every job has a receipt; if not, a file may be of a job that has none.

    Returns
    -------
    iterator of Fault
        Also files that killed jobs have left unfinished.
    """
    known = _known(folder)
    for path in _walk(folder.path, tasks):
        if path in known or _in_known_place(path.relative_to(folder.path)):
            continue
        for fault in stranger(path, "no receipt accounts for it"):
            if fault.mend == BY_HAND and not complete:
                yield replace(fault, why=f"{fault.why}, but some jobs have left none", mend=RUN)
            else:
                yield fault


def _known(folder: Folder) -> set[Path]:
    """All files that receipts name, as written or as read."""

    def named(receipt: Receipt) -> Iterator[str]:
        yield from (*receipt.inputs, *receipt.outputs)

    place = folder.results.place
    return {place(name) for receipt in folder.receipts.values() for name in named(receipt)}


def _in_known_place(path: Path) -> bool:
    """Files that no receipt names: logs, receipts, witnesses, and manifests of killed jobs."""
    if path.parts[0] in (LOGS, RECEIPTS):
        return len(path.parts) == 2 and path.suffix == (
            ".log" if path.parts[0] == LOGS else ".json"
        )
    if path.parts[:-1] == (CELLS, MANIFESTS):
        return batch_numbers(f"fit_cells.{path.name}") is not None
    return path in (WITNESS, OLD_LEDGER)


def _walk(folder: Path, tasks: bool) -> Iterator[Path]:
    """All files of a folder but those of cells, and of tasks."""
    for place, folders, files in os.walk(folder):
        if Path(place) == folder:
            shared = [name for name in folders if name in (LOGS, RECEIPTS)]
            folders[:] = sorted(shared if tasks else folders)
        if Path(place) == folder / CELLS:
            folders[:], files = [name for name in folders if name == MANIFESTS], []
        yield from (Path(place, name) for name in sorted(files))
