"""The time stamps of rows, and parts of them in time order that keep stamps and groups whole."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heldout.errors import HeldoutError

LARGE = 2
"""Groups that tie more rows together than so many equal parts are refused: parts would be too unequal."""
ROUNDING = 4
"""Times closer than so many units in the last place count as equal."""


@dataclass(frozen=True)
class Stamps:
    """The time stamps of rows, and which of them no cut may part, because a group has rows on both sides.

    Parameters
    ----------
    time
        For each row its time.
    unit
        For each row the number of its group, or of itself.

    Examples
    --------
    >>> stamps = Stamps(np.array([3.0, 1.0, 3.0, 2.0]), np.arange(4))
    >>> stamps.rank.tolist(), stamps.parts(2).tolist()
    ([2, 0, 2, 1], [1, 0, 1, 0])
    """

    time: np.ndarray
    unit: np.ndarray

    @cached_property
    def _found(self) -> tuple[np.ndarray, np.ndarray]:
        values, rank = np.unique(self.time, return_inverse=True)
        return values, rank

    @property
    def values(self) -> np.ndarray:
        """The different times, in order."""
        return self._found[0]

    @property
    def rank(self) -> np.ndarray:
        """For each row the position of its time among the different times."""
        return self._found[1]

    @cached_property
    def atom(self) -> np.ndarray:
        """For each row the number of its atom: the time stamps that some group holds together."""
        _, unit = np.unique(self.unit, return_inverse=True)
        last = np.zeros(unit.max() + 1, int)
        np.maximum.at(last, unit, self.rank)
        reach = np.zeros(len(self.values), int)
        np.maximum.at(reach, self.rank, last[unit])
        ends = np.maximum.accumulate(reach) <= np.arange(len(reach))
        return np.concatenate([[0], np.cumsum(ends)[:-1]])[self.rank]

    def parts(self, count: int) -> np.ndarray:
        """For each row its part, from 0: so many parts, as equal in rows as atoms allow."""
        self._check(count)
        ends = np.cumsum(np.bincount(self.atom))
        cuts: list[int] = []
        for k in range(1, count):
            first = cuts[-1] + 1 if cuts else 0
            allowed = ends[first : len(ends) - (count - k)]
            cuts.append(first + int(np.abs(allowed - k * ends[-1] / count).argmin()))
        return np.searchsorted(cuts, self.atom, side="left")

    def _check(self, count: int) -> None:
        if len(self.values) < count:
            raise HeldoutError(
                f"rolling: {len(self.values)} time stamps cannot fill {count} blocks, because the rows of one "
                "stamp stay together; set fewer blocks (rolling.blocks), or a finer time"
            )
        row = self.divided(count)
        if row is not None:
            raise HeldoutError(f"rolling: {across(self._described(row, count))}")

    def _described(self, row: int, count: int) -> str:
        mine = self.unit == self.unit[row]
        spanned = len(np.unique(self.rank[mine]))
        return f"of {mine.sum()} rows at {spanned} times, of {len(self.values)} times in {count} parts,"

    def divided(self, count: int) -> int | None:
        """A row of a group that spans more time than so many parts can hold; None if there is none."""
        sizes = np.bincount(self.atom)
        if len(sizes) == len(self.values):  # no group ties stamps together
            return None
        several = np.bincount(np.unique(np.stack([self.atom, self.rank]), axis=1)[0]) > 1
        large = several & (sizes > LARGE * len(self.time) / count)
        if len(sizes) < count:
            large = several
        if not large.any():
            return None
        _, unit = np.unique(self.unit, return_inverse=True)
        rows = np.flatnonzero(large[self.atom])
        span = np.full(unit.max() + 1, -1)
        np.maximum.at(span, unit[rows], self.rank[rows])
        first = np.full(unit.max() + 1, len(self.values))
        np.minimum.at(first, unit[rows], self.rank[rows])
        return int(rows[(span - first)[unit[rows]].argmax()])

    def before(self, time: float, apart: float = 0.0) -> int:
        """How many stamps are older than a time minus a distance."""
        limit = time - apart
        size = max(abs(time), abs(apart), abs(limit))
        return int(np.searchsorted(self.values, limit - ROUNDING * np.spacing(size), side="left"))


def across(which: str) -> str:
    """Say why a group that spans blocks is refused.

    Parameters
    ----------
    which
        Which group it is.

    Returns
    -------
    str
        The reason, and what to do.

    Examples
    --------
    >>> across("'anna' of 'who'").partition(":")[0]
    "the group 'anna' of 'who' spans several blocks of time"
    """
    return (
        f"the group {which} spans several blocks of time: its rows would be in the training rows and held out. "
        "Set fewer blocks (rolling.blocks), or leave out groups if rows of one group that are apart in time may "
        "be taken as different ones"
    )
