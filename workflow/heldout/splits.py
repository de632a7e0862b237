"""Splits: drawn once, written as files, and instantiated as training rows and held-out sets.

Every resampling plan has one shape, a `Resample`: a training multiset of rows and one or more
named held-out sets. A draw never looks at anything but units (groups, or rows), strata (classes)
and a seed; the unit stays whole everywhere.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heldout.errors import HeldoutError
from heldout.files import write_text
from heldout.plans import DEV, FOLDS, FULL, SPLIT_FILE
from heldout.table.prepared import Prepared

TRAIN = "train"
"""The name of the held-out set that is not held out: the training rows themselves."""

Split = dict[str, np.ndarray]
"""A split file's columns, by name."""


@dataclass(frozen=True)
class Resample:
    """One training multiset and what it is evaluated on. `name` names the cell's file."""

    name: str
    train: np.ndarray
    held: dict[str, np.ndarray]


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
    split = splits[SPLIT_FILE[kind]]
    if kind == DEV:
        dev = split["held_out"] == 1
        return [Resample(DEV, split["row"][~dev], {DEV: split["row"][dev]})]
    if kind == FOLDS:
        return [_fold(partition, f) for partition in partitions(split) for f in range(partition.k)]
    raise ValueError(kind)


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


def partitions(split: Split) -> list[Partition]:
    """The partitions in a kfold split file."""
    found = []
    for repeat in np.unique(split["repeat"]):
        mine = split["repeat"] == repeat
        fold = np.empty(mine.sum(), np.int64)
        fold[split["row"][mine]] = split["fold"][mine] - 1
        found.append(Partition(int(repeat), int(fold.max()) + 1, fold))
    return found


def _fold(partition: Partition, fold: int) -> Resample:
    name = partition.set_name(fold)
    return Resample(name, np.flatnonzero(partition.fold != fold), {name: partition.rows(fold)})
