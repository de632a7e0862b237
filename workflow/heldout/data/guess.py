"""What a column looks like, from its values alone: a number, an amount, a date, a category."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data import date_texts, money_texts
from heldout.data.arrow_values import (
    is_date,
    is_text,
    parses,
    plain,
    present_in,
    texts_of,
)
from heldout.data.kinds import (
    BOOLEAN,
    CATEGORY,
    DATE,
    MANY,
    MOST_LEVELS,
    NUMBER,
    ORDERED,
)
from heldout.data.notes import Note
from heldout.data.schema import Column

TRUE_FALSE = {"true", "false"}
FOUND = b"heldout"
"""Where the metadata of a table's schema say how it was read."""
DIGITS = "digits"
WORDS = 4
"""Texts of so many words on average, most of them different, look like free text."""


@dataclass(frozen=True)
class Hints:
    """How the file spells plain numbers: its decimal sign, and its sign between thousands."""

    decimal: str = "."
    thousands: str = ""


def hints_of(table: pa.Table) -> Hints:
    """What the reader of a file has found out about its plain numbers, and left with the table."""
    stored = (table.schema.metadata or {}).get(FOUND)
    read = json.loads(stored) if stored else {}
    return Hints(read.get("decimal") or ".", read.get("thousands") or "")


def guessed(name: str, present: pa.Array, hints: Hints, notes: list[Note]) -> Column | None:
    """A number, boolean or date; None if it must be a category.

    Parameters
    ----------
    name
        The column.
    present
        Its values, without missing ones.
    hints
        How the file spells plain numbers.
    notes
        What the user should know is added here.

    Examples
    --------
    >>> guessed("x", pa.array(["31.12.2024"]), Hints(), []).spelling
    'DD.MM.YYYY'
    >>> guessed("x", pa.array(["red"]), Hints(), []) is None
    True
    """
    if pa.types.is_boolean(present.type):
        return Column(name, BOOLEAN)
    if is_date(present.type):
        return Column(name, DATE)
    if not is_text(present.type):
        return Column(name, NUMBER)
    different = pc.unique(present)
    if _all_true_false(different):
        return Column(name, BOOLEAN)
    if parses(different):
        return _number_or_code(name, different, notes)
    if not any(sign.isdigit() for sign in different[0].as_py()):
        return None  # what follows takes a hundred times as long
    return _amount(name, different, hints, notes) or _date(name, different)


def category(name: str, present: pa.Array, notes: list[Note]) -> Column:
    """A category, or one of many levels, from values without missing ones."""
    texts = texts_of(present)
    different = pc.unique(texts)
    if len(different) <= MOST_LEVELS:
        return Column(name, CATEGORY, tuple(sorted(different.to_pylist())))
    if len(different) > len(texts) / 2 and _words(different) >= WORDS:
        text = "has {} different texts of several words, each of which counts as a level; as free text: {}"
        notes.append(Note("text", name, text.format(len(different), f"types: {{{name}: text}}")))
    return Column(name, MANY, spelling=_digits(different), count=len(different))


def declared_category(name: str, values: pa.Array) -> Column:
    """A category that the file itself declares, with its order if it has one."""
    if values.type.ordered:
        return Column(name, ORDERED, tuple(texts_of(values.dictionary).to_pylist()))
    return category(name, present_in(plain(name, values)), [])


def amount(name: str, different: pa.Array, hints: Hints) -> Column | None:
    """A number spelled with a currency or percent sign; None if it is none."""
    found = money_texts.spelling_of(different, hints.decimal, hints.thousands)
    if found is None:
        return None
    return Column(name, NUMBER, (), found.kind, found.decimal, found.thousands)


def with_day_or_month_first(
    columns: Sequence[Column], hints: Hints
) -> tuple[list[Column], list[Note]]:
    """Settle the dates that can be read with the day or with the month first; notes on them.

    They have the day first if another column of the table shows this, or if the file writes decimals
    with a comma; else the month.

    Examples
    --------
    >>> column = Column("when", DATE, spelling="MM/DD/YYYY or DD/MM/YYYY")
    >>> [settled], notes = with_day_or_month_first([column], Hints(decimal=","))
    >>> settled.spelling
    'DD/MM/YYYY'
    """
    twins = date_texts.TWINS
    spelled = {column.spelling for column in columns if column.kind == DATE}
    shown = bool(spelled & set(twins.values())) and not spelled & set(twins)
    day_first = shown or (hints.decimal == "," and not spelled & set(twins))
    settled, notes = [], []
    for column in columns:
        month, _, day = column.spelling.partition(date_texts.OR)
        if column.kind == DATE and day:
            taken, other = (day, month) if day_first else (month, day)
            column = replace(column, spelling=taken)
            text = (
                f"has dates that are {taken} or {other}, which no value settles: taken for {taken}"
            )
            otherwise = f"; otherwise: types: {{{column.name}: {other}}}"
            notes.append(Note("dates", column.name, text + otherwise))
        settled.append(column)
    return settled, notes


def _all_true_false(different: pa.Array) -> bool:
    few = len(different) <= 8
    return few and {value.lower() for value in different.to_pylist()} <= TRUE_FALSE


def _number_or_code(name: str, different: pa.Array, notes: list[Note]) -> Column | None:
    codes = different.filter(pc.match_substring_regex(different, r"^0\d+$"))
    if not len(codes):
        return Column(name, NUMBER)
    text = f"has leading zeros ({codes[0].as_py()}): taken for a category"
    notes.append(Note("zeros", name, f"{text}; as numbers: types: {{{name}: number}}"))
    return None


def _amount(name: str, different: pa.Array, hints: Hints, notes: list[Note]) -> Column | None:
    column = amount(name, different, hints)
    if column is None:
        return None
    what = "a percentage" if column.spelling == money_texts.PERCENT else "an amount of money"
    text = f"is {what} such as {different[0].as_py()!r}: taken for a number"
    notes.append(Note("amount", name, f"{text} with the decimal sign '{column.decimal}'"))
    return column


def _date(name: str, different: pa.Array) -> Column | None:
    spellings = date_texts.spellings_of(different)
    return Column(name, DATE, spelling=date_texts.OR.join(spellings[:2])) if spellings else None


def _digits(different: pa.Array) -> str:
    """`digits` where all levels are, a 0 for each of them where they are codes of one width such as 01234."""
    if not pc.all(pc.match_substring_regex(different, r"^\d+$")).as_py():
        return ""
    widths = pc.unique(pc.utf8_length(different)).to_pylist()
    coded = len(widths) == 1 and pc.any(pc.starts_with(different, "0")).as_py()
    return "0" * widths[0] if coded else DIGITS


def _words(texts: pa.Array) -> float:
    return float(np.mean(pc.count_substring_regex(texts, r"\S+").to_numpy()))
