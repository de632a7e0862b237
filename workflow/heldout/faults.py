"""What is wrong with a file of the results, and what mends it.

``heldout check`` finds faults in several places (cells, receipts, the ledger) and words them in one.
Standard library only.
"""

from dataclasses import dataclass
from pathlib import Path

DAMAGED, MISSING, FOREIGN, STALE = "damaged", "missing", "foreign", "stale"
"""Not as it was written; not there; accounted for by nothing; whole, but of another config or table."""
RUN, REPAIR, BY_HAND = "run", "repair", "by hand"
"""The next run mends it by itself; ``heldout check --repair`` before the next run; the user alone."""


@dataclass(frozen=True)
class Fault:
    """A file that is not as it should be.

    Parameters
    ----------
    kind
        DAMAGED, MISSING, FOREIGN or STALE. A stale file is as it was written: no damage.
    what
        The file, or the files of a job.
    why
        How that is known.
    mend
        RUN, REPAIR or BY_HAND.
    remove
        What a repair removes, so that the next run makes it again.
    touch
        What a repair marks as changed, so that the next run digests it again.
    rewrite
        Packs that a repair writes anew without their damaged cells.

    Examples
    --------
    >>> Fault(STALE, "results/a/risks.csv", "level 0.95 → 0.9").harms
    False
    """

    kind: str
    what: str
    why: str
    mend: str = RUN
    remove: tuple[Path, ...] = ()
    touch: tuple[Path, ...] = ()
    rewrite: tuple[Path, ...] = ()

    @property
    def harms(self) -> bool:
        """Whether something is wrong with the results, as opposed to out of date."""
        return self.kind != STALE
