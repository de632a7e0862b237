"""Drawing splits from rows and a seed. A unit stays whole everywhere."""

import numpy as np

from heldout.errors import HeldoutError, counted
from heldout.names import seed_for
from heldout.resampling.halvings import draw_halvings
from heldout.resampling.rolling import latest_holdout, rolling_split
from heldout.resampling.rows import Rows
from heldout.resampling.spans import spans_of
from heldout.resampling.spec import (
    Bootstrap,
    Halvings,
    Holdout,
    KFold,
    Latest,
    LeaveOneOut,
    MonteCarlo,
    Rolling,
    SplitSpec,
)
from heldout.resampling.split import Split
from heldout.resampling.units import draw_folds, draw_fraction, smallest_class


def draw_split(rows: Rows, spec: SplitSpec) -> Split:
    """Draw the split that a spec describes, with seeds derived from names.

    Parameters
    ----------
    rows
        The rows to split.
    spec
        The name of the split file, its settings, whether to stratify, and the seed and task that
        seeds are derived from.

    Returns
    -------
    Split
        The columns of the split file.

    Examples
    --------
    >>> spec = SplitSpec("t", 19, "loo", LeaveOneOut(), stratify=True)
    >>> draw_split(Rows(np.arange(3)), spec)["fold"].tolist()
    [1, 2, 3]
    """
    stratify = spec.stratify

    def seed(*names: str) -> int:
        return seed_for(spec.seed, spec.task, spec.split, *names)

    def seeds(count: int) -> list[int]:
        return [seed(str(i)) for i in range(count)]

    match spec.settings:
        case Holdout(fraction):
            return draw_holdout(rows, fraction, stratify, seed())
        case Rolling(blocks, window, gap):
            return rolling_split(rows, blocks, *spans_of(window, gap, rows.dates))
        case Latest(fraction, Rolling(blocks, window, gap)):
            return latest_holdout(rows, fraction, blocks, *spans_of(window, gap, rows.dates))
        case LeaveOneOut():
            return loo_split(rows)
        case MonteCarlo(rounds, fraction):
            return draw_montecarlo(rows, fraction, stratify, seeds(rounds))
        case Halvings(rounds, fraction, halvings):
            return draw_halvings(rows, fraction, stratify, halvings, rounds, seed)
        case Bootstrap(bags):
            return draw_bootstrap(rows, seeds(bags))
        case KFold(column=None) as given:
            return draw_kfold(rows, given.k, stratify, seeds(given.repeats))
        case KFold():
            return user_kfold(rows)


def draw_holdout(rows: Rows, fraction: float, stratify: bool, seed: int) -> Split:
    """Draw the development set.

    Parameters
    ----------
    rows
        The rows to split.
    fraction
        The share of the units that is held out.
    stratify
        Whether classes are held out in proportion.
    seed
        The seed of the draw.

    Returns
    -------
    Split
        `row, held_out`: 1 for the rows of the development set.

    Examples
    --------
    >>> split = draw_holdout(Rows(np.arange(5)), fraction=0.4, stratify=False, seed=3)
    >>> split["held_out"].tolist()
    [0, 0, 0, 1, 1]
    """
    held_out = np.zeros(rows.n, int)
    held_out[draw_fraction(rows.unit, rows.strata(stratify), fraction, seed)] = 1
    return {"row": np.arange(rows.n), "held_out": held_out}


def draw_kfold(rows: Rows, k: int, stratify: bool, seeds: list[int]) -> Split:
    """Draw a partition into K folds for each seed.

    Parameters
    ----------
    rows
        The rows to split.
    k
        The number of folds.
    stratify
        Whether each fold holds the classes in proportion; then every class needs k units.
    seeds
        A seed for each repeat.

    Returns
    -------
    Split
        `repeat, row, fold`: repeats and folds are numbered from 1.

    Examples
    --------
    >>> split = draw_kfold(Rows(np.arange(6)), k=3, stratify=False, seeds=[1])
    >>> split["fold"].tolist()
    [1, 3, 2, 1, 2, 3]
    """
    strata = rows.strata(stratify)
    _check_class_sizes(rows, strata, k)
    return _partitions([draw_folds(rows.unit, strata, k, seed) for seed in seeds])


