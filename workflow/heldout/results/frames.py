"""The csv files of a task as pandas DataFrames."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.errors import HeldoutError
from heldout.results.tables import TEXT, TRUTH

if TYPE_CHECKING:
    import pandas as pd


def read_frame(path: Path) -> "pd.DataFrame":
    """Read a csv file of results as a DataFrame.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    pandas.DataFrame
        Numbers with every digit; texts stay texts even where they look like numbers; an empty cell is missing.

    Raises
    ------
    HeldoutError
        If it is no table.

    Examples
    --------
    >>> _ = (folder / "risks.csv").write_text("learner,risk\\n1,0.25\\nNA,\\n")
    >>> frame = read_frame(folder / "risks.csv")
    >>> frame["learner"].tolist(), frame["risk"].isna().tolist()
    (['1', 'NA'], [False, True])
    """
    import pandas as pd

    try:
        with path.open(newline="", encoding="utf-8") as file:
            names, *lines = csv.reader(file, strict=True)
        columns = list(zip(*lines, strict=True)) or [()] * len(names)
        found = {name: _values(name, one) for name, one in zip(names, columns, strict=True)}
    except (ValueError, csv.Error) as error:
        raise HeldoutError(
            f"'{path}' cannot be read as a table: {error}; "
            "run: heldout check --repair, then heldout run"
        ) from None
    return pd.DataFrame(found, columns=names)


def _values(name: str, texts: Sequence[str]) -> list[Any]:
    """The values of a column. Numbers are read by Python: pandas' own reader may lose the last digit."""
    if name in TEXT:
        return [text or None for text in texts]
    known = {text for text in texts if text}
    if known and known <= set(TRUTH):
        return [TRUTH.get(text) for text in texts]
    for kind in (int, float):
        try:
            return [kind(text) if text or kind is int else math.nan for text in texts]
        except ValueError:
            continue
    return list(texts)
