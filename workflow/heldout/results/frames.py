"""The csv files of a task as pandas DataFrames."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from heldout.errors import HeldoutError
from heldout.results.tables import TEXT

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

    with path.open(newline="", encoding="utf-8") as file:
        names = next(csv.reader(file), [])
    try:
        return pd.read_csv(
            path,
            dtype={name: str for name in names if name in TEXT},
            keep_default_na=False,
            na_values=[""],
            float_precision="round_trip",
        )
    except ValueError as error:  # among them pandas' errors of parsers
        raise HeldoutError(
            f"'{path}' cannot be read as a table: {error}; "
            "run: heldout check --repair, then snakemake --cores all"
        ) from None
