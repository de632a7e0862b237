"""Columns as boosting libraries take them: categories as categories, missing values as they are."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from heldout.numerics.encodings import has_times
from heldout.numerics.steps.dates import named_parts, seconds_of
from heldout.numerics.steps.table import GROUP, kinds_of
from heldout.numerics.steps.texts import hashed

LEVELS, WORDS = "levels", "words"
MISSING = "missing"
"""What CatBoost gets for a missing category."""
REFUSED = re.compile(r'[\[\]{}<>:,"\s]')
"""Characters that LightGBM or XGBoost do not take in the name of a column."""


def categories_in(rows: Any) -> list[str]:
    """The columns of words: those whose values are no numbers.

    Parameters
    ----------
    rows
        A frame, or an array, which has none.

    Returns
    -------
    list of str
        Names.

    Examples
    --------
    >>> categories_in(pd.DataFrame({"a": [1.0], "b": pd.Series(["x"], dtype=object)}))
    ['b']
    """
    if not isinstance(rows, pd.DataFrame):
        return []
    numeric = pd.api.types.is_numeric_dtype
    return [name for name, dtype in rows.dtypes.items() if not numeric(dtype)]


class NativeColumns(TransformerMixin, BaseEstimator):
    """Categories as pandas categories with the levels of the training rows, or as words; dates as parts.

    Numbers and booleans stay as they are, also where they are missing. A level that the training rows
    do not have is missing. Texts are hashed. What is no DataFrame is not changed.

    Parameters
    ----------
    kinds
        The kind of each column of the table.
    style
        `levels` for LightGBM and XGBoost; `words` for CatBoost.
    n_features
        How many columns a column of texts becomes.
    """

    def __init__(
        self, kinds: Mapping[str, str] | None = None, style: str = LEVELS, n_features: int = 256
    ):
        self.kinds = kinds
        self.style = style
        self.n_features = n_features

    def fit(self, frame: Any, target: Any = None) -> "NativeColumns":
        """Learn the levels of categories, and which dates have times of day."""
        self.is_frame_ = isinstance(frame, pd.DataFrame)
        if not self.is_frame_:
            return self
        self.feature_names_in_ = np.array(list(frame.columns), object)
        self.n_features_in_ = frame.shape[1]
        self.groups_ = {name: GROUP[kind] for name, kind in kinds_of(frame, self.kinds).items()}
        self.levels_ = {
            name: _levels(frame[name])
            for name, group in self.groups_.items()
            if group == "categories"
        }
        self.hours_ = {
            name: has_times(seconds_of(frame[name]))
            for name, group in self.groups_.items()
            if group == "dates"
        }
        return self

    def transform(self, frame: Any) -> Any:
        """The columns in the same order, with names that the libraries take."""
        if not self.is_frame_:
            return frame
        columns: dict[str, Any] = {}
        for name, group in self.groups_.items():
            columns |= self._converted(name, group, frame[name])
        converted = pd.DataFrame(columns, index=frame.index)
        converted.columns = _plain_names(list(columns))
        return converted

    def _converted(self, name: str, group: str, column: pd.Series) -> dict[str, Any]:
        if group == "dates":
            return named_parts(name, column, self.hours_[name])
        if group == "texts":
            words = hashed(column, self.n_features)
            return {f"{name}_{i}": words[:, i] for i in range(self.n_features)}
        if group != "categories":
            return {name: column.astype(np.float64)}
        levels, ordered = self.levels_[name]
        words, known = column.astype(object), column.isin(levels)
        if self.style == LEVELS:
            return {name: pd.Categorical(words.where(known), levels, ordered)}
        return {name: words.where(known, MISSING)}


def _levels(column: pd.Series) -> tuple[list[Any], bool]:
    """The levels that occur, in order, and whether the order was declared."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        present = set(column.dropna())
        levels = [level for level in column.dtype.categories if level in present]
        return levels, bool(column.dtype.ordered)
    return sorted(set(column.dropna().tolist())), False


def _plain_names(names: list[str]) -> list[str]:
    """Names without the characters that libraries refuse, each once."""
    found: list[str] = []
    taken = {name for name in names if not REFUSED.search(name)}
    for name in names:
        plain = REFUSED.sub("_", name)
        if plain != name:
            while plain in taken:
                plain += "_"
            taken.add(plain)
        found.append(plain)
    return found
