"""Times whose dates are not spelled as in ISO 8601, and numbers that are dates in disguise."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data import date_texts
from heldout.data.input_checks import first_rows
from heldout.data.request import Request
from heldout.data.schema import is_missing, values_of
from heldout.data.time_order import Times, times_of
from heldout.errors import HeldoutError

MOST = 0.5
"""Where more than this share of the values have a spelling, the others are taken to be mistakes."""
AS_DAYS, AS_MONTHS = (19000101, 21001231), (190001, 210012)
"""Whole numbers in these ranges may be dates: YYYYMMDD, YYYYMM."""


def typed_times(
    request: Request, table: pa.Table, source: str, numbers: np.ndarray
) -> tuple[Request, pa.Table]:
    """Read a time column whose dates are not spelled as in ISO 8601.

    Parameters
    ----------
    request
        What the config says; `types` may name the spelling.
    table
        Rows.
    source
        Where they come from, for messages.
    numbers
        Their numbers in the source.

    Returns
    -------
    tuple
        The request, with the spelling that was found, and the table with typed times.

    Examples
    --------
    >>> table = pa.table({"t": ["31.12.2023", "01.01.2024"], "y": [1, 2]})
    >>> request = Request("t", 19, "t.csv", "y", time="t")
    >>> request, typed = typed_times(request, table, "t.csv", np.arange(2))
    >>> request.types, str(typed.column("t")[1])
    ({'t': 'DD.MM.YYYY'}, '2024-01-01 00:00:00')
    """
    if request.time is None or request.time not in table.column_names:
        return request, table
    values = _texts_if_texts(values_of(table, request.time), request.types.get(request.time))
    spelling = _spelling(request, values)
    if spelling is None:
        _check_no_dates_as_numbers(request, times_of(request.time, values))
        return request, table
    seconds = date_texts.seconds(values, spelling)
    bad = np.isnan(seconds) & ~is_missing(values)
    if bad.any():
        raise HeldoutError(
            f"time: '{request.time}' is no date spelled {spelling} in {bad.sum()} of {len(bad)} rows of {source} (first: "
            f"{first_rows(bad, numbers)}, which holds {values[int(bad.argmax())].as_py()!r}); mend or remove these rows"
        )
    typed = pa.array(np.round(seconds * 1e6), from_pandas=True).cast(pa.int64())
    place = table.column_names.index(request.time)
    table = table.set_column(place, request.time, typed.cast(pa.timestamp("us")))
    return replace(request, types={**request.types, request.time: spelling}), table


def _texts_if_texts(values: pa.Array, asked: object) -> pa.Array:
    """Texts of any kind as plain ones; numbers too where the config names a spelling that looks like numbers."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    texts = pa.types.is_large_string(values.type) or pa.types.is_string_view(values.type)
    whole = pa.types.is_integer(values.type) and asked in date_texts.AS_NUMBERS
    return values.cast(pa.string()) if texts or whole else values


def _spelling(request: Request, values: pa.Array) -> str | None:
    """The spelling of the dates; None where these are typed, numbers or as in ISO 8601."""
    name = request.time
    assert name is not None
    if not pa.types.is_string(values.type):
        return None
    asked = request.types.get(name)
    if asked in date_texts.ALL:
        return str(asked)
    missing = is_missing(values)
    if not np.isnan(times_of(name, values).values[~missing]).any():
        return None
    texts = pc.drop_null(pc.unique(values))
    found = date_texts.spellings_of(texts) or _most_usual(texts)
    if len(found) > 1:
        raise HeldoutError(
            f"time: the dates of '{name}' can be {found[0]} or {found[1]}, which no value settles; say it by "
            f"types: {{{name}: {found[0]}}}"
        )
    return found[0] if found else None


def _most_usual(texts: pa.Array) -> list[str]:
    """The spellings that most of these texts have, if that is not ISO 8601."""
    counts = {
        name: int(np.isfinite(date_texts.parsed(texts, name)).sum())
        for name in date_texts.SPELLINGS
    }
    most = max(counts.values())
    found = [name for name, count in counts.items() if count == most]
    return found if most > MOST * len(texts) and date_texts.ISO not in found else []


def _check_no_dates_as_numbers(request: Request, times: Times) -> None:
    """Refuse a gap or a window in time where the numbers are dates such as 20240131: a month is not 100 days."""
    spans = {"rolling.gap": request.rolling.gap, "rolling.window": request.rolling.window}
    key = next((name for name, span in spans.items() if isinstance(span, str)), None)
    values = times.values[np.isfinite(times.values)]
    like = None if times.dates or not len(values) else _like_dates(values)
    if key is None or like is None:
        return
    instead = {
        "YYYYMMDD": f"say so by types: {{{request.time}: YYYYMMDD}}, and give days (7d)",
        "YYYYMM": "write them as 2024-03, and give days (31d)",
    }[like]
    raise HeldoutError(
        f"{key}: the numbers of '{request.time}' look like dates ({like}, such as {values[0]:.0f}), whose differences are no "
        f"time; {instead}, or give blocks"
    )


def _like_dates(times: np.ndarray) -> str | None:
    if (times != np.floor(times)).any():
        return None
    for name, (low, high), day in (("YYYYMMDD", AS_DAYS, 100), ("YYYYMM", AS_MONTHS, 1)):
        month, days = times // day % 100, times % 100
        several = len(np.unique(times // (100 * day))) > 1 or len(np.unique(month)) > 1
        inside = ((times >= low) & (times <= high) & (month >= 1) & (month <= 12)).all()
        if several and inside and (day == 1 or ((days >= 1) & (days <= 31)).all()):
            return name
    return None
