"""Rows for estimators that may change them in their place."""

from typing import Any


def own_rows(rows: Any) -> Any:
    """A copy: what an estimator does to it changes nothing for other θ and learners.

    Parameters
    ----------
    rows
        A matrix, sparse or not, or a DataFrame.

    Returns
    -------
    Any
        The same values; what cannot be copied as it is.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.zeros((2, 1))
    >>> own_rows(rows) is rows
    False
    """
    return rows.copy() if hasattr(rows, "copy") else rows


def may_change_rows(model: Any) -> bool:
    """Whether a model may change the rows that it is given: scikit-learn's do where they are told to only.

    Parameters
    ----------
    model
        An unfitted estimator.

    Returns
    -------
    bool
        Whether it needs rows of its own.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> may_change_rows(Ridge()), may_change_rows(Ridge(copy_X=False))
    (False, True)
    """
    if not type(model).__module__.startswith(("sklearn.", "heldout.")):
        return True
    given = model.get_params().items()
    return any(name.split("__")[-1].startswith("copy") and value is False for name, value in given)