def user_kfold(rows: Rows) -> Split:
    """Take the folds of the user's own column.

    Parameters
    ----------
    rows
        The rows to split; `rows.fold` holds the folds from 0.

    Returns
    -------
    Split
        `repeat, row, fold`, as from `draw_kfold`.

    Examples
    --------
    >>> user_kfold(Rows(np.arange(3), fold=np.array([1, 0, 1])))["fold"].tolist()
    [2, 1, 2]
    """
    assert rows.fold is not None
    return _partitions([rows.fold])


def loo_split(rows: Rows) -> Split:
    """Make every unit a fold of its own.

    Parameters
    ----------
    rows
        The rows to split.

    Returns
    -------
    Split
        `row, fold`: folds are numbered from 1.

    Examples
    --------
    >>> loo_split(Rows(np.array([7, 7, 9])))["fold"].tolist()
    [1, 1, 2]
    """
    _, fold = np.unique(rows.unit, return_inverse=True)
    return {"row": np.arange(rows.n), "fold": fold + 1}


def draw_montecarlo(rows: Rows, fraction: float, stratify: bool, seeds: list[int]) -> Split:
    """Draw a hold-out for each seed, independently.

    Parameters
    ----------
    rows
        The rows to split.
    fraction
        The share of the units that each round holds out.
    stratify
        Whether classes are held out in proportion.
    seeds
        A seed for each round.

    Returns
    -------
    Split
        `n, round, row`: the rows held out in each round, of n.

    Examples
    --------
    >>> split = draw_montecarlo(Rows(np.arange(5)), 0.4, stratify=False, seeds=[3, 4])
    >>> split["round"].tolist(), split["row"].tolist()
    ([1, 1, 2, 2], [3, 4, 0, 3])
    """
    strata = rows.strata(stratify)
    held = [draw_fraction(rows.unit, strata, fraction, seed) for seed in seeds]
    return _listed(rows.n, "round", held)


def draw_bootstrap(rows: Rows, seeds: list[int]) -> Split:
    """Draw a bag for each seed: as many units as there are, with replacement.

    Parameters
    ----------
    rows
        The rows to split.
    seeds
        A seed for each bag.

    Returns
    -------
    Split
        `n, bag, row, count`: the rows in each bag, of n, and how often each was drawn.

    Examples
    --------
    >>> split = draw_bootstrap(Rows(np.arange(4)), seeds=[1])
    >>> split["row"].tolist(), split["count"].tolist()
    ([1, 2, 3], [1, 1, 2])
    """
    _, unit_of = np.unique(rows.unit, return_inverse=True)
    units = unit_of.max() + 1
    counts = [
        np.bincount(np.random.default_rng(seed).integers(units, size=units), minlength=units)[
            unit_of
        ]
        for seed in seeds
    ]
    split = _listed(rows.n, "bag", [np.flatnonzero(count) for count in counts])
    return {**split, "count": np.concatenate([count[count > 0] for count in counts])}


def _listed(n: int, key: str, sets: list[np.ndarray]) -> Split:
    """The rows of several sets below each other, with the number of the set."""
    numbers = np.repeat(np.arange(1, len(sets) + 1), [len(one) for one in sets])
    return {"n": np.full(len(numbers), n), key: numbers, "row": np.concatenate(sets)}


def _partitions(folds: list[np.ndarray]) -> Split:
    n = len(folds[0])
    return {
        "repeat": np.repeat(np.arange(1, len(folds) + 1), n),
        "row": np.tile(np.arange(n), len(folds)),
        "fold": np.concatenate(folds) + 1,
    }


def _check_class_sizes(rows: Rows, strata: np.ndarray | None, k: int) -> None:
    if strata is None or rows.classes is None:
        return
    smallest, size = smallest_class(rows.unit, strata, len(rows.classes))
    if size < k:
        what = counted(size, "group" if rows.grouped else "unsealed row")
        raise HeldoutError(
            f"kfold: class {rows.classes[smallest]!r} has {what}, fewer than "
            f"k = {k} folds; lower kfold.k, set kfold.stratify: false, or merge classes"
        )
