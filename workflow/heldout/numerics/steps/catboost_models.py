"""CatBoost's estimators, told which columns are categories when they are fitted.

CatBoost must be told, and which ones there are is known only after the steps before it.
"""

from typing import Any

import catboost

from heldout.numerics.steps.native import categories_in


class _TellsCategories:
    def fit(
        self,
        X: Any,
        y: Any = None,
        cat_features: Any = None,
        sample_weight: Any = None,
        **others: Any,
    ) -> Any:
        if cat_features is None and "cat_features" not in self.get_params():  # type: ignore[attr-defined]
            cat_features = categories_in(X) or None
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return super().fit(X, y, cat_features=cat_features, **weights, **others)  # type: ignore[misc]


class CatBoostClassifier(_TellsCategories, catboost.CatBoostClassifier):
    """catboost.CatBoostClassifier."""


class CatBoostRegressor(_TellsCategories, catboost.CatBoostRegressor):
    """catboost.CatBoostRegressor."""
