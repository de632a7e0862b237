"""Spans of time: so many blocks, or so much time.

Standard library only: the workflow imports this while it is parsed.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from heldout.errors import HeldoutError

SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}
"""The units of time, for time columns with dates."""
UNITS = "units"
"""The unit of time columns with numbers: that of the column itself."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_TEXT = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")


@dataclass(frozen=True)
class Span:
    """So many blocks, or so much time: one of the two is None."""

    blocks: int | None = None
    time: float | None = None
    unit: str | None = None
    """The unit that the time was given in."""

    def __bool__(self) -> bool:
        return bool(self.blocks or self.time)


def span_of(value: int | str, key: str) -> Span:
    """Read a span as the config spells it.

    Parameters
    ----------
    value
        A number of blocks, or a text with a number and a unit of time.
    key
        The key of the config, for messages.

    Returns
    -------
    Span
        The blocks, or the time in seconds (in the column's own units, where it has numbers).

    Examples
    --------
    >>> span_of(2, "gap").blocks, span_of("7d", "gap").time, span_of("2.5 units", "gap").time
    (2, 604800.0, 2.5)
    >>> span_of("7 fortnights", "rolling.gap")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: rolling.gap: '7 fortnights' is neither blocks (2) nor time (7d, 5 units)
    """
    if isinstance(value, int):
        return Span(blocks=value)
    found = _TEXT.fullmatch(value.strip())
    if found is None or found[2] not in (*SECONDS, UNITS):
        raise HeldoutError(f"{key}: '{value}' is neither blocks (2) nor time (7d, 5 units)")
    return Span(time=float(found[1]) * SECONDS.get(found[2], 1), unit=found[2])


def check_unit(span: Span, dates: bool, key: str) -> None:
    """Refuse a time in another kind of unit than the time column has.

    Parameters
    ----------
    span
        Blocks, or time.
    dates
        Whether the time column has dates.
    key
        The key of the config, for messages.

    Raises
    ------
    HeldoutError
        Says which units the column has.

    Examples
    --------
    >>> check_unit(span_of("7d", "gap"), dates=False, key="gap")
    Traceback (most recent call last):
    heldout.errors.HeldoutError: gap: is in d, and the time column has numbers; write 7 units for 7 of its own
    """
    if span.unit is None or (span.unit != UNITS) == dates:
        return
    if dates:
        units = ", ".join(SECONDS)
        raise HeldoutError(f"{key}: is in units, and the time column has dates; use one of {units}")
    amount = f"{(span.time or 0) / SECONDS[span.unit]:g}"
    raise HeldoutError(
        f"{key}: is in {span.unit}, and the time column has numbers; write {amount} units for {amount} of "
        "its own"
    )


def spans_of(window: int | str | None, gap: int | str, dates: bool) -> tuple[Span, Span]:
    """Read `rolling.window` and `rolling.gap`.

    Parameters
    ----------
    window, gap
        As the config spells them.
    dates
        Whether the time column has dates.

    Returns
    -------
    tuple of Span
        The window (an empty span: all of the past), and the gap.

    Examples
    --------
    >>> spans_of(None, "1h", dates=True)[1].time
    3600.0
    """
    found = (
        Span() if window is None else span_of(window, "rolling.window"),
        span_of(gap, "rolling.gap"),
    )
    for span, key in zip(found, ("rolling.window", "rolling.gap"), strict=True):
        check_unit(span, dates, key)
    return found


def shown_time(value: float, dates: bool) -> str:
    """Write a time as people read it.

    Parameters
    ----------
    value
        A number, or seconds since 1970 (UTC).
    dates
        Whether these are seconds.

    Returns
    -------
    str
        The number, or the date, with the time of day where there is one.

    Examples
    --------
    >>> shown_time(1999.0, dates=False), shown_time(86400.0, dates=True)
    ('1999', '1970-01-02')
    """
    if not dates:
        return f"{value:.10g}"
    moment = EPOCH + timedelta(seconds=value)
    plain = moment.replace(tzinfo=None)
    return plain.date().isoformat() if value % 86400 == 0 else plain.isoformat(" ")
