"""Self-checks that run once per process; one that raises an error has failed."""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np


def once(check: Callable[..., bool]) -> Any:
    """Make a check run once for each of its arguments, without warnings; an error counts as False.

    Parameters
    ----------
    check
        Returns whether private parts of scikit-learn behave as expected.

    Returns
    -------
    callable
        The check, with the result of the first call for all later ones (`cache_clear` forgets it).

    Examples
    --------
    >>> @once
    ... def is_exact():
    ...     raise AttributeError("_private")
    >>> is_exact()
    False
    """

    @cache
    def checked(*arguments: Any) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return bool(check(*arguments))
            except Exception:  # any error: scikit-learn's own fits are used instead
                return False

    return checked


def small_table(rows: int = 40, features: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian features and a noisy score."""
    generator = np.random.default_rng(0)
    table = generator.normal(size=(rows, features))
    return table, table[:, 0] - table[:, 1] ** 2 + generator.normal(scale=0.5, size=rows)
