"""Rows in time order: the time column, the latest share that is sealed, and what is said of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from heldout.data.grouping import units_of
from heldout.data.input_checks import first_rows
from heldout.data.prepared import TIME
from heldout.data.request import Request
from heldout.data.schema import is_missing, numbers_in, values_of
from heldout.data.vault import SOURCE_ROW
from heldout.errors import HeldoutError
from heldout.resampling.rolling import known_before, latest_share
from heldout.resampling.spans import Span, shown_time, spans_of
from heldout.resampling.stamps import Stamps, across


@dataclass(frozen=True)
class Times:
    """For each row its time: a number, or seconds since 1970 (UTC) where `dates`; NaN where it cannot be read."""

    values: np.ndarray
    dates: bool

    def shown(self, value: float) -> str:
        """A time as people read it."""
        return shown_time(value, self.dates)


def times_of(name: str, values: pa.Array) -> Times:
    """Read a column of times.

    Parameters
    ----------
    name
        The column's name.
    values
        Numbers, dates, or texts of numbers or of ISO dates.

    Returns
    -------
    Times
        A time for each value; NaN where a value is missing or cannot be read.

    Examples
    --------
    >>> times_of("year", pa.array(["1999", "2000.5"])).values.tolist()
    [1999.0, 2000.5]
    >>> times_of("day", pa.array(["1970-01-02", None])).values.tolist()
    [86400.0, nan]
    """
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_temporal(values.type):
        return Times(_seconds(values), dates=True)
    missing = is_missing(values)
    numbers = numbers_in(name, values)
    if not np.isnan(numbers[~missing]).any():
        return Times(numbers, dates=False)
    return Times(_dates_in(values.cast(pa.string())), dates=True)


def _dates_in(texts: pa.Array) -> np.ndarray:
    """Seconds of ISO dates; a month counts as its first day; NaN where a text is none."""
    months = pc.match_substring_regex(texts, r"^\d{4}-\d{2}$")
    texts = pc.if_else(months, pc.binary_join_element_wise(texts, "01", "-"), texts)
    zoned = pc.match_substring_regex(texts, r"T?\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$")
    found = np.full(len(texts), np.nan)
    for kind, chosen in (
        (pa.timestamp("us", "UTC"), zoned),
        (pa.timestamp("us"), pc.invert(zoned)),
    ):
        places = np.flatnonzero(pc.fill_null(chosen, False).to_numpy(zero_copy_only=False))
        if len(places):
            found[places] = _parsed(texts.take(pa.array(places)), kind)
    return found


def _parsed(texts: pa.Array, kind: pa.DataType) -> np.ndarray:
    try:
        return _seconds(texts.cast(kind))
    except pa.ArrowInvalid:
        return np.array([_parsed_one(text, kind) for text in texts])


def _parsed_one(text: pa.Scalar, kind: pa.DataType) -> float:
    try:
        return float(_seconds(pa.array([text.as_py()], pa.string()).cast(kind))[0])
    except pa.ArrowInvalid:
        return float("nan")


def _seconds(values: pa.Array) -> np.ndarray:
    if pa.types.is_time(values.type) or pa.types.is_duration(values.type):
        raise HeldoutError(
            "time: a column of times of day or of durations orders no rows; use dates"
        )
    zone = values.type.tz if pa.types.is_timestamp(values.type) else None
    micro = values.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64())
    whole = pc.fill_null(micro, 0).to_numpy(zero_copy_only=False) / 1e6
    return np.where(is_missing(values), np.nan, whole)


def checked_times(request: Request, table: pa.Table, source: str, numbers: np.ndarray) -> Times:
    """Read the time column; an error names the rows whose time is missing or cannot be read.

    `numbers`: the rows' numbers in the source.
    """
    assert request.time is not None
    if request.time not in table.column_names:
        raise HeldoutError(f"time: no column '{request.time}' in {source}")
    values = values_of(table, request.time)
    found = times_of(request.time, values)
    missing = is_missing(values)
    for what, bad in (
        ("missing", missing),
        ("neither a number nor a date", ~np.isfinite(found.values)),
    ):
        if bad.any():
            shown = values[int(np.flatnonzero(bad)[0])].as_py()
            example = "" if what == "missing" else f", which holds {shown!r}"
            raise HeldoutError(
                f"time: '{request.time}' is {what} in {bad.sum()} of {len(bad)} rows of {source} (first: "
                f"{first_rows(bad, numbers)}{example}); give every row a number, or a date such as 2024-03-31 or "
                "2024-03-31 14:05, or remove these rows"
            )
    return found


def latest_rows(
    request: Request, table: pa.Table, share: float, numbers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Divide rows in time order.

    Parameters
    ----------
    request
        What the config says about the table.
    table
        The rows.
    share
        The share to seal; 0 for none.
    numbers
        The rows' numbers in the source.

    Returns
    -------
    tuple of numpy.ndarray
        The places of the rows to learn from, and of the latest ones, which are sealed. Rows in the gap between
        them are in neither.
    """
    times = checked_times(request, table, request.data, numbers)
    units = units_of(request, table, numbers)
    everything = np.arange(table.num_rows)
    if not share:
        check_groups(request, table, times.values, units)
        return everything, everything[:0]
    sealed = latest_share(Stamps(times.values, units), share)
    kept = _known(request, table, times, ~sealed, float(times.values[sealed].min()), numbers)
    return everything[kept], everything[sealed]


