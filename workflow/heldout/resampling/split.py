"""Splits, and the resamples that they describe.

A split is drawn once (`draw.py`) and written as a file (`split_file.py`). Whatever it was drawn
for, it becomes a list of `Resample`s: training rows and one or more named held-out sets.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from heldout.errors import HeldoutError
from heldout.resampling import kinds
from heldout.resampling.prefixes import prefixes

TRAIN = "train"
"""The name of the held-out set that is not held out: the training rows themselves."""

LOO_CHUNK = 100
"""How many left-out units share a score file. A job that is killed loses at most one chunk."""

Split = dict[str, np.ndarray]
"""A split file's columns, by name."""


@dataclass(frozen=True)
class Resample:
    """One training multiset of rows, and the rows it is evaluated on.

    Parameters
    ----------
    name
        The name of the cell's file.
    train
        The rows to train on; a row drawn twice is there twice.
    held
        The rows of each held-out set, by name.
    members
        Of leave-one-out: the single fits that share one score file and keep no model. `train` is
        empty then, and `held` has the held-out sets of all members.
    """

    name: str
    train: np.ndarray
    held: dict[str, np.ndarray]
    members: "Sequence[Resample]" = ()


class _Train:
    """The field `train`: rows that are the rest of a partition are found when they are asked for."""

    def __get__(self, resample: Resample, kind: type) -> np.ndarray:
        given = vars(resample)["train"]
        return given.rows() if isinstance(given, _Rest) else given

    def __set__(self, resample: Resample, given: Any) -> None:
        vars(resample)["train"] = given


setattr(Resample, "train", _Train())  # noqa: B010


class _Rest(NamedTuple):
    """All rows outside some folds; all training sets of a task together would be many times the rows."""

    fold: np.ndarray
    folds: tuple[int, ...]

    def rows(self) -> np.ndarray:
        """Row numbers, in order."""
        return _numbers(~np.isin(self.fold, self.folds))


