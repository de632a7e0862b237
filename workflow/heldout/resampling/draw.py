"""Drawing splits. A draw looks at nothing but units (groups, or rows), strata (classes) and a seed;
the unit stays whole everywhere.
"""

import itertools
from collections.abc import Callable

import numpy as np

from heldout.data.prepared import Prepared
from heldout.errors import HeldoutError
from heldout.names import seed_for
from heldout.resampling.spec import (
    Bootstrap,
    Halvings,
    Holdout,
    KFold,
    LeaveOneOut,
    MonteCarlo,
    SplitSpec,
)
from heldout.resampling.split import Split


def draw_split(table: Prepared, spec: SplitSpec) -> Split:
    """The split that a spec describes, with seeds derived from names."""
    stratify = spec.stratify

    def seed(*names: str) -> int:
        return seed_for(spec.seed, spec.task, spec.split, *names)

    def seeds(count: int) -> list[int]:
        return [seed(str(i)) for i in range(count)]

    match spec.settings:
        case Holdout(fraction):
            return draw_holdout(table, fraction, stratify, seed())
        case LeaveOneOut():
            return loo_split(table)
        case MonteCarlo(rounds, fraction):
            return draw_montecarlo(table, fraction, stratify, seeds(rounds))
        case Halvings(rounds, fraction, halvings):
            return draw_halvings(table, fraction, stratify, halvings, rounds, seed)
        case Bootstrap(bags):
            return draw_bootstrap(table, seeds(bags))
        case KFold(column=None) as given:
            return draw_kfold(table, given.k, stratify, seeds(given.repeats))
        case KFold():
            return user_kfold(table)


def draw_part(
    units: np.ndarray, strata: np.ndarray | None, fraction: float, seed: int
) -> np.ndarray:
    """The rows of a random `fraction` of the units, with the strata in proportion.

    The units are put in random order within their strata and every (1/fraction)-th is taken,
    from a random start: each has the same chance, each stratum its share to within one.
    """
    generator = np.random.default_rng(seed)
    first, unit_of = np.unique(units, return_inverse=True)
    if len(first) < 2:
        raise HeldoutError("nothing can be held out: all rows belong to one group")
    count = min(max(round(fraction * len(first)), 1), len(first) - 1)
    order = _shuffled_within(_unit_strata(unit_of, strata), generator)
    steps = (np.arange(count) + generator.random()) * (len(first) / count)
    chosen = order[steps.astype(int)]
    return np.flatnonzero(np.isin(unit_of, chosen))


def draw_folds(units: np.ndarray, strata: np.ndarray | None, k: int, seed: int) -> np.ndarray:
    """A fold 0…k-1 for every row: sizes and strata as even as the units allow."""
    generator = np.random.default_rng(seed)
    _, unit_of = np.unique(units, return_inverse=True)
    sizes = np.bincount(unit_of)
    if len(sizes) < k:
        raise HeldoutError(
            f"kfold: {len(sizes)} rows or groups cannot fill k = {k} folds; lower kfold.k"
        )
    relabel = generator.permutation(k)
    if sizes.max() == 1:
        order = _shuffled_within(_unit_strata(unit_of, strata), generator)
        dealt = np.empty(len(sizes), int)
        dealt[order] = np.arange(len(sizes)) % k
    else:
        dealt = _deal_groups(unit_of, strata, k, generator)
    return relabel[dealt][unit_of]


