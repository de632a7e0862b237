"""The kinds of held-out sets, and which split file each comes from.

Standard library only: the workflow imports this while it is parsed.
"""

FULL = "full"
"""Nothing is held out."""
DEV = "dev"
"""The development set."""
FOLDS = "folds"
"""One fold at a time."""
FOLDS_WHOLE = "folds_whole"
"""One fold at a time, and the training rows are predicted as well (Burman's adjustment)."""
ADJACENT = "adjacent"
"""Fold i and the next one: what dev-set nested CV needs."""
PAIRS = "pairs"
"""Two folds at a time: what nested CV needs."""
LOO = "loo"
"""One row (or group) at a time, in chunks."""
ROUNDS = "rounds"
"""The random hold-outs of Monte Carlo CV."""
HALVES = "halves"
"""Monte Carlo CV inside disjoint halves of the rows: the variance of the conservative z."""
BAGS = "bags"
"""What a bootstrap bag left out."""
PREFIXES = "prefixes"
"""Rows in time order: one block at a time, predicted by a model of the rows before it."""
RECENT = "recent"
"""Rows in time order with a window: nothing is held out, and older rows are left out of the final model."""

KINDS = (
    FULL,
    RECENT,
    DEV,
    FOLDS,
    FOLDS_WHOLE,
    ADJACENT,
    PAIRS,
    LOO,
    ROUNDS,
    HALVES,
    BAGS,
    PREFIXES,
)

IMPLIED = {FULL: RECENT, FOLDS: FOLDS_WHOLE, ADJACENT: PAIRS}
"""Held-out sets of the first kind are among those of the second."""

SPLIT_FILE = {
    DEV: "holdout",
    FOLDS: "kfold",
    FOLDS_WHOLE: "kfold",
    ADJACENT: "kfold",
    PAIRS: "kfold",
    LOO: "loo",
    ROUNDS: "montecarlo",
    HALVES: "halvings",
    BAGS: "bootstrap",
    PREFIXES: "rolling",
    RECENT: "rolling",
}
"""The split file (without ending) that a kind of held-out set is read from."""


def split_files(kinds: list[str]) -> list[str]:
    """Name the split files that these kinds of held-out sets are read from.

    Parameters
    ----------
    kinds
        Kinds of held-out sets.

    Returns
    -------
    list of str
        Names of files without their ending, each once.

    Examples
    --------
    >>> split_files([FULL, FOLDS, PAIRS, LOO])
    ['kfold', 'loo']
    """
    return sorted({SPLIT_FILE[kind] for kind in kinds if kind in SPLIT_FILE})
