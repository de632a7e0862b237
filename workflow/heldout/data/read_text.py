"""Text files as batches of trimmed texts: parsed by pyarrow, or line by line where fields are ragged."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa

from heldout.data.number_texts import number_evidence
from heldout.data.read_bytes import PIECE, TextBytes, damage_explained
from heldout.data.read_dialect import Dialect, large_fields, shown
from heldout.data.read_values import trimmed
from heldout.data.stacking import is_text, on_columns, stacked
from heldout.errors import HeldoutError

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
    """

    text: TextBytes
    dialect: Dialect

    def parts(self) -> Iterator[pa.Table]:
        """The rows, as texts without spaces around them, and nulls where one of the usual texts means missing."""
        with damage_explained(self.text.path, self.text.compression):
            for part in self._rows_of_lines():
                yield on_columns(part, is_text, trimmed)

    def _rows_of_lines(self) -> Iterator[pa.Table]:
        """By pyarrow; from a line on that has too many or too few fields, line by line."""
        done = 0
        try:
            for part in self._parsed():
                done += part.num_rows
                yield part
        except RaggedError:
            for part in self._line_by_line():
                if done < part.num_rows:
                    yield part.slice(done)
                done = max(done - part.num_rows, 0)

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
            last = None
            for batch in reader:
                if bad:
                    raise RaggedError
                if batch.num_rows:
                    last = batch
                    yield pa.Table.from_batches([batch])
        except pa.ArrowInvalid as error:
            if bad or "Empty CSV" in str(error):
                raise RaggedError from None
            raise HeldoutError(f"data: '{self.text.path}' could not be read: {error}") from None
        if bad:
            raise RaggedError
        if last is not None:
            self._check_last(last.column(len(names) - 1)[-1].as_py())

    def _check_last(self, field: str) -> None:
        """A quote that is opened and never closed makes all that follows one field."""
        if "\n" not in field and "\r" not in field:
            return
        tail = b""
        with self.text.open() as stream:
            while piece := bytes(stream.read(PIECE)):
                tail = (tail + piece)[-64:]
        if not tail.rstrip().endswith(b'"'):
            raise HeldoutError(
                f"data: '{self.text.path}' has a quote that is never closed, before {field[:30]!r}"
            )

    def _line_by_line(self) -> Iterator[pa.Table]:
        encoding = "utf-8-sig" if self.text.encoding == "utf-8" else self.text.encoding
        with large_fields(), self.text.raw() as stream:
            lines = io.TextIOWrapper(stream, encoding=encoding, newline="")
            reader = csv.reader(lines, delimiter=self.dialect.delimiter, skipinitialspace=True)
            rows = self._rows(reader)
            chunk: list[list[str]] = []
            while following := list(islice(rows, ROWS_BY_LINE)):
                chunk = following
                columns = [pa.array(column, pa.string()) for column in zip(*chunk, strict=True)]
                yield pa.table(columns, names=self.dialect.names)
        if chunk:
            self._check_last(chunk[-1][-1])

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


def evidence_of(table: pa.Table, before: dict[str, str]) -> dict[str, str]:
    """What the texts of a table say about the marks of numbers, besides what is known before."""
    found = dict(before)
    for batch in table.to_batches():
        for _, texts in stacked(batch, is_text):
            found = number_evidence(texts, known=found) | found
    return found
