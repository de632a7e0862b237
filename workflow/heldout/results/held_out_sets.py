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
BLOCK = re.compile(r"t(\d+)\.b\d+")


@dataclass(frozen=True)
class HeldOutSets:
    """How many held-out sets of each kind there are; 0 of a kind that is not there or not known.

    Blocks of time are counted as in the config: with the first one, before which no model can be trained.
    """

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
    >>> counted_sets(["t5.b02", "t5.b03", "t5.b04", "t5.b05"]).words("nested_rolling")
    '5 blocks'
    """
    distinct = set(names)
    folds = [match for name in distinct if (match := FOLD.fullmatch(name))]
    blocks = [match for name in distinct if (match := BLOCK.fullmatch(name))]
    return HeldOutSets(
        folds=max((int(match[1]) for match in folds), default=0),
        repeats=max((int(match[2]) for match in folds), default=0),
        rounds=sum(ROUND.fullmatch(name) is not None for name in distinct),
        bags=sum(BAG.fullmatch(name) is not None for name in distinct),
        blocks=max((int(match[1]) for match in blocks), default=0),
    )
