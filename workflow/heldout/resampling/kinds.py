"""Which cells each estimator needs, and which split file each kind of cell comes from.

Standard library only: the workflow imports this while it is parsed. To add an estimator,
add its needs here and its aggregation under `heldout.estimates`.
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

KINDS = (FULL, DEV, FOLDS, FOLDS_WHOLE, ADJACENT, PAIRS, LOO, ROUNDS, HALVES, BAGS)

NEEDS: dict[str, tuple[str, ...]] = {
    "training": (FULL,),
    "holdout": (DEV,),
    "kfold": (FOLDS,),
    "kfold_adjusted": (FULL, FOLDS_WHOLE),
    "loo": (LOO,),
    "montecarlo": (ROUNDS,),
    "bootstrap": (FULL, BAGS),
    "min_cv": (FOLDS,),
    "nested_cv": (FOLDS, PAIRS),
    "nested_dev": (FOLDS, ADJACENT),
    "test": (),
}

IMPLIED = {FOLDS: FOLDS_WHOLE, ADJACENT: PAIRS}
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
}
"""The split file (without ending) that a kind of held-out set is read from."""


def kinds_needed(estimators: list[str], halvings: int = 0) -> list[str]:
    """List the kinds of held-out sets that estimators need together, each set once.

    Parameters
    ----------
    estimators
        Names of estimators.
    halvings
        How often Monte Carlo CV halves the rows.

    Returns
    -------
    list of str
        Kinds, in a fixed order.

    Examples
    --------
    >>> kinds_needed(["training", "kfold", "nested_cv"])
    ['full', 'folds', 'pairs']
    """
    needed = {kind for name in estimators for kind in NEEDS[name]}
    if ROUNDS in needed and halvings:
        needed.add(HALVES)
    needed -= {kind for kind, wider in IMPLIED.items() if wider in needed}
    return [kind for kind in KINDS if kind in needed]


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
