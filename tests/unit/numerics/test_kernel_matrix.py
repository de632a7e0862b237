"""Kernel matrices have exactly the numbers that libsvm computes and rounds to 32 bits."""

import math

import numpy as np
import pytest
from scipy.linalg.blas import ddot

from heldout.numerics.engines import kernel_matrix
from heldout.numerics.engines.kernel_matrix import Kernel, Rows


def rows(n: int = 140, p: int = 5) -> np.ndarray:
    return np.random.default_rng(8).normal(size=(n, p))


def as_libsvm(kernel: Kernel, values: np.ndarray) -> np.ndarray:
    """By libsvm's formulas, value by value."""
    dots = [[ddot(x, y) for y in values] for x in values]
    of = {
        "rbf": lambda i, j: math.exp(-kernel.gamma * (dots[i][i] + dots[j][j] - 2 * dots[i][j])),
        "linear": lambda i, j: dots[i][j],
        "poly": lambda i, j: (a := kernel.gamma * dots[i][j] + kernel.coef0) * (a * a),
        "sigmoid": lambda i, j: math.tanh(kernel.gamma * dots[i][j] + kernel.coef0),
    }[kernel.kind]
    return np.array([[of(i, j) for j in range(len(values))] for i in range(len(values))])


@pytest.mark.parametrize("kind", ["rbf", "linear", "poly", "sigmoid"])
def test_values_are_rounded_as_in_libsvm(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if products are off by as much as the bound allows, and the bound is a thousand times larger."""
    values = Rows.of(rows(n=250))
    kernel = Kernel(kind, 0.2, 0.0 if kind == "linear" else 0.5, 3)
    summed = Kernel.arguments
    noise = np.random.default_rng(1)

    def with_errors(self: Kernel, few: Rows, others: Rows) -> np.ndarray:
        arguments = summed(self, few, others)
        return arguments + 0.99 * self.argument_error(values) * noise.choice(
            [-1, 1], arguments.shape
        )

    monkeypatch.setattr(kernel_matrix, "ROUNDING", 1000 * kernel_matrix.ROUNDING)
    monkeypatch.setattr(Kernel, "arguments", with_errors)
    exact = as_libsvm(kernel, values.values)
    product, found = kernel.between(values, values), kernel.gram(values)
    assert (product.astype(np.float32) != exact.astype(np.float32)).sum() > 5, (
        "no value would be rounded otherwise"
    )
    assert found is not None
    np.testing.assert_array_equal(found.astype(np.float32), exact.astype(np.float32))
    np.testing.assert_array_equal(found.diagonal(), exact.diagonal())


@pytest.mark.parametrize("kind", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("width", [3, 31, 130])
def test_the_bound_on_what_sums_can_differ_by(kind: str, width: int) -> None:
    values = Rows.of(rows(n=60, p=width) + 5)
    kernel = Kernel(kind, 1 / width, 0.0 if kind == "linear" else 0.5, 3)
    arguments = kernel.arguments(values, values)
    product = kernel.between(values, values)
    bound = kernel.value_error(arguments, product, kernel.argument_error(values))
    assert (np.abs(product - as_libsvm(kernel, values.values)) <= bound).all()
