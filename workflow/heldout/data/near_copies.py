"""Rows that are nearly equal to another row: copies that were rounded, jittered, or changed in one column of many."""

from dataclasses import dataclass

import numpy as np

from heldout.data.exact_copies import EqualRows, hashes_of

NEIGHBOURS = 5
"""A row is near to another one if it is much nearer than its neighbour of this number."""
DIRECTIONS = 6
"""Random directions in which neighbours are looked for."""
VERIFIED = 32
"""Random directions in which distances are measured."""
FARTHEST = 0.1
"""The largest ratio of distances that makes a copy."""
HALVINGS = 40
"""Ratios that are tried: the largest one, half of it, …"""
GAP = 3
"""Between copies and other rows hardly any ratio is found: from the largest one of a copy to this many times as much."""
CHANCE = 1e-3
"""The probability that chance brings as many near rows."""
OFTEN = 0.05
"""The share of rows from which rows are often equal in some columns."""
FIRST_LOOK = 300
"""Rows by which columns are put in the order of their numbers of values."""
FEWEST = 2 * NEIGHBOURS


def close_rows(
    values: np.ndarray, numbers: np.ndarray, apart: np.ndarray, equal: EqualRows, seed: int
) -> np.ndarray:
    """Find rows that are far too near to another row.

    The ratio u of the distance to one of the nearest rows and of that to the fifth one has no scale. Around a row
    of data of intrinsic dimension d distances to the power d are uniform, so P(u < x) is at most 4·x^d. The
    dimension is estimated from the fourth and fifth neighbours, which a copy or two leave alone: (r₄/r₅)^d has the
    median 2^(-1/4) (Facco, d'Errico, Rodriguez & Laio 2017, Scientific Reports 7:12140, for r₁ and r₂). Rows with
    u ≤ x are copies if there are so many that chance brings them with a probability below 0.001, and if they stand
    apart from the others: more rows have u ≤ x than u between x and 3x. For data of any dimension of 0.63 or more
    that is not so, also if different parts of the table have different ones.

    Where rows are often equal in some columns by chance, a single further column may bring two of them together.
    So u must be small in the other columns alone too. Categories must be equal, and the same values missing.

    Of rows that are copied more than four times with a jitter, nothing is found.

    Parameters
    ----------
    values
        Rows of numbers and codes.
    numbers
        Whether each column holds numbers; else codes, which are equal or not.
    apart
        The unit of each row.
    equal
        Which rows are equal: they count as one row.
    seed
        Of the random directions.

    Returns
    -------
    numpy.ndarray
        Whether each row has a near one in another unit.

    Examples
    --------
    >>> from heldout.data.exact_copies import equal_rows
    >>> x = np.random.default_rng(0).normal(size=(200, 6))
    >>> x[190:] = np.round(x[:10], 2)
    >>> near = close_rows(x, np.full(6, True), np.arange(200), equal_rows(x, np.arange(200), 1), seed=1)
    >>> near.nonzero()[0].tolist() == [*range(10), *range(190, 200)]
    True
    """
    _, first = np.unique(equal.patterns, return_index=True)
    found = np.zeros(len(values), bool)
    telling = _telling(equal.hashed[first], numbers)
    if len(first) < FEWEST or not telling.any():
        return found
    several = Several(values[first], numbers, telling, equal.hashed[first])
    ratios, dimension = _ratios(several, np.asarray(apart)[first], seed)
    found[first] = ratios <= _threshold(ratios, dimension)
    return found


@dataclass(frozen=True)
class Several:
    """Different rows: values and their hashes, which columns are numbers, and which of these tell rows apart."""

    values: np.ndarray
    numbers: np.ndarray
    telling: np.ndarray
    hashed: np.ndarray


