"""Paired comparisons of learners over time: cosine averages of the differences of their block means."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from heldout.estimates.comparisons import Comparison, rows_of
from heldout.estimates.cosine import averages, cosine_se
from heldout.estimates.evidence import Evidence, differs
from heldout.estimates.recommended import heavy_tails
from heldout.estimates.time_intervals import FEWEST_VALUES


def compare_in_time(
    contestants: dict[str, Evidence], bound: float | None, level: float
) -> list[Comparison]:
    """Compare all pairs of learners by their losses on the same blocks.

    Parameters
    ----------
    contestants
        The losses of each learner on each block, in time order.
    bound
        Losses lie in [0, bound]; None if there is no upper bound.
    level
        The confidence level.

    Returns
    -------
    list of Comparison
        One for each pair.

    Examples
    --------
    >>> def blocks(values):
    ...     return Evidence("rolling", [np.array([one]) for one in values], [np.arange(1)] * 7)
    >>> given = {"a": blocks([2.0, 3, 2, 3, 2, 3, 2]), "b": blocks([4.0, 4, 4, 5, 4, 5, 4])}
    >>> [found] = compare_in_time(given, None, 0.95)
    >>> round(found.difference, 3), found.told_apart
    (-1.857, True)
    """
    names = list(itertools.combinations(contestants, 2))
    pairs = [_Pair.of(contestants[a], contestants[b], bound) for a, b in names]
    return rows_of(dict(zip(names, pairs, strict=True)), level)


@dataclass(frozen=True)
class _Pair:
    """The differences of the block means of two learners, and their standard error where there is one."""

    gaps: np.ndarray
    se: float | None
    bound: float | None
    n: int
    note: str | None

    @staticmethod
    def of(a: Evidence, b: Evidence, bound: float | None) -> "_Pair":
        gaps = a.set_means - b.set_means
        size = float(np.abs([*a.set_means, *b.set_means]).max())
        found = _Pair(gaps, None, bound, a.n, heavy_tails(a) or heavy_tails(b))
        if len(gaps) < FEWEST_VALUES:
            return replace(found, note=f"needs {FEWEST_VALUES} blocks, found {len(gaps)}")
        if not differs(gaps, size):
            return replace(found, note="the same difference in every block")
        return replace(found, se=cosine_se(gaps))

    @property
    def df(self) -> int:
        return averages(len(self.gaps))

    @property
    def difference(self) -> float:
        return float(self.gaps.mean())

    @property
    def p(self) -> float:
        """The p-value of no difference."""
        if self.se is None:
            return 1.0
        return 2 * float(special.stdtr(self.df, -abs(self.difference) / self.se))

    def ends(self, delta: float) -> tuple[float | None, float | None]:
        """D ± t_B·SE."""
        if self.se is None:
            return None, None
        half = float(special.stdtrit(self.df, 1 - delta / 2)) * self.se
        top = np.inf if self.bound is None else self.bound
        return max(self.difference - half, -top), min(self.difference + half, top)
