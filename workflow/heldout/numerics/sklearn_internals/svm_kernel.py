"""Support vector machines fitted on a kernel matrix, as if they had been fitted on the rows."""

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR, NuSVC, NuSVR
from sklearn.utils.multiclass import _ovr_decision_function

from heldout.numerics.engines.kernel_matrix import Kernel, Rows
from heldout.numerics.sklearn_internals.selfcheck import once, small_table


def fit(model: Any, kernel: Kernel, train: np.ndarray, matrix: np.ndarray, target: Any) -> None:
    """Fit on the matrix, then give the model what a fit on the rows would have given it."""
    model.kernel = "precomputed"
    model.fit(matrix, target)
    model.kernel, model._gamma = kernel.kind, kernel.gamma
    model.support_vectors_ = train[model.support_]
    model.shape_fit_, model.n_features_in_ = train.shape, train.shape[1]


def weights(model: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The weight of each training row in each decision value, and the offsets.

    There is one decision value for each pair of classes, or a single one for numbers.
    """
    support, coef = model.support_, model._dual_coef_
    if not hasattr(model, "classes_"):
        found = np.zeros((count, 1))
        found[support, 0] = coef[0]
        return found, model._intercept_
    ends = np.cumsum([0, *model.n_support_])
    pairs = list(combinations(range(len(ends) - 1), 2))
    found = np.zeros((count, len(pairs)))
    for pair, (i, j) in enumerate(pairs):
        first, second = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        found[support[first], pair] = coef[j - 1, first]
        found[support[second], pair] = coef[i, second]
    return found, model._intercept_


def decided(model: Any, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels by vote and the decision function, from values that favour the first of each pair."""
    count = len(model.classes_)
    if count == 2:
        decision = -values[:, 0]
        return model.classes_[(decision >= 0).astype(int)], decision
    votes = _ovr_decision_function(values < 0, -values, count)
    label = model.classes_[np.rint(votes).argmax(axis=1)]  # less than a third of a vote is added
    return label, votes if model.decision_function_shape == "ovr" else values


@once
def is_exact(kind: type) -> bool:
    """Whether a model fitted on the matrix is the one fitted on the rows."""
    features, score = small_table()
    targets = (
        [score] if kind in (SVR, NuSVR) else [np.digitize(score, c) for c in ([0], [-0.5, 0.5])]
    )
    return kind in (SVC, NuSVC, SVR, NuSVR) and all(_same(kind, features, one) for one in targets)


def _same(kind: type, features: np.ndarray, target: np.ndarray) -> bool:
    own, ours = kind().fit(features, target), kind()
    rows = Rows.of(features)
    kernel = Kernel.of(ours, rows.values)
    matrix = kernel.gram(rows)
    assert matrix is not None
    fit(ours, kernel, rows.values, matrix, target)
    weight, offset = weights(ours, len(features))
    values = matrix @ weight + offset
    if not hasattr(own, "classes_"):
        return np.allclose(values[:, 0], own.predict(features), rtol=0, atol=1e-9)
    label, decision = decided(ours, values)
    return (
        np.array_equal(own.predict(features), ours.predict(features))
        and np.array_equal(label, own.predict(features))
        and np.allclose(decision, own.decision_function(features), rtol=0, atol=1e-9)
    )
