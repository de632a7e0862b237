"""Splits: drawn once, written as files, and instantiated as training rows and held-out sets.

Every resampling plan has one shape, a `Resample`: a training multiset of rows and one or more
named held-out sets. A draw never looks at anything but units (groups, or rows), strata (classes)
and a seed; the unit stays whole everywhere.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heldout.errors import HeldoutError
from heldout.files import write_text
from heldout.plans import (
    BAGS,
    DEV,
    FOLDS,
    FOLDS_WHOLE,
    FULL,
    HALVES,
    LOO,
    NEIGHBOURS,
    PAIRS,
    ROUNDS,
    SPLIT_FILE,
)
from heldout.table.prepared import Prepared

TRAIN = "train"
"""The name of the held-out set that is not held out: the training rows themselves."""

LOO_CHUNK = 100
"""How many left-out units share a score file: a crash loses at most one chunk."""

Split = dict[str, np.ndarray]
"""A split file's columns, by name."""


@dataclass(frozen=True)
class Resample:
    """One training multiset and what it is evaluated on. `name` names the cell's file."""

    name: str
    train: np.ndarray
    held: dict[str, np.ndarray]
    parts: "tuple[Resample, ...]" = ()
    """Many small fits that share one score file and keep no model (leave-one-out)."""


# --- drawing -------------------------------------------------------------------------------


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


# --- split files ---------------------------------------------------------------------------


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


def write_split(path: Path, split: Split) -> None:
    """A csv file with one line per row of the split."""
    lines = zip(*(column.tolist() for column in split.values()), strict=True)
    body = "\n".join(",".join(map(str, line)) for line in lines)
    write_text(path, ",".join(split) + "\n" + body + "\n")


def read_split(path: Path) -> Split:
    """The columns that `write_split` wrote."""
    with path.open() as file:
        names = file.readline().strip().split(",")
        columns = np.loadtxt(file, dtype=np.int64, delimiter=",", ndmin=2).T
    return dict(zip(names, columns, strict=True))


# --- instantiating -------------------------------------------------------------------------


def resamples(kind: str, n: int, splits: dict[str, Split]) -> list[Resample]:
    """All resamples of a kind, from the task's split files."""
    if kind == FULL:
        everything = np.arange(n)
        return [Resample(FULL, everything, {TRAIN: everything})]
    return INSTANTIATE[kind](splits[SPLIT_FILE[kind]])


def _dev(split: Split) -> list[Resample]:
    dev = split["held_out"] == 1
    return [Resample(DEV, split["row"][~dev], {DEV: split["row"][dev]})]


@dataclass(frozen=True)
class Partition:
    """One partition into folds 0…k-1: `fold[row]`."""

    repeat: int
    k: int
    fold: np.ndarray

    def set_name(self, *folds: int) -> str:
        """The name of a set of folds left out: `k10.r1.f03`, `k10.r1.f03+f07`."""
        left_out = "+".join(f"f{f + 1:02d}" for f in sorted(folds))
        return f"k{self.k}.r{self.repeat}.{left_out}"

    def rows(self, fold: int) -> np.ndarray:
        """The rows of a fold."""
        return np.flatnonzero(self.fold == fold)

    def without(self, *folds: int) -> Resample:
        """Train without these folds; each of them is a held-out set."""
        train = np.flatnonzero(~np.isin(self.fold, folds))
        held = {self.set_name(fold): self.rows(fold) for fold in sorted(folds)}
        return Resample(self.set_name(*folds), train, held)


def partitions(split: Split) -> list[Partition]:
    """The partitions in a kfold split file."""
    found = []
    for repeat in np.unique(split["repeat"]):
        mine = split["repeat"] == repeat
        fold = np.empty(mine.sum(), np.int64)
        fold[split["row"][mine]] = split["fold"][mine] - 1
        found.append(Partition(int(repeat), int(fold.max()) + 1, fold))
    return found


def next_fold(fold: int, k: int) -> int:
    """The fold that validates for an outer fold in dev-set nested CV."""
    return (fold + 1) % k


