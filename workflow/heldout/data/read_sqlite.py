"""Tables of SQLite files, in parts."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from heldout.data.read_names import usable_names
from heldout.data.read_values import typed_column
from heldout.errors import HeldoutError, did_you_mean

Parts = tuple[dict[str, Any], Callable[[int | None], Iterator[pa.Table]]]


def open_sqlite(path: Path, sheet: str | None) -> Parts:
    """How a table of an SQLite file is read, and what gives its rows; `sheet` names the table (or view)."""
    try:
        with closing(_connect(path)) as connection:
            table = _table_of(connection, path, sheet)
            cursor = connection.execute(f"SELECT * FROM {_quoted(table)} LIMIT 0")
            names, renamed = usable_names([column[0] for column in cursor.description], str(path))
    except sqlite3.Error as error:
        raise _unreadable(path, error) from None

    def parts(rows: int | None) -> Iterator[pa.Table]:
        try:
            with closing(_connect(path)) as connection:
                cursor = connection.execute(f"SELECT * FROM {_quoted(table)}")
                while chunk := cursor.fetchall() if rows is None else cursor.fetchmany(rows):
                    columns = [typed_column(values) for values in zip(*chunk, strict=True)]
                    yield pa.table(columns, names=names)
        except sqlite3.Error as error:
            raise _unreadable(path, error) from None

    return {"format": "sqlite", "sheet": table, "renamed": renamed}, parts


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)


def _table_of(connection: sqlite3.Connection, path: Path, sheet: str | None) -> str:
    wanted = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    names = [name for (name,) in connection.execute(f"{wanted} ORDER BY name")]
    if sheet is not None:
        if sheet not in names:
            raise HeldoutError(f"sheet: no table '{sheet}' in {path}{did_you_mean(sheet, names)}")
        return sheet
    if len(names) != 1:
        shown = f" ({', '.join(names[:10])}); name one of them by sheet" if names else ""
        raise HeldoutError(f"data: '{path}' has {len(names)} tables{shown}")
    return names[0]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _unreadable(path: Path, error: Exception) -> HeldoutError:
    return HeldoutError(f"data: '{path}' could not be read as SQLite: {error}")
