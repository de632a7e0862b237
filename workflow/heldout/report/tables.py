"""The csv files of a task as tables: numbers as numbers, everything else as text."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEXT = frozenset(
    (
        *("learner", "theta", "estimator", "interval", "target", "chosen", "metric"),
        *("code", "title", "status", "severity", "message", "docs"),
        *("learner_a", "learner_b", "first", "second", "better", "method"),
    )
)
"""Columns that stay text, whatever they look like: a learner may be called 1."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """Columns and rows; an empty cell is None."""

    columns: list[str]
    rows: list[Row]

    def where(self, **wanted: Any) -> list[Row]:
        """The rows with these values."""
        return [row for row in self.rows if all(row.get(k) == v for k, v in wanted.items())]

    def packed(self) -> dict[str, Any]:
        """A compact JSON form."""
        return {
            "columns": self.columns,
            "rows": [[row[column] for column in self.columns] for row in self.rows],
        }


def read_table(path: Path) -> Table | None:
    """The table in a csv file, or None if there is no such file."""
    if not path.is_file():
        return None
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = [{k: parse(k, v) for k, v in line.items() if k is not None} for line in reader]
        return Table(list(reader.fieldnames or []), rows)


def parse(column: str, text: str | None) -> Any:
    """A cell: None if it is empty or not a finite number, else a number or a text."""
    if not text:
        return None
    if column in TEXT:
        return text
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return None
    return int(text) if text.lstrip("-").isdecimal() else value
