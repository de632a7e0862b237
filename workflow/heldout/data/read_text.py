"""Text files as batches of trimmed texts: parsed by pyarrow, or line by line where fields are ragged."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.number_texts import number_evidence, point_evidence
from heldout.data.read_bytes import TextBytes, damage_explained
from heldout.data.read_dialect import Dialect, large_fields, shown
from heldout.data.stacking import is_text, on_columns
from heldout.errors import HeldoutError

MISSING = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "#N/A", "<NA>", "null", "NULL", "None",
)  # fmt: skip
"""Texts that mean missing: most of those that pandas takes for missing."""
BLOCK, LARGEST_BLOCK, LINES_OF_A_BLOCK = 1 << 20, 1 << 28, 256
ROWS_BY_LINE = 10_000
"""Rows of a batch that is read line by line."""


class RaggedError(Exception):
    """A line has another number of fields than the header."""


@dataclass(frozen=True)
class TextTable:
    """A text file whose dialect is known.

    Parameters
    ----------
    text
        Its bytes.
    dialect
        The delimiter and the names of the columns.
    ragged
        Whether some lines end in more delimiters than the header, so that it is read line by line.
    """

    text: TextBytes
    dialect: Dialect
    ragged: bool = False

    def settled(self) -> "TextTable":
        """The same file, read line by line if it must be; that is found out by reading it."""
        try:
            for _ in self.batches():
                pass
        except RaggedError:
            return replace(self, ragged=True)
        return self

    def batches(self) -> Iterator[pa.Table]:
        """The rows, as texts without spaces around them, and nulls where one of the usual texts means missing."""
        with damage_explained(self.text.path, self.text.compression):
            parts = self._line_by_line() if self.ragged else self._parsed()
            for part in parts:
                yield on_columns(part, is_text, _cleaned)

    def _parsed(self) -> Iterator[pa.Table]:
        from pyarrow import csv as arrow_csv

        bad: list[Any] = []
        names = self.dialect.names

        def skip(row: Any) -> str:
            bad.append(row)
            return "skip"

        block = min(max(BLOCK, LINES_OF_A_BLOCK * self.dialect.line), LARGEST_BLOCK)
        try:
            reader = arrow_csv.open_csv(
                self.text.open(),
                read_options=arrow_csv.ReadOptions(
                    use_threads=False,
                    block_size=block,
                    column_names=names,
                    skip_rows=self.dialect.skipped,
                    skip_rows_after_names=1,
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=self.dialect.delimiter,
                    newlines_in_values=True,
                    ignore_empty_lines=len(names) > 1,
                    invalid_row_handler=skip,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types={name: pa.string() for name in names}, strings_can_be_null=False
                ),
            )
            for batch in reader:
                if bad:
                    raise RaggedError
                if batch.num_rows:
                    yield pa.Table.from_batches([batch])
        except pa.ArrowInvalid as error:
            if bad or "Empty CSV" in str(error):
                raise RaggedError from None
            raise HeldoutError(f"data: '{self.text.path}' could not be read: {error}") from None
        if bad:
            raise RaggedError

    def _line_by_line(self) -> Iterator[pa.Table]:
        encoding = "utf-8-sig" if self.text.encoding == "utf-8" else self.text.encoding
        with large_fields(), self.text.raw() as stream:
            lines = io.TextIOWrapper(stream, encoding=encoding, newline="")
            reader = csv.reader(lines, delimiter=self.dialect.delimiter, skipinitialspace=True, strict=True)
            rows = self._rows(reader)
            while chunk := [row for row, _ in zip(rows, range(ROWS_BY_LINE), strict=False)]:
                columns = [pa.array(column, pa.string()) for column in zip(*chunk, strict=True)]
                yield pa.table(columns, names=self.dialect.names)

    def _rows(self, reader: Any) -> Iterator[list[str]]:
        """The rows after the header, each with as many fields as there are names."""
        width, line = len(self.dialect.names), 0
        for number in range(10**18):
            try:
                row = next(reader, None)
            except csv.Error as error:
                raise HeldoutError(
                    f"data: line {line + 1} of '{self.text.path}' cannot be read: {error}; "
                    "is a quote missing?"
                ) from None
            if row is None:
                return
            first, line = line + 1, reader.line_num
            if number <= self.dialect.skipped or (not row and width > 1):
                continue
            if len(row) < width or any(field.strip() for field in row[width:]):
                raise self._disagreement(first, len(row))
            yield row[:width]

    def _disagreement(self, line: int, fields: int) -> HeldoutError:
        delimiter = shown(self.dialect.delimiter)
        return HeldoutError(
            f"data: line {line} of '{self.text.path}' has {fields} fields where there are "
            f"{len(self.dialect.names)} columns, divided by {delimiter}; mend the line, or, if another "
            "character divides the fields, set delimiter"
        )


def _cleaned(texts: pa.Array) -> pa.Array:
    trimmed = pc.utf8_trim_whitespace(texts)
    absent = pc.is_in(trimmed, pa.array(MISSING, pa.string()))
    return pc.if_else(absent, pa.scalar(None, pa.string()), trimmed)


def evidence_of(table: pa.Table, before: dict[str, str]) -> dict[str, str]:
    """What the texts of a table say about the marks of numbers, besides what is known before."""
    found = dict(before)
    columns = [i for i, field in enumerate(table.schema) if is_text(field.type)]
    texts = table.select(columns)
    for gather in (number_evidence, point_evidence):
        on_columns(texts, is_text, lambda long, gather=gather: _gathered(found, gather(long), long))
        if not found:
            break
    return found


def _gathered(found: dict[str, str], new: dict[str, str], texts: pa.Array) -> pa.Array:
    for kind, example in new.items():
        found.setdefault(kind, example)
    return texts
