"""Notes on columns: what was guessed about them, and what to do if the guess is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

MOST = 5
"""Notes of one sort that are said one by one."""
NAMED = 10
"""Further columns that are named."""


@dataclass(frozen=True)
class Note:
    """A note: its sort, the column that it is about, and what follows `column 'x'`."""

    sort: str
    column: str
    text: str

    def __str__(self) -> str:
        return f"column {self.column!r} {self.text}"


def worded(notes: Sequence[Note]) -> list[str]:
    """The notes as sentences; of many of one sort the first ones, and the names of the others.

    Examples
    --------
    >>> notes = [Note("empty", f"x{i}", "is empty and not used") for i in range(8)]
    >>> worded(notes)[-1]
    "the same of 3 more columns: 'x5', 'x6', 'x7'"
    """
    by_sort: dict[str, list[Note]] = {}
    for note in notes:
        by_sort.setdefault(note.sort, []).append(note)
    return [line for same in by_sort.values() for line in _lines(same)]


def _lines(same: Sequence[Note]) -> list[str]:
    rest = same[MOST:]
    if not rest:
        return [str(note) for note in same]
    names = ", ".join(f"'{note.column}'" for note in rest[:NAMED])
    more = ", …" if len(rest) > NAMED else ""
    columns = "column" if len(rest) == 1 else "columns"
    return [*map(str, same[:MOST]), f"the same of {len(rest)} more {columns}: {names}{more}"]
