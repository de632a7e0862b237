"""Columns of free text as numbers: hashed words, and weighted counts of words."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer


def plain_texts(column: pd.Series) -> list[str]:
    """The texts of a column; an empty one where it is missing.

    Parameters
    ----------
    column
        A column of texts.

    Returns
    -------
    list of str
        Row by row.

    Examples
    --------
    >>> plain_texts(pd.Series(["a b", np.nan], dtype=object))
    ['a b', '']
    """
    missing = column.isna().to_numpy()
    pairs = zip(column.tolist(), missing, strict=True)
    return ["" if absent else str(text) for text, absent in pairs]


def hashed(column: pd.Series, count: int) -> np.ndarray:
    """Words and pairs of words of a column, hashed to `count` columns; nothing is learned.

    Parameters
    ----------
    column
        A column of texts.
    count
        The number of columns.

    Returns
    -------
    numpy.ndarray
        A row per text, of length 1 unless the text is empty.

    Examples
    --------
    >>> hashed(pd.Series(["good dog", ""], dtype=object), 4).shape
    (2, 4)
    """
    vectorizer = HashingVectorizer(n_features=count, ngram_range=(1, 2))
    return vectorizer.transform(plain_texts(column)).toarray()


class _OfTexts(TransformerMixin, BaseEstimator):
    """What steps for columns of texts share: a block of columns for each one."""

    def _start(self, frame: pd.DataFrame) -> None:
        if not isinstance(frame, pd.DataFrame):
            raise TypeError("texts are taken from a frame; put this step into columns: {texts: …}")
        self.feature_names_in_ = np.array(list(frame.columns), object)
        self.n_features_in_ = frame.shape[1]


class HashedTexts(_OfTexts):
    """Words and pairs of words, hashed; stateless.

    Parameters
    ----------
    n_features
        How many columns each column of texts becomes.
    """

    def __init__(self, n_features: int = 256):
        self.n_features = n_features

    def fit(self, frame: pd.DataFrame, target: Any = None) -> "HashedTexts":
        """Nothing is learned but the names of the columns."""
        self._start(frame)
        return self

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        """The hashed words of each column, side by side."""
        parts = [hashed(frame[name], self.n_features) for name in self.feature_names_in_]
        return np.hstack(parts) if parts else np.empty((len(frame), 0))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The name of the column and the number of the hash."""
        names = [f"{name}_{i}" for name in self.feature_names_in_ for i in range(self.n_features)]
        return np.array(names, object)


class Tfidf(_OfTexts):
    """scikit-learn's TfidfVectorizer for each column of texts; words are those of the training rows.

    Parameters
    ----------
    max_features
        The number of words of each column.
    min_df, max_df, ngram_range, stop_words, sublinear_tf
        As of TfidfVectorizer.
    """

    def __init__(
        self,
        max_features: int | None = 500,
        min_df: Any = 1,
        max_df: Any = 1.0,
        ngram_range: Any = (1, 1),
        stop_words: Any = None,
        sublinear_tf: bool = False,
    ):
        self.max_features = max_features
        self.min_df = min_df
        self.max_df = max_df
        self.ngram_range = ngram_range
        self.stop_words = stop_words
        self.sublinear_tf = sublinear_tf

    def fit(self, frame: pd.DataFrame, target: Any = None) -> "Tfidf":
        """Learn the words of each column and how rare they are."""
        self._start(frame)
        params = self.get_params()
        params["ngram_range"] = tuple(params["ngram_range"])
        self.vectorizers_ = [
            TfidfVectorizer(**params).fit(plain_texts(frame[name]))
            for name in self.feature_names_in_
        ]
        return self

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        """The weighted counts of each column, side by side."""
        pairs = zip(self.feature_names_in_, self.vectorizers_, strict=True)
        parts = [one.transform(plain_texts(frame[name])).toarray() for name, one in pairs]
        return np.hstack(parts) if parts else np.empty((len(frame), 0))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The name of the column and the word."""
        pairs = zip(self.feature_names_in_, self.vectorizers_, strict=True)
        names = [f"{name}_{word}" for name, one in pairs for word in one.get_feature_names_out()]
        return np.array(names, object)
