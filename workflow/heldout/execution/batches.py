"""How many batches the cells of a task are fitted in.

The number is in no spec but that of the fitting jobs themselves, and a finished task keeps its
number: another number of cores alone makes nothing run again. Standard library only: the workflow
imports this while it is parsed.
"""

import math
import re
from pathlib import Path

from heldout.receipts import RECEIPTS

CELLS_PER_CORE = 20
"""Fewer cells than this do not deserve a batch of their own."""
CELLS_PER_JOB = 500
"""On a cluster, where a job waits in a queue and its start costs some five seconds."""
_NAME = re.compile(r"fit_cells\.(\d+)-of-(\d+)\.json")


def batches_for_cores(cells: int, cores: int) -> int:
    """As many batches as there are cores, unless there is too little to do."""
    return max(1, min(cores, math.ceil(cells / CELLS_PER_CORE)))


def batches_for_cluster(cells: int, units: int, cells_per_job: int | None) -> int:
    """Batches of a given size; no more than there are units, which are not divided."""
    return max(1, min(units, math.ceil(cells / (cells_per_job or CELLS_PER_JOB))))


def complete_sets(folder: Path) -> list[int]:
    """The numbers of batches for which every fitting job of a task has left a receipt.

    Parameters
    ----------
    folder
        The folder of the task, ``results/TASK``.

    Returns
    -------
    list of int
        In no particular order.

    Examples
    --------
    >>> (folder / "receipts").mkdir()
    >>> for name in ("1-of-1", "1-of-3", "2-of-3"):
    ...     (folder / "receipts" / f"fit_cells.{name}.json").touch()
    >>> complete_sets(folder)
    [1]
    """
    sets: dict[int, set[int]] = {}
    for path in (folder / RECEIPTS).glob("fit_cells.*.json"):
        named = _NAME.fullmatch(path.name)
        if named and 1 <= int(named[1]) <= int(named[2]):
            sets.setdefault(int(named[2]), set()).add(int(named[1]))
    return [batches for batches, found in sets.items() if len(found) == batches]
