"""Estimators that follow scikit-learn's conventions loosely."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator


class Nearest(BaseEstimator):
    """The class of the nearest training row; notes no classes."""

    def fit(self, X: Any, y: Any) -> None:
        self.rows, self.codes = np.asarray(X), np.asarray(y)

    def labels(self, X: Any) -> np.ndarray:
        distances = ((np.asarray(X)[:, None] - self.rows) ** 2).sum(axis=2)
        return self.codes[distances.argmin(axis=1)]

    def predict(self, X: Any) -> Any:
        return self.labels(X)

    def predict_proba(self, X: Any) -> Any:
        return (self.labels(X)[:, None] == np.unique(self.codes)).astype(float)


class AsColumn(Nearest):
    def predict(self, X: Any) -> Any:
        return self.labels(X)[:, None]


class AsList(Nearest):
    def predict(self, X: Any) -> Any:
        return self.labels(X).tolist()

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X).tolist()


class AsFloats(Nearest):
    def predict(self, X: Any) -> Any:
        return self.labels(X).astype(np.float32)


class AsTexts(Nearest):
    def predict(self, X: Any) -> Any:
        return self.labels(X).astype(str)


class Changing(Nearest):
    """Its constructor changes what it is given, so that it cannot be cloned."""

    def __init__(self, scale: Any = (1, 2)):
        self.scale = list(scale)


class PlusMinus(Nearest):
    """Predicts labels of its own."""

    def predict(self, X: Any) -> Any:
        return 2 * self.labels(X).astype(int) - 1


class TwoColumns(Nearest):
    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, :2]


class Centred:
    """A step with nothing but fit and transform."""

    def fit(self, X: Any, y: Any) -> "Centred":
        self.mean = np.asarray(X).mean(axis=0)
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X) - self.mean
