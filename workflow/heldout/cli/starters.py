"""The learners of a first config, and grids that cost minutes at the size of the table.

Each learner has a ladder of grids, from rich to poor. The first one is taken whose fits, by a rough
rule of what they take, stay within a budget; ``heldout check --price`` measures it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from heldout.learners.catalogue import CATALOG

BUDGET = 120.0
"""Seconds of one core that the fits of a learner may take, roughly."""
HOPELESS = 10.0
"""A learner whose poorest grid takes so many times the budget is left out."""
NEWTON = 1000
"""With more coefficients, and more rows, than this, Newton's steps take longer than those of lbfgs."""
SORTING = 9e-8
"""Seconds that a tree takes for a value at each of its levels."""
ROUND, LEAF, COLUMN, COLUMN_OF_LEAF, VALUE = 3e-4, 3e-5, 5e-6, 2.2e-6, 1e-8
"""Seconds that a round of boosting takes: as such, for a leaf, for a column, for both, for a value."""
NODE_BYTES = 80
"""What a node of a stored tree takes, with its values."""


@dataclass(frozen=True)
class Size:
    """How large a table is for its learners.

    Parameters
    ----------
    rows
        The rows to learn from.
    least
        The rows of the smallest training set.
    features
        The columns that are used.
    width
        The columns that a linear model sees: a category has one for each level.
    classes
        The number of classes; 0 for numbers.
    spread
        The standard deviation of a target of numbers.
    sets
        How many training sets there are.
    """

    rows: int
    least: int
    features: int
    width: int
    classes: int
    spread: float
    sets: int

    @property
    def wide(self) -> bool:
        """Whether there are more columns than rows to learn from."""
        return self.width > self.rows


@dataclass(frozen=True)
class Starter:
    """A learner of a first config."""

    grid: dict[str, Any]
    params: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    def simpler(self, estimator: str) -> dict[str, str]:
        """The order of simplicity of the axes of its grid."""
        return {key: way for key, way in CATALOG[estimator].simpler.items() if key in self.grid}


def starters(size: Size) -> dict[str, Starter]:
    """The learners to start with: a baseline, a linear model, a tree, a forest and boosting.

    Parameters
    ----------
    size
        How large the table is.

    Returns
    -------
    dict
        The learner by its short name; those that would take hours are left out.

    Examples
    --------
    >>> list(starters(Size(275, 176, 7, 9, 3, 0.0, 17)))
    ['majority', 'logistic', 'tree', 'forest', 'boosting']
    >>> list(starters(Size(60, 38, 500, 500, 0, 2.5, 17)))
    ['mean', 'ridge', 'lasso', 'forest', 'boosting']
    """
    baseline = "majority" if size.classes else "mean"
    found: dict[str, Starter | None] = {
        baseline: Starter({}, note="the baseline: looks at no feature"),
        **({"logistic": _logistic(size)} if size.classes else {"ridge": _ridge()}),
        "lasso": _lasso(size) if size.wide and not size.classes else None,
        "tree": None if size.wide else _tree(size),
        "forest": _forest(size),
        "boosting": _boosting(size),
    }
    return {name: one for name, one in found.items() if one is not None}


# --- linear models -------------------------------------------------------------------------------


def _logistic(size: Size) -> Starter:
    smaller = min(size.rows, size.width) * (size.classes if size.classes > 2 else 1)
    large = size.rows * size.width > 10**7
    grid = {"C": {"logspace": [-3, 1, 5] if large else [-4, 4, 9]}}
    if smaller <= NEWTON:
        return Starter(grid)
    return Starter(grid, {"solver": "lbfgs", "tol": 1e-4})


def _ridge() -> Starter:
    return Starter({"alpha": {"logspace": [-3, 5, 17]}})


def _lasso(size: Size) -> Starter:
    """The penalty that leaves no column is at most the spread of the target."""
    largest = round(math.log10(size.spread), 1) if size.spread > 0 else 0.0
    return Starter({"alpha": {"logspace": [round(largest - 3, 1), largest, 13]}})


# --- trees ---------------------------------------------------------------------------------------


def _tree(size: Size) -> Starter | None:
    leaves = [leaf for leaf in (1, 5, 20) if leaf == 1 or leaf * 5 <= size.least]
    ladder = [
        ([1, 2, 3, 4, 6, 8, 12], leaves),
        ([2, 4, 8, 12], leaves[-1:]),
        ([4, 8], leaves[-1:]),
    ]
    found = _within_budget(ladder, _tree_seconds, size)
    return found and Starter({"max_depth": found[0], "min_samples_leaf": found[1]})


def _tree_seconds(depths: list[int], leaves: list[int], size: Size) -> float:
    """All depths of a classifier come from one tree."""
    fits = len(leaves) * (1 if size.classes else len(depths))
    return fits * SORTING * size.rows * size.width * min(max(depths), math.log2(size.rows + 1))


