"""Levels as positions."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from heldout.numerics.steps.table import as_frame


class Ordinal(TransformerMixin, BaseEstimator):
    """The position of each level: in the declared order of an ordered column, else by text.

    Levels of other columns are those of the training rows. Missing is NaN.

    Parameters
    ----------
    unknown
        The position of a level that the training rows do not have.
    """

    def __init__(self, unknown: float = -1.0):
        self.unknown = unknown

    def fit(self, frame: pd.DataFrame, target: Any = None) -> "Ordinal":
        """Learn the levels of each column."""
        frame = as_frame(frame)
        self.feature_names_in_ = np.array(list(frame.columns), object)
        self.n_features_in_ = frame.shape[1]
        self.levels_ = [_levels(frame.iloc[:, i]) for i in range(frame.shape[1])]
        return self

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        """The positions."""
        frame = as_frame(frame)
        found = np.empty(frame.shape)
        for i, levels in enumerate(self.levels_):
            column = frame.iloc[:, i]
            places = pd.Index(levels).get_indexer(column.astype(object)).astype(float)
            places[places < 0] = self.unknown
            places[column.isna().to_numpy()] = np.nan
            found[:, i] = places
        return found

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns."""
        return self.feature_names_in_


def _levels(column: pd.Series) -> list[Any]:
    if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
        return list(column.dtype.categories)
    return sorted(set(column.dropna().tolist()))
