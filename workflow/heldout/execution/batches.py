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
_NAME = re.compile(r"fit_cells\.(\d+)-of-(\d+)\.(?:json|log)")


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
        numbers = batch_numbers(path.name)
        if numbers:
            sets.setdefault(numbers[1], set()).add(numbers[0])
    return [batches for batches, found in sets.items() if len(found) == batches]


def batch_numbers(name: str) -> tuple[int, int] | None:
    """Read the name of a fitting job's receipt or log.

    Parameters
    ----------
    name
        The name of a file.

    Returns
    -------
    tuple of int, or None
        The number of the batch and of all batches; None if it is a file of something else.

    Examples
    --------
    >>> batch_numbers("fit_cells.1-of-2.json"), batch_numbers("select_model.json")
    ((1, 2), None)
    """
    named = _NAME.fullmatch(name)
    if named and 1 <= int(named[1]) <= int(named[2]):
        return int(named[1]), int(named[2])
    return None