def rows_before(
    request: Request, table: pa.Table, test: pa.Table, numbers: np.ndarray
) -> np.ndarray:
    """The places of the rows to learn from where the test is a table of its own, which must be later."""
    assert isinstance(request.test, str)
    times = checked_times(request, table, request.data, numbers)
    of_test = test.column(SOURCE_ROW).to_numpy()
    later = checked_times(request, test, request.test, of_test)
    if times.dates != later.dates:
        raise HeldoutError(
            f"test: '{request.time}' has dates in one of {request.data} and {request.test}, numbers in the other"
        )
    early = later.values <= times.values.max()
    if early.any():
        raise HeldoutError(
            f"test: {early.sum()} of {len(early)} rows of {request.test} are not later than the last row of "
            f"{request.data} ({times.shown(times.values.max())}; first: {first_rows(early, of_test)}); with time: a test "
            "is of the future; remove these rows, or give a share (test: 0.2)"
        )
    everything = np.ones(table.num_rows, bool)
    kept = _known(request, table, times, everything, float(later.values.min()), numbers)
    return np.flatnonzero(kept)


def _known(
    request: Request,
    table: pa.Table,
    times: Times,
    earlier: np.ndarray,
    start: float,
    numbers: np.ndarray,
) -> np.ndarray:
    """Of the earlier rows, those before the gap."""
    places = np.flatnonzero(earlier)
    units = units_of(request, table, numbers)[places]
    _, gap = spans_of(request.rolling.window, request.rolling.gap, times.dates)
    check_groups(request, table.take(pa.array(places)), times.values[places], units)
    stamps = Stamps(times.values[places], units)
    kept = np.zeros(table.num_rows, bool)
    kept[places[known_before(stamps, start, request.rolling.blocks, Span(), gap)]] = True
    return kept


def check_groups(request: Request, rows: pa.Table, times: np.ndarray, units: np.ndarray) -> None:
    """Refuse groups that span several blocks of time."""
    if request.groups is None:
        return
    row = Stamps(times, units).divided(request.rolling.blocks)
    if row is not None:
        label = values_of(rows, request.groups)[row].as_py()
        raise HeldoutError(f"groups: {across(f'{label!r} of {request.groups!r}')}")


def with_times(rows: np.ndarray, name: str, unsealed: pa.Table) -> np.ndarray:
    """The same array of rows, with the time of each."""
    found = np.empty(len(rows), np.dtype([*rows.dtype.descr, (TIME, np.float64)]))
    for known in rows.dtype.names or ():
        found[known] = rows[known]
    found[TIME] = times_of(name, values_of(unsealed, name)).values
    return found


def facts_about(
    request: Request, unsealed: pa.Table, left_out: int
) -> tuple[dict[str, Any], list[str]]:
    """What `table.json` says of the times of the unsealed rows, and notes for the user."""
    assert request.time is not None
    times = times_of(request.time, values_of(unsealed, request.time))
    first, last = times.shown(times.values.min()), times.shown(times.values.max())
    facts = {"column": request.time, "dates": times.dates, "left_out": left_out}
    notes = [
        f"time: '{request.time}' puts the rows in order, from {first} to {last}, and is no feature"
    ]
    if left_out:
        notes.append(
            f"time: {left_out} rows lie in the gap before the sealed rows (rolling.gap: "
            f"{request.rolling.gap}): they are neither trained on nor judged"
        )
    return {**facts, "first": first, "last": last}, notes
