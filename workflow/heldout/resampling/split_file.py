"""Splits as csv files."""

from pathlib import Path

import numpy as np

from heldout.files import write_text
from heldout.resampling.split import Split


def write_split(path: Path, split: Split) -> None:
    """Write a split as a csv file, with one line per row of the split.

    Parameters
    ----------
    path
        The file.
    split
        Its columns.

    Examples
    --------
    >>> write_split(folder / "loo.csv", {"row": np.arange(2), "fold": np.array([1, 2])})
    >>> (folder / "loo.csv").read_text()
    'row,fold\\n0,1\\n1,2\\n'
    """
    lines = zip(*(column.tolist() for column in split.values()), strict=True)
    body = "\n".join(",".join(map(str, line)) for line in lines)
    write_text(path, ",".join(split) + "\n" + body + "\n")


def read_split(path: Path) -> Split:
    """Read a split file.

    Parameters
    ----------
    path
        A file that `write_split` wrote.

    Returns
    -------
    Split
        Its columns, by name.

    Examples
    --------
    >>> write_split(folder / "loo.csv", {"row": np.arange(2), "fold": np.array([1, 2])})
    >>> read_split(folder / "loo.csv")["fold"].tolist()
    [1, 2]
    """
    with path.open() as file:
        names = file.readline().strip().split(",")
        columns = np.loadtxt(file, dtype=np.int64, delimiter=",", ndmin=2).T
    return dict(zip(names, columns, strict=True))
