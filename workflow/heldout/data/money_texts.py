"""Amounts of money and percentages spelled as texts: `$1,234.50`, `€ 3.000,50`, `1 200 kr`, `(1,200)`, `12 %`.

A percentage stays what is written: `12.5%` is 12.5. Which sign is the decimal one is a property of the
column: found from all its values, with the file's own as a hint where they leave it open.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MONEY, PERCENT = "money", "percent"
_WORDS = (
    "kr|Kr|KR|Kč|zł|Ft|lei|kn|Rs|руб|лв|din|USD|EUR|GBP|JPY|CNY|CHF|SEK|NOK|DKK|PLN|CZK|HUF|RON|INR|"
    "BRL|ZAR|AUD|CAD|NZD|MXN|KRW|TRY|RUB|ILS|SGD|HKD|THB"
)
_SIGN = rf"(?:(?:US|AU|CA|C|A|NZ|HK|S|R|Mex)?\p{{Sc}}|(?:{_WORDS})\.?)"
_SPACE = r"[ \x{00a0}\x{202f}\x{2009}]"
_BODY = rf"\d(?:[\d.,'’]|{_SPACE}\d)*|[.,]\d+"
_PATTERN = (
    rf"^(?P<bracket>\()?{_SPACE}*(?P<minus>[-+−]?){_SPACE}*(?P<before>{_SIGN})?{_SPACE}*"
    rf"(?P<inner>[-−]?)(?P<body>{_BODY}){_SPACE}*(?P<after>{_SIGN}|%)?(?:,?-)?{_SPACE}*(?P<close>\))?$"
)
PLAIN = r"^\d+(?:\.\d+)?$"
ALWAYS_GROUPS = r"[ '’\x{00a0}\x{202f}\x{2009}]"
"""Signs that only ever stand between groups of digits."""


@dataclass(frozen=True)
class Spelling:
    """How the numbers of a column are spelled, and whether the decimal sign had to be guessed."""

    kind: str
    decimal: str
    thousands: str
    guessed: bool


def spelling_of(texts: pa.Array, decimal: str, thousands: str = "") -> Spelling | None:
    """The spelling that all of these different texts have; None if they are no such numbers.

    Parameters
    ----------
    texts
        Different texts, none of them null.
    decimal, thousands
        The signs that the file uses in plain numbers; a hint.

    Examples
    --------
    >>> spelling_of(pa.array(["$1,234.50", "$3"]), ".")
    Spelling(kind='money', decimal='.', thousands=',', guessed=False)
    >>> spelling_of(pa.array(["12 %", "7.5 %"]), ".").kind
    'percent'
    >>> spelling_of(pa.array(["12 kg"]), ".") is None
    True
    """
    parts = pc.extract_regex(texts, _PATTERN)
    if parts.null_count:
        return None
    kind = _kind(parts)
    if kind is None:
        return None
    bodies = pc.replace_substring_regex(_field(parts, "body"), ALWAYS_GROUPS, "")
    found = _signs(bodies.filter(pc.invert(_is_plain(parts))), decimal, kind)
    if found is None:
        return None
    made = Spelling(kind, *found)
    values = numbers(texts, made.decimal, made.thousands)
    return None if np.isnan(values).any() else made


def numbers(texts: pa.Array, decimal: str, thousands: str) -> np.ndarray:
    """The numbers of texts with or without a currency or percent sign; NaN for what is none.

    A number without a sign in plain spelling is that number: so are those of a file written when it is read.

    Examples
    --------
    >>> numbers(pa.array(["€ 3.000,50", "(1.200)", "-7 %", "8", "x", None]), ",", ".").tolist()
    [3000.5, -1200.0, -7.0, 8.0, nan, nan]
    >>> numbers(pa.array(["1.459 €", "1.459"]), ",", ".").tolist()
    [1459.0, 1.459]
    """
    parts = pc.extract_regex(texts, _PATTERN)
    bodies = _field(parts, "body")
    spelled = _plain_bodies(bodies, decimal, thousands)
    plain = pc.if_else(_is_plain(parts), bodies, spelled)
    values = pc.fill_null(plain.cast(pa.float64()), np.nan).to_numpy(zero_copy_only=False)
    opened, closed = _is(parts, "bracket", "("), _is(parts, "close", ")")
    minus = [_is(parts, name, sign) for name in ("minus", "inner") for sign in "-−"]
    negative = np.logical_or.reduce([opened, *minus])
    found = np.where(negative, -values, values)
    return np.where(opened != closed, np.nan, found)


def _plain_bodies(bodies: pa.Array, decimal: str, thousands: str) -> pa.Array:
    """Digits, and a point where there are decimals; null where groups are not of three digits."""
    bodies = pc.replace_substring_regex(bodies, ALWAYS_GROUPS, " ")
    d, t = _escaped(decimal), f"[ {_escaped(thousands)}]"
    grouped = rf"^\d{{1,3}}(?:{t}\d{{3}})+(?:{d}\d*)?$|^\d*(?:{d}\d*)?$"
    fits = pc.match_substring_regex(bodies, grouped)
    own = pc.replace_substring_regex(bodies, t, "")
    own = pc.replace_substring(own, decimal, ".")
    plain = pc.match_substring_regex(bodies, PLAIN)
    other = pc.if_else(plain, bodies, pa.scalar(None, bodies.type))
    return pc.if_else(fits, own, other)


def _signs(bodies: pa.Array, decimal: str, kind: str) -> tuple[str, str, bool] | None:
    """(decimal sign, sign between thousands, guessed) of bodies without spaces; None if they clash."""
    has = {sign: pc.match_substring(bodies, sign) for sign in ".,"}
    both = pc.and_(has["."], has[","])
    if pc.any(both).as_py():
        mixed = bodies.filter(both)
        last_comma = pc.match_substring_regex(mixed, r",[^.]*$")
        if pc.any(last_comma).as_py() != pc.all(last_comma).as_py():
            return None
        return (",", ".", False) if last_comma[0].as_py() else (".", ",", False)
    used = [sign for sign in ".," if pc.any(has[sign]).as_py()]
    if not used:
        return ".", ",", False
    settled = {sign: _settled(bodies, sign) for sign in used}
    if len(used) == 2:  # never in one value: one of them must be the decimal one
        decimals = [sign for sign in used if settled[sign] == "decimal"]
        if len(decimals) != 1:
            return None
        return decimals[0], "," if decimals[0] == "." else ".", False
    [sign] = used
    other = "," if sign == "." else "."
    if settled[sign] == "decimal":
        return sign, other, False
    if settled[sign] == "thousands":
        return other, sign, False
    as_decimal = sign == decimal or kind == PERCENT
    return (sign, other, kind == MONEY) if as_decimal else (other, sign, False)


def _settled(bodies: pa.Array, sign: str) -> str:
    """What a sign must be: `decimal` or `thousands`; empty where all values leave it open."""
    s = _escaped(sign)
    if pc.any(pc.match_substring_regex(bodies, rf"{s}.*{s}")).as_py():
        return "thousands"
    some = bodies.filter(pc.match_substring(bodies, sign))
    three = pc.match_substring_regex(some, rf"^[1-9]\d{{0,2}}{s}\d{{3}}$")
    return "" if pc.all(three).as_py() else "decimal"


def _kind(parts: pa.Array) -> str | None:
    """`percent` if all values have its sign, `money` if some have one and the same other sign or brackets."""
    signs = set(pc.unique(_field(parts, "before")).to_pylist())
    signs |= set(pc.unique(_field(parts, "after")).to_pylist())
    signs.discard("")
    if "%" in signs:
        everywhere = pc.all(pc.equal(_field(parts, "after"), "%")).as_py()
        return PERCENT if signs == {"%"} and everywhere else None
    brackets = pc.any(pc.equal(_field(parts, "bracket"), "(")).as_py()
    return MONEY if len(signs) == 1 or (brackets and not signs) else None


def _is_plain(parts: pa.Array) -> pa.Array:
    """Whether texts are numbers in plain spelling, without sign of a currency, percent sign or brackets."""
    found = pc.match_substring_regex(_field(parts, "body"), PLAIN)
    for name in ("before", "after", "bracket"):
        found = pc.and_(found, pc.equal(_field(parts, name), ""))
    return found


def _field(parts: pa.Array, name: str) -> pa.Array:
    return pc.struct_field(parts, name)


def _is(parts: pa.Array, name: str, text: str) -> np.ndarray:
    equal = pc.equal(_field(parts, name), text)
    return pc.fill_null(equal, False).to_numpy(zero_copy_only=False)


def _escaped(sign: str) -> str:
    return rf"\{sign}" if sign in ".,'" else sign
