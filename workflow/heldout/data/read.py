"""Reading tables as columns: text files, parquet, feather, workbooks, SQLite and scikit-learn's data sets.

Text formats are read as text, so that types can be inferred from the unsealed rows alone. How a file is to be read
is found from all of it, and is said: `heldout.data.reading.found_reading`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from heldout.data.number_texts import number_marks
from heldout.data.read_bytes import COMPRESSIONS
from heldout.data.read_text import evidence_of
from heldout.data.read_values import as_texts, mixed_columns, refined
from heldout.data.reading import Reading, found_reading, with_found
from heldout.errors import HeldoutError

SKLEARN = "sklearn:"
KNOWN = ".csv, .tsv, .txt (also .gz, .zst, .xz, .bz2, .zip), .xlsx, .parquet, .feather, .sqlite, sklearn:NAME"
OPENERS = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), "text"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "feather"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls"), "workbook"),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), "sqlite"),
}
"""The kinds of files, by their endings."""


@dataclass(frozen=True)
class Source:
    """A file that can be read in parts.

    Parameters
    ----------
    found
        How it is read.
    parts
        Gives the rows in parts of about so many rows, or, for None, of whatever size is fastest.
    """

    found: dict[str, Any]
    parts: Callable[[int | None], Iterator[pa.Table]]


def read_table(
    source: str, reading: Reading | None = None, hint: Mapping[str, Any] | None = None
) -> pa.Table:
    """Read the table behind a config's `data`.

    Parameters
    ----------
    source
        The path of a file, or `sklearn:NAME`.
    reading
        What the config fixes; the rest is found out.
    hint
        What was found in another table of the same kind; it decides in doubt.

    Returns
    -------
    pyarrow.Table
        The columns, with nulls where values are missing. Columns of text formats are texts; numbers among
        them have decimal points, and no marks of thousands. `found_reading` says how it was read.

    Examples
    --------
    >>> read_table("sklearn:wine").num_rows
    178
    """
    reading = reading or Reading()
    return refined(read_raw(source, reading, hint), reading)


def read_raw(
    source: str, reading: Reading | None = None, hint: Mapping[str, Any] | None = None
) -> pa.Table:
    """Read a table as `read_table` does, with numbers as they are spelled in the file, and without `missing`.

    Parameters
    ----------
    source, reading, hint
        As for `read_table`.

    Returns
    -------
    pyarrow.Table
        What `heldout.data.read_values.refined` takes.

    Examples
    --------
    >>> read_raw("sklearn:iris").column_names[-1]
    'target'
    """
    if source.startswith(SKLEARN):
        from heldout.data.read_sklearn import read_sklearn

        return with_found(read_sklearn(source.removeprefix(SKLEARN)), {"format": "sklearn"})
    reading = reading or Reading()
    file = _open(source, reading, hint or {}, whole=True)
    parts = list(file.parts(None))
    if not sum(part.num_rows for part in parts):
        raise _no_rows(source, file.found)
    table = pa.concat_tables(parts, promote_options="default")
    found = _with_marks(file.found, evidence_of(table, {}), reading, hint or {})
    return with_found(table.combine_chunks() if len(parts) > 1 else table, found)


def as_read(table: pa.Table, reading: Reading, hint: Mapping[str, Any] | None = None) -> pa.Table:
    """Rows in memory as if they had been read from a typed file; what was read before stays as it is.

    Parameters
    ----------
    table, reading, hint
        The rows; the others as for `read_table`.

    Returns
    -------
    pyarrow.Table
        The rows, with what was found in their metadata.

    Examples
    --------
    >>> as_read(pa.table({"x": ["1.234,5", "?"]}), Reading(missing=["?"])).to_pydict()
    {'x': ['1234.5', None]}
    """
    return table if found_reading(table) else refined(raw_of(table, reading, hint), reading)


def raw_of(table: pa.Table, reading: Reading, hint: Mapping[str, Any] | None = None) -> pa.Table:
    """Rows in memory as `read_raw` would give them, had they been read from a typed file.

    Parameters
    ----------
    table, reading, hint
        The rows; the others as for `read_table`.

    Returns
    -------
    pyarrow.Table
        The same rows; texts among them are as they were.

    Examples
    --------
    >>> found_reading(raw_of(pa.table({"x": ["1.234,5", "?"]}), Reading()))["decimal"]
    ','
    """
    return with_found(table, _with_marks({}, evidence_of(table, {}), reading, hint or {}))


def read_chunks(
    source: str, reading: Reading, rows: int, hint: Mapping[str, Any] | None = None
) -> Iterator[pa.Table]:
    """Read a table in parts, in little memory however large it is.

    The file is read twice: how it is to be read is found from all of it, as `read_table` does.

    Parameters
    ----------
    source, reading, hint
        As for `read_table`.
    rows
        The number of rows of a part; the last one may have fewer.

    Returns
    -------
    iterator of pyarrow.Table
        The parts, in order.

    Examples
    --------
    >>> [part.num_rows for part in read_chunks("sklearn:iris", Reading(), 80)]
    [80, 70]
    """
    if source.startswith(SKLEARN):
        table = read_table(source, reading)
        yield from (table.slice(start, rows) for start in range(0, table.num_rows, rows))
        return
    file = _open(source, reading, hint or {}, whole=False)
    evidence, seen, types = dict[str, str](), 0, set[pa.Schema]()
    for part in file.parts(rows):
        evidence, seen = evidence_of(part, evidence), seen + part.num_rows
        types.add(part.schema.remove_metadata())
    if not seen:
        raise _no_rows(source, file.found)
    found = _with_marks(file.found, evidence, reading, hint or {})
    mixed = mixed_columns(types)
    for part in _cut((as_texts(part, mixed) for part in file.parts(rows)), rows):
        yield refined(with_found(part, found), reading)


def _cut(parts: Iterator[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Parts of so many rows each, from smaller and larger ones."""
    waiting: list[pa.Table] = []
    for part in parts:
        waiting.append(part)
        while sum(one.num_rows for one in waiting) >= rows:
            whole = pa.concat_tables(waiting, promote_options="permissive")
            yield whole.slice(0, rows).combine_chunks()
            waiting = [whole.slice(rows)] if whole.num_rows > rows else []
    if sum(one.num_rows for one in waiting):
        yield pa.concat_tables(waiting, promote_options="permissive").combine_chunks()


