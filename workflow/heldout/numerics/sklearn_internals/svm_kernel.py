"""Support vector machines fitted on a kernel matrix, as if they had been fitted on the rows."""

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR, NuSVC, NuSVR
from sklearn.utils.multiclass import _ovr_decision_function

from heldout.numerics.engines.kernel_matrix import Kernel, Rows
from heldout.numerics.sklearn_internals.selfcheck import once, small_table


def fit(model: Any, kernel: Kernel, train: np.ndarray, matrix: np.ndarray, target: Any) -> None:
    """Fit on the matrix, then set the attributes that a fit on the rows would set."""
    model.kernel = "precomputed"
    model.fit(matrix, target)
    model.kernel, model._gamma = kernel.kind, kernel.gamma
    model.support_vectors_ = train[model.support_]
    model.shape_fit_, model.n_features_in_ = train.shape, train.shape[1]


def weights(model: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The weight of each of `count` training rows in each decision value, and the offsets.

    There is one decision value for each pair of classes, or a single one for numbers.
    """
    support, coef = model.support_, model._dual_coef_
    if not hasattr(model, "classes_"):
        by_row = np.zeros((count, 1))
        by_row[support, 0] = coef[0]
        return by_row, model._intercept_
    ends = np.cumsum([0, *model.n_support_])
    pairs = list(combinations(range(len(ends) - 1), 2))
    by_row = np.zeros((count, len(pairs)))
    for pair, (i, j) in enumerate(pairs):
        first, second = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        by_row[support[first], pair] = coef[j - 1, first]
        by_row[support[second], pair] = coef[i, second]
    return by_row, model._intercept_


def labels_and_decision(model: Any, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels by vote and the decision function, from the decision values of each pair of classes.

    A positive value is a vote for the first class of its pair.
    """
    count = len(model.classes_)
    if count == 2:
        decision = -values[:, 0]
        return model.classes_[(decision >= 0).astype(int)], decision
    votes = _ovr_decision_function(values < 0, -values, count)
    # Votes are whole numbers plus less than a third, by which scikit-learn breaks ties.
    label = model.classes_[np.rint(votes).argmax(axis=1)]
    return label, votes if model.decision_function_shape == "ovr" else values


@once
def is_exact(kind: type) -> bool:
    """Whether a model fitted on the matrix predicts what a model fitted on the rows predicts."""
    features, score = small_table()
    targets = (
        [score] if kind in (SVR, NuSVR) else [np.digitize(score, c) for c in ([0], [-0.5, 0.5])]
    )
    return kind in (SVC, NuSVC, SVR, NuSVR) and all(
        _agrees(kind, features, target) for target in targets
    )


def _agrees(kind: type, features: np.ndarray, target: np.ndarray) -> bool:
    own, ours = kind().fit(features, target), kind()
    rows = Rows.of(features)
    kernel = Kernel.of(ours, rows.values)
    matrix = kernel.gram(rows)
    assert matrix is not None
    fit(ours, kernel, rows.values, matrix, target)
    weight, offset = weights(ours, len(features))
    values = matrix @ weight + offset
    if not np.array_equal(own.predict(features), ours.predict(features)):
        return False
    if not hasattr(own, "classes_"):
        return np.allclose(values[:, 0], own.predict(features), rtol=0, atol=1e-9)
    label, decision = labels_and_decision(ours, values)
    return (
        np.array_equal(own.decision_function(features), ours.decision_function(features))
        and np.array_equal(label, own.predict(features))
        and np.allclose(decision, own.decision_function(features), rtol=0, atol=1e-9)
    )
