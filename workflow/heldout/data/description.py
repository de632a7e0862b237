"""What was found out about the columns of a prepared table, in words.

Standard library only: works on the facts in `table.json`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heldout.data.kinds import CATEGORY, DATE, MANY, NUMBER, ORDERED
from heldout.errors import counted

LEVELS_SHOWN = 12
NOT_SHOWN = ("notes", "renamed", "rows", "columns", "without_target")
"""What of a file's reading is said elsewhere."""
PLURALS = {
    CATEGORY: "categories",
    ORDERED: "ordered categories",
    MANY: "categories with many levels",
}
"""Of kinds that do not just take an s."""


@dataclass(frozen=True)
class Described:
    """A column in words: its kind, how it is spelled, the share of missing values, its levels."""

    name: str
    kind: str
    spelled: str
    missing: str
    levels: str


def described(facts: dict[str, Any]) -> list[Described]:
    """Describe the columns of a prepared table.

    Parameters
    ----------
    facts
        What `table.json` holds.

    Returns
    -------
    list of Described
        One for each feature, in the table's order.

    Examples
    --------
    >>> column = {"name": "price", "kind": "number", "levels": [], "spelling": "money", "decimal": ","}
    >>> facts = {"n": 8, "schema": {"columns": [column]}, "missing": {"price": 2}}
    >>> described(facts)
    [Described(name='price', kind='number', spelled="money, decimal ','", missing='25 %', levels='')]
    """
    missing = facts.get("missing", {})
    return [
        Described(
            one["name"],
            one["kind"],
            _spelled(one),
            _share(missing.get(one["name"], 0), facts["n"]),
            f"{one['count']} levels" if one.get("count") else some_levels(one["levels"]),
        )
        for one in facts["schema"]["columns"]
    ]


def chosen(columns: Sequence[Described], most: int) -> tuple[list[Described], str]:
    """Some of the columns, in the table's order, and a line about the rest.

    Those are preferred about which something was found out besides that they are numbers.

    Parameters
    ----------
    columns
        All columns.
    most
        How many to keep.

    Returns
    -------
    tuple
        The kept columns; how many more there are of each kind, in words, empty if there are none.

    Examples
    --------
    >>> plain = [Described(f"x{i}", "number", "", "", "") for i in range(5)]
    >>> some, rest = chosen([*plain, Described("c", "category", "", "", "a, b")], most=2)
    >>> [one.name for one in some], rest
    (['x0', 'c'], 'and 4 more numbers')
    """
    if len(columns) <= most:
        return list(columns), ""
    order = sorted(range(len(columns)), key=lambda i: _is_plain(columns[i]))
    kept = set(order[:most])
    rest = Counter(one.kind for i, one in enumerate(columns) if i not in kept)
    words = [f"{count:,} more {_plural(kind, count)}" for kind, count in rest.items()]
    return [columns[i] for i in sorted(kept)], "and " + ", ".join(words)


def some_levels(values: Sequence[Any]) -> str:
    """The first levels, and how many more there are.

    Parameters
    ----------
    values
        All levels.

    Returns
    -------
    str
        Twelve of them at most.

    Examples
    --------
    >>> some_levels(range(14))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, and 2 more'
    """
    more = len(values) - LEVELS_SHOWN
    text = ", ".join(map(str, values[:LEVELS_SHOWN]))
    return f"{text}, and {more} more" if more > 0 else text


def how_read(reading: dict[str, Any]) -> dict[str, str]:
    """How the file was read, as pairs of words.

    Parameters
    ----------
    reading
        What `table.json` holds under `reading`; it may be empty.

    Returns
    -------
    dict
        What was found about the file, in words, by the name of it.

    Examples
    --------
    >>> how_read({"format": "csv", "delimiter": "\\t", "decimal": ",", "notes": [], "sheet": None})
    {'Format': 'csv', 'Delimiter': 'tab', 'Decimal': ','}
    """
    names = {"\t": "tab", " ": "space"}
    found = {
        key.capitalize(): names.get(str(value), str(value))
        for key, value in reading.items()
        if value not in (None, "") and key not in NOT_SHOWN
    }
    renamed = reading.get("renamed") or {}
    if renamed:
        found["Renamed"] = ", ".join(f"{old!r} to {new!r}" for new, old in renamed.items())
    return found


def _spelled(column: dict[str, Any]) -> str:
    spelling = column.get("spelling", "")
    if column["kind"] == NUMBER and spelling:
        return f"{spelling}, decimal '{column.get('decimal', '.')}'"
    if column["kind"] == DATE:
        return spelling or "typed"
    return spelling


def _share(missing: int, rows: int) -> str:
    if not missing:
        return ""
    share = 100 * missing / max(rows, 1)
    return f"{share:.0f} %" if share >= 1 else "< 1 %"


def _is_plain(column: Described) -> bool:
    return column.kind == NUMBER and not column.spelled and not column.missing


def _plural(kind: str, count: int) -> str:
    if count != 1:
        return PLURALS.get(kind, counted(count, kind).partition(" ")[2])
    return "category with many levels" if kind == MANY else kind
