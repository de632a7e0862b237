"""heldout's own preprocessing, of rows that are a DataFrame."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from heldout.numerics.preprocessing import Preprocessor
from heldout.numerics.steps.dates import seconds_of
from heldout.numerics.steps.table import as_frame, kinds_of
from heldout.numerics.steps.texts import hashed

HASH_BITS = 52
TEXT = "text"


class Prepare(TransformerMixin, BaseEstimator):
    """What short names do to a matrix (see `numerics.preprocessing`), and hashed words of texts.

    Parameters
    ----------
    kinds
        The kind of each column of the table; others are known by their dtype.
    scale
        Whether numbers are standardised.
    max_levels
        The largest number of columns that a category becomes.
    n_features
        How many columns a column of texts becomes.
    """

    def __init__(
        self,
        kinds: Mapping[str, str] | None = None,
        scale: bool = False,
        max_levels: int = 100,
        n_features: int = 256,
    ):
        self.kinds = kinds
        self.scale = scale
        self.max_levels = max_levels
        self.n_features = n_features

    def fit(
        self, frame: pd.DataFrame, target: Any = None, sample_weight: np.ndarray | None = None
    ) -> "Prepare":
        """Learn levels, medians and scales."""
        self.fit_transform(frame, target, sample_weight)
        return self

    def fit_transform(
        self, frame: pd.DataFrame, target: Any = None, sample_weight: np.ndarray | None = None
    ) -> np.ndarray:
        """Learn levels, medians and scales from the rows, and transform them."""
        frame = as_frame(frame)
        self.feature_names_in_ = np.array(list(frame.columns), object)
        self.n_features_in_ = frame.shape[1]
        self.kinds_ = kinds_of(frame, self.kinds)
        self.levels_ = {
            name: _levels(frame[name], kind)
            for name, kind in self.kinds_.items()
            if kind in ("category", "ordered")
        }
        self.preprocessor_ = self._preprocessor()
        matrix = self.preprocessor_.fit_transform(self._matrix(frame), target, sample_weight)
        return self._with_texts(matrix, frame)

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        """Transform any rows with what was learned from the training rows."""
        frame = as_frame(frame)
        return self._with_texts(self.preprocessor_.transform(self._matrix(frame)), frame)

    def _preprocessor(self) -> Preprocessor:
        def places(*kinds: str) -> list[int]:
            return [i for i, kind in enumerate(self.kinds_.values()) if kind in kinds]

        return Preprocessor(
            numbers=places("number", "boolean", "ordered"),
            categories=places("category"),
            scale=self.scale,
            max_levels=self.max_levels,
            dates=places("date"),
            many=places("many"),
        )

    def _matrix(self, frame: pd.DataFrame) -> np.ndarray:
        """The rows as the matrix of a prepared table; codes of categories are of the training rows."""
        matrix = np.full((len(frame), len(self.kinds_)), np.nan)
        for i, (name, kind) in enumerate(self.kinds_.items()):
            if kind != TEXT:
                matrix[:, i] = self._encoded(name, kind, frame[name])
        return matrix

    def _encoded(self, name: str, kind: str, column: pd.Series) -> np.ndarray:
        if name in self.levels_:
            levels = self.levels_[name]
            codes = pd.Index(levels, dtype=object).get_indexer(column.astype(object)).astype(float)
            codes[codes < 0] = len(levels) if kind == "category" else np.nan
            codes[column.isna().to_numpy()] = np.nan
            return codes
        if kind == "date":
            return seconds_of(column)
        if kind == "many":
            return _hashes(column)
        return column.to_numpy(np.float64)

    def _with_texts(self, matrix: np.ndarray, frame: pd.DataFrame) -> np.ndarray:
        texts = [name for name, kind in self.kinds_.items() if kind == TEXT]
        parts = [hashed(frame[name], self.n_features) for name in texts]
        return np.hstack([matrix, *parts]) if parts else matrix


def _levels(column: pd.Series, kind: str) -> list[Any]:
    if isinstance(column.dtype, pd.CategoricalDtype) and kind == "ordered":
        return list(column.dtype.categories)
    return sorted(set(column.dropna().tolist()))


def _hashes(column: pd.Series) -> np.ndarray:
    """As in the matrix of a prepared table."""
    codes, texts = pd.factorize(column)
    different = [_hash(str(text)) for text in texts]
    return np.array([*different, np.nan])[codes]


def _hash(text: str) -> float:
    whole = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    return float(whole >> (64 - HASH_BITS))
