"""The csv files of a task as tables of numbers and texts."""

import csv
import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

TEXT = frozenset(
    (
        *("learner", "theta", "estimator", "interval", "target", "chosen", "metric"),
        *("code", "title", "status", "severity", "message", "docs"),
        *("learner_a", "learner_b", "first", "second", "better", "method"),
        *("interval_target", "note"),
    )
)
"""Columns of text, even where a value looks like a number: a learner may be called 1."""

ALL = "all"
"""The value of `learner` in rows for the choice between learners."""
TRUTH = {"True": True, "False": False}
OF_THE_INTERVAL = (
    *("se", "ci_low", "ci_high", "interval", "interval_target", "level"),
    *("score_low", "score_high"),
)
"""Columns that are emptied where no interval is recommended: nobody is to see one that may not hold."""

Row = dict[str, Any]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(frozen=True)
class Table:
    """Columns and rows; an empty cell is None."""

    columns: list[str]
    rows: list[Row]

    def where(self, **wanted: Any) -> list[Row]:
        """The rows with these values."""
        return [row for row in self.rows if all(row.get(k) == v for k, v in wanted.items())]

    def recommended(self) -> dict[tuple[str, str], Row]:
        """For each (learner, estimator), the row with the recommended interval.

        Where none is recommended, the first row without its interval; its `note` says why.
        """
        found = chosen_of_each(
            self.rows,
            lambda row: (row["learner"], row["estimator"]),
            lambda row: row.get("recommended") is True,
        )
        return {
            key: row if row.get("recommended") is True else row | dict.fromkeys(OF_THE_INTERVAL)
            for key, row in found.items()
        }

    def packed(self) -> dict[str, Any]:
        """A compact form for JSON (see `pack`)."""
        return pack({column: [row[column] for row in self.rows] for column in self.columns})


def chosen_of_each(
    rows: Iterable[Value], key: Callable[[Value], Key], chosen: Callable[[Value], bool]
) -> dict[Key, Value]:
    """Keep one row with each key: the chosen one, or else the first.

    Parameters
    ----------
    rows
        Rows in order.
    key
        The function that gives a row's key.
    chosen
        Whether a row is the one to keep.

    Returns
    -------
    dict
        One row with each key, in order of appearance of the keys.

    Examples
    --------
    >>> rows = ["kfold t", "kfold z!", "test t"]
    >>> chosen_of_each(rows, lambda row: row.split()[0], lambda row: row.endswith("!"))
    {'kfold': 'kfold z!', 'test': 'test t'}
    """
    found: dict[Key, Value] = {}
    for row in rows:
        kept = found.setdefault(key(row), row)
        if chosen(row) and not chosen(kept):
            found[key(row)] = row
    return found


def read_table(path: Path) -> Table | None:
    """Read a csv file of results.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Table or None
        Numbers are numbers, an empty cell is None; None if there is no such file.

    Examples
    --------
    >>> _ = (folder / "folds.csv").write_text("learner,fold,risk\\nknn,1,0.25\\nknn,2,\\n")
    >>> read_table(folder / "folds.csv").rows
    [{'learner': 'knn', 'fold': 1, 'risk': 0.25}, {'learner': 'knn', 'fold': 2, 'risk': None}]
    """
    if not path.is_file():
        return None
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        names = next(reader, [])
        values = [
            parse(name, texts)
            for name, texts in zip(names, zip(*reader, strict=True), strict=False)
        ]
    rows = zip(*values, strict=True)
    return Table(names, [dict(zip(names, row, strict=True)) for row in rows])


def parse(column: str, texts: Iterable[str]) -> list[Any]:
    """The values of a column: texts, numbers, True or False; None for an empty cell."""
    if column in TEXT:
        return [text or None for text in texts]
    return [TRUTH.get(text, number(text)) if text else None for text in texts]


def number(text: str) -> Any:
    """A finite number; None for NaN or an infinite one; the text itself if it is not a number."""
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return None
    return int(text) if text.lstrip("-").isdecimal() else value


def pack(columns: dict[str, list[Any]]) -> dict[str, Any]:
    """Make the compact form of a table for JSON.

    Parameters
    ----------
    columns
        The values of each column.

    Returns
    -------
    dict
        `columns`, their names, and `values`. A column with texts is coded: its `levels`, and the
        position of each value among them, because texts repeat.

    Examples
    --------
    >>> pack({"learner": ["knn", "tree", "knn"], "risk": [0.1, 0.2, 0.3]})["values"]
    [{'levels': ['knn', 'tree'], 'codes': [0, 1, 0]}, [0.1, 0.2, 0.3]]
    """
    return {
        "columns": list(columns),
        "values": [pack_column(values) for values in columns.values()],
    }


def unpack(packed: dict[str, Any]) -> list[Row]:
    """Make rows of a table that `pack` made.

    Parameters
    ----------
    packed
        The compact form.

    Returns
    -------
    list of dict
        A row for each line.

    Examples
    --------
    >>> unpack(pack({"learner": ["knn", "tree"], "risk": [0.1, 0.2]}))
    [{'learner': 'knn', 'risk': 0.1}, {'learner': 'tree', 'risk': 0.2}]
    """
    columns = [
        [one["levels"][code] for code in one["codes"]] if isinstance(one, dict) else one
        for one in packed["values"]
    ]
    return [dict(zip(packed["columns"], line, strict=True)) for line in zip(*columns, strict=True)]


def pack_column(values: list[Any]) -> Any:
    """One column of `pack`."""
    if not any(isinstance(value, str) for value in values):
        return values
    levels = list(dict.fromkeys(values))
    place = {level: i for i, level in enumerate(levels)}
    return {"levels": levels, "codes": [place[value] for value in values]}
