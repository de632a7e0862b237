"""Rows in time order: blocks, what is known before each, and the latest share.

The rows are divided into T blocks in time order, as equal in rows as whole time stamps (and groups) allow.
The model of block t is trained on what is known before it: the rows of the blocks up to t−1−g, or, where
the gap is a time, the rows that are older than the start of block t minus the gap; with a window, on the
latest of these only. Nothing is drawn at random.
"""

from dataclasses import dataclass

import numpy as np

from heldout.errors import HeldoutError
from heldout.resampling.rows import Rows
from heldout.resampling.spans import Span
from heldout.resampling.split import Split
from heldout.resampling.stamps import ROUNDING, Stamps


def rolling_split(rows: Rows, blocks: int, window: Span, gap: Span) -> Split:
    """Divide rows into blocks in time order, and say what the model of each block is trained on.

    Parameters
    ----------
    rows
        The rows to split, with times.
    blocks
        The number of blocks.
    window
        How much of the past a model is trained on; an empty span means all of it.
    gap
        What lies between the training rows and the block, and is used by neither.

    Returns
    -------
    Split
        `row, block, stamp, train_from, train_to, final`: the block of each row (from 1), the position of its
        time stamp, and the model of its block, which is trained on the stamps from `train_from` up to,
        without, `train_to` (none where both are equal: the block is not tested). `final`: 1 for the rows that
        the final model is trained on.

    Examples
    --------
    >>> rows = Rows(np.arange(6), time=np.arange(6.0))
    >>> split = rolling_split(rows, blocks=3, window=Span(), gap=Span())
    >>> split["block"].tolist(), split["train_to"].tolist()
    ([1, 1, 2, 2, 3, 3], [0, 0, 2, 2, 4, 4])
    """
    stamps, block = _blocks(rows, blocks)
    block_of = np.empty(len(stamps.values), int)
    block_of[stamps.rank] = block
    past = _Past(stamps, block_of, window, gap)
    trained = np.array([past.of_block(t) for t in range(blocks)])
    _check_trained(trained, rows, stamps)
    return {
        "row": np.arange(rows.n),
        "block": block + 1,
        "stamp": stamps.rank,
        "train_from": trained[block, 0],
        "train_to": trained[block, 1],
        "final": (stamps.rank >= past.of_final()).astype(int),
    }


def _blocks(rows: Rows, blocks: int) -> tuple[Stamps, np.ndarray]:
    assert rows.time is not None
    stamps = Stamps(rows.time, rows.unit)
    return stamps, stamps.parts(blocks)


@dataclass(frozen=True)
class _Past:
    """Which stamps models are trained on: from one position up to, without, another."""

    stamps: Stamps
    block_of: np.ndarray
    window: Span
    gap: Span

    def _start(self, block: int) -> int:
        return int(np.searchsorted(self.block_of, block))

    def of_block(self, block: int) -> tuple[int, int]:
        """The stamps that the model of a block is trained on."""
        start = self._start(block)
        if self.gap.time is None:
            end = self._start(max(block - (self.gap.blocks or 0), 0))
            now = float(self.stamps.values[end])
        else:
            end = self.stamps.before(float(self.stamps.values[start]), self.gap.time)
            now = float(self.stamps.values[start]) - self.gap.time
        return (self._from(end, now), end) if end else (0, 0)

    def _from(self, end: int, now: float) -> int:
        if self.window.time is not None:
            return min(self.stamps.before(now, self.window.time), end)
        if self.window.blocks is None:
            return 0
        return self._start(max(int(self.block_of[end - 1]) - self.window.blocks + 1, 0))

    def of_final(self) -> int:
        """The first stamp that the final model is trained on."""
        values, end = self.stamps.values, len(self.stamps.values)
        if self.window.time is None:
            return self._from(end, np.inf)
        limit = float(values[-1]) - self.window.time
        return int(np.searchsorted(values, limit + ROUNDING * np.spacing(abs(limit)), side="right"))


def _check_trained(trained: np.ndarray, rows: Rows, stamps: Stamps) -> None:
    """Some block is tested, and all after it; its training rows have two classes."""
    tested = np.flatnonzero(trained[:, 1] > trained[:, 0])
    if not len(tested):
        raise HeldoutError(
            "rolling: no block has training rows before it; make rolling.gap shorter, or rolling.window longer"
        )
    lacking = np.setdiff1d(np.arange(tested[0], len(trained)), tested)
    if len(lacking):
        raise HeldoutError(
            f"rolling: block {lacking[0] + 1} has no training rows in its window, though earlier ones have; make "
            "rolling.window longer"
        )
    if rows.code is None or rows.classes is None:
        return
    for t in tested:
        inside = (stamps.rank >= trained[t, 0]) & (stamps.rank < trained[t, 1])
        found = np.unique(rows.code[inside])
        if len(found) == 1:
            raise HeldoutError(
                f"rolling: all training rows of block {t + 1} are of class {rows.classes[found[0]]!r}; set "
                "fewer blocks (rolling.blocks), a longer window, or a shorter gap"
            )


