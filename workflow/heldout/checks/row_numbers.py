"""The check of features that count the rows."""

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.checks.columns import blocks, correlation, kinds_of, midranks
from heldout.checks.time_order import like_dates, names_time
from heldout.data.kinds import NUMBER
from heldout.data.prepared import Prepared

FEWEST = 20
"""With fewer rows, whole numbers in order are too common."""
KNOWN = 0.9
"""The share of rows that have a number."""
STEP = 2
"""Most numbers differ from the one before by at most so much for each row of the table …"""
LINE = 0.995
"""… or all of them have this correlation with the number of the row: serial numbers of a sample of rows."""
SIGNS = 3
"""How many standard errors from none a relation is to be called one."""


def no_feature_counts_the_rows(context: Context) -> Outcome:
    """H024: the number of a row says nothing of rows that are not in the table."""
    table = context.loss_table.table
    if table.times is not None:
        return not_applicable("rows are in time order")
    if table.n < FEWEST:
        return not_applicable(f"fewer than {FEWEST} rows")
    found = counting(table)
    if not found:
        return passed("no feature is a number of the rows in their order")
    names = ", ".join(f"'{table.names[one]}'" for one in found[:3])
    return failed(
        f"{names} {'counts' if len(found) == 1 else 'count'} the rows in the order of the table; {_with_target(table)}. "
        f"New rows have other numbers: put it under drop"
    )


def counting(table: Prepared) -> list[int]:
    """Find the features that are numbers of the rows in their order, with gaps or without.

    Parameters
    ----------
    table
        The unsealed rows.

    Returns
    -------
    list of int
        Their places. Columns that say time, by name or as dates written as numbers, are left to H019.
    """
    order = np.argsort(table.rows["source"], kind="stable")
    source = np.asarray(table.rows["source"], float)[order]
    kinds = kinds_of(table)
    some = order[np.unique(np.linspace(0, len(order) - 1, 50).astype(int))]
    return [
        start + int(place)
        for start, part in blocks(table, some)
        for place in np.flatnonzero(_steady(part) & (kinds[start : start + len(part)] == NUMBER))
        if not names_time(table.names[start + place])
        and _counts(values := np.asarray(table.features[:, start + place], float)[order], source)
        and not like_dates(values)
    ]


def _steady(part: np.ndarray) -> np.ndarray:
    """For each column whether it is whole and only rises, or only falls, in rows that are taken in order.

    Where values are missing, that is looked at later.
    """
    whole = ((part == np.round(part)) | np.isnan(part)).all(axis=1)
    steps = np.diff(part, axis=1)
    return whole & (~(steps <= 0).any(axis=1) | ~(steps >= 0).any(axis=1))


def _counts(values: np.ndarray, source: np.ndarray) -> bool:
    known = ~np.isnan(values)
    if known.sum() < max(FEWEST, KNOWN * len(values)):
        return False
    x, rows = values[known], source[known]
    steps = np.diff(x)
    if (x != np.round(x)).any() or not ((steps > 0).all() or (steps < 0).all()):
        return False
    small = float(np.median(np.abs(steps) / np.diff(rows))) <= STEP
    return small or abs(correlation(x, rows)) >= LINE


def _with_target(table: Prepared) -> str:
    """Whether the target goes with the number of the row."""
    ranks = midranks(np.asarray(table.rows["source"]))
    target = np.asarray(table.target)
    if not table.classification:
        found = correlation(ranks, midranks(target))
        says = f"rank correlation {found:.2f}"
        return _relation(abs(found) * np.sqrt(len(target) - 1), says)
    count = np.bincount(target, minlength=len(table.classes or []))
    inside = np.flatnonzero((count > 0) & (count < len(target)))
    areas = {int(one): _area(ranks, target == one) for one in inside}
    if not areas:
        return _relation(0.0, "one class only")
    clearest = max(areas, key=lambda one: areas[one][1])
    area, errors = areas[clearest]
    return _relation(errors, f"AUC {area:.2f} for class '{(table.classes or [])[clearest]}'")


def _area(ranks: np.ndarray, inside: np.ndarray) -> tuple[float, float]:
    """The AUC of the row's number for a class, and how many standard errors it is from one half."""
    n, m = len(ranks), int(inside.sum())
    area = (ranks[inside].sum() - m * (m - 1) / 2) / (m * (n - m))
    return float(area), float(abs(area - 0.5) * np.sqrt(12 * m * (n - m) / (n + 1)))


def _relation(errors: float, says: str) -> str:
    if errors > SIGNS:
        return (
            f"and the target goes with that order ({says}), so that it looks predictable and is not"
        )
    return f"the target does not go with that order ({says})"
