"""Support vector machines: one kernel matrix serves all θ with the same kernel.

libsvm gets the matrix instead of the rows and finds the same solution, to the last bit. Decision
values of the held-out rows come from one more matrix, K(held, train). Where a value is so close to
zero that its sign is uncertain, the model itself predicts the row.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from heldout.names import Theta
from heldout.numerics.engines import kernel_matrix
from heldout.numerics.engines.kernel_matrix import Kernel, Rows
from heldout.numerics.engines.path import Path, run_path
from heldout.numerics.predict import as_codes, predict
from heldout.numerics.problem import Outcome, Problem
from heldout.numerics.sklearn_internals import svm_kernel
from heldout.predictions import Predictions

NOT_OF_THE_KERNEL = (
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
"""Parameters that do not change the kernel matrix."""
CLOSE = 1e-9
"""A sum smaller than this share of its terms may have another sign in another order of summation."""


def run(problem: Problem, thetas: list[Theta]) -> Iterator[Outcome]:
    """Fit all θ on one training set, kernel by kernel."""
    yield from run_path(problem, thetas, NOT_OF_THE_KERNEL, _fit)


def _fit(path: Path) -> Iterator[tuple[BaseEstimator, Predictions]]:
    """All models from one matrix; scikit-learn's fits where it would be too large or not exact."""
    train = Rows.of(path.train)
    kernel = Kernel.of(path.models[0], train.values)
    exact = svm_kernel.is_exact(type(path.models[0]))
    matrix = kernel.gram(train) if exact else None
    if matrix is None:
        for model in path.models:
            model.fit(path.train, path.target)
            yield model, predict(model, path.held, path.classes)
        return
    blocks = _blocks(path, kernel, train, matrix)
    for model in path.models:
        svm_kernel.fit(model, kernel, train.values, matrix, path.target)
        yield model, _predictions(model, path, blocks())


def _blocks(
    path: Path, kernel: Kernel, train: Rows, matrix: np.ndarray
) -> Callable[[], Iterable[np.ndarray]]:
    """K(held, train), some rows at a time; computed once if it fits into memory."""
    if path.held is path.train:
        return lambda: [matrix]
    held = Rows.of(path.held)
    if matrix.size + len(path.held) * len(matrix) > kernel_matrix.LARGEST:
        return lambda: kernel.blocks(held, train)
    computed = list(kernel.blocks(held, train))
    return lambda: computed


def _predictions(model: Any, path: Path, blocks: Iterable[np.ndarray]) -> Predictions:
    weights, offset = svm_kernel.weights(model, len(path.train))
    if path.classes is None:
        return Predictions(value=np.concatenate([b @ weights[:, 0] for b in blocks]) + offset)
    sums = [
        (block @ weights + offset, np.abs(block) @ np.abs(weights) + np.abs(offset))
        for block in blocks
    ]
    values, terms = (np.concatenate(parts) for parts in zip(*sums, strict=True))
    label, decision = svm_kernel.labels_and_decision(model, values)
    close = (np.abs(values) <= CLOSE * terms).any(axis=1)
    if close.any():
        label[close] = model.predict(path.held[close])
        decision[close] = model.decision_function(path.held[close])
    complete = len(model.classes_) == len(path.classes)
    return Predictions(as_codes(label, path.classes), decision=decision if complete else None)