def _telling(hashed: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The columns of numbers besides those in which together rows are often equal."""
    first = np.sort(hashed[:FIRST_LOOK], axis=0)
    different = (np.diff(first, axis=0) != 0).sum(axis=0)
    order = np.argsort(np.where(numbers, different, -1), kind="stable")
    fewest, most = int((~numbers).sum()), len(order)
    while fewest < most:  # with more columns, fewer rows are equal
        middle = (fewest + most + 1) // 2
        if _equal_share(hashed[:, order[:middle]]) > OFTEN:
            fewest = middle
        else:
            most = middle - 1
    telling = numbers.copy()
    telling[order[:fewest]] = False
    return telling


def _equal_share(hashed: np.ndarray) -> float:
    """The share of rows that are equal to another one."""
    _, counts = np.unique(hashed.sum(axis=1, dtype=np.uint64), return_counts=True)
    return float(counts[counts > 1].sum() / len(hashed))


def _ratios(rows: Several, apart: np.ndarray, seed: int) -> tuple[np.ndarray, float]:
    """For each row the smallest u of a neighbour that may be its copy, else 1; and the dimension."""
    generator = np.random.default_rng(seed)
    points, telling = _points(rows)
    searched = _projected(telling, DIRECTIONS, generator)
    places, near = _neighbours(searched)
    ratios = _ratio(_projected(telling, VERIFIED, generator), places)
    if telling.shape[1] < points.shape[1]:
        ratios = np.maximum(ratios, _ratio(_projected(points, VERIFIED, generator), places))
    codes, candidates = _codes(rows, seed), places[:, :-1]
    may_be = (codes[candidates] == codes[:, None]) & (apart[candidates] != apart[:, None])
    return np.where(may_be, ratios, 1.0).min(axis=1), _dimension(near, searched.shape[1])


def _points(rows: Several) -> tuple[np.ndarray, np.ndarray]:
    """Columns of one spread, all and those that tell; codes as random numbers: any two are apart."""
    points = np.where(rows.numbers, rows.values, 0.0)
    points[:, ~rows.numbers] = rows.hashed[:, ~rows.numbers] >> np.uint64(40)
    missing = np.isnan(points)
    if missing.any():
        count = np.maximum(1, len(points) - missing.sum(axis=0))
        points = np.where(missing, np.nansum(points, axis=0) / count, points)
    centred = np.empty(points.shape, np.float32)  # after the mean: dates are large numbers
    np.subtract(points, points.mean(axis=0), out=centred, casting="same_kind")
    spread = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(points))
    centred /= np.where(spread > 0, spread, 1)
    return centred, centred[:, rows.telling]


def _codes(rows: Several, seed: int) -> np.ndarray:
    """A number for all that must be the same in copies: codes, and which numbers are missing."""
    codes = rows.hashed[:, ~rows.numbers].sum(axis=1, dtype=np.uint64)
    missing = np.isnan(rows.values[:, rows.numbers])
    if not missing.any():
        return codes
    return codes + hashes_of(missing.astype(float), seed).sum(axis=1, dtype=np.uint64)


def _projected(points: np.ndarray, most: int, generator: np.random.Generator) -> np.ndarray:
    """The points themselves, or in so many random directions."""
    if points.shape[1] <= most:
        return points
    directions = generator.standard_normal((points.shape[1], most), dtype=np.float32)
    return points @ directions


def _neighbours(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest other rows of each row, and their distances."""
    from scipy.spatial import cKDTree

    found = cKDTree(points).query(points, NEIGHBOURS + 1)
    distances, places = np.asarray(found[0]), np.asarray(found[1])
    own = places == np.arange(len(points))[:, None]
    own[~own.any(axis=1), -1] = True  # more rows than neighbours are in the same place
    shape = len(points), NEIGHBOURS
    return places[~own].reshape(shape), distances[~own].reshape(shape)


def _ratio(points: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The distances to neighbours, of that to the last one."""
    squares = np.stack([((points - points[one]) ** 2).sum(axis=1) for one in places.T], axis=1)
    ratios = np.ones((len(places), NEIGHBOURS - 1))
    np.divide(squares[:, :-1], squares[:, -1:], out=ratios, where=squares[:, -1:] > 0)
    return np.sqrt(ratios)


def _dimension(distances: np.ndarray, most: int) -> float:
    """The intrinsic dimension by the ratio of the two farthest neighbours; at most that of the space."""
    last, before = distances[:, -1], distances[:, -2]
    known = before > 0
    middle = float(np.median(np.log(last[known] / before[known]))) if known.any() else 0.0
    expected = np.log(2) / (NEIGHBOURS - 1)
    return most if middle * most <= expected else expected / middle


def _threshold(ratios: np.ndarray, dimension: float) -> float:
    """The smallest ratio with the clearest gap after it; -1 if there are none."""
    best, gap = -1.0, 1
    for largest in FARTHEST * 0.5 ** np.arange(HALVINGS):
        found = int((ratios <= largest).sum())
        next_ones = int((ratios <= GAP * largest).sum()) - found
        by_chance = len(ratios) * (NEIGHBOURS - 1) * largest**dimension
        if found - next_ones >= gap and _improbable(found / 2, by_chance / 2):
            best, gap = float(largest), found - next_ones
    return best


def _improbable(pairs: float, expected: float) -> bool:
    """Whether a Poisson count is as large with a probability below `CHANCE`, by Chernoff's bound."""
    if pairs <= expected:
        return False
    return expected == 0 or pairs - expected - pairs * np.log(pairs / expected) < np.log(CHANCE)
