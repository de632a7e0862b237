"""Files that do not belong in a folder of results, or that are not finished yet."""

import time
from collections.abc import Iterator
from pathlib import Path

from heldout.faults import BY_HAND, FOREIGN, REPAIR, Fault

OLD = 3600.0
"""Seconds. No file takes that long to write, so an older unfinished file is left from a killed job."""


def stranger(path: Path, why: str = "nothing of heldout accounts for it") -> Iterator[Fault]:
    """What is wrong with a file that is no result.

    A file with a temporary name is being written, unless it is old.

    Parameters
    ----------
    path
        The file.
    why
        How it is known to be no result.

    Returns
    -------
    iterator of Fault
        At most one.

    Examples
    --------
    >>> [fault.mend for fault in stranger(folder / "notes.txt")]
    ['by hand']
    >>> (folder / ".a.csv.12.tmp").touch()
    >>> list(stranger(folder / ".a.csv.12.tmp"))
    []
    """
    if not (path.name.startswith(".") and path.name.endswith(".tmp")):
        yield Fault(FOREIGN, str(path), why, BY_HAND)
    elif is_old(path):
        yield Fault(FOREIGN, str(path), "a killed job has left it unfinished", REPAIR, (path,))


def is_old(path: Path) -> bool:
    """Whether a file is certainly not being written.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    bool
        False also if it is gone.

    Examples
    --------
    >>> is_old(folder / "missing")
    False
    """
    try:
        return path.stat().st_mtime < time.time() - OLD
    except FileNotFoundError:
        return False
