"""Support vector machines: one kernel matrix serves all that leave the kernel as it is.

libsvm is given the matrix in place of the rows and does what it does in a fit of its own, to the
last bit. What a model says about the held-out rows comes from one more matrix, K(held, train); where
it is too close to call, the model is asked itself.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import _ovr_decision_function

from heldout.names import Theta
from heldout.numerics.engines import kernel_matrix
from heldout.numerics.engines.generic import predict
from heldout.numerics.engines.kernel_matrix import Kernel, Rows
from heldout.numerics.engines.path import Stretch, run_path
from heldout.numerics.problem import Outcome, Problem
from heldout.predictions import Predictions

BESIDE_THE_KERNEL = (
    "C",
    "nu",
    "epsilon",
    "class_weight",
    "tol",
    "max_iter",
    "shrinking",
    "cache_size",
    "decision_function_shape",
)
CLOSE = 1e-9
"""A sum that is less than this share of its terms may have another sign when summed otherwise."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """All θ of one training set, kernel by kernel."""
    yield from run_path(problem, thetas, BESIDE_THE_KERNEL, _fit)


def _fit(stretch: Stretch) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """From one matrix; each alone where that would be too large or not exact."""
    train = Rows.of(stretch.train)
    kernel = Kernel.of(stretch.models[0], train.values)
    matrix = kernel.gram(train)
    if matrix is None:
        for model in stretch.models:
            model.fit(stretch.train, stretch.target)
            yield model, predict(model, stretch.held, stretch.classes)
        return
    blocks = _blocks(stretch, kernel, train, matrix)
    for model in stretch.models:
        _fit_one(model, kernel, train.values, matrix, stretch.target)
        yield model, _said(model, stretch, blocks())


def _fit_one(
    model: Any, kernel: Kernel, train: np.ndarray, matrix: np.ndarray, target: np.ndarray
) -> None:
    """Fit, then give the model what its own fit would have given it."""
    model.kernel = "precomputed"
    model.fit(matrix, target)
    model.kernel, model._gamma = kernel.kind, kernel.gamma
    model.support_vectors_ = train[model.support_]
    model.shape_fit_, model.n_features_in_ = train.shape, train.shape[1]


def _blocks(
    stretch: Stretch, kernel: Kernel, train: Rows, matrix: np.ndarray
) -> Callable[[], Iterable[np.ndarray]]:
    """K(held, train), some rows at a time; computed once where memory allows."""
    if stretch.held is stretch.train:
        return lambda: [matrix]
    held = Rows.of(stretch.held)
    if matrix.size + len(stretch.held) * len(matrix) > kernel_matrix.LARGEST:
        return lambda: kernel.blocks(held, train)
    kept = list(kernel.blocks(held, train))
    return lambda: kept


def _said(model: Any, stretch: Stretch, blocks: Iterable[np.ndarray]) -> Predictions:
    """What the model says about the held-out rows."""
    weights = _weights(model, len(stretch.train), stretch.classes is not None)
    offset = model._intercept_
    if stretch.classes is None:
        return Predictions(value=np.concatenate([b @ weights[:, 0] for b in blocks]) + offset)
    sums = [
        (block @ weights + offset, np.abs(block) @ np.abs(weights) + np.abs(offset))
        for block in blocks
    ]
    values, terms = (np.concatenate(parts) for parts in zip(*sums, strict=True))
    label, decision = _decided(model, values)
    close = (np.abs(values) <= CLOSE * terms).any(axis=1)
    if close.any():
        own = predict(model, stretch.held[close], stretch.classes)
        label[close], decision[close] = own.label, own.decision
    return Predictions(label.astype(np.min_scalar_type(len(stretch.classes))), decision=decision)


def _weights(model: Any, count: int, classification: bool) -> np.ndarray:
    """What each training row counts in each sum: one per pair of classes, or the only one."""
    support, coef = model.support_, model._dual_coef_
    if not classification:
        weights = np.zeros((count, 1))
        weights[support, 0] = coef[0]
        return weights
    ends = np.cumsum([0, *model.n_support_])
    pairs = list(combinations(range(len(ends) - 1), 2))
    weights = np.zeros((count, len(pairs)))
    for pair, (i, j) in enumerate(pairs):
        ours, theirs = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        weights[support[ours], pair] = coef[j - 1, ours]
        weights[support[theirs], pair] = coef[i, theirs]
    return weights


def _decided(model: Any, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels by vote and the decision function, from a positive value for the first of each pair."""
    count = len(model.classes_)
    if count == 2:
        decision = -values[:, 0]
        return model.classes_[(decision >= 0).astype(int)], decision
    votes = _ovr_decision_function(values < 0, -values, count)
    label = model.classes_[np.rint(votes).argmax(axis=1)]  # less than a third of a vote is added
    return label, votes if model.decision_function_shape == "ovr" else values
