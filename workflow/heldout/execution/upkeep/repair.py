"""Removes what is damaged, so that the next run makes it again and nothing else."""

from collections.abc import Callable, Iterable
from pathlib import Path

from heldout.cells.model_file import SHARED, read_model
from heldout.cells.pack import MODELS, PackedCell, damaged_models
from heldout.cells.packs import rewrite
from heldout.cells.store import Store
from heldout.cells.version import FILE
from heldout.faults import REPAIR, Fault
from heldout.receipts import RECEIPTS


def repair(faults: Iterable[Fault]) -> tuple[int, int]:
    """Do what the next run needs to mend faults by itself.

    Parameters
    ----------
    faults
        What `inspect` found.

    Returns
    -------
    tuple of int
        The number of removed files, and of fitting jobs that will run again.

    Examples
    --------
    >>> damaged = folder / "full.model"
    >>> damaged.touch()
    >>> repair([Fault("damaged", "full.model", "…", REPAIR, remove=(damaged,))])
    (1, 0)
    >>> damaged.exists()
    False
    """
    mended = [fault for fault in faults if fault.mend == REPAIR]
    paths = dict.fromkeys(path for fault in mended for path in fault.remove)
    removed = [path for path in paths if _remove(path)]
    for fault in mended:
        for path in fault.touch:
            path.touch()
        if Path(fault.what).name == FILE:
            Store(Path(fault.what).parent).adopt()
    for pack in dict.fromkeys(path for fault in mended for path in fault.rewrite):
        rewrite(pack, _is_whole(pack))
    jobs = sum(path.parent.name == RECEIPTS for path in removed)
    return len(removed) - jobs, jobs


def _is_whole(pack: Path) -> Callable[[PackedCell], bool]:
    """Tells of the cells of a pack whether nothing is damaged: scores, model, parts that this shares."""
    damaged, shared = damaged_models(pack.with_suffix(MODELS)), pack.parents[1] / SHARED

    def whole(cell: PackedCell) -> bool:
        if cell.read() is None:
            return False
        if cell.model() is None:
            return cell.row.model not in damaged
        return all(read_model(str(shared / part), part) for part in cell.row.shared_parts)

    return whole


def _remove(path: Path) -> bool:
    """Remove a file; whether it was there."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
