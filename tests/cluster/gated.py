"""A learner that does as the test says: it waits before its third fit, and once it takes memory.

It goes into the study's folder, where the jobs import it. What it learns is what k-NN learns.
"""

import hashlib
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

GATE = Path("gate")
"""While this file is there, a job stops before its third fit."""
HUNGRY = Path("hungry")
"""While this file is there, a fit on all unsealed rows takes as many MB as the file says."""
FITS = Path("fits.txt")
"""A line for each fit that came to its end."""
FREE = 2
GREEDY_NEIGHBORS = 9
"""The θ that takes the memory."""


class GatedNeighbors(KNeighborsClassifier):
    """k-NN behind a gate."""

    fits = 0

    def fit(self, X: np.ndarray, y: np.ndarray) -> "GatedNeighbors":
        """Wait, take memory, fit, tell."""
        GatedNeighbors.fits += 1
        while GatedNeighbors.fits > FREE and GATE.exists():
            time.sleep(0.05)
        if self.n_neighbors == GREEDY_NEIGHBORS and HUNGRY.exists():
            _take(HUNGRY, len(X))
        super().fit(X, y)
        with FITS.open("a") as file:
            file.write(f"{self.n_neighbors} {hashlib.sha256(X.tobytes()).hexdigest()}\n")
        return self


def _take(order: Path, rows: int) -> None:
    """Hold the memory long enough for SLURM, which looks every second."""
    least, megabytes = map(int, order.read_text().split())
    if rows >= least:
        held = np.ones(megabytes << 17)
        time.sleep(4)
        held.sum()
