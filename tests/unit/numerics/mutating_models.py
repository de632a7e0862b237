"""Steps and a model that change rows in their place, draw from numpy's global state, and count their fits."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import Ridge


class Halved(TransformerMixin, BaseEstimator):
    """Changes the frame that it is given."""

    def fit(self, X: Any, y: Any = None) -> "Halved":
        return self

    def transform(self, X: Any) -> Any:
        X["length"] = X["length"] / 2
        return X


class Moved(BaseEstimator):
    """Changes the array that it is given; its shift is random."""

    fits: ClassVar[list[float]] = []

    def __init__(self, by: float = 1.0):
        self.by = by

    def fit(self, X: Any, y: Any = None) -> "Moved":
        self.fits.append(self.by)
        self.shift = self.by * np.random.normal()  # noqa: NPY002
        return self

    def transform(self, X: Any) -> Any:
        X += self.shift
        X[:, 0] *= X[:, 0]
        return X


class Doubling(BaseEstimator):
    """A model that changes rows when it is fitted and when it predicts."""

    def __init__(self, alpha: float = 1.0):
        self.alpha = alpha

    def fit(self, X: Any, y: Any) -> "Doubling":
        X *= 2
        self.inner = Ridge(alpha=self.alpha).fit(X, y + 0 * np.random.normal())  # noqa: NPY002
        self.noise = np.random.normal()  # noqa: NPY002
        return self

    def predict(self, X: Any) -> Any:
        X *= 2
        return self.inner.predict(X) + self.noise