class _Members(Sequence[Resample]):
    """One resample per held-out set, each trained on all other rows.

    A member is made when it is asked for: all together would hold n² row numbers.
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


def resamples(kind: str, n: int, splits: dict[str, Split]) -> list[Resample]:
    """List all resamples of a kind.

    Parameters
    ----------
    kind
        A kind of held-out set, such as `heldout.resampling.kinds.FOLDS`.
    n
        The number of rows.
    splits
        The splits of the task, by the name of their file.

    Returns
    -------
    list of Resample
        In a fixed order, each with a name of its own.

    Examples
    --------
    >>> kfold = {"repeat": np.ones(4, int), "row": np.arange(4), "fold": np.array([1, 2, 1, 2])}
    >>> [one.name for one in resamples(kinds.FOLDS, 4, {"kfold": kfold})]
    ['k2.r1.f01', 'k2.r1.f02']
    """
    if kind == kinds.FULL:
        everything = np.arange(n)
        return [Resample(kinds.FULL, everything, {TRAIN: everything})]
    return INSTANTIATE[kind](splits[kinds.SPLIT_FILE[kind]])


def _dev(split: Split) -> list[Resample]:
    dev = split["held_out"] == 1
    return [Resample(kinds.DEV, split["row"][~dev], {kinds.DEV: split["row"][dev]})]


@dataclass(frozen=True)
class Partition:
    """One partition of the rows into folds 0…k-1.

    Parameters
    ----------
    repeat
        The number of the partition, from 1.
    k
        The number of folds.
    fold
        For each row its fold.

    Examples
    --------
    >>> partition = Partition(repeat=1, k=3, fold=np.array([0, 1, 2, 0]))
    >>> partition.set_name(0, 2)
    'k3.r1.f01+f03'
    >>> partition.rows(0).tolist()
    [0, 3]
    >>> partition.without(0).train.tolist()
    [1, 2]
    """

    repeat: int
    k: int
    fold: np.ndarray

    def set_name(self, *folds: int) -> str:
        """The name of a set of folds left out: `k10.r1.f03`, `k10.r1.f03+f07`."""
        left_out = "+".join(f"f{f + 1:02d}" for f in sorted(folds))
        return f"k{self.k}.r{self.repeat}.{left_out}"

    def rows(self, fold: int) -> np.ndarray:
        """The rows of a fold; the same array each time."""
        return self._rows[fold]

    @cached_property
    def _rows(self) -> list[np.ndarray]:
        return [_numbers(self.fold == fold) for fold in range(self.k)]

    def without(self, *folds: int) -> Resample:
        """Train without these folds; each of them is a held-out set."""
        held = {self.set_name(fold): self.rows(fold) for fold in sorted(folds)}
        rest: Any = _Rest(self.fold, folds)
        return Resample(self.set_name(*folds), rest, held)


def _numbers(marked: np.ndarray) -> np.ndarray:
    """The rows that are marked, in 32 bits where these do."""
    found = np.flatnonzero(marked)
    return found.astype(np.int32) if len(marked) <= np.iinfo(np.int32).max else found


def partitions(split: Split) -> list[Partition]:
    """List the partitions of a K-fold split.

    Parameters
    ----------
    split
        `repeat, row, fold`, as from `heldout.resampling.draw.draw_kfold`.

    Returns
    -------
    list of Partition
        One for each repeat.

    Examples
    --------
    >>> split = {"repeat": np.ones(3, int), "row": np.arange(3), "fold": np.array([2, 1, 2])}
    >>> [(one.k, one.fold.tolist()) for one in partitions(split)]
    [(2, [1, 0, 1])]
    """
    found = []
    for repeat in np.unique(split["repeat"]):
        mine = split["repeat"] == repeat
        fold = np.empty(mine.sum(), np.int64)
        fold[split["row"][mine]] = split["fold"][mine] - 1
        found.append(Partition(int(repeat), int(fold.max()) + 1, fold))
    return found


def next_fold(fold: int, k: int) -> int:
    """The fold that validates for an outer fold in dev-set nested CV.

    Parameters
    ----------
    fold
        The outer fold, from 0.
    k
        The number of folds; after the last fold comes the first.

    Returns
    -------
    int
        The next fold.

    Examples
    --------
    >>> next_fold(0, 3), next_fold(2, 3)
    (1, 0)
    """
    return (fold + 1) % k


def _folds(split: Split) -> list[Resample]:
    return [one.without(f) for one in partitions(split) for f in range(one.k)]


def _folds_whole(split: Split) -> list[Resample]:
    return [
        Resample(r.name, train, {**r.held, TRAIN: train})
        for r in _folds(split)
        for train in [r.train]
    ]


def _pairs(split: Split) -> list[Resample]:
    return [
        one.without(i, j)
        for one in _three_or_more(split)
        for i, j in itertools.combinations(range(one.k), 2)
    ]


def _three_or_more(split: Split) -> list[Partition]:
    found = partitions(split)
    if (k := found[0].k) < 3:
        raise HeldoutError(f"kfold: nested CV leaves out pairs of folds and needs k ≥ 3, found {k}")
    return found


def _adjacent(split: Split) -> list[Resample]:
    """The pairs of each fold and the next; with three folds or more, no pair comes twice."""
    every = _three_or_more(split)
    return [one.without(f, next_fold(f, one.k)) for one in every for f in range(one.k)]


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
        found.append(Resample(name, np.array([], np.int64), held, _Members(n, held)))
    return found


def _rounds(split: Split) -> list[Resample]:
    everything = np.arange(int(split["n"][0]))
    found = []
    for number in np.unique(split["round"]):
        held = split["row"][split["round"] == number]
        name = f"mc.r{number:03d}"
        found.append(Resample(name, np.setdiff1d(everything, held), {name: held}))
    return found


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


def _prefixes(split: Split) -> list[Resample]:
    """Blocks in time order, each predicted by a model of the rows before it."""
    return [Resample(one.name, one.train, {one.name: one.rows}) for one in prefixes(split)]


def _recent(split: Split) -> list[Resample]:
    """The rows that the final model is trained on: those of the window."""
    rows = split["row"][split["final"] == 1]
    return [Resample(kinds.FULL, rows, {TRAIN: rows})]


INSTANTIATE: dict[str, Callable[[Split], list[Resample]]] = {
    kinds.DEV: _dev,
    kinds.FOLDS: _folds,
    kinds.FOLDS_WHOLE: _folds_whole,
    kinds.ADJACENT: _adjacent,
    kinds.PAIRS: _pairs,
    kinds.LOO: _loo,
    kinds.ROUNDS: _rounds,
    kinds.HALVES: _halves,
    kinds.BAGS: _bags,
    kinds.PREFIXES: _prefixes,
    kinds.RECENT: _recent,
}