def _forest(size: Size) -> Starter | None:
    root = math.sqrt(size.width)
    some, third = _share(root, size), _share(max(size.width / 3, 2 * root), size)
    leaves = [leaf for leaf in (1, 5, 20) if leaf == 1 or leaf * 5 <= size.least]
    ladder = [
        (200, [some, third, 1.0], leaves),
        (200, [some, third], leaves),
        (100, [some, third], leaves[::2]),
        (100, [some], leaves[::2]),
        (100, [some], leaves[1:2] or leaves),
        (50, [some], leaves[-1:]),
    ]
    found = _within_budget(ladder, _forest_seconds, size)
    if found is None:
        return None
    trees, shares, kept = found
    grid = {"max_features": sorted(set(shares)), "min_samples_leaf": kept}
    return Starter(grid, {"n_estimators": trees})


def _share(columns: float, size: Size) -> float:
    """So many columns as a share, as scikit-learn counts it: at least one of them."""
    return min(1.0, max(1, math.ceil(100 * columns / size.width)) / 100)


def _forest_seconds(trees: int, shares: list[float], leaves: list[int], size: Size) -> float:
    levels = sum(math.log2(size.rows / leaf + 2) for leaf in leaves)
    columns = sum(max(1.0, share * size.width) for share in set(shares))
    return SORTING * trees * size.rows * levels * columns


def _boosting(size: Size) -> Starter | None:
    """Small steps with trees of few leaves to large ones; every number of rounds is on a path."""
    ladder = [
        ([0.03, 0.12], [2, 4, 10, 31], [10, 25, 60, 150, 400]),
        ([0.03, 0.12], [2, 5, 20], [10, 25, 60, 150, 400]),
        ([0.05, 0.2], [3, 12], [10, 25, 50, 100, 200]),
        ([0.1], [3, 16], [10, 25, 50, 100, 200]),
        ([0.1], [16], [10, 25, 50, 100]),
        ([0.2], [8], [10, 25, 50]),
    ]
    found = _within_budget(ladder, _boosting_seconds, size)
    if found is None:
        return None
    rates, leaves, rounds = found
    smallest = min(20, max(2, size.least // 20))
    params = {} if smallest == 20 else {"min_samples_leaf": smallest}
    leaves = [leaf for leaf in leaves if leaf <= max(2, size.least // 2)] or leaves[:1]
    grid = {"learning_rate": rates, "max_iter": rounds, "max_leaf_nodes": leaves}
    return Starter(grid, params)


def _boosting_seconds(
    rates: list[float], leaves: list[int], rounds: list[int], size: Size
) -> float:
    """A tree for each class, if there are more than two."""
    paths = len(rates) * (size.classes if size.classes > 2 else 1)
    return paths * max(rounds) * sum(_round_seconds(leaf, size) for leaf in leaves)


def _round_seconds(leaves: int, size: Size) -> float:
    values = VALUE * size.rows * size.features * (1 + 0.2 * math.log2(leaves))
    return ROUND + LEAF * leaves + size.features * (COLUMN + COLUMN_OF_LEAF * leaves) + values


def _within_budget(ladder: list[Any], seconds: Any, size: Size) -> Any:
    """The first step of a ladder whose fits stay within the budget, else the last; None if hopeless."""
    takes = [size.sets * seconds(*step, size) for step in ladder]
    if takes[-1] > HOPELESS * BUDGET:
        return None
    return next(
        (step for step, one in zip(ladder, takes, strict=True) if one <= BUDGET), ladder[-1]
    )


# --- models on disk ------------------------------------------------------------------------------


def forest_bytes(size: Size, forest: Starter | None) -> float:
    """About how much the forests of all training sets take on disk.

    Parameters
    ----------
    size
        How large the table is.
    forest
        The forest among the starters.

    Returns
    -------
    float
        Bytes, at most: trees for classes are smaller.

    Examples
    --------
    >>> size = Size(1000, 640, 10, 10, 0, 1.0, 17)
    >>> forest_bytes(size, starters(size)["forest"]) > 10**8
    True
    """
    if forest is None:
        return 0.0
    trees = forest.params["n_estimators"] * len(forest.grid["max_features"])
    nodes = sum(1.3 * size.rows / leaf for leaf in forest.grid["min_samples_leaf"])
    return size.sets * trees * nodes * NODE_BYTES


def learner_lines(learners: dict[str, Starter]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """For each learner its name, its note, and its block of the config."""
    for name, one in learners.items():
        block: dict[str, Any] = {"estimator": name}
        if one.params:
            block["params"] = one.params
        if one.grid:
            block |= {"grid": one.grid, "simpler": one.simpler(name)}
        yield name, one.note, block
