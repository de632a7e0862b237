"""Names of columns: each has one, and no two the same."""

from collections.abc import Sequence
from typing import Any

from heldout.errors import HeldoutError


def usable_names(
    given: Sequence[Any], source: str, trim: bool = True
) -> tuple[list[str], dict[str, str]]:
    """Give every column a name of its own.

    Parameters
    ----------
    given
        The names in the file.
    source
        The file, for the message.
    trim
        Whether spaces around a name are none of it.

    Returns
    -------
    names
        A name that stands there again gets a number, as pandas does it, and a column without a
        name is called by its place.
    renamed
        From new names to those of the file.

    Raises
    ------
    HeldoutError
        If no column has a name.

    Examples
    --------
    >>> usable_names(["", "x", " x", "y"], "t.csv")
    (['column_1', 'x', 'x.1', 'y'], {'column_1': '', 'x.1': 'x'})
    """
    stripped = ["" if name is None else str(name).strip() if trim else str(name) for name in given]
    if not any(stripped):
        raise HeldoutError(f"data: '{source}' has no header line")
    taken, counts = set(stripped), dict[str, int]()
    names: list[str] = []
    renamed = {}
    for place, name in enumerate(stripped, 1):
        seen = counts.get(name, 0)
        counts[name] = seen + 1
        if name and not seen:
            names.append(name)
            continue
        new = _free(name or f"column_{place}", seen if name else 0, taken)
        taken.add(new)
        renamed[new] = name
        names.append(new)
    return names, renamed


def _free(name: str, number: int, taken: set[str]) -> str:
    """The name with the first number that makes it another one."""
    while True:
        candidate = f"{name}.{number}" if number else name
        if candidate not in taken:
            return candidate
        number += 1


def renaming_notes(renamed: dict[str, str]) -> list[str]:
    """What the user should know of the new names."""
    twice = [
        f"'{old}' stands twice: the second is called '{new}'" for new, old in renamed.items() if old
    ]
    unnamed = [new for new, old in renamed.items() if not old]
    notes = [f"column {note}" for note in twice[:5]]
    if len(twice) > 5:
        notes.append(f"{len(twice) - 5} more columns have a name that stood there before")
    if unnamed:
        shown = ", ".join(f"'{name}'" for name in unnamed[:5]) + (", …" if len(unnamed) > 5 else "")
        notes.append(
            f"{len(unnamed)} columns without a name: {shown}"
            if len(unnamed) > 1
            else f"the column without a name is called {shown}"
        )
    return notes