def _folds(split: Split) -> list[Resample]:
    return [part.without(f) for part in partitions(split) for f in range(part.k)]


def _folds_whole(split: Split) -> list[Resample]:
    return [Resample(r.name, r.train, {**r.held, TRAIN: r.train}) for r in _folds(split)]


def _pairs(split: Split) -> list[Resample]:
    _check_three(split)
    return [
        part.without(i, j)
        for part in partitions(split)
        for i, j in itertools.combinations(range(part.k), 2)
    ]


def _check_three(split: Split) -> None:
    k = partitions(split)[0].k
    if k < 3:
        raise HeldoutError(f"kfold: nested CV leaves out pairs of folds and needs k ≥ 3, found {k}")


def _neighbours(split: Split) -> list[Resample]:
    _check_three(split)
    found = [
        part.without(f, next_fold(f, part.k)) for part in partitions(split) for f in range(part.k)
    ]
    return list({resample.name: resample for resample in found}.values())


def _left_out(split: Split, key: str, name: Callable[[int], str]) -> Iterator[Resample]:
    """One resample per value of `key`: the listed rows are held out, all others train."""
    everything = np.arange(int(split["n"][0]))
    for value in np.unique(split[key]):
        held = split["row"][split[key] == value]
        yield Resample(name(int(value)), np.setdiff1d(everything, held), {name(int(value)): held})


def _loo(split: Split) -> list[Resample]:
    """Left-out units in chunks of `LOO_CHUNK`: a chunk keeps one score file and no model."""
    everything = np.arange(len(split["row"]))
    order = np.argsort(split["fold"], kind="stable")
    held = np.split(split["row"][order], np.flatnonzero(np.diff(split["fold"][order])) + 1)
    singles = [
        Resample(f"loo.{i + 1}", np.setdiff1d(everything, rows), {f"loo.{i + 1}": rows})
        for i, rows in enumerate(held)
    ]
    return [
        Resample(
            f"loo.c{start // LOO_CHUNK + 1:03d}",
            np.array([], np.int64),
            {
                name: rows
                for single in singles[start : start + LOO_CHUNK]
                for name, rows in single.held.items()
            },
            tuple(singles[start : start + LOO_CHUNK]),
        )
        for start in range(0, len(singles), LOO_CHUNK)
    ]


def _rounds(split: Split) -> list[Resample]:
    return list(_left_out(split, "round", lambda i: f"mc.r{i:03d}"))


def _halves(split: Split) -> list[Resample]:
    found = []
    for code in np.unique(split["halving"] * 2 + split["half"] - 1):
        halving, half = int(code // 2), int(code % 2) + 1
        mine = (split["halving"] == halving) & (split["half"] == half)
        for number in np.unique(split["round"][mine]):
            chosen = mine & (split["round"] == number)
            held = chosen & (split["held_out"] == 1)
            name = f"half.{halving:02d}.{half}.r{number:03d}"
            train = split["row"][chosen & (split["held_out"] == 0)]
            found.append(Resample(name, train, {name: split["row"][held]}))
    return found


def _bags(split: Split) -> list[Resample]:
    """Bags that left something out; a row of multiplicity m stands m times in training."""
    everything = np.arange(int(split["n"][0]))
    found = []
    for bag in np.unique(split["bag"]):
        mine = split["bag"] == bag
        held = np.setdiff1d(everything, split["row"][mine])
        name = f"bag.{int(bag):03d}"
        if len(held):
            train = np.repeat(split["row"][mine], split["count"][mine])
            found.append(Resample(name, train, {name: held}))
    return found


INSTANTIATE: dict[str, Callable[[Split], list[Resample]]] = {
    DEV: _dev,
    FOLDS: _folds,
    FOLDS_WHOLE: _folds_whole,
    NEIGHBOURS: _neighbours,
    PAIRS: _pairs,
    LOO: _loo,
    ROUNDS: _rounds,
    HALVES: _halves,
    BAGS: _bags,
}
