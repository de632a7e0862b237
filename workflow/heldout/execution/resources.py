"""What a job asks of a cluster: how much memory, and how many minutes.

Guesses on the safe side, made again with every attempt: a job that is ended for its memory or its
time comes back with more of both, and finds the cells that it had finished in the store.
"""

import math
import os
import sys

BASE_MB = 1000
"""Two processes of Snakemake (270 MB) and one with scikit-learn (250 MB), with room to spare."""
FITTING_COPIES = 20
"""Times the size of the inputs: training part, scaled and encoded copies, what the learner needs."""
READING_COPIES = 20
"""Times the size of the manifests, which are small as text and large as Python objects."""
BASE_MINUTES = 10
"""Start-up on a slow file system."""
FITTING_SECONDS = 1.0
"""For a cell. Most take milliseconds; a large forest takes more, and then a second attempt."""
AUDIT_SECONDS = 0.05
"""For a cell of an audit's replicate, which is small and keeps no files."""
READING_SECONDS = 0.01
"""For a cell's scores, from a slow file system."""


def megabytes(data: float, copies: int, attempt: int) -> int:
    """Memory for a job whose inputs have this size in MB."""
    return math.ceil(BASE_MB + copies * data) * attempt


def minutes(cells: float, seconds: float, attempt: int) -> int:
    """Time for a job with so many cells."""
    return math.ceil(BASE_MINUTES + cells * seconds / 60) * attempt


def own_cores() -> int:
    """How many cores this process may use; all of the machine where the system does not say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_megabytes(most: int, platform: str = sys.platform) -> float:
    """The most memory that a process has had, from `ru_maxrss`: bytes on macOS, else KB.

    Parameters
    ----------
    most
        What `getrusage` says.
    platform
        The system.

    Returns
    -------
    float
        MB.

    Examples
    --------
    >>> peak_megabytes(2048, "linux"), peak_megabytes(2048 * 1024, "darwin")
    (2.0, 2.0)
    """
    return round(most / (1024 * 1024 if platform == "darwin" else 1024), 1)
