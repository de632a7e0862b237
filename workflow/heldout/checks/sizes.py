"""The check that folds and groups are enough."""

from collections.abc import Iterator

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.errors import counted
from heldout.estimates.time_intervals import FEWEST_VALUES
from heldout.resampling.prefixes import prefixes

ROWS = 3
"""H022 fails where a fold or block has fewer rows, …"""
GROUPS = 10
"""… where there are fewer groups, …"""
A_FOLD = 2
"""… or fewer groups per fold."""


def folds_and_groups_enough(context: Context) -> Outcome:
    """H022: an interval rests on its folds and groups, however many rows these have."""
    sets = _sets(context)
    if not sets:
        return not_applicable("there are no folds")
    faults = list(_faults(context, sets))
    if faults:
        return failed("; ".join(faults))
    size = min(len(rows) for _, rows in sets)
    groups = f", {_groups(context)} groups" if context.loss_table.table.grouped else ""
    return passed(f"{len(sets)} {_what(context)}s of {size} rows or more{groups}")


def _what(context: Context) -> str:
    return "fold" if context.loss_table.table.times is None else "block"


def _sets(context: Context) -> list[tuple[str, np.ndarray]]:
    """The folds of the first partition, or the blocks of time that are tested, by name."""
    table = context.loss_table
    if "rolling" in table.splits:
        return [(f"block {one.number}", one.rows) for one in prefixes(table.splits["rolling"])]
    if "kfold" not in table.splits:
        return []
    first = table.partitions[0]
    return [(f"fold {fold + 1}", first.rows(fold)) for fold in range(first.k)]


def _groups(context: Context) -> int:
    return len(np.unique(context.loss_table.table.rows["unit"]))


def _faults(context: Context, sets: list[tuple[str, np.ndarray]]) -> Iterator[str]:
    table = context.loss_table.table
    in_time, key = table.times is not None, "kfold.k" if table.times is None else "rolling.blocks"
    name, least = min(sets, key=lambda one: len(one[1]))
    if len(least) < ROWS:
        yield f"{name} has {counted(len(least), 'row')}, which say little by themselves; use a smaller {key}"
    if _one_class_each(context, sets):
        yield (
            f"every {_what(context)} has rows of one class only: models are judged on one class at a time; "
            "stratify, or let folds cut across what separates the classes"
        )
    if in_time and len(sets) < FEWEST_VALUES:
        yield f"{len(sets)} blocks are tested, and an interval needs {FEWEST_VALUES}; use a larger {key}"
    if table.grouped and not in_time:
        count, needed = _groups(context), max(GROUPS, A_FOLD * len(sets))
        if count < needed:
            yield (
                f"{count} groups in {len(sets)} folds: intervals rest on groups, not on rows, and {needed} are the "
                "least to go by; collect more groups, or use fewer folds"
            )


def _one_class_each(context: Context, sets: list[tuple[str, np.ndarray]]) -> bool:
    """Whether no fold has rows of two classes, though folds have several rows, and the table several classes."""
    table = context.loss_table.table
    if not table.classification or len(np.unique(table.target)) < 2:
        return False
    target = np.asarray(table.target)
    several = [rows for _, rows in sets if len(rows) > 1]
    return bool(several) and all(len(np.unique(target[rows])) == 1 for rows in several)
