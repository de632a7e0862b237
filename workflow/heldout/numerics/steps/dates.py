"""Dates as numbers: days since 1970 and parts of the calendar."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from heldout.numerics.encodings import date_parts, has_times

PARTS = ("days", "year", "month", "day", "weekday", "dayofyear")
HOUR = "hour"
"""Only of columns that have times of day among the training rows."""


def seconds_of(dates: pd.Series) -> np.ndarray:
    """Dates as seconds since 1970-01-01; NaN where one is missing.

    Parameters
    ----------
    dates
        A column of datetimes.

    Returns
    -------
    numpy.ndarray
        As in the matrix of a prepared table.

    Examples
    --------
    >>> seconds_of(pd.Series(pd.to_datetime(["1970-01-02", None]))).tolist()
    [86400.0, nan]
    """
    moments = dates.to_numpy("datetime64[us]")
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 1e6)


def named_parts(name: str, dates: pd.Series, hours: bool) -> dict[str, np.ndarray]:
    """The parts of dates as numbers; NaN where a date is missing.

    Parameters
    ----------
    name
        Of the column.
    dates
        A column of datetimes.
    hours
        Whether the hour of the day is one of them.

    Returns
    -------
    dict
        Numbers by the names of the column and the part.

    Examples
    --------
    >>> parts = named_parts("t", pd.Series(pd.to_datetime(["2024-02-29 06:30"])), hours=True)
    >>> {name: float(values[0]) for name, values in parts.items() if name in ("t_month", "t_hour")}
    {'t_month': 2.0, 't_hour': 6.0}
    """
    parts = [*PARTS, HOUR] if hours else PARTS
    values = date_parts(seconds_of(dates), hours)
    return {f"{name}_{part}": values[:, i] for i, part in enumerate(parts)}


class DateParts(TransformerMixin, BaseEstimator):
    """Turns each column of dates into its parts, and leaves other columns as they are."""

    def fit(self, frame: pd.DataFrame, target: Any = None) -> "DateParts":
        """Learn which columns are dates, and which have times of day."""
        self.feature_names_in_ = np.array(list(frame.columns), object)
        self.n_features_in_ = frame.shape[1]
        self.dates_ = {
            name: has_times(seconds_of(frame[name]))
            for name in frame.columns
            if pd.api.types.is_datetime64_any_dtype(frame[name].dtype)
        }
        return self

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The parts of each date, in the place of its column."""
        columns: dict[str, Any] = {}
        for name in frame.columns:
            if name in self.dates_:
                columns |= named_parts(name, frame[name], self.dates_[name])
            else:
                columns[name] = frame[name]
        return pd.DataFrame(columns, index=frame.index)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The name of each column with each part."""
        names: list[str] = []
        for name in self.feature_names_in_:
            if name in self.dates_:
                parts = [*PARTS, HOUR] if self.dates_[name] else list(PARTS)
                names += [f"{name}_{part}" for part in parts]
            else:
                names.append(name)
        return np.array(names, object)
