"""Columns whose kind the config asks for: `types: {zip: category, size: [S, M, L]}`."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data import date_texts, guess
from heldout.data.arrow_values import is_date, is_text, parses, plain, present_in, texts_of
from heldout.data.encode import Lost, lost_in
from heldout.data.guess import Hints
from heldout.data.kinds import BOOLEAN, CATEGORY, DATE, NUMBER, ORDERED, TEXT
from heldout.data.schema import Column
from heldout.errors import HeldoutError


def asked_column(
    name: str, values: pa.Array, asked: str | list[str], hints: Hints, rows: np.ndarray
) -> Column:
    """A column of the kind that the config asks for.

    Parameters
    ----------
    name, values
        The column, with missing values.
    asked
        A kind, a list of levels in order, or a spelling of dates.
    hints
        How the file spells plain numbers.
    rows
        The numbers of the rows in their source.

    Raises
    ------
    HeldoutError
        If a value cannot be of this kind: names column, row and value.

    Examples
    --------
    >>> asked_column("size", pa.array(["S", "L"]), ["S", "M", "L"], Hints(), np.arange(2)).kind
    'ordered'
    >>> asked_column("x", pa.array(["1", "abc"]), "number", Hints(), np.arange(2))
    Traceback (most recent call last):
    heldout.errors.HeldoutError: types: column 'x' is to be a number, and row 2 has 'abc'
    """
    column = _of_kind(name, values, asked, hints)
    refuse_lost(column, values, rows)
    return column


def refuse_lost(column: Column, values: pa.Array, rows: np.ndarray) -> None:
    """Refuse a value that cannot be of the kind that the config asks for."""
    found = plain(column.name, values)
    lost = lost_in(column, found, column.encode(found))
    if lost is not None and lost.unread:
        raise not_of_kind(lost, rows)


def not_of_kind(lost: Lost, rows: np.ndarray) -> HeldoutError:
    """The error about values that cannot be of the kind that the config asks for."""
    more = f" (and {lost.count - 1} more)" if lost.count > 1 else ""
    return HeldoutError(
        f"types: column '{lost.column}' is to be {lost.wanted}, and row {rows[lost.first] + 1} has "
        f"{lost.value!r}{more}"
    )


def _of_kind(name: str, values: pa.Array, asked: str | list[str], hints: Hints) -> Column:
    if isinstance(asked, list):
        return Column(name, ORDERED, tuple(asked))
    present = present_in(plain(name, values))
    if asked in (BOOLEAN, TEXT):
        return Column(name, asked)
    if asked == CATEGORY:
        return guess.category(name, present, [])
    if asked == ORDERED:
        return _ordered(name, values)
    if asked == NUMBER:
        return _number(name, present, hints)
    return _date(name, present, None if asked == DATE else asked)


def _ordered(name: str, values: pa.Array) -> Column:
    if pa.types.is_dictionary(values.type) and values.type.ordered:
        return guess.declared_category(name, values)
    raise HeldoutError(
        f"types: the file does not say in which order the levels of '{name}' are; list them: "
        f"types: {{{name}: [low, middle, high]}}"
    )


def _number(name: str, present: pa.Array, hints: Hints) -> Column:
    if not is_text(present.type) or parses(present):
        return Column(name, NUMBER)
    return guess.amount(name, pc.unique(present), hints) or Column(name, NUMBER)


def _date(name: str, present: pa.Array, spelling: str | None) -> Column:
    """With the given spelling, or the one that most of the texts have."""
    if spelling is not None or is_date(present.type):
        return Column(name, DATE, spelling=spelling or "")
    different = pc.unique(texts_of(present))
    whole = date_texts.spellings_of(different)
    if whole:
        return Column(name, DATE, spelling=date_texts.OR.join(whole[:2]))
    fits = {
        one: int((~np.isnan(date_texts.parsed(different, one))).sum()) for one in date_texts.ALL
    }
    return Column(name, DATE, spelling=max(fits, key=lambda one: fits[one]))
