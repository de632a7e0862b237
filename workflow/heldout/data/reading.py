"""How a table is read: what the config fixes, what was found in the file, and words for it.

Standard library only: the workflow imports this while it is parsed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

FOUND = b"heldout"
"""The key of a pyarrow schema's metadata under which lies what was found."""
DELIMITER_NAMES = {"\t": "tab", " ": "space"}
THOUSANDS_NAMES = {" ": "spaces", "'": "apostrophes", ",": "commas", ".": "points"}


@dataclass(frozen=True)
class Reading:
    """What the config says about reading a table; None is found out from the file.

    Parameters
    ----------
    delimiter
        The character between fields of a text file.
    decimal
        The decimal mark, a point or a comma.
    thousands
        The mark between groups of three digits: `,`, `.`, a space or an apostrophe; an empty text: none.
    encoding
        A name that Python knows, such as `cp1252`.
    sheet
        The sheet of a workbook, or the table of an SQLite file.
    missing
        Texts that mean missing, besides the usual ones.

    Examples
    --------
    >>> Reading(decimal=",", missing=["?"]).fixed()
    {'decimal': ','}
    """

    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    missing: Sequence[str] = ()

    def fixed(self) -> dict[str, str]:
        """The keys of the dialect that are given."""
        keys = ("delimiter", "decimal", "thousands", "encoding", "sheet")
        return {key: getattr(self, key) for key in keys if getattr(self, key) is not None}


def found_reading(table: Any) -> dict[str, Any]:
    """Say how a table was read.

    Parameters
    ----------
    table
        A pyarrow Table, as `heldout.data.read.read_table` returned it, or rows of it.

    Returns
    -------
    dict
        JSON-ready: `format` and, where they have a meaning, `delimiter`, `decimal`, `thousands`,
        `encoding`, `compression` and `sheet`; `renamed`, from the new names of columns to those of
        the file; and `notes` for the user. Empty for tables that were not read from a file.

    Examples
    --------
    >>> from heldout.data.read import read_table
    >>> found_reading(read_table("sklearn:iris"))["format"]
    'sklearn'
    """
    stored = (table.schema.metadata or {}).get(FOUND)
    return json.loads(stored) if stored else {}


def with_found(table: Any, found: dict[str, Any]) -> Any:
    """The table with what was found in its metadata."""
    return table.replace_schema_metadata({FOUND: json.dumps(found)})


def in_words(found: dict[str, Any], rows: int, columns: int) -> str:
    """Say in one line how a table was read.

    Parameters
    ----------
    found
        What `found_reading` returned.
    rows, columns
        The size of the table.

    Returns
    -------
    str
        The format, the dialect and the size.

    Examples
    --------
    >>> in_words({"format": "csv", "delimiter": ";", "decimal": ",", "encoding": "latin-1"}, 1204, 17)
    "csv, delimiter ';', decimal comma, latin-1, 1,204 rows × 17 columns"
    """
    parts = [found.get("format", "table")]
    if found.get("compression"):
        parts.append(f"{found['compression']}-compressed")
    if found.get("sheet"):
        parts.append(f"sheet '{found['sheet']}'")
    if found.get("delimiter"):
        sign = found["delimiter"]
        parts.append(f"delimiter {DELIMITER_NAMES.get(sign, repr(sign))}")
    if found.get("decimal") == ",":
        parts.append("decimal comma")
    if found.get("thousands"):
        parts.append(f"thousands with {THOUSANDS_NAMES[found['thousands']]}")
    if found.get("encoding"):
        parts.append(found["encoding"])
    return ", ".join([*parts, f"{rows:,} rows × {columns:,} columns"])