def latest_share(stamps: Stamps, share: float) -> np.ndarray:
    """Mark the latest rows: about this share of all, in whole stamps and groups.

    Parameters
    ----------
    stamps
        The times of the rows.
    share
        The share.

    Returns
    -------
    numpy.ndarray
        True for the latest rows; some are, and some are not.

    Examples
    --------
    >>> latest_share(Stamps(np.array([1.0, 2.0, 3.0, 3.0, 2.0]), np.arange(5)), 0.2).tolist()
    [False, False, True, True, False]
    """
    ends = np.cumsum(np.bincount(stamps.atom))
    if len(ends) < 2:
        raise HeldoutError(
            "time: nothing can be held out: all rows have one time stamp, or groups tie all of them together"
        )
    cut = int(np.abs(ends[:-1] - (1 - share) * ends[-1]).argmin())
    return stamps.atom > cut


def known_before(stamps: Stamps, start: float, blocks: int, window: Span, gap: Span) -> np.ndarray:
    """Mark the rows that a model for later rows is trained on.

    A gap of g blocks, or a window of w blocks: these rows are divided into `blocks` + g parts. The last g
    are the gap, and the w before these the window.

    Parameters
    ----------
    stamps
        The times of the rows before the held-out ones.
    start
        The first time of the held-out rows.
    blocks
        The number of blocks.
    window, gap
        As in `rolling_split`.

    Returns
    -------
    numpy.ndarray
        True for the rows to train on.

    Examples
    --------
    >>> stamps = Stamps(np.arange(6.0), np.arange(6))
    >>> known_before(stamps, 6.0, blocks=2, window=Span(), gap=Span(blocks=1)).tolist()
    [True, True, True, True, False, False]
    >>> known_before(stamps, 6.0, 2, Span(time=2.0), Span(time=1.5)).tolist()
    [False, False, False, True, True, False]
    """
    rank, used = stamps.rank, np.ones(len(stamps.time), bool)
    end, now = len(stamps.values), start
    if gap.time is not None:
        end, now = stamps.before(start, gap.time), start - gap.time
        used = rank < end
    elif gap.blocks:
        used = stamps.parts(blocks + gap.blocks) < blocks
        end = int(rank[used].max()) + 1
        now = float(stamps.values[end])
    if not used.any():
        raise HeldoutError("rolling.gap: leaves no rows to train on; make it shorter")
    if window.time is not None:
        used &= rank >= stamps.before(now, window.time)
    elif window.blocks is not None:
        part = Stamps(stamps.time[used], stamps.unit[used]).parts(blocks)
        used[used] = part >= blocks - window.blocks
    if not used.any():
        raise HeldoutError("rolling.window: holds no rows to train on; make it longer")
    return used


def latest_holdout(rows: Rows, fraction: float, blocks: int, window: Span, gap: Span) -> Split:
    """Hold out the latest rows.

    Parameters
    ----------
    rows
        The rows to split, with times.
    fraction
        The share to hold out.
    blocks, window, gap
        As in `known_before`.

    Returns
    -------
    Split
        `row, held_out`: rows in the gap, and older than the window, are left out.

    Examples
    --------
    >>> rows = Rows(np.arange(5), time=np.arange(5.0))
    >>> split = latest_holdout(rows, 0.2, blocks=2, window=Span(), gap=Span(time=1.0))
    >>> split["row"].tolist(), split["held_out"].tolist()
    ([0, 1, 2, 4], [0, 0, 0, 1])
    """
    assert rows.time is not None
    held = latest_share(Stamps(rows.time, rows.unit), fraction)
    earlier = np.flatnonzero(~held)
    stamps = Stamps(rows.time[earlier], rows.unit[earlier])
    start = float(rows.time[held].min())
    train = earlier[known_before(stamps, start, blocks, window, gap)]
    if rows.code is not None and len(np.unique(rows.code[train])) == 1:
        raise HeldoutError(
            "holdout: all training rows are of one class; hold out a smaller share (holdout.fraction)"
        )
    used = np.sort(np.concatenate([train, np.flatnonzero(held)]))
    return {"row": used, "held_out": held[used].astype(int)}
