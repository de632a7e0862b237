"""Products of centred rows, for models that are combinations of the training rows."""

from typing import NamedTuple

import numpy as np


class Products(NamedTuple):
    """Of the training rows X and of other rows, without the means of X."""

    gram: np.ndarray
    """Among the training rows."""
    held: np.ndarray
    """Other rows (down) with the training rows (across)."""
    means: np.ndarray
    """The means of X with the training rows."""


def products(
    rows: np.ndarray, held: np.ndarray, centre: bool = True, scaled: bool = True
) -> Products:
    """All products among rows.

    Parameters
    ----------
    rows
        X.
    held
        Other rows.
    centre
        Whether the means are subtracted.
    scaled
        Whether the columns have been scaled. Then means are subtracted from the products, which are few; rows that are
        far from 0 would lose digits, and are centred first.

    Returns
    -------
    Products
        New matrices.

    Examples
    --------
    >>> found = products(np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([[2.0, 7.0]]))
    >>> found.gram, found.held, found.means
    (array([[ 1., -1.],
           [-1.,  1.]]), array([[0., 0.]]), array([-2.,  2.]))
    """
    if not centre:
        return Products(rows @ rows.T, held @ rows.T, np.zeros(len(rows)))
    if not scaled:
        means = rows.mean(axis=0)
        centred = rows - means
        return Products(centred @ centred.T, (held - means) @ centred.T, centred @ means)
    gram, across = rows @ rows.T, held @ rows.T
    with_means = gram.mean(axis=0)
    means = with_means - with_means.mean()
    gram -= with_means[:, None]
    gram -= means
    across -= across.mean(axis=1, keepdims=True)
    across -= means
    return Products(gram, across, means)
