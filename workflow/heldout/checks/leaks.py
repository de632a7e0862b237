"""The check of features that are the target in disguise."""

from typing import NamedTuple

import numpy as np

from heldout.checks import disguises
from heldout.checks.chance import no_chance
from heldout.checks.check import Context, Outcome, failed, passed
from heldout.checks.columns import (
    blocks,
    correlation,
    first_rows,
    midranks,
    nominal,
    texts,
    units_per_row,
)
from heldout.checks.disguises import Disguise
from heldout.data.prepared import Prepared
from heldout.errors import counted

ALIKE = 0.98
"""The first pass keeps what has this share of the rank correlation of the target with itself."""
VERIFIED = 4_000_000
"""About so many values are looked at in the second pass."""
NAMED = 3
"""How many features the message names."""
TREND = 0.9
"""A target that follows the number of the row so closely has a trend."""


class Leak(NamedTuple):
    """A feature that is the target in disguise, and how."""

    column: int
    disguise: Disguise


def no_feature_is_the_target(context: Context) -> Outcome:
    """H008: a feature that gives the target away, whatever its coding, is probably the target itself."""
    table = context.loss_table.table
    found = leaks(table)
    if not found:
        return passed("no single feature equals the target")
    first = found[0]
    return failed(
        f"'{table.names[first.column]}' {_worded(first.disguise, table)}: it gives the target away and may be a leak; "
        f"put it under drop{_others(table, found)}{_other_reasons(first.disguise, table)}"
    )


def _others(table: Prepared, found: list[Leak]) -> str:
    if len(found) == 1:
        return ""
    named = ", ".join(f"'{table.names[one.column]}'" for one in found[1:NAMED])
    more = f" and {counted(len(found) - NAMED, 'more feature')}" if len(found) > NAMED else ""
    return f" (likewise {named}{more})"


def _worded(disguise: Disguise, table: Prepared) -> str:
    but = f", but for {counted(disguise.errors, 'row')}" if disguise.errors else ""
    known = f" {len(table.target)} rows" if disguise.rows == len(table.target) else ""
    where = known or f" {disguise.rows} of {len(table.target)} rows"
    return f"{disguise.what} (in{where}{but})"


def _other_reasons(disguise: Disguise, table: Prepared) -> str:
    """What else may be the reason: rows in groups, or a trend."""
    if disguise.what == disguises.FINER and not table.grouped:
        return ". If rows with the same value belong together, name it under groups"
    if table.classification or table.times is not None:
        return ""
    places = np.asarray(table.rows["source"], float)
    if abs(correlation(midranks(np.asarray(table.target)), midranks(places))) < TREND:
        return ""
    return ". The target follows the number of the row: if both only have a trend in time, name a column under time"


