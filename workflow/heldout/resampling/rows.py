"""What a draw looks at: for each row its unit, and, if there are any, its class and its fold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Rows:
    """The rows that a split is drawn from.

    Parameters
    ----------
    unit
        For each row the number of its unit: its group, or the row itself. A unit is never divided
        between training and held-out rows.
    code
        For each row the position of its class in `classes`; None for regression.
    classes
        The labels, for messages; None for regression.
    fold
        For each row the user's own fold, from 0; only read where the config names a fold column.
    grouped
        Whether units are groups, for messages.
    time
        For each row its time, where rows are in time order.
    dates
        Whether times are dates, in seconds.

    Examples
    --------
    >>> rows = Rows(unit=np.array([0, 0, 1, 2]), code=np.array([0, 0, 1, 1]), classes=["a", "b"])
    >>> rows.n
    4
    >>> rows.strata(stratify=True).tolist()
    [0, 0, 1, 1]
    >>> rows.strata(stratify=False) is None
    True
    """

    unit: np.ndarray
    code: np.ndarray | None = None
    classes: Sequence[Any] | None = None
    fold: np.ndarray | None = None
    grouped: bool = False
    time: np.ndarray | None = None
    dates: bool = False

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.unit)

    def strata(self, stratify: bool) -> np.ndarray | None:
        """The class of each row if the draw is to be stratified and there are classes."""
        return self.code if stratify else None
