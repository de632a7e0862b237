"""XGBoost's classifiers, also for training rows that lack a class.

XGBoost takes the codes 0, 1, …, k − 1 of the classes that there are, and no others.
"""

from typing import Any

import numpy as np
import xgboost


class _AnyCodes:
    labels_: np.ndarray | None = None

    def fit(self, X: Any, y: Any, **others: Any) -> Any:
        self.labels_ = None
        labels, places = np.unique(np.asarray(y), return_inverse=True)
        super().fit(X, places, **others)  # type: ignore[misc]
        self.labels_ = labels
        return self

    def predict(self, X: Any, **others: Any) -> Any:
        found = super().predict(X, **others)  # type: ignore[misc]
        return found if others.get("output_margin") or self.labels_ is None else self.labels_[found]

    @property
    def classes_(self) -> np.ndarray:
        """The labels that `fit` was given."""
        places: np.ndarray = super().classes_  # type: ignore[misc]
        return places if self.labels_ is None else self.labels_


class XGBClassifier(_AnyCodes, xgboost.XGBClassifier):
    """xgboost.XGBClassifier."""


class XGBRFClassifier(_AnyCodes, xgboost.XGBRFClassifier):
    """xgboost.XGBRFClassifier."""
