"""Rows that are copies of others: equal in all columns, or nearly, more often than chance explains.

`exact_copies` tells copies from the equal rows of a table of few values, `near_copies` finds rows that were
copied and then rounded or jittered. Columns that number the rows are left out: they hide every copy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from heldout.data.exact_copies import equal_rows
from heldout.data.kinds import CATEGORY, DATE, MANY, NUMBER
from heldout.data.near_copies import close_rows

MOST_ROWS = 10_000
"""Of more rows a sample is compared."""
FEWEST_IN_SAMPLE = 10
"""Copies in a sample of the rows that are worth a warning; in a whole table, two."""
WORTH_A_WARNING = 0.01
"""The share of rows with a copy from which they are worth a warning."""
FIRST_LOOK = 300
"""Rows by which most columns are seen to number nothing."""
NUMBERED = 0.95
"""The share of different values from which a column may number the rows."""


@dataclass(frozen=True, kw_only=True)
class ComparedRows:
    """What rows are compared by.

    features: the encoded matrix; kinds: those of its columns.
    target: numbers, or codes of classes, as `classes` says.
    apart: for each row its unit, or its side of the seal: copies count where these differ.
    texts: a number for each text of the columns of free text.
    """

    features: np.ndarray
    kinds: Sequence[str]
    target: np.ndarray
    classes: bool
    apart: np.ndarray
    texts: Sequence[np.ndarray] = field(default=())

    def take(self, places: np.ndarray) -> "ComparedRows":
        """Some of the rows."""
        return ComparedRows(
            features=np.asarray(self.features[places], float),
            kinds=self.kinds,
            target=np.asarray(self.target)[places],
            classes=self.classes,
            apart=np.asarray(self.apart)[places],
            texts=[one[places] for one in self.texts],
        )


@dataclass(frozen=True)
class Copies:
    """How many rows have a copy.

    rows: the rows that were looked at.
    exact, near: how many of them equal another row in all columns, and how many do nearly.
    others: the share of all rows that they were compared with; 1 unless a sample was taken.
    """

    rows: int
    exact: int
    near: int
    others: float = 1.0

    @property
    def found(self) -> int:
        """How many rows have a copy of either kind."""
        return self.exact + self.near

    @property
    def share(self) -> float:
        """The share of all rows that have a copy, estimated from the sample if there is one."""
        return min(1.0, self.found / max(1, self.rows) / self.others)

    @property
    def worth_a_warning(self) -> bool:
        """Whether they are more than a few."""
        fewest = 2 if self.others == 1 else FEWEST_IN_SAMPLE
        return self.found >= fewest and self.share >= WORTH_A_WARNING


def copies_among(rows: ComparedRows, seed: int) -> Copies:
    """Count the rows that have a copy in another unit.

    Parameters
    ----------
    rows
        The rows.
    seed
        Of the sample and of the directions of the search.

    Returns
    -------
    Copies
        Among all rows, or in a sample.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(60, 4))
    >>> x[50:] = x[:10]
    >>> given = {"kinds": ["number"] * 4, "target": x[:, 0] > 0, "classes": True, "apart": np.arange(60)}
    >>> copies_among(ComparedRows(features=x, **given), seed=1)
    Copies(rows=60, exact=20, near=0, others=1.0)
    """
    count = len(rows.target)
    places = _sampled(np.arange(count), MOST_ROWS, seed)
    taken = rows.take(places)
    exact, near = _copies(taken, numbering(taken.features, rows.kinds, count), seed)
    return Copies(len(places), int(exact.sum()), int(near.sum()), len(places) / max(1, count))


def copies_across(rows: ComparedRows, seed: int) -> Copies:
    """Count the rows on the second side that have a copy on the first one.

    Parameters
    ----------
    rows
        The rows of both sides; `apart` is False for those of the first, True for those of the second.
    seed
        Of the sample and of the directions of the search.

    Returns
    -------
    Copies
        Of the rows of the second side.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(60, 4))
    >>> x[50:] = x[:10]
    >>> given = {"kinds": ["number"] * 4, "target": x[:, 0] > 0, "classes": True}
    >>> copies_across(ComparedRows(features=x, apart=np.arange(60) >= 45, **given), seed=1)
    Copies(rows=15, exact=10, near=0, others=1.0)
    """
    second = np.asarray(rows.apart, bool)
    ours = _sampled(np.flatnonzero(second), MOST_ROWS // 2, seed)
    others = _sampled(np.flatnonzero(~second), MOST_ROWS - len(ours), seed)
    taken = rows.take(np.r_[others, ours])
    named = numbering(
        taken.features[: len(others)], rows.kinds, len(second)
    )  # a test table may count anew
    exact, near = _copies(taken, named, seed)
    seen = len(others) / max(1, int((~second).sum()))
    found = [int(one[len(others) :].sum()) for one in (exact, near)]
    return Copies(len(ours), found[0], found[1], seen)


def _sampled(places: np.ndarray, most: int, seed: int) -> np.ndarray:
    if len(places) <= most:
        return places
    return np.sort(np.random.default_rng(seed).choice(places, most, replace=False))


def _copies(rows: ComparedRows, named: list[int], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Whether each row has an equal one apart from it, and whether only one that is nearly equal."""
    used = np.setdiff1d(np.arange(len(rows.kinds)), named)
    values = np.column_stack([rows.features[:, used], rows.target, *rows.texts])
    measured = [rows.kinds[i] in (NUMBER, DATE) for i in used.tolist()]
    numbers = np.array([*measured, not rows.classes, *[False] * len(rows.texts)])
    equal = equal_rows(values, rows.apart, seed, len(rows.texts))
    near = close_rows(values, numbers, rows.apart, equal, seed)
    return equal.suspicious, near & ~equal.suspicious


def numbering(features: np.ndarray, kinds: Sequence[str], total: int) -> list[int]:
    """The columns that number rows or name them, such as a row number, an index or a code for each row.

    Parameters
    ----------
    features
        The encoded rows, or a sample of them.
    kinds
        The kinds of the columns.
    total
        How many rows the whole table has.

    Returns
    -------
    list of int
        Columns of whole numbers that differ in nearly all rows, and either rise from row to row or are among not
        many more numbers than there are rows; and categories with a level of its own for nearly each row.

    Examples
    --------
    >>> numbering(np.array([[1, 7.5, 20], [2, 8.5, 100_000], [3, 3.5, 10]]), ["number"] * 3, 3)
    [0]
    """
    first = np.asarray(features[:FIRST_LOOK], float)
    if not len(first):
        return []
    whole = (first == np.floor(first)).all(axis=0)  # NaN is not equal to itself
    ordered = np.sort(first, axis=0)
    different = (np.diff(ordered, axis=0) != 0).sum(axis=0) + 1 >= NUMBERED * len(first)
    return [
        i
        for i in np.flatnonzero(whole & different).tolist()
        if kinds[i] in (NUMBER, CATEGORY, MANY) and _numbers(features[:, i], kinds[i], total)
    ]


def _numbers(column: np.ndarray, kind: str, total: int) -> bool:
    values = np.asarray(column, float)
    if not (values == np.floor(values)).all() or len(np.unique(values)) < NUMBERED * len(values):
        return False
    rising = bool((np.diff(values) > 0).all())
    return kind != NUMBER or rising or bool(np.ptp(values) < 2 * total)
