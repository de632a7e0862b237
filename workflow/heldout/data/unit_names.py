"""Whether the name of a column says which rows belong together: a patient, a customer, a site.

The name must be about the unit itself: `patient_no`, but not `patient_age`. Standard library only.
"""

import re
import unicodedata
from functools import lru_cache

from heldout.data.unit_words import (
    IDS,
    KINDS,
    LOOSE,
    NUMBERS,
    PLAIN,
    SHORT,
    SHORT_ALONE,
    UNITS,
    VAGUE,
)

UNIT, WEAK, HINT, IDENTIFIER = "unit", "weak", "hint", "identifier"
FEWEST = {UNIT: 5, WEAK: 5, HINT: 20, IDENTIFIER: 5}
"""So many values a column of units has at least, by the sort of its name."""
OTHERWISE = frozenset({"family name", "set number", "run number", "no emp", "num emp"})
"""Names made of such words that mean something else."""
LONGEST = 80
"""Longer names are sentences."""
_MARKS = tuple(sorted(IDS | NUMBERS, key=lambda mark: (-len(mark), mark)))
_BEFORE_MARKS = UNITS | SHORT
_WORD = re.compile(r"[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


def names_units(name: str) -> str | None:
    """Tell what sort of units the name of a column is about.

    Parameters
    ----------
    name
        As it is in the table: in camel case, with underscores, dots or spaces.

    Returns
    -------
    str or None
        `unit` for a word such as patient or site, `weak` for one that is often something else (group,
        batch, session), `hint` for one that mostly is (class, sample), `identifier` for an id that does not say of
        what; None for any other name.

    Examples
    --------
    >>> [names_units(name) for name in ("patientID", "pat_no", "Kundennummer", "batch", "loan_id")]
    ['unit', 'unit', 'unit', 'weak', 'identifier']
    >>> [names_units(name) for name in ("patient_age", "user_rating", "age_group", "type_id")]
    [None, None, None, None]
    """
    return _sort_of(name.rstrip("0123456789")) if len(name) <= LONGEST else None


@lru_cache(maxsize=100_000)
def _sort_of(name: str) -> str | None:
    words = _words(name)
    if " ".join(words) in OTHERWISE:
        return None
    words = [word for word in words if word not in PLAIN] or words
    marks = [word for word in words if word in IDS]
    rest = [word for word in words if word not in IDS]
    numbers = [word for word in (rest[:1] + rest[-1:]) if word in NUMBERS] if len(rest) > 1 else []
    about = rest if not numbers else [word for word in rest if word not in NUMBERS]
    if not about:
        return IDENTIFIER if marks else None
    sort = _sort_of_words(about, bool(marks), bool(marks or numbers))
    if sort is None and marks and words[-1] in IDS and about[-1] not in KINDS:
        return IDENTIFIER
    return sort


def _sort_of_words(about: list[str], marked: bool, numbered: bool) -> str | None:
    if all(word in UNITS for word in about):
        return UNIT
    if marked and about[-1] in UNITS:
        return UNIT
    if len(about) > 1:
        return None
    [word] = about
    if word in SHORT_ALONE or (numbered and word in SHORT) or _glued(word):
        return UNIT
    if word in LOOSE or (word in VAGUE and numbered) or _vague_id(word):
        return WEAK
    return HINT if word in VAGUE else None


def _glued(word: str) -> bool:
    """`patientid`, `kundennummer`, `idpaciente`."""
    for mark in _MARKS:
        if word.endswith(mark) and word.removesuffix(mark) in _BEFORE_MARKS:
            return True
        if word.startswith(mark) and word.removeprefix(mark) in UNITS:
            return True
    return False


def _vague_id(word: str) -> bool:
    """`caseid`, `memberid`."""
    return any(word.endswith(mark) and word.removesuffix(mark) in VAGUE for mark in IDS)


def _words(name: str) -> list[str]:
    """In lower case, without accents, digits and signs; camel case and changes of the script divide."""
    if name.isascii():
        return [word.lower() for word in _split(name)]
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", name))
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return [word.lower() for word in _split(unicodedata.normalize("NFC", bare))]


def _split(name: str) -> list[str]:
    """`PatientNo`, `IDPatient`, `患者ID`, `patients2`; in capitals alone, `PATIENT_ID`, each part is a word."""
    return [word for part in _WORD.findall(name) for word in _without_number(part)]


def _without_number(part: str) -> list[str]:
    """Scripts without spaces: `患者番号`."""
    if part.isascii():
        return [part]
    for mark in _MARKS:
        if not mark.isascii() and part.endswith(mark) and part != mark:
            return [part.removesuffix(mark), mark]
    return [part]
