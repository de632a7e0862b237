"""Texts that are numbers: which decimal mark and which mark of thousands a table has.

The evidence is gathered from all texts that look like numbers, with or without a currency or a percent
sign. What a number with a comma and three digits after it means follows from the others, or else is said.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

SPACES = r"[ \x{a0}\x{202f}\x{2009}]"
MARKS = {",": ",", ".": r"\.", " ": SPACES, "'": "['’]"}
"""The marks of thousands, as parts of a regular expression (RE2)."""
EXPONENT = r"(?:[eE][-+]?\d+)?"
LEAD = r"[1-9]\d{0,2}"
SUSPECT = r"(?:^[-+]?|\d)(?:,|['’ \x{a0}\x{202f}\x{2009}])\d|\.\d{3}\.\d"
"""Without one of these, numbers have at most a decimal point."""
SIGN = r"(?:[$€£¥₹₽]|[A-Z]{3}|Fr\.|kr|zł|R\$)?"
CORE = (
    rf"^[-+(]?\s*{SIGN}\s*[-+]?(?P<core>\d*(?:[.,'’ \x{{a0}}\x{{202f}}\x{{2009}}]\d+)*{EXPONENT})"
    rf"\s*(?:%|{SIGN})\s*\)?$"
)
BEFORE, AFTER = rf"^[-+(]?\s*{SIGN}\s*[-+]?", rf"{EXPONENT}\s*(?:%|{SIGN})\s*\)?$"
SHORT_OR_LONG = r"(?:\d{1,2}|\d{4,})"
NOT_LEADING = r"(?:0\d*|\d{4,})?"
KINDS = {
    "3,5": rf"(?:\d*,{SHORT_OR_LONG}|{NOT_LEADING},\d{{3}}){EXPONENT}",
    "1.234,5": rf"{LEAD}(?:\.\d{{3}})+,\d+",
    "1,234.5": rf"{LEAD}(?:,\d{{3}})+\.\d+",
    "1,234,567": rf"{LEAD}(?:,\d{{3}}){{2,}}",
    "1.234.567": rf"{LEAD}(?:\.\d{{3}}){{2,}}",
    "1 234": rf"{LEAD}(?:{SPACES}\d{{3}})+",
    "1 234,5": rf"{LEAD}(?:{SPACES}\d{{3}})+,\d+",
    "1 234.5": rf"{LEAD}(?:{SPACES}\d{{3}})+\.\d+",
    "1'234": rf"{LEAD}(?:['’]\d{{3}})+",
    "1'234,5": rf"{LEAD}(?:['’]\d{{3}})+,\d+",
    "1'234.5": rf"{LEAD}(?:['’]\d{{3}})+\.\d+",
    "1,234": rf"{LEAD},\d{{3}}",
}
"""Ways of writing a number, named by an example, as regular expressions."""
POINTS = {
    "3.5": rf"{BEFORE}(?:\d*\.{SHORT_OR_LONG}|{NOT_LEADING}\.\d{{3}}){AFTER}",
    "1.234": rf"{BEFORE}{LEAD}\.\d{{3}}{AFTER}",
}
COMMA_VOTES = ("3,5", "1.234,5", "1 234,5", "1'234,5")
POINT_VOTES = ("3.5", "1,234.5", "1 234.5", "1'234.5")
GROUPED = {
    ",": ("1,234.5", "1,234,567"),
    ".": ("1.234,5", "1.234.567"),
    " ": ("1 234", "1 234,5", "1 234.5"),
    "'": ("1'234", "1'234,5", "1'234.5"),
}
"""What shows a mark of thousands."""


def plain_numbers(texts: pa.Array, decimal: str, thousands: str | None) -> pa.Array:
    """Write numbers plainly: a decimal point, and no marks of thousands.

    Parameters
    ----------
    texts
        Trimmed texts; nulls stay.
    decimal
        The decimal mark of the numbers, a point or a comma.
    thousands
        Their mark of thousands; a space means the unbreakable ones too, None (or an empty text): there is none.

    Returns
    -------
    pyarrow.Array
        The texts; what is no number with these marks stays as it is.

    Examples
    --------
    >>> plain_numbers(pa.array(["1.234,5", "-3,5", "3.14", "1,2,3"]), ",", ".").to_pylist()
    ['1234.5', '-3.5', '3.14', '1,2,3']
    >>> plain_numbers(pa.array(["1 234", "12 34"]), ".", " ").to_pylist()
    ['1234', '12 34']
    """
    if decimal == "." and not thousands:
        return texts
    mark = MARKS[thousands] if thousands else None
    point = MARKS[decimal]
    whole = rf"(?:{LEAD}(?:{mark}\d{{3}})+|\d+)" if mark else r"\d+"
    number = rf"^[-+]?(?:{whole}(?:{point}\d*)?|{point}\d+){EXPONENT}$"
    if decimal == ".":
        number = rf"^[-+]?{LEAD}(?:{mark}\d{{3}})+(?:\.\d*)?{EXPONENT}$"
    other = pc.match_substring_regex(texts, mark or point)  # quick, and mostly nowhere
    if mark and decimal == ",":
        other = pc.or_(other, pc.match_substring(texts, ","))
    if not pc.any(other).as_py():
        return texts
    found = pc.fill_null(pc.and_(other, pc.match_substring_regex(texts, number)), False)
    plain = texts.filter(found)
    if mark:
        plain = pc.replace_substring_regex(plain, mark, "")
    if decimal == ",":
        plain = pc.replace_substring(plain, ",", ".")
    return pc.replace_with_mask(texts, found, plain)


def number_evidence(texts: pa.Array, known: Iterable[str] = ()) -> dict[str, str]:
    """Gather how numbers are written.

    Parameters
    ----------
    texts
        Trimmed texts, of many columns.
    known
        Ways of writing that need not be looked for.

    Returns
    -------
    dict
        For each other way of writing that occurs, and that says something about the marks, an example.

    Examples
    --------
    >>> number_evidence(pa.array(["1.234,50 €", "x", "2", "3.25"]))
    {'1.234,5': '1.234,50', '3.5': '3.25'}
    """
    found: dict[str, str] = {}
    for part in _growing(texts):
        seen = {*known, *found}
        found |= _other_marks(part, seen)
        for kind in POINTS.keys() - seen:
            _note_example(found, kind, part, POINTS[kind])
    return {kind: found[kind] for kind in (*KINDS, *POINTS) if kind in found}


def _growing(texts: pa.Array) -> Iterator[pa.Array]:
    """Parts, the first ones small: what is common is found there, and not looked for again."""
    start, size = 0, 1000
    while start < len(texts):
        yield texts.slice(start, size)
        start, size = start + size, size * 16


def _other_marks(texts: pa.Array, seen: set[str]) -> dict[str, str]:
    """Ways of writing with more than a decimal point that were not seen before."""
    rest = _matching(texts, SUSPECT)
    old = "|".join(KINDS[kind] for kind in KINDS if kind in seen)
    if len(rest) and old:
        rest = rest.filter(pc.invert(pc.match_substring_regex(rest, f"^[-+]?(?:{old})$")))
    found: dict[str, str] = {}
    if len(rest):
        cores = pc.struct_field(pc.extract_regex(rest, CORE), "core").drop_null()
        for kind in KINDS.keys() - seen:
            _note_example(found, kind, cores, f"^(?:{KINDS[kind]})$")
    return found


def _matching(texts: pa.Array, pattern: str) -> pa.Array:
    return texts.filter(pc.fill_null(pc.match_substring_regex(texts, pattern), False))


def _note_example(found: dict[str, str], kind: str, texts: pa.Array, pattern: str) -> None:
    match = pc.fill_null(pc.match_substring_regex(texts, pattern), False)
    place = pc.index(match, True).as_py()
    if place >= 0:
        found[kind] = texts[place].as_py()


def number_marks(
    evidence: Mapping[str, str],
    delimiter: str | None,
    fixed: Mapping[str, str],
    hint: Mapping[str, Any],
) -> tuple[str, str | None, list[str]]:
    """Decide on the marks of a file's numbers.

    Parameters
    ----------
    evidence
        What `number_evidence` found.
    delimiter
        The delimiter of a text file: where it is a semicolon, a comma in a number is a decimal comma in doubt.
    fixed
        What the config says: `decimal`, `thousands`.
    hint
        What was found in another file of the same kind; it decides in doubt.

    Returns
    -------
    decimal, thousands, notes
        The marks, and what was doubtful; no value of the file, which may be sealed, is named.

    Examples
    --------
    >>> number_marks({"3,5": "3,5", "1.234": "1.234"}, ";", {}, {})[:2]
    (',', '.')
    >>> number_marks({"3.5": "3.5", "1,234": "1,234"}, ";", {}, {})
    ('.', ',', [])
    """
    decimal, notes = _decimal(evidence, delimiter, fixed, hint)
    if "thousands" in fixed:
        return decimal, fixed["thousands"] or None, notes
    marks = [
        m for m, kinds in GROUPED.items() if m != decimal and any(k in evidence for k in kinds)
    ]
    if marks:
        return decimal, marks[0], notes
    if decimal == "," and "1.234" in evidence and not _any(evidence, POINT_VOTES):
        if hint.get("decimal") == ",":
            return decimal, hint.get("thousands"), notes
        note = "numbers such as 1.234 are read as 1234: others have decimal commas; else set thousands: ''"
        return decimal, ".", [*notes, note]
    if decimal == "." and "1,234" in evidence:
        return decimal, ",", notes
    return decimal, None, notes


def _decimal(
    evidence: Mapping[str, str],
    delimiter: str | None,
    fixed: Mapping[str, str],
    hint: Mapping[str, Any],
) -> tuple[str, list[str]]:
    if "decimal" in fixed:
        return fixed["decimal"], []
    if "thousands" in fixed and fixed["thousands"] in (",", "."):
        return {",": ".", ".": ","}[fixed["thousands"]], []
    commas, points = _any(evidence, COMMA_VOTES), _any(evidence, POINT_VOTES)
    if commas and points:
        decimal = "," if delimiter == ";" else "."
        what = "each is read as written" if decimal == "," else "the former stay texts"
        return decimal, [
            f"numbers have decimal commas (such as {commas}) and decimal points (such as {points}): {what}; "
            "set decimal if that is wrong"
        ]
    if commas or points:
        return ("," if commas else "."), []
    if "1,234" in evidence:
        return _in_doubt(delimiter, hint)
    if "1.234" in evidence and hint.get("thousands") == ".":
        return hint["decimal"], []
    return ("," if "1.234.567" in evidence else "."), []


def _in_doubt(delimiter: str | None, hint: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Only commas with three digits after them: decimal commas or thousands?"""
    if hint.get("decimal") == "," or hint.get("thousands") == ",":
        return hint["decimal"], []
    decimal = "," if delimiter == ";" else "."
    value = "1.234" if decimal == "," else "1234"
    other = "decimal: '.' and thousands: ','" if decimal == "," else "decimal: ','"
    return decimal, [f"numbers such as 1,234 are read as {value}; if that is wrong, set {other}"]


def _any(evidence: Mapping[str, str], kinds: tuple[str, ...]) -> str | None:
    """The first of these ways of writing that occurs."""
    return next((kind for kind in kinds if kind in evidence), None)
