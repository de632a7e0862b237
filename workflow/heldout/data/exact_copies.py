"""Rows that equal another row in all columns, where chance does not explain it."""

from dataclasses import dataclass

import numpy as np

CHANCE = 3
"""By chance, rows with a neighbour are this many times as many as equal rows without one."""
BLOCK = 2**20
"""Cells whose hashes are compared at a time."""
MOST_CELLS = 2**23
"""In tables with more cells, rows that differ in one column are looked for in some of the columns."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True)
class EqualRows:
    """Which rows are equal, and of which of them it is no coincidence."""

    patterns: np.ndarray
    """For each row the number of its pattern: equal rows have the same."""
    hashed: np.ndarray
    """A number for each value."""
    suspicious: np.ndarray
    """Whether each row has an equal one apart from it that chance does not explain."""


def equal_rows(values: np.ndarray, apart: np.ndarray, seed: int, texts: int = 0) -> EqualRows:
    """Find equal rows, and tell copies from coincidences.

    In a table of few values rows are equal by chance. But where that happens, many more rows are found that
    differ in a single column: with columns that are independent given the dense place where they lie, a
    cell with λ other rows on average has λ·Σ_j (1 - p_j)/p_j neighbours, p_j the probability of the
    row's own value in column j, and the sum is at least p·(Π_j p_j^(-1/p) - 1) ≈ ln(n/λ) in n rows. So a
    row with an equal one is no copy if any row differs from it in one column only. Among rows with few
    expected neighbours a part e^(-μ) lacks them, μ = λ·ln(n/λ); they are fewer than the rows with a
    neighbour by a factor of about ln(n/λ), and where they are not fewer by `CHANCE`, they are copies. A free text that no other row has comes twice by no chance: of
    rows that differ in such a text only, none is a neighbour of another one.

    Parameters
    ----------
    values
        Rows of numbers; NaN equals NaN.
    apart
        The unit of each row.
    seed
        Of the hashes.
    texts
        How many of the last columns stand for free texts.

    Returns
    -------
    EqualRows
        The patterns, and the rows that have a copy.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(9, 3))
    >>> x[8] = x[0]
    >>> equal_rows(x, np.arange(9), seed=1).suspicious.nonzero()[0].tolist()
    [0, 8]
    """
    hashed = hashes_of(values, seed)
    total = hashed.sum(axis=1, dtype=np.uint64)
    _, first, patterns = np.unique(total, return_index=True, return_inverse=True)
    patterns = patterns.reshape(-1)
    twins = _apart(patterns, len(first), np.asarray(apart))
    if not twins.any():
        return EqualRows(patterns, hashed, twins)
    neighbour = _differ_in_one(hashed[first], total[first], seed, texts)[patterns]
    suspicious = twins & ~neighbour
    if suspicious.sum() * CHANCE <= neighbour.sum():
        suspicious[:] = False
    return EqualRows(patterns, hashed, suspicious)


def hashes_of(values: np.ndarray, seed: int) -> np.ndarray:
    """Hash each value, by its column: equal numbers have equal hashes, and so do missing ones.

    Parameters
    ----------
    values
        Rows of numbers.
    seed
        Of the columns' part in the hashes.

    Returns
    -------
    numpy.ndarray
        Numbers of 64 bits.

    Examples
    --------
    >>> one, other, missing = hashes_of(np.array([[0.0], [-0.0], [np.nan]]), seed=1).ravel()
    >>> bool(one == other), bool(one == missing)
    (True, False)
    """
    plain = np.asarray(values, float) + 0.0  # -0.0 becomes 0.0
    plain[np.isnan(plain)] = np.nan  # with the same bits
    bits = plain.view(np.uint64)
    salts = np.random.default_rng(seed).integers(2**63, size=bits.shape[1], dtype=np.uint64)
    bits ^= salts
    for _ in range(2):
        bits *= _ODD
        bits ^= bits >> _SHIFT
    bits *= _ODD
    return bits


def _apart(patterns: np.ndarray, count: int, apart: np.ndarray) -> np.ndarray:
    """Whether each row has one of its pattern and of another unit."""
    label = np.empty(count, apart.dtype)
    label[patterns] = apart
    several = np.zeros(count, bool)
    several[patterns[label[patterns] != apart]] = True
    return several[patterns]


def _differ_in_one(hashed: np.ndarray, total: np.ndarray, seed: int, texts: int) -> np.ndarray:
    """Whether each of different rows has one that differs from it in exactly one column."""
    count, width = hashed.shape
    columns = np.arange(width)
    if count * width > MOST_CELLS:
        few = max(1, MOST_CELLS // count)
        columns = np.random.default_rng(seed).choice(columns, few, replace=False)
    found = np.zeros(count, bool)
    step = max(1, BLOCK // count)
    for start in range(0, len(columns), step):
        block = columns[start : start + step]
        values = hashed[:, block].T
        same = _repeated(total - values)  # equal without the column
        same[block >= width - texts] &= _repeated(values[block >= width - texts])
        found |= same.any(axis=0)
    return found


def _repeated(values: np.ndarray) -> np.ndarray:
    """Whether each value comes again in its row."""
    order = np.argsort(values, axis=1)
    same = np.diff(np.take_along_axis(values, order, axis=1), axis=1) == 0
    edge = np.zeros((len(values), 1), bool)
    repeated = np.hstack([edge, same]) | np.hstack([same, edge])
    found = np.empty_like(repeated)
    np.put_along_axis(found, order, repeated, axis=1)
    return found
