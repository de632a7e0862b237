"""Which cells each estimator needs, and which split file each kind of cell comes from.

Standard library only: the workflow imports this while it is parsed. To add an estimator,
add its needs here and its aggregation under `heldout.estimate`.
"""

FULL, DEV, FOLDS = "full", "dev", "folds"
"""Kinds of held-out sets: nothing, the development set, one fold at a time."""

NEEDS: dict[str, tuple[str, ...]] = {
    "training": (FULL,),
    "holdout": (DEV,),
    "kfold": (FOLDS,),
    "test": (),
}

SPLIT_FILE = {DEV: "holdout", FOLDS: "kfold"}
"""The split file (without ending) that a kind of held-out set is read from."""


def kinds_needed(estimators: list[str]) -> list[str]:
    """The kinds of cells that the estimators need together, in a fixed order."""
    needed = {kind for name in estimators for kind in NEEDS[name]}
    return [kind for kind in (FULL, DEV, FOLDS) if kind in needed]


def split_files(kinds: list[str]) -> list[str]:
    """The split files that these kinds of cells are read from."""
    return sorted({SPLIT_FILE[kind] for kind in kinds if kind in SPLIT_FILE})
