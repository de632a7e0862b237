"""How often the values of a column come again: whether several rows may be of the same unit."""

from dataclasses import dataclass

import numpy as np

from heldout.data.unit_names import FEWEST, names_units

SPAN = 4
"""Whole numbers within so many times their count are counted, and not sorted."""
FAIR_SHARE = 0.2
"""Of columns of units, at least this share of the rows has a value that comes again."""


@dataclass(frozen=True)
class Repeats:
    """How often the values of a column come again.

    Parameters
    ----------
    values
        The number of different values; missing ones are none.
    rows
        The number of rows with a value.
    repeated
        The number of rows whose value comes more than once.
    """

    values: int
    rows: int
    repeated: int

    def several_each(self, fewest: int) -> bool:
        """Whether there are so many values, and a fair share of the rows has one that comes again."""
        return self.values >= fewest and self.repeated >= FAIR_SHARE * self.rows

    def __str__(self) -> str:
        return f"{self.values} values in {self.rows} rows"


def codes_of(values: np.ndarray) -> np.ndarray | None:
    """For each row the number of its value, -1 where it is missing; None if values are not all whole.

    Parameters
    ----------
    values
        An encoded column.

    Returns
    -------
    numpy.ndarray or None
        Whole numbers from 0.

    Examples
    --------
    >>> codes_of(np.array([7.0, np.nan, 9.0, 7.0])).tolist(), codes_of(np.array([0.5, 1.0]))
    ([0, -1, 1, 0], None)
    """
    known = ~np.isnan(values)
    present = values[known]
    if not len(present) or not (present[:50] % 1 == 0).all() or not (present % 1 == 0).all():
        return None
    found = np.full(len(values), -1)
    found[known] = _numbered(present)
    return found


def _numbered(present: np.ndarray) -> np.ndarray:
    """Whole numbers as positions among the different ones; without sorting where they lie close together."""
    low, high = present.min(), present.max()
    if high - low > SPAN * len(present):
        return np.unique(present, return_inverse=True)[1].reshape(-1)
    places = (present - low).astype(np.int64)
    return (np.cumsum(np.bincount(places) > 0) - 1)[places]


def repeats_of(codes: np.ndarray) -> Repeats:
    """Count the values, the rows that have one, and those that share it with another row.

    Parameters
    ----------
    codes
        For each row the number of its value; negative where it is missing.

    Returns
    -------
    Repeats
        The counts.

    Examples
    --------
    >>> repeats_of(np.array([0, 1, 1, -1, 2, 2, 2]))
    Repeats(values=3, rows=6, repeated=5)
    """
    counts = np.bincount(codes[codes >= 0])
    return Repeats(int((counts > 0).sum()), int(counts.sum()), int(counts[counts > 1].sum()))


def may_be_units(name: str, codes: np.ndarray) -> bool:
    """Whether rows of the same value may belong together, by name and values.

    Parameters
    ----------
    name
        The column's name.
    codes
        For each row the number of its value; negative where it is missing.

    Returns
    -------
    bool
        Whether the name is that of units, and their values come again.

    Examples
    --------
    >>> patients = np.repeat(np.arange(10), 2)
    >>> may_be_units("patient", patients), may_be_units("age", patients)
    (True, False)
    >>> may_be_units("patient", np.arange(20))
    False
    """
    sort = names_units(name)
    return sort is not None and repeats_of(codes).several_each(FEWEST[sort])
