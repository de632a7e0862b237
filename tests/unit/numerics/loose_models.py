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


class Singles(Nearest):
    """Probabilities with 32 bits, as XGBoost has them."""

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X).astype(np.float32)


class Backwards(Nearest):
    """Notes the classes in another order, and gives probabilities in that one."""

    def fit(self, X: Any, y: Any) -> None:
        super().fit(X, y)
        self.classes_ = np.unique(y)[::-1]

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, ::-1]

    def decision_function(self, X: Any) -> Any:
        return self.predict_proba(X)


class Scores(Nearest):
    """Calls numbers probabilities that are none."""

    def predict_proba(self, X: Any) -> Any:
        return 3 * super().predict_proba(X)


class Negative(Nearest):
    def predict_proba(self, X: Any) -> Any:
        return 3 * super().predict_proba(X) - 2 / 3


class OfOneClass(Nearest):
    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, 1]


class TooFew(Nearest):
    def predict(self, X: Any) -> Any:
        return self.labels(X)[1:]


class OtherClasses(Nearest):
    def fit(self, X: Any, y: Any) -> None:
        super().fit(X, y)
        self.classes_ = np.unique(y) - 1


class Centred:
    """A step with nothing but fit and transform."""

    def fit(self, X: Any, y: Any) -> "Centred":
        self.mean = np.asarray(X).mean(axis=0)
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X) - self.mean


class WithoutMissing(BaseEstimator):
    """A step that leaves rows out, here of the held-out ones."""

    def fit(self, X: Any, y: Any) -> "WithoutMissing":
        self.count = len(X)
        return self

    def transform(self, X: Any) -> Any:
        return X if len(X) == self.count else X.dropna()


class Sorted(WithoutMissing):
    def transform(self, X: Any) -> Any:
        return X.sort_values("length")


class Nothing(WithoutMissing):
    def transform(self, X: Any) -> Any:
        return None
