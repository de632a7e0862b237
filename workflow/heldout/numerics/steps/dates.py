"""Dates as numbers: days since 1970 and parts of the calendar."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

EPOCH = np.datetime64("1970-01-01")
DAY = pd.Timedelta(days=1)
PARTS = ("days", "year", "month", "day", "weekday", "dayofyear")
HOUR = "hour"
"""Only of columns that have times of day among the training rows."""


def date_parts(dates: pd.Series, hours: bool) -> dict[str, np.ndarray]:
    """The parts of dates as numbers; NaN where a date is missing.

    Parameters
    ----------
    dates
        A column of datetimes.
    hours
        Whether the hour of the day is one of them.

    Returns
    -------
    dict
        Numbers by part.

    Examples
    --------
    >>> parts = date_parts(pd.Series(pd.to_datetime(["2024-02-29 06:30"])), hours=True)
    >>> {name: float(values[0]) for name, values in parts.items()}
    {'days': 19782.0, 'year': 2024.0, 'month': 2.0, 'day': 29.0, 'weekday': 3.0, 'dayofyear': 60.0, 'hour': 6.5}
    """
    calendar = dates.dt
    days = calendar.floor("D") - pd.Timestamp(EPOCH)
    found = {
        "days": days / DAY,
        "year": calendar.year,
        "month": calendar.month,
        "day": calendar.day,
        "weekday": calendar.weekday,
        "dayofyear": calendar.dayofyear,
    }
    if hours:
        found[HOUR] = calendar.hour + calendar.minute / 60 + calendar.second / 3600
    return {name: np.asarray(values, np.float64) for name, values in found.items()}


def has_hours(dates: pd.Series) -> bool:
    """Whether a column has times of day."""
    present = dates.dropna()
    return bool((present != present.dt.floor("D")).any())


class DateParts(TransformerMixin, BaseEstimator):
    """Turns each column of dates into its parts, and leaves other columns as they are."""

    def fit(self, frame: pd.DataFrame, target: Any = None) -> "DateParts":
        """Learn which columns are dates, and which have times of day."""
        self.feature_names_in_ = np.array(list(frame.columns), object)
        self.n_features_in_ = frame.shape[1]
        self.dates_ = {
            name: has_hours(frame[name])
            for name in frame.columns
            if pd.api.types.is_datetime64_any_dtype(frame[name].dtype)
        }
        return self

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The parts of each date, in the place of its column."""
        columns: dict[str, Any] = {}
        for name in frame.columns:
            if name in self.dates_:
                parts = date_parts(frame[name], self.dates_[name])
                columns |= {f"{name}_{part}": values for part, values in parts.items()}
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