def leaks(table: Prepared) -> list[Leak]:
    """Find the features that are the target in disguise, the clearest first.

    Parameters
    ----------
    table
        The unsealed rows.

    Returns
    -------
    list of Leak
        Verified on all rows; empty for most tables.
    """
    target = np.asarray(table.target, float)
    if np.ptp(target) == 0:
        return []
    names_only, share = nominal(table), _independent(table, target)
    most = max(NAMED, VERIFIED // len(target))
    found = []
    for column in _candidates(table, target, names_only)[: min(most, 100)]:
        feature = np.asarray(table.features[:, column], float)
        tried = _disguises(table, feature, target, bool(names_only[column]))
        sure = [one for one in tried if no_chance(one.chance, 2 * len(table.names), share)]
        if sure:
            found.append(Leak(int(column), min(sure, key=lambda one: (one.errors, one.chance))))
    return sorted(found, key=lambda one: (one.disguise.errors, one.disguise.chance))


def _independent(table: Prepared, target: np.ndarray) -> float:
    """The share of rows that are independent: of groups one each, in time order one of each run of a class."""
    share = units_per_row(table)
    if table.times is None or not table.classification:
        return share
    in_time = target[np.argsort(table.times, kind="stable")]
    return min(share, (1 + np.count_nonzero(np.diff(in_time))) / len(target))


def _disguises(
    table: Prepared, feature: np.ndarray, target: np.ndarray, names_only: bool
) -> list[Disguise]:
    if table.classification:
        codes = np.unique(target, return_inverse=True)[1].reshape(-1)
        return disguises.of_classes(feature, codes, names_only)
    found = disguises.of_numbers(feature, target, names_only)
    if table.times is not None and not disguises.on_a_line(feature, target):
        return []  # two trends have the same order
    return found


def _candidates(table: Prepared, target: np.ndarray, names_only: np.ndarray) -> np.ndarray:
    """The columns that may be the target by some of the rows, the likeliest first."""
    rows = first_rows(table, "H008")
    values, counts = np.unique(target[rows], return_inverse=True, return_counts=True)[1:]
    rows, codes = rows[np.argsort(values, kind="stable")], np.sort(values)
    few_values = len(counts) <= len(rows) / disguises.PER_LEVEL
    scores = np.full(len(table.names), np.inf)
    for start, part in blocks(table, rows):
        here = slice(start, start + len(part))
        if not table.classification:
            part = _rising(part, midranks(codes), names_only[here])
        values, order = np.sort(part, axis=1), np.argsort(part, axis=1, kind="stable")
        if table.classification or few_values:
            sampled = len(rows) / len(target)
            scores[here] = _impurity(values, codes[order], names_only[here], sampled)
        if not table.classification:
            scores[here] = np.minimum(scores[here], _disorder(values, order, midranks(codes)))
    scores[texts(table)] = np.inf
    return np.argsort(scores, kind="stable")[: int(np.isfinite(scores).sum())]


def _impurity(
    values: np.ndarray, codes: np.ndarray, names_only: np.ndarray, sampled: float
) -> np.ndarray:
    """How far each column is from telling the classes apart; infinite if too far.

    `values` are sorted, those of one class beside one another where they are equal; `codes` are their classes.
    """
    known = ~np.isnan(values[:, 1:])
    change = (np.diff(codes, axis=1) != 0) & known
    tie = (values[:, 1:] == values[:, :-1]) & known
    allowed = 1 + 4 * disguises.ERRORS * codes.shape[1]
    changes = change.sum(axis=1) - (len(np.unique(codes[0])) - 1)
    mixed, ties = (change & tie).sum(axis=1), tie.sum(axis=1)
    levels = (ties >= _fewest_ties(known.sum(axis=1) + 1, sampled)) & (mixed <= allowed)
    apart = (changes <= 2 * allowed) & ~names_only
    return np.where(apart, np.maximum(changes, 0), np.where(levels, mixed, np.inf))


def _fewest_ties(known: np.ndarray, sampled: float) -> np.ndarray:
    """How many rows of a sample have the value of another one, if levels have enough rows in the table.

    Of L levels of r rows each, a sample of the share s meets about L·(1 − exp(−r·s)).
    """
    drawn = disguises.PER_LEVEL * sampled
    met = 1 / disguises.PER_LEVEL if sampled == 1 else -np.expm1(-drawn) / drawn
    expected = known * (1 - min(1.0, 1.1 * met)) - 3 * np.sqrt(known) * (sampled < 1)
    return np.maximum(expected, 3)


def _rising(part: np.ndarray, ranks: np.ndarray, names_only: np.ndarray) -> np.ndarray:
    """Each column with the sign, and levels in the order, with which it rises with the target.

    Of two columns of the same order the covariance is never below 0.
    """
    part = part.copy()
    if names_only.any():
        part[names_only] = _by_means(part[names_only], ranks)
    known = ~np.isnan(part)
    filled = np.where(known, part, 0.0)
    centre = (known @ ranks) / np.maximum(1, known.sum(axis=1))
    falling = filled @ ranks < filled.sum(axis=1) * centre
    part[falling] *= -1
    return part


def _disorder(values: np.ndarray, order: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """One minus the correlation of the target's ranks with their place by the feature; infinite if too large."""
    known = (~np.isnan(values)).sum(axis=1)
    found = _correlations_with_place(ranks[order], known)
    best = _correlations_with_place(ranks[None, :], np.array([len(ranks)]))
    return np.where(found >= ALIKE * best, 1 - found, np.inf)


def _correlations_with_place(ranks: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Of the first `size` numbers in each row with 0, 1, 2, …"""
    places = np.arange(ranks.shape[1], dtype=float)
    inside = places < sizes[:, None]
    m = np.maximum(1, sizes).astype(float)
    kept = np.where(inside, ranks, 0.0)
    total, squares, along = kept.sum(axis=1), (kept**2).sum(axis=1), kept @ places
    spread = (squares - total**2 / m) * (m**3 - m) / 12
    joint = along - total * (m - 1) / 2
    return np.divide(joint, np.sqrt(np.maximum(spread, 0)), out=np.zeros(len(m)), where=spread > 0)


def _by_means(part: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Each level of each column as the mean rank of the target in it; a missing value stays one."""
    order, values = np.argsort(part, axis=1, kind="stable"), np.sort(part, axis=1)
    first = np.ones(part.shape, bool)
    first[:, 1:] = values[:, 1:] != values[:, :-1]
    levels = np.cumsum(first.ravel()).reshape(part.shape) - 1
    sums = np.bincount(levels.ravel(), ranks[order].ravel())
    means = sums / np.bincount(levels.ravel())
    found = np.empty(part.shape)
    np.put_along_axis(found, order, means[levels], axis=1)
    return np.where(np.isnan(part), np.nan, found)
