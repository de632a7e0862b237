"""Coefficients that are combinations of the training rows: kept as a number for each row until they are needed.

With many more columns than rows that is a fraction of them, and they need not be computed to predict.
"""

from typing import Any

import numpy as np


class Combination:
    """Stands in a model's `coef_` for Xᵀw.

    Parameters
    ----------
    rows
        X, the training rows as the model gets them.
    weights
        w: a number for each row, or a column of them for each row of `coef_`. Where the sum of a column is 0, rows
        need not be centred.

    Examples
    --------
    >>> Combination(np.array([[1.0, 2.0], [4.0, 0.0]]), np.array([0.5, -0.5])).array()
    array([-1.5,  1. ])
    """

    def __init__(self, rows: np.ndarray, weights: np.ndarray):
        self._rows, self.weights = rows, weights

    def column(self, place: int) -> "Combination":
        """One of several columns by itself, for a `coef_` of one dimension."""
        return Combination(self._rows, self.weights[:, place])

    def array(self) -> np.ndarray:
        """The coefficients."""
        return combined(self._rows, self.weights)

    def __reduce__(self) -> tuple[Any, ...]:
        """Wherever rows cannot be referred to, the coefficients are stored."""
        return np.asarray, (self.array(),)


def combined(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Xᵀw, or its transpose for several columns: products and sums of single numbers, row after row.

    So it has the same bits on every machine, which products of matrices have not.

    Parameters
    ----------
    rows
        X.
    weights
        w.

    Returns
    -------
    numpy.ndarray
        A number for each column of X, in a row for each column of w.

    Examples
    --------
    >>> combined(np.array([[1.0, 2.0], [4.0, 0.0]]), np.array([[0.5, 1.0], [-0.5, -1.0]]))
    array([[-1.5,  1. ],
           [-3. ,  2. ]])
    """
    found = np.zeros((*weights.shape[1:], rows.shape[1]))
    for row, weight in zip(rows, weights, strict=True):
        found += weight[..., None] * row
    return found


def completed(model: Any) -> Any:
    """A model with its coefficients computed.

    Parameters
    ----------
    model
        A fitted Pipeline; None is left alone.

    Returns
    -------
    Any
        The same object.

    Examples
    --------
    >>> completed(None) is None
    True
    """
    for _, last in getattr(model, "steps", [])[-1:]:
        coef = getattr(last, "__dict__", {}).get("coef_")
        if isinstance(coef, Combination):
            last.coef_ = coef.array()
    return model
