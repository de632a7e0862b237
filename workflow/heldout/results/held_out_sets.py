"""How many held-out sets of each kind a task has, in words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from heldout.errors import counted
from heldout.estimates.registry import ESTIMATORS
from heldout.resampling import kinds

FOLD = re.compile(r"k(\d+)\.r(\d+)\.f\d+")
ROUND = re.compile(r"mc\.r\d+")
BAG = re.compile(r"bag\.\d+")
BLOCK = re.compile(r"t\d+\.b\d+")


@dataclass(frozen=True)
class HeldOutSets:
    """How many held-out sets of each kind there are; 0 of a kind that is not there or not known."""

    folds: int = 0
    repeats: int = 0
    rounds: int = 0
    bags: int = 0
    blocks: int = 0

    def words(self, estimator: str) -> str:
        """What an estimator is computed from: `5 folds`, `25 rounds`; empty if that is not known."""
        entry = ESTIMATORS.get(estimator)
        needed = set(entry.kinds if entry else ())
        if self.folds and needed & {kinds.FOLDS, kinds.FOLDS_WHOLE}:
            times = f", {self.repeats} times" if self.repeats > 1 else ""
            return counted(self.folds, "fold") + times
        for kind, count, word in (
            (kinds.PREFIXES, self.blocks, "block"),
            (kinds.ROUNDS, self.rounds, "round"),
            (kinds.BAGS, self.bags, "bag"),
        ):
            if count and kind in needed:
                return counted(count, word)
        return ""


def counted_sets(names: Iterable[str]) -> HeldOutSets:
    """Count held-out sets by their names.

    Parameters
    ----------
    names
        The names of held-out sets, each any number of times.

    Returns
    -------
    HeldOutSets
        How many there are of each kind.

    Examples
    --------
    >>> found = counted_sets(["full", "k5.r1.f01", "k5.r2.f01", "k5.r1.f01+f02", "mc.r01", "mc.r02"])
    >>> found.words("nested_cv"), found.words("montecarlo"), found.words("loo")
    ('5 folds, 2 times', '2 rounds', '')
    """
    distinct = set(names)
    folds = [match for name in distinct if (match := FOLD.fullmatch(name))]
    return HeldOutSets(
        max((int(match[1]) for match in folds), default=0),
        max((int(match[2]) for match in folds), default=0),
        *(sum(bool(one.fullmatch(name)) for name in distinct) for one in (ROUND, BAG, BLOCK)),
    )
