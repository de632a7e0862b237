"""The first step of a Pipeline on a frame: the columns of the table; and columns by their kind."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

NUMBERS, CATEGORIES, DATES, TEXTS = "numbers", "categories", "dates", "texts"
GROUP = {
    "number": NUMBERS,
    "boolean": NUMBERS,
    "category": CATEGORIES,
    "ordered": CATEGORIES,
    "many": CATEGORIES,
    "date": DATES,
    "text": TEXTS,
}
"""What steps call the kinds of columns."""


def kind_by_dtype(column: pd.Series) -> str:
    """The kind of a column that a step made.

    Parameters
    ----------
    column
        The column.

    Returns
    -------
    str
        One of the kinds of columns of a table.

    Examples
    --------
    >>> kind_by_dtype(pd.Series([1, 2])), kind_by_dtype(pd.Series(["a"], dtype=object))
    ('number', 'category')
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        return "ordered" if column.dtype.ordered else "category"
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "date"
    return "number" if pd.api.types.is_numeric_dtype(column.dtype) else "category"


def as_frame(rows: Any) -> pd.DataFrame:
    """Rows as a frame; columns of an array are called x0, x1, …

    Parameters
    ----------
    rows
        A frame or an array.

    Returns
    -------
    pandas.DataFrame
        The frame itself, or one around the array.

    Examples
    --------
    >>> list(as_frame(np.zeros((1, 2))).columns)
    ['x0', 'x1']
    """
    if isinstance(rows, pd.DataFrame):
        return rows
    array = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    return pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])


def kinds_of(frame: pd.DataFrame, declared: Mapping[str, str] | None) -> dict[str, str]:
    """The kind of each column of a frame: as declared, and by its dtype where it is not.

    Parameters
    ----------
    frame
        Rows.
    declared
        The kinds of the table's columns, by name.

    Returns
    -------
    dict
        The kind by name.

    Examples
    --------
    >>> kinds_of(pd.DataFrame({"a": [1.0], "b": [2.0]}), {"a": "boolean"})
    {'a': 'boolean', 'b': 'number'}
    """
    known = declared or {}
    return {name: known.get(name) or kind_by_dtype(frame[name]) for name in frame.columns}


class TableColumns(TransformerMixin, BaseEstimator):
    """The columns that a learner uses, by name; the table may have more, in another order.

    Parameters
    ----------
    names
        The names of the columns.
    """

    takes_frame = True

    def __init__(self, names: Sequence[str] = ()):
        self.names = names

    def fit(self, frame: pd.DataFrame, target: Any = None) -> "TableColumns":
        """Nothing is learned."""
        self.feature_names_in_ = np.array(list(self.names), object)
        self.n_features_in_ = len(self.names)
        return self

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The columns."""
        return frame if list(frame.columns) == list(self.names) else frame[list(self.names)]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Their names."""
        return np.array(list(self.names), object)


class ByKind:
    """Chooses the columns of a part of `columns`, when it is fitted: those of some kinds, and by name.

    Parameters
    ----------
    groups
        Kinds as steps call them: numbers, categories, dates, texts.
    names
        Names of columns besides these.
    kinds
        The kind of each column of the table.
    """

    def __init__(self, groups: Sequence[str], names: Sequence[str], kinds: Mapping[str, str]):
        self.groups = groups
        self.names = names
        self.kinds = kinds

    def __call__(self, frame: pd.DataFrame) -> list[str]:
        """The names of the columns, in the order of the frame."""
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(
                "columns are chosen by name, and the step before `columns` gives an array without names; "
                "put `columns` first"
            )
        here = list(map(str, frame.columns))
        absent = [name for name in self.names if name not in here and name not in self.kinds]
        if absent:
            raise ValueError(f"there is no column '{absent[0]}' to choose; there are {here}")
        kinds = kinds_of(frame, self.kinds)
        chosen = {name for name in here if GROUP[kinds[name]] in self.groups}
        return [name for name in here if name in chosen or name in self.names]