def _open(source: str, reading: Reading, hint: Mapping[str, Any], whole: bool) -> Source:
    path = Path(source)
    if path.is_dir():
        raise HeldoutError(f"data: '{source}' is a folder; name a file in it")
    if not path.is_file():
        raise HeldoutError(f"data: no file at '{source}' (looked in {Path.cwd().name}/)")
    if path.stat().st_size == 0:
        raise HeldoutError(f"data: '{source}' is empty")
    ending = ending_of(path)
    kind = OPENERS.get(ending)
    if kind == "parquet" or kind == "feather":
        from heldout.data.read_arrow import open_feather, open_parquet

        return Source(*(open_parquet if kind == "parquet" else open_feather)(path))
    if kind == "sqlite":
        from heldout.data.read_sqlite import open_sqlite

        return Source(*open_sqlite(path, reading.sheet))
    if kind == "workbook":
        from heldout.data.read_workbook import is_workbook, open_workbook

        if is_workbook(path):
            return Source(*open_workbook(path, reading.sheet))
        kind = "text"
    if kind == "text":
        return _open_text(path, ending, reading, hint, whole)
    raise HeldoutError(f"data: '{source}' has an unknown ending; known: {KNOWN}")


def ending_of(path: Path) -> str:
    """The ending of a file without that of a compression; a zip file is taken for csv unless its name says more."""
    ending = path.suffix.lower()
    if ending not in COMPRESSIONS:
        return ending
    return Path(path.stem).suffix.lower() or (".csv" if ending == ".zip" else "")


def has_sheets(path: Path) -> bool:
    """Whether the key `sheet` means something for a file of this ending."""
    return OPENERS.get(ending_of(path)) in ("workbook", "sqlite")


def _open_text(
    path: Path, ending: str, reading: Reading, hint: Mapping[str, Any], whole: bool
) -> Source:
    from heldout.data.read_bytes import text_bytes
    from heldout.data.read_dialect import find_dialect
    from heldout.data.read_names import renaming_notes
    from heldout.data.read_text import TextTable

    if reading.sheet is not None:
        raise HeldoutError(f"sheet: '{path}' is a text file, which has no sheets")
    text = text_bytes(path, reading, whole, hint.get("encoding"))
    dialect = find_dialect(text, ending, reading.delimiter, hint)
    found = {
        "format": ending.removeprefix("."),
        "delimiter": dialect.delimiter,
        "encoding": text.encoding,
        "compression": text.compression,
        "renamed": dialect.renamed,
        "notes": [*dialect.notes, *renaming_notes(dialect.renamed)],
    }
    table = TextTable(text, dialect)
    return Source(found, lambda rows: table.parts())


def _with_marks(
    found: dict[str, Any], evidence: dict[str, str], reading: Reading, hint: Mapping[str, Any]
) -> dict[str, Any]:
    """What was found, and the marks of numbers."""
    fixed = reading.fixed()
    decimal, thousands, notes = number_marks(evidence, found.get("delimiter"), fixed, hint)
    marks = {"decimal": decimal, "thousands": thousands}
    known = {key: value for key, value in found.items() if value not in (None, {}, [])}
    return known | marks | {"notes": [*found.get("notes", []), *notes]}


def _no_rows(source: str, found: dict[str, Any]) -> HeldoutError:
    text = "delimiter" in found
    return HeldoutError(f"data: '{source}' has {'a header and ' if text else ''}no rows")
