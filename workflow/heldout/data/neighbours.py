"""How much better a nearest neighbour predicts where it may have the same value of a column.

If rows of one value belong together (two rows of a patient), a row's nearest neighbour is often its mate, and
predicts it better than any other row does that is as near. Then held-out rows of a value that is in the training
rows do better than rows of a new one. Rows of one value that are merely near each other are no sign of it, so mates
are compared with other rows at the same distance. Where no other rows are nearly as near as mates are, there is nothing
to compare with: such rows are of one thing, measured again.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from heldout.data.kinds import CATEGORY, MANY, TEXT
from heldout.data.prepared import Prepared
from heldout.data.unit_columns import UnitColumn
from heldout.names import seed_for

ROWS = 800
"""So many rows are compared with each other at most."""
WORK = 2 * 10**8
"""Rows × rows × columns, at most: of wider tables some columns are drawn."""
ADJACENT = 2
"""A value of a column of numbers is compared with so many values below and above it."""
FEWEST_MATES = 20
"""With fewer rows whose mate is the nearest, nothing can be said."""
STRONG, LARGE = 4.0, 0.1
"""A gain of so many standard errors, and of such a share of the risk, is worth saying."""
MOSTLY, HALF_AS_FAR = 0.8, 0.5
"""Values stand alone if the mate is the nearest row for such a share of rows, at such a share of the usual distance."""


@dataclass(frozen=True)
class Gain:
    """What neighbours of the same value are worth.

    Parameters
    ----------
    rows, values
        The rows that were compared, and their values of the column.
    with_mates, without
        The risk of the nearest neighbour among all other rows, and among those of other values.
    gain
        How much smaller the risk is than other rows at the same distance explain.
    error
        The standard error of the gain, with values as units.
    difference_error
        That of the difference between the two risks.
    alone
        Whether rows of a value are nearer to each other than to nearly all others.
    """

    rows: int
    values: int
    with_mates: float
    without: float
    gain: float
    error: float
    difference_error: float = np.inf
    alone: bool = False

    @property
    def strength(self) -> float:
        """The gain in standard errors; of values that stand alone the whole difference, if that is more."""
        found = self.gain / self.error if self.error > 0 else 0.0
        whole = self.difference / self.difference_error if self.difference_error > 0 else 0.0
        return max(found, whole) if self.alone else found

    @property
    def difference(self) -> float:
        """How much larger the risk is without mates."""
        return self.without - self.with_mates

    @property
    def clear(self) -> bool:
        """Whether it is more than chance, and large enough to matter."""
        gain = self.difference if self.alone else min(self.gain, self.difference)
        return self.strength > STRONG and gain > LARGE * self.without


@dataclass(frozen=True)
class Neighbours:
    """Some rows of a table, and the squared distances between them.

    Parameters
    ----------
    table
        The table.
    rows
        The rows that are compared, in order.
    features
        The features that count in the distances.
    squared
        The squared distance of each row to each.
    """

    table: Prepared
    rows: np.ndarray
    features: np.ndarray
    squared: np.ndarray

    def without(self, feature: int | None) -> np.ndarray:
        """The squared distances without what a feature adds to them; infinite to the row itself."""
        found = self.squared.copy()
        if feature is not None and feature in self.features:
            found = np.maximum(found - _distances(_scaled(self.table, self.rows, feature)), 0)
        np.fill_diagonal(found, np.inf)
        return found


def neighbours(table: Prepared, rows: np.ndarray, apart: Collection[str] = ()) -> Neighbours:
    """Measure how far rows are from each other, of a wide table by some columns, drawn with a seed of their own.

    Parameters
    ----------
    table
        The table.
    rows
        Some of its rows, in order.
    apart
        Features that do not count.

    Returns
    -------
    Neighbours
        Rows and distances: numbers have a variance of one, two levels of a category are √2 apart.

    Examples
    --------
    >>> near = neighbours(loss_table.table, np.arange(6))
    >>> near.squared.shape, bool((np.diag(near.squared) < 1e-6).all())
    ((6, 6), True)
    """
    kinds = [column["kind"] for column in table.facts["schema"]["columns"]]
    left_out = [kind in (MANY, TEXT) for kind in kinds]
    if apart:
        left_out = [out or name in apart for out, name in zip(left_out, table.names, strict=True)]
    usable = np.flatnonzero(~np.array(left_out, bool))
    most = max(1, WORK // max(1, len(rows)) ** 2)
    if len(usable) > most:
        generator = np.random.default_rng(seed_for(0, "checks", "neighbours", "columns"))
        usable = np.sort(generator.choice(usable, most, replace=False))
    numbers = [i for i in usable if kinds[i] != CATEGORY]
    points = [_standardised(np.asarray(table.features[rows], np.float64)[:, numbers])]
    points += [_scaled(table, rows, int(i)) for i in usable if kinds[i] == CATEGORY]
    return Neighbours(table, rows, usable, _distances(np.column_stack(points)))


def rows_of_some_values(codes: np.ndarray, most: int = ROWS) -> np.ndarray:
    """Choose rows so that mates come together: all rows, or those of some values, drawn with a seed of their own.

    Parameters
    ----------
    codes
        For each row the number of its value; -1 where it is missing.
    most
        How many rows there may be.

    Returns
    -------
    numpy.ndarray
        Rows in order: of values with many rows at most a tenth of `most`.

    Examples
    --------
    >>> chosen = rows_of_some_values(np.repeat(np.arange(100), 2), 20)
    >>> len(chosen), len(np.unique(chosen // 2))
    (20, 10)
    """
    if len(codes) <= most:
        return np.arange(len(codes))
    known = np.flatnonzero(codes >= 0)
    generator = np.random.default_rng(seed_for(0, "checks", "neighbours", "values"))
    shuffled = generator.permutation(known)
    order = np.argsort(generator.permutation(codes.max() + 1)[codes[shuffled]], kind="stable")
    rows = shuffled[order]
    place = np.arange(len(rows)) - _starts(codes[rows])
    return np.sort(rows[place < max(2, most // 10)][:most])


def _starts(ordered: np.ndarray) -> np.ndarray:
    """For each place of values that lie together, where its value begins."""
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return np.repeat(first, np.diff(np.r_[first, len(ordered)]))


def gain_of_mates(
    near: Neighbours, column: UnitColumn, apart: np.ndarray | None = None
) -> Gain | None:
    """Compare neighbours of the same value with others as near.

    Parameters
    ----------
    near
        Rows and their distances.
    column
        The column; its own part of the distances is left out. Where it is a number whose name says nothing, values
        next to each other may be alike, so mates are compared with rows of the values next to theirs.
    apart
        For each row of the table a unit that is known: rows of the same one are no neighbours.

    Returns
    -------
    Gain or None
        None if too few rows have a mate as their nearest neighbour, or any other row to compare it with.
    """
    known = np.flatnonzero(column.codes[near.rows] >= 0)
    rows, own = near.rows[known], column.codes[near.rows[known]]
    squared = near.without(column.feature)[np.ix_(known, known)]
    if apart is not None:
        squared[apart[rows][:, None] == apart[rows]] = np.inf
    same = own[:, None] == own
    target = np.asarray(near.table.target)[rows]
    classes = near.table.classification
    mates, others = (_nearest(squared, wanted, target, classes) for wanted in (same, ~same))
    usual = others
    if column.ordered and column.sort is None:
        ranks = np.unique(own, return_inverse=True)[1].reshape(-1)
        beside = np.abs(ranks[:, None] - ranks) <= ADJACENT
        usual = _nearest(squared, ~same & beside, target, classes)
    return _gain(own, mates, others, usual)


@dataclass(frozen=True)
class _Nearest:
    """For each row how far the nearest one of some is (infinite: there is none), and its loss."""

    distance: np.ndarray
    loss: np.ndarray


def _gain(own: np.ndarray, mates: _Nearest, others: _Nearest, usual: _Nearest) -> Gain | None:
    nearer = mates.distance < others.distance
    there = np.isfinite(usual.distance)
    if min(nearer.sum(), there.sum()) < FEWEST_MATES or np.isinf(others.distance).any():
        return None
    gains = np.zeros(len(own))
    expected = _expected(usual.distance[there], usual.loss[there], mates.distance[nearer])
    gains[nearer] = expected - mates.loss[nearer]
    nearest = np.where(nearer, mates.loss, others.loss)
    return Gain(
        rows=len(own),
        values=len(np.unique(own)),
        with_mates=float(nearest.mean()),
        without=float(others.loss.mean()),
        gain=float(gains.mean()),
        error=_error(own, gains),
        difference_error=_error(own, others.loss - nearest),
        alone=_alone(mates.distance, others.distance),
    )


def _error(own: np.ndarray, terms: np.ndarray) -> float:
    """The standard error of a mean, with values as units."""
    places = np.unique(own, return_inverse=True)[1].reshape(-1)
    return float(np.sqrt((np.bincount(places, terms) ** 2).sum()) / len(own))


def _alone(mates: np.ndarray, others: np.ndarray) -> bool:
    near = np.median(mates) <= HALF_AS_FAR * np.median(others)
    return bool(near and (mates < others).mean() >= MOSTLY)


def _nearest(
    squared: np.ndarray, wanted: np.ndarray, target: np.ndarray, classes: bool
) -> _Nearest:
    among = np.where(wanted, squared, np.inf)
    place = among.argmin(axis=1)
    distance = np.sqrt(among[np.arange(len(among)), place])
    said = target[place]
    loss = (target != said).astype(float) if classes else (target - said) ** 2.0
    return _Nearest(distance, loss)


def _expected(distances: np.ndarray, losses: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The usual loss at a distance: a rising line through the nearer half, never negative."""
    half = distances <= np.median(distances)
    x, y = distances[half] - distances[half].mean(), losses[half]
    slope = max(0.0, float(x @ y / (x @ x))) if x @ x > 0 else 0.0
    reached = np.minimum(at, distances[half].max()) - distances[half].mean()
    found: np.ndarray = np.maximum(0, y.mean() + slope * reached)
    return found


def _scaled(table: Prepared, rows: np.ndarray, feature: int) -> np.ndarray:
    """One feature as points: a category has a coordinate for each level."""
    column = table.facts["schema"]["columns"][feature]
    values = np.asarray(table.features[rows, feature], np.float64)
    if column["kind"] == CATEGORY:
        return (values[:, None] == np.arange(len(column["levels"]))).astype(np.float32)
    return _standardised(values[:, None])


def _standardised(values: np.ndarray) -> np.ndarray:
    """Numbers with a variance of one; missing ones are in the middle."""
    there = ~np.isnan(values)
    count = np.maximum(there.sum(axis=0), 1)
    centred = np.where(there, values, 0) - np.where(
        there, np.where(there, values, 0).sum(axis=0) / count, 0
    )
    spread = np.sqrt((centred**2).sum(axis=0) / count)
    scaled: np.ndarray = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return scaled.astype(np.float32)


def _distances(points: np.ndarray) -> np.ndarray:
    """The squared distance of each point to each."""
    lengths = (points**2).sum(axis=1)
    return np.maximum(lengths[:, None] + lengths - 2 * points @ points.T, 0)