def _shuffled_within(strata: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    return np.lexsort((generator.random(len(strata)), strata))


def _unit_strata(unit_of: np.ndarray, strata: np.ndarray | None) -> np.ndarray:
    """The most frequent stratum of each unit (0 if there are none)."""
    if strata is None:
        return np.zeros(unit_of.max() + 1, int)
    return _counts(unit_of, strata).argmax(axis=1)


def _counts(unit_of: np.ndarray, strata: np.ndarray) -> np.ndarray:
    _, codes = np.unique(strata, return_inverse=True)
    counts = np.zeros((unit_of.max() + 1, codes.max() + 1))
    np.add.at(counts, (unit_of, codes), 1)
    return counts


def _deal_groups(
    unit_of: np.ndarray, strata: np.ndarray | None, k: int, generator: np.random.Generator
) -> np.ndarray:
    """Groups of unequal size, largest first, each to the fold that it unbalances least."""
    counts = _counts(unit_of, np.zeros(len(unit_of)) if strata is None else strata)
    shares = counts / counts.sum(axis=0)
    order = np.lexsort((generator.random(len(shares)), -counts.sum(axis=1)))
    load = np.zeros((k, shares.shape[1]))
    dealt = np.empty(len(shares), int)
    for unit in order:
        worse = ((load + shares[unit]) ** 2 - load**2).sum(axis=1)
        dealt[unit] = worse.argmin()
        load[dealt[unit]] += shares[unit]
    return dealt


def draw_holdout(table: Prepared, fraction: float, stratify: bool, seed: int) -> Split:
    """`row, held_out`: 1 for the rows of the development set."""
    dev = draw_part(table.rows["unit"], _strata(table, stratify), fraction, seed)
    held_out = np.zeros(table.n, int)
    held_out[dev] = 1
    return {"row": np.arange(table.n), "held_out": held_out}


def draw_kfold(table: Prepared, k: int, stratify: bool, seeds: list[int]) -> Split:
    """`repeat, row, fold`: one partition per seed, all numbered from 1."""
    strata = _strata(table, stratify)
    _check_class_sizes(table, strata, k)
    folds = [draw_folds(table.rows["unit"], strata, k, seed) for seed in seeds]
    return _partitions(folds)


def user_kfold(table: Prepared) -> Split:
    """`repeat, row, fold` from the user's own column."""
    return _partitions([table.rows["fold"]])


def loo_split(table: Prepared) -> Split:
    """`row, fold`: every unit is a fold of its own."""
    _, fold = np.unique(table.rows["unit"], return_inverse=True)
    return {"row": np.arange(table.n), "fold": fold + 1}


def draw_montecarlo(table: Prepared, fraction: float, stratify: bool, seeds: list[int]) -> Split:
    """`n, round, row`: the rows held out in each round."""
    strata = _strata(table, stratify)
    held = [draw_part(table.rows["unit"], strata, fraction, seed) for seed in seeds]
    return _listed(table.n, "round", held)


def draw_bootstrap(table: Prepared, seeds: list[int]) -> Split:
    """`n, bag, row, count`: as many units as there are, drawn with replacement."""
    _, unit_of = np.unique(table.rows["unit"], return_inverse=True)
    units = unit_of.max() + 1
    counts = [
        np.bincount(np.random.default_rng(seed).integers(units, size=units), minlength=units)[
            unit_of
        ]
        for seed in seeds
    ]
    split = _listed(table.n, "bag", [np.flatnonzero(count) for count in counts])
    return {**split, "count": np.concatenate([count[count > 0] for count in counts])}


def draw_halvings(
    table: Prepared,
    fraction: float,
    stratify: bool,
    halvings: int,
    rounds: int,
    seed: Callable[..., int],
) -> Split:
    """`halving, half, round, row, held_out`: Monte Carlo rounds inside disjoint halves.

    The held-out sets are as large as those of Monte Carlo CV on all rows.
    """
    units, strata = np.asarray(table.rows["unit"]), _strata(table, stratify)
    columns: list[np.ndarray] = []
    for halving, half in itertools.product(range(1, halvings + 1), (1, 2)):
        rows = draw_part(units, strata, 0.5, seed(f"halving {halving}"))
        if half == 2:
            rows = np.setdiff1d(np.arange(table.n), rows)
        mine = None if strata is None else strata[rows]
        for number in range(1, rounds + 1):
            name = f"halving {halving} half {half} round {number}"
            held = draw_part(units[rows], mine, min(2 * fraction, 0.9), seed(name))
            flag = np.isin(np.arange(len(rows)), held).astype(int)
            place = np.tile([[halving], [half], [number]], (1, len(rows)))
            columns.append(np.vstack([place, rows, flag]))
    names = ("halving", "half", "round", "row", "held_out")
    return dict(zip(names, np.hstack(columns), strict=True))


def _listed(n: int, key: str, rows: list[np.ndarray]) -> Split:
    numbers = np.repeat(np.arange(1, len(rows) + 1), [len(part) for part in rows])
    return {"n": np.full(len(numbers), n), key: numbers, "row": np.concatenate(rows)}


def _partitions(folds: list[np.ndarray]) -> Split:
    n = len(folds[0])
    return {
        "repeat": np.repeat(np.arange(1, len(folds) + 1), n),
        "row": np.tile(np.arange(n), len(folds)),
        "fold": np.concatenate(folds) + 1,
    }


def _strata(table: Prepared, stratify: bool) -> np.ndarray | None:
    return np.asarray(table.target) if stratify and table.classification else None


def _check_class_sizes(table: Prepared, strata: np.ndarray | None, k: int) -> None:
    if strata is None or table.classes is None:
        return
    pairs = np.unique(np.stack([np.asarray(table.rows["unit"]), strata]), axis=1)
    sizes = np.bincount(pairs[1], minlength=len(table.classes))
    smallest = int(sizes.argmin())
    if sizes[smallest] < k:
        what = "groups" if table.grouped else "unsealed rows"
        raise HeldoutError(
            f"kfold: class {table.classes[smallest]!r} has {sizes[smallest]} {what}, fewer than "
            f"k = {k} folds; lower kfold.k, set kfold.stratify: false, or merge classes"
        )
