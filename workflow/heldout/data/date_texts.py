"""Dates and times spelled as texts: ISO 8601, and the usual ways with dots, slashes and months' names.

A spelling is named as people write it: `DD.MM.YYYY`. Each may be followed by a time of day
(`23:59`, `23:59:59.5`, `11:59 PM`) and a zone (`Z`, `UTC`, `+02:00`). Times with a zone are brought
to UTC; times without one are taken as they are. Months (`2024-05`) and quarters (`2024 Q2`) are their first day.
"""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

ISO = "YYYY-MM-DD"
OR = " or "
"""Between two spellings that all texts of a column have."""
_YEAR, _TWO, _NAME = r"(?P<y>\d{4})", r"(?P<%s>\d{1,2})", r"(?P<b>[A-Za-z]{3,9})\.?"
_DAY, _MONTH = _TWO % "d", _TWO % "m"
_TIME = (
    r"(?:(?:[T ]|, ?)(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2}(?:[.,]\d{1,9})?))?"
    r"(?: ?(?P<p>[AaPp])\.?[Mm]\.?)?(?: ?(?P<z>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?)?"
)

SPELLINGS = {
    ISO: rf"{_YEAR}-{_MONTH}-{_DAY}",
    "YYYY/MM/DD": rf"{_YEAR}/{_MONTH}/{_DAY}",
    "YYYY.MM.DD": rf"{_YEAR}\.{_MONTH}\.{_DAY}",
    "DD.MM.YYYY": rf"{_DAY}\.{_MONTH}\.{_YEAR}",
    "DD-Mon-YYYY": rf"{_DAY}[- ]{_NAME}[- ]{_YEAR}",
    "Mon DD, YYYY": rf"{_NAME} {_DAY},? {_YEAR}",
    "MM/DD/YYYY": rf"{_MONTH}/{_DAY}/{_YEAR}",
    "DD/MM/YYYY": rf"{_DAY}/{_MONTH}/{_YEAR}",
    "MM-DD-YYYY": rf"{_MONTH}-{_DAY}-{_YEAR}",
    "DD-MM-YYYY": rf"{_DAY}-{_MONTH}-{_YEAR}",
    "YYYY-MM": rf"{_YEAR}-(?P<m>\d{{2}})",
    "YYYY Mon": rf"{_YEAR}[- ]{_NAME}",
    "YYYY Qn": rf"{_YEAR}[- ]?Q(?P<q>[1-4])",
}
"""The spellings that are found by themselves, as patterns."""
AS_NUMBERS = {"YYYYMMDD": r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})", "YYYY": r"(?P<y>\d{4})"}
"""Spellings that look like numbers: only where the config says `date`."""
TWINS = {"MM/DD/YYYY": "DD/MM/YYYY", "MM-DD-YYYY": "DD-MM-YYYY"}
"""Spellings that the same texts can have: month first, day first."""
ALL = {**SPELLINGS, **AS_NUMBERS}
CLEAR = tuple(name for name in SPELLINGS if name not in {*TWINS, *TWINS.values()})
"""Spellings that no other one can be mistaken for: new rows may have them whatever the column's own is."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december", "sept"),
)
_PLACES = {name: i % 12 + 1 for i, name in enumerate((*_MONTHS, *_LONG[:12]))} | {"sept": 9}
_DAY_SECONDS = 86400


def seconds(texts: pa.Array, spelling: str) -> np.ndarray:
    """Dates as seconds since 1970-01-01 UTC.

    Parameters
    ----------
    texts
        Texts, with nulls where values are missing.
    spelling
        The spelling of the column; what has it not may have one that cannot be mistaken.

    Returns
    -------
    numpy.ndarray
        NaN where a text is null or no date.

    Examples
    --------
    >>> seconds(pa.array(["02/01/1970", "1970-01-01 00:00:05", "?"]), "DD/MM/YYYY").tolist()
    [86400.0, 5.0, nan]
    """
    coded = pc.dictionary_encode(texts.cast(pa.string()))
    different = different_seconds(coded.dictionary, spelling)
    places = pc.fill_null(coded.indices, len(different)).to_numpy(zero_copy_only=False)
    return np.array([*different, np.nan])[places]


def different_seconds(texts: pa.Array, spelling: str) -> np.ndarray:
    """The same for different texts: by the spelling itself, then by the clear ones."""
    found = np.full(len(texts), np.nan)
    for name in dict.fromkeys([spelling.partition(OR)[0], *CLEAR]):
        rest = np.flatnonzero(np.isnan(found))
        if name and len(rest):
            found[rest] = parsed(texts.take(pa.array(rest)), name)
    return found


def spellings_of(texts: pa.Array) -> list[str]:
    """The spellings that all of these different texts have; the more usual one first.

    Examples
    --------
    >>> spellings_of(pa.array(["01/02/2024", "12/31/2024"]))
    ['MM/DD/YYYY']
    >>> spellings_of(pa.array(["01/02/2024"]))
    ['MM/DD/YYYY', 'DD/MM/YYYY']
    """
    first = texts[0].as_py()
    fitting = [name for name in SPELLINGS if _COMPILED[name].fullmatch(first)]
    return [name for name in fitting if not np.isnan(parsed(texts, name)).any()]


def parsed(texts: pa.Array, spelling: str) -> np.ndarray:
    """Seconds since 1970-01-01 UTC of texts with this one spelling; NaN for others."""
    parts = pc.extract_regex(texts, rf"^{ALL[spelling]}{_time_of(spelling)}$")
    found = np.full(len(texts), np.nan)
    fits = np.flatnonzero(pc.is_valid(parts).to_numpy(zero_copy_only=False))
    if len(fits):
        chosen = parts.take(pa.array(fits))
        fields = {
            field.name: chosen.field(i).to_numpy(zero_copy_only=False)
            for i, field in enumerate(chosen.type)
        }
        found[fits] = _days(fields) * _DAY_SECONDS + _seconds_of_day(fields)
    return found


def _time_of(spelling: str) -> str:
    return "" if spelling in AS_NUMBERS else _TIME


_COMPILED = {name: re.compile(pattern + _TIME) for name, pattern in SPELLINGS.items()}


def _days(fields: dict[str, np.ndarray]) -> np.ndarray:
    """Days since 1970-01-01; NaN for a month or day that there is not."""
    year = fields["y"].astype(np.int64)
    if "q" in fields:
        month = 3 * fields["q"].astype(np.int64) - 2
    elif "b" in fields:
        month = np.array([_PLACES.get(name.lower(), 0) for name in fields["b"]], np.int64)
    else:
        month = fields["m"].astype(np.int64) if "m" in fields else np.ones_like(year)
    day = fields["d"].astype(np.int64) if "d" in fields else np.ones_like(year)
    valid = (month >= 1) & (month <= 12) & (day >= 1)
    months = (year - 1970) * 12 + np.where(valid, month, 1) - 1
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    after = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    valid &= day <= after - first
    return np.where(valid, first + day - 1, np.nan)


def _seconds_of_day(fields: dict[str, np.ndarray]) -> np.ndarray:
    """Seconds since midnight UTC; NaN for a time that there is not."""
    if "H" not in fields:
        return np.zeros(len(fields["y"]))
    hour, minute = _numbers(fields["H"]), _numbers(fields["M"])
    second = _numbers(np.array([text.replace(",", ".") for text in fields["S"]], object))
    half = fields["p"]
    twelve = half != ""
    valid = (minute < 60) & (second < 61) & (hour < 25) & ~(twelve & ((hour < 1) | (hour > 12)))
    valid &= (hour < 24) | ((minute == 0) & (second == 0))
    afternoon = np.array([text.lower() == "p" for text in half], bool)
    hour = np.where(twelve, hour % 12 + 12 * afternoon, hour)
    zone = np.array([_zone(text) for text in fields["z"]])
    return np.where(valid, hour * 3600 + minute * 60 + second - zone, np.nan)


def _numbers(texts: np.ndarray) -> np.ndarray:
    return np.array([float(text) if text else 0.0 for text in texts])


def _zone(text: str) -> float:
    """The offset of a zone in seconds."""
    if text[:1] not in ("+", "-"):
        return 0.0
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return float(-offset if text[0] == "-" else offset)
