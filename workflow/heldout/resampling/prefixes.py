"""The blocks of a rolling split that are tested, each with the rows that its model is trained on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

Split = dict[str, np.ndarray]


@dataclass(frozen=True)
class Prefix:
    """A block that is tested, and the rows before it that its model is trained on.

    `number`: of the block, from 1. `last`: the position of its last time stamp. `horizon`: the first stamp that
    was not known when its model was trained.
    """

    number: int
    name: str
    train: np.ndarray
    rows: np.ndarray
    last: int
    horizon: int


def prefixes(split: Split) -> list[Prefix]:
    """List the blocks that are tested.

    Parameters
    ----------
    split
        As from `rolling_split`.

    Returns
    -------
    list of Prefix
        In time order.

    Examples
    --------
    >>> block = np.array([1, 1, 2, 2])
    >>> split = {"row": np.arange(4), "block": block, "stamp": np.arange(4)}
    >>> split |= {"train_from": np.zeros(4, int), "train_to": np.array([0, 0, 2, 2])}
    >>> [(one.name, one.train.tolist()) for one in prefixes(split)]
    [('t2.b02', [0, 1])]
    """
    return list(_prefixes(split))


def _prefixes(split: Split) -> Iterator[Prefix]:
    row, stamp, count = split["row"], split["stamp"], int(split["block"].max())
    for number in range(1, count + 1):
        mine = split["block"] == number
        start, end = (int(split[name][mine][0]) for name in ("train_from", "train_to"))
        if start < end:
            train = row[(stamp >= start) & (stamp < end)]
            name = f"t{count}.b{number:02d}"
            yield Prefix(number, name, train, row[mine], int(stamp[mine].max()), end)


def earlier(prefixes: list[Prefix], block: Prefix) -> list[int]:
    """List the blocks whose losses were known before another block.

    Parameters
    ----------
    prefixes
        The blocks that are tested.
    block
        One of them.

    Returns
    -------
    list of int
        Positions of those that ended before the gap of `block` began: θ may be chosen by them.

    Examples
    --------
    >>> rows = np.arange(1)
    >>> known = {2: 3, 3: 6}  # block: the stamps that were known before it
    >>> tested = [Prefix(t, f"b{t}", rows, rows, 3 * t - 1, to) for t, to in known.items()]
    >>> [earlier(tested, one) for one in tested]
    [[], [0]]
    """
    return [i for i, one in enumerate(prefixes) if one.last < block.horizon]
