"""Predictions with few different values, as those of k-NN and of trees: each value once, and which row has which.

An array `proba` becomes `proba.different` and `proba.codes`, and is ``different[codes]``: a byte for a row in place of eight for
each class. What comes back is the same to the last bit; arrays that are small, or have many values, stay as they are.
"""

import numpy as np

DIFFERENT, CODES = ".different", ".codes"
LEAST = 2**14
"""Arrays of fewer bytes stay as they are."""
MOST = 256
"""So many values have codes of one byte."""
FIRST = 1024
"""Rows that are looked at first: most arrays have too many values already there."""


def coded(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Put two small arrays in the place of each large one that has few different rows.

    Parameters
    ----------
    arrays
        By name.

    Returns
    -------
    dict
        What `decoded` takes.

    Examples
    --------
    >>> shares = np.tile([[0.2, 0.8], [0.4, 0.6]], (1000, 1))
    >>> {name: one.shape for name, one in coded({"proba": shares}).items()}
    {'proba.different': (2, 2), 'proba.codes': (2000,)}
    """
    found: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        parts = _parts(array) if array.nbytes >= LEAST and array.dtype.kind == "f" else None
        if parts is None:
            found[name] = array
        else:
            found[name + DIFFERENT], found[name + CODES] = parts
    return found


def decoded(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays that `coded` was given.

    Parameters
    ----------
    arrays
        From `coded`, in any order.

    Returns
    -------
    dict
        By name.

    Raises
    ------
    KeyError
        If one of two arrays that belong together is missing.
    IndexError
        If there is a code without a value.

    Examples
    --------
    >>> shares = np.tile([[0.2, 0.8], [0.4, 0.6]], (1000, 1))
    >>> np.array_equal(decoded(coded({"proba": shares}))["proba"], shares)
    True
    """
    found: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        if name.endswith(CODES):
            plain = name.removesuffix(CODES)
            found[plain] = arrays[plain + DIFFERENT][array]
        elif not name.endswith(DIFFERENT):
            found[name] = array
    return found


def _parts(array: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The different rows, and the code of each row; None if there are many."""
    keys = array if array.ndim == 1 else array @ np.sqrt(np.arange(2.0, 2.0 + array.shape[1]))
    if len(np.unique(keys[:FIRST])) > MOST:
        return None
    values = np.unique(keys)
    if len(values) > MOST:
        return None
    codes = np.searchsorted(values, keys).astype(np.uint8)
    different = np.empty((len(values), *array.shape[1:]), array.dtype)
    different[codes] = array
    same = different[codes].tobytes() == array.tobytes()  # 0 and −0 have one key
    return (different, codes) if same else None
