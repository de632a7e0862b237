"""Checks for rows that belong together though nobody declared it."""

from collections.abc import Sequence

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.data.hidden_units import gain_of, hidden_units, in_words
from heldout.data.unit_columns import UnitColumn, named_units

NAMED = 3
"""A message names so many further columns."""
WORTH_SAYING = 2.0
"""A gain of so many standard errors is said of a column whose name is telling."""


def groups_declared(context: Context) -> Outcome:
    """H009: a column is named like one of units, and its values come again."""
    table = context.loss_table.table
    if table.grouped:
        return not_applicable(f"groups: {table.facts['groups']}")
    found = named_units(table)
    if not found:
        return passed("no column looks like a group by its name")
    best, *others = found
    gain = gain_of(table, best)
    said = "" if gain is None or gain.strength < WORTH_SAYING else f". {in_words(gain, table)}"
    return failed(
        f"{_called(best)} has {best.repeats}: if rows with the same value belong together, name it under "
        f"groups; risks are too small otherwise{said}{_and_others(others)}"
    )


def no_hidden_groups(context: Context) -> Outcome:
    """H023: rows with the same value of a column predict each other better than other rows as near."""
    table = context.loss_table.table
    if table.grouped:
        return not_applicable(f"groups: {table.facts['groups']}")
    if table.times is not None:
        return not_applicable("rows are in time order: later rows may be of the same units")
    found = hidden_units(table)
    if not found.clear:
        named = named_units(table)
        beside = f"; for '{named[0].name}' see H009" if named else ""
        return passed(
            f"{found.probed} of {found.there} columns whose names say nothing and whose values come again were probed: "
            f"none tells which rows belong together{beside}"
        )
    (best, gain), *others = found.clear
    return failed(
        f"{_called(best)} has {best.repeats}, and rows with the same value predict each other better than other rows "
        f"do. {in_words(gain, table)}. If new rows will have other values, name it under groups"
        f"{_and_others([one for one, _ in others])}"
    )


def _called(column: UnitColumn) -> str:
    return f"'{column.name}'" if column.feature is not None else f"'{column.name}' (dropped)"


def _and_others(columns: Sequence[UnitColumn]) -> str:
    if not columns:
        return ""
    names = ", ".join(f"'{column.name}'" for column in columns[:NAMED])
    return f". Look at {names}{', …' if len(columns) > NAMED else ''} too"
