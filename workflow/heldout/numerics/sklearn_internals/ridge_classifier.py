"""The attributes that a fitted RidgeClassifier needs to predict."""

from typing import Any

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import LabelBinarizer

from heldout.numerics.sklearn_internals.selfcheck import once, small_table


def complete(
    model: Any, coef: Any, intercept: np.ndarray, target: np.ndarray, features: int
) -> Any:
    """Set the coefficients (classes down, features across) and the classes of a model."""
    model.coef_, model.intercept_ = coef, intercept
    model.n_features_in_ = features
    model._label_binarizer = LabelBinarizer(pos_label=1, neg_label=-1).fit(target)
    if "classes_" not in dir(type(model)):
        model.classes_ = model._label_binarizer.classes_
    return model


@once
def is_exact() -> bool:
    """Whether a completed model predicts what a fitted model with the same coefficients predicts."""
    features, score = small_table()
    for cuts in ([0.0], [-0.5, 0.5]):
        target = np.digitize(score, cuts)
        own = RidgeClassifier().fit(features, target)
        ours = complete(RidgeClassifier(), own.coef_, own.intercept_, target, features.shape[1])
        same = np.array_equal(own.predict(features), ours.predict(features))
        if not same or not np.array_equal(own.classes_, ours.classes_):
            return False
    return True
