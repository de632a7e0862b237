"""The delimiter and the header of a text file, found from its first lines.

A delimiter is what divides all of the first lines into the same number of fields. What stands inside quotes does not
count. Where no character does that, the likeliest is taken, and reading fails at the line that disagrees.
"""

import csv
import itertools
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from heldout.data.read_bytes import TextBytes
from heldout.data.read_names import usable_names
from heldout.data.reading import DELIMITER_NAMES
from heldout.errors import HeldoutError

LIKELIEST = ("\t", ";", "|", ",")
"""Delimiters; of two that fit, the one that is rarer in texts and numbers comes first."""
USUAL = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
SAMPLE_BYTES, SAMPLE_LINES = 1 << 18, 30
LARGEST_SAMPLE, LARGEST_LINE = 1 << 21, 1 << 28
LINE_END = re.compile(r"\r\n|\n|\r")
EXCEL_LINE = re.compile(r'^"?sep=(.)"?(\r\n|\n|\r)')
"""What Excel understands as the first line: the delimiter of the file."""


@dataclass(frozen=True)
class Dialect:
    """How a text file is divided into fields.

    Parameters
    ----------
    delimiter
        Between the fields.
    names, renamed
        Of the columns; from names that were made up to those of the file.
    skipped
        Lines before the header.
    line
        The length of the longest of the first lines, in characters.
    notes
        What was doubtful.
    """

    delimiter: str
    names: list[str]
    renamed: dict[str, str]
    skipped: int
    line: int
    notes: tuple[str, ...] = ()


def find_dialect(
    text: TextBytes, ending: str, fixed: str | None, hint: Mapping[str, Any]
) -> Dialect:
    """Find the delimiter and the names of the columns.

    Parameters
    ----------
    text
        The file.
    ending
        Its ending without that of a compression, such as `.csv`.
    fixed
        The delimiter that the config names.
    hint
        What was found in another file of the same kind; it decides where two delimiters fit.

    Returns
    -------
    Dialect
        The delimiter and the names.
    """
    sample, complete = _sample(text)
    skipped = 0
    if excel := EXCEL_LINE.match(sample):
        fixed, skipped, sample = fixed or excel[1], 1, sample[excel.end() :]
    candidates = [fixed] if fixed else list(LIKELIEST)
    lines = _lines(_without_quoted(sample, candidates), complete)
    if not lines or not lines[0].strip():
        raise HeldoutError(f"data: '{text.path}' has no header line")
    delimiter, notes = (fixed, []) if fixed else _delimiter(lines, ending, hint)
    header = _header(sample, delimiter, text)
    if _has_row_names(lines, delimiter):
        header = ["", *header]
    names, renamed = usable_names(header, str(text.path))
    return Dialect(delimiter, names, renamed, skipped, max(map(len, lines)), tuple(notes))


def _sample(text: TextBytes) -> tuple[str, bool]:
    """The first lines, at least two if there are two; whether that is all."""
    content, size = b"", SAMPLE_BYTES
    with text.open() as stream:
        while True:
            piece = stream.read(size)
            content += bytes(piece)
            if not piece:
                break
            ends = content.count(b"\n") + content.count(b"\r")
            if ends > SAMPLE_LINES or (ends > 3 and len(content) > LARGEST_SAMPLE):
                break
            if len(content) > LARGEST_LINE:
                raise HeldoutError(
                    f"data: '{text.path}' has a line of more than {LARGEST_LINE:,} bytes"
                )
            size = len(content)
    return content.decode("utf-8", errors="ignore").removeprefix("\ufeff"), not piece


def _without_quoted(sample: str, candidates: Sequence[str]) -> str:
    """The sample with nothing inside quotes; it ends before a quote that has no end in it."""
    if '"' not in sample:
        return sample
    between = re.escape("".join(candidates))
    quoted = rf'(^|[{between}\r\n])([ ]*)"(?:[^"]++|"")*+"(?=[ ]*(?:[{between}\r\n]|$))'
    emptied = re.sub(quoted, r'\1\2""', sample)
    opened = re.search(rf'(?:^|[{between}\r\n])[ ]*"(?!")[^"]*$', emptied)
    return emptied[: opened.start()] if opened else emptied


def _lines(sample: str, complete: bool) -> list[str]:
    """The lines but the last one, which may be cut; empty ones only before the header."""
    lines = LINE_END.split(sample)
    if not complete and len(lines) > 1:
        lines = lines[:-1]
    return [lines[0], *(line for line in lines[1:] if line.strip())]


def _delimiter(lines: list[str], ending: str, hint: Mapping[str, Any]) -> tuple[str, list[str]]:
    counts = {one: [line.count(one) for line in lines] for one in LIKELIEST}
    fitting = [one for one in LIKELIEST if _fits(counts[one], lines, one)]
    preferred = [hint.get("delimiter"), "\t" if USUAL.get(ending) == "\t" else None]
    if fitting:
        best = max(fitting, key=lambda one: (one in preferred, counts[one][0]))
        return best, [_doubt(best, other) for other in fitting if other != best]
    in_header = [one for one in LIKELIEST if counts[one][0]]
    if in_header:
        return max(in_header, key=lambda one: (_agreement(counts[one]), counts[one][0])), []
    spaces = [line.strip().count(" ") for line in lines]
    if ending != ".csv" and _fits(spaces, lines, " "):
        return " ", []
    return USUAL.get(ending, ","), []


def _fits(counts: list[int], lines: list[str], delimiter: str) -> bool:
    """As many in every line; or one more in all but the header, which has no name for the names of rows."""
    first, others = counts[0], set(counts[1:])
    return first > 0 and (others <= {first} or (others == {first + 1}))


def _agreement(counts: list[int]) -> float:
    return sum(count == counts[0] for count in counts) / len(counts)


def _has_row_names(lines: list[str], delimiter: str) -> bool:
    """Whether all lines have one field more than the header, as R writes them, and not just a last delimiter."""
    counts = [line.count(delimiter) for line in lines]
    more = len(counts) > 1 and counts[0] > 0 and set(counts[1:]) == {counts[0] + 1}
    return more and not all(line.rstrip(" ").endswith(delimiter) for line in lines[1:])


def _doubt(best: str, other: str) -> str:
    one, two = shown(best), shown(other)
    return f"both {one} and {two} divide all lines alike; {one} is taken, else set delimiter"


def shown(delimiter: str) -> str:
    """A delimiter as it is named in messages."""
    return DELIMITER_NAMES.get(delimiter, f"'{delimiter}'")


def _header(sample: str, delimiter: str, text: TextBytes) -> list[str]:
    lines = _split(sample)
    with large_fields():
        try:
            return next(
                csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != " "), []
            )
        except csv.Error as error:
            raise HeldoutError(
                f"data: the header of '{text.path}' cannot be read: {error}"
            ) from None


def _split(sample: str) -> Iterator[str]:
    """Lines with their ends, one after the other."""
    start = 0
    for end in itertools.chain(LINE_END.finditer(sample), [None]):
        stop = end.end() if end else len(sample)
        yield sample[start:stop]
        start = stop


@contextmanager
def large_fields() -> Iterator[None]:
    """Let the csv module read fields of any length."""
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)
