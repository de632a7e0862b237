"""Sheets of workbooks (xlsx), in parts, by openpyxl."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from heldout.data.read_formulas import uncomputed
from heldout.data.read_names import renaming_notes, usable_names
from heldout.data.read_values import typed_column
from heldout.errors import HeldoutError, did_you_mean

Parts = tuple[dict[str, Any], Callable[[int | None], Iterator[pa.Table]]]
ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
ERRORS = frozenset(("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!"))
"""What a cell holds whose formula failed: missing."""


def is_workbook(path: Path) -> bool:
    """Whether a file with the ending of a workbook is one; a text is not, and other formats are refused."""
    with path.open("rb") as file:
        start = file.read(2048)
    if start.startswith(ZIP):
        return True
    if start.startswith(OLE):
        raise HeldoutError(
            f"data: '{path}' is protected by a password, or an old .xls; save it as .xlsx without a password"
        )
    lower = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if lower.startswith((b"<html", b"<!doctype", b"<table", b"<?xml", b"<meta", b"<head")):
        raise HeldoutError(
            f"data: '{path}' is a web page (HTML or XML), not a workbook; save it as .xlsx"
        )
    if path.suffix.lower() != ".xls":
        raise HeldoutError(f"data: '{path}' is no workbook; is it damaged, or of another format?")
    return False


def open_workbook(path: Path, sheet: str | None) -> Parts:
    """How a sheet of a workbook is read, and what gives its rows."""
    with closing(_workbook(path)) as book:
        name, notes = _sheet_of(book, path, sheet)
        header = next(_lines(book[name]), ())
        if not header:
            raise HeldoutError(f"data: sheet '{name}' of '{path}' is empty")
        width = _width(header, book[name])
        with book[name]._get_source() as source:
            notes += _formula_notes(name, uncomputed(source))
    names, renamed = usable_names([*header, *[None] * (width - len(header))][:width], str(path))

    def parts(rows: int | None) -> Iterator[pa.Table]:
        with closing(_workbook(path)) as book:
            lines = islice(_lines(book[name]), 1, None)
            while chunk := list(islice(lines, rows)):
                columns = zip(
                    *((*line[:width], *[None] * (width - len(line))) for line in chunk), strict=True
                )
                yield pa.table([typed_column(column) for column in columns], names=names)

    found = {
        "format": "xlsx",
        "sheet": name,
        "renamed": renamed,
        "notes": [*notes, *renaming_notes(renamed)],
    }
    return found, parts


def _workbook(path: Path) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise HeldoutError(
            f"data: reading '{path}' needs openpyxl; pip install \"heldout[excel]\""
        ) from None
    try:
        return openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise HeldoutError(f"data: '{path}' could not be read as a workbook: {error}") from None


def _sheet_of(book: Any, path: Path, sheet: str | None) -> tuple[str, list[str]]:
    names = [one.title for one in book.worksheets]
    if sheet is not None:
        if sheet not in names:
            raise HeldoutError(f"sheet: no sheet '{sheet}' in {path}{did_you_mean(sheet, names)}")
        return sheet, []
    filled = [name for name in names if next(_lines(book[name]), None)]
    if not filled:
        raise HeldoutError(f"data: every sheet of '{path}' is empty")
    if len(filled) == 1:
        return filled[0], []
    others = ", ".join(f"'{name}'" for name in filled[1:6])
    return filled[0], [f"sheet '{filled[0]}' is read, and not {others}; else set sheet"]


def _formula_notes(sheet: str, count: int) -> list[str]:
    if not count:
        return []
    formulas = "1 formula" if count == 1 else f"{count:,} formulas"
    return [
        f"sheet '{sheet}' has {formulas} without a stored result, which counts as missing: open the "
        "file in a spreadsheet program and save it"
    ]


def _lines(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """The rows that are not empty; cells with an error are."""
    sheet.reset_dimensions()
    for row in sheet.iter_rows(values_only=True):
        values = tuple(None if value in ERRORS else value for value in row)
        if any(value is not None for value in values):
            yield values


def _width(header: tuple[Any, ...], sheet: Any) -> int:
    """The columns up to the last one that has a name or a value in any row."""
    named = max(i for i, name in enumerate(header, 1) if name is not None)
    longest = max(
        (i for row in _lines(sheet) for i, value in enumerate(row, 1) if value is not None),
        default=named,
    )
    return max(named, longest)
