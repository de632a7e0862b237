"""Splits: drawn once (`draws.py`), written as files, instantiated as training and held-out rows.

Every resampling plan has one shape, a `Resample`: a training multiset of rows and one or more
named held-out sets.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.errors import HeldoutError
from heldout.files import write_text
from heldout.resampling.kinds import (
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
    parts: "Sequence[Resample]" = ()
    """Many small fits that share one score file and keep no model (leave-one-out)."""


class Singles(Sequence[Resample]):
    """One resample per held-out set, each trained on all other rows.

    Made when asked for: together the training rows of leave-one-out are n².
    """

    def __init__(self, n: int, held: dict[str, np.ndarray]):
        self._everything = np.arange(n)
        self._held = list(held.items())

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        name, rows = self._held[place]
        return Resample(name, np.delete(self._everything, rows), {name: rows})


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
    n = len(split["row"])
    order = np.argsort(split["fold"], kind="stable")
    units = np.split(split["row"][order], np.flatnonzero(np.diff(split["fold"][order])) + 1)
    found = []
    for start in range(0, len(units), LOO_CHUNK):
        chunk = units[start : start + LOO_CHUNK]
        held = {f"loo.{i}": rows for i, rows in enumerate(chunk, start + 1)}
        name = f"loo.c{start // LOO_CHUNK + 1:03d}"
        found.append(Resample(name, np.array([], np.int64), held, Singles(n, held)))
    return found


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
