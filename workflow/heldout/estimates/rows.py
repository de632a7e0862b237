"""The rows of risks.csv and estimates.csv, and csv files of such rows."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from heldout.files import write_text


@dataclass(frozen=True)
class RiskRow:
    """One estimator's risk of one learner at one θ."""

    learner: str
    theta: str
    estimator: str
    risk: float
    sd: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    interval: str | None
    n: int


@dataclass(frozen=True)
class EstimateRow:
    """One estimate for a tuned procedure, with one interval or none.

    `interval_target`: what the interval is for. `recommended`: whether it is the one to use; `note`
    says why none is. `se_noise`, `se_training`, `se_selection`: the parts of `se`, which is the root of
    the sum of their squares. `chosen`: the learner that `all` chose. `score`, `score_low`, `score_high`: the
    risk and its interval as people read the measure.
    """

    learner: str
    estimator: str
    target: str
    theta: str
    risk: float
    se: float | None
    ci_low: float | None
    ci_high: float | None
    interval: str | None
    interval_target: str | None
    recommended: bool
    level: float | None
    n: int
    chosen: str = ""
    se_noise: float | None = None
    se_training: float | None = None
    se_selection: float | None = None
    note: str | None = None
    score: float | None = None
    score_low: float | None = None
    score_high: float | None = None


@dataclass(frozen=True)
class FoldRow:
    """One outer fold of nested CV: what was chosen without it, and the risk on it."""

    learner: str
    estimator: str
    repeat: int
    fold: int
    theta: str
    risk: float
    n: int
    chosen: str


def write_rows(path: Path, kind: type, rows: Iterable[Any]) -> None:
    """Write a csv file of rows.

    Parameters
    ----------
    path
        The file.
    kind
        The dataclass of the rows; its fields are the columns.
    rows
        The rows. Floats are written with every digit, None as an empty cell.

    Examples
    --------
    >>> row = FoldRow("knn", "nested_cv", 1, 2, "{}", 0.125, 8, "knn")
    >>> write_rows(folder / "folds.csv", FoldRow, [row])
    >>> print((folder / "folds.csv").read_text().splitlines()[1])
    knn,nested_cv,1,2,{},0.125,8,knn
    """
    names = [field.name for field in fields(kind)]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([getattr(row, name) for name in names] for row in rows)
    write_text(path, buffer.getvalue())


def read_rows(path: Path, kind: type) -> list[Any]:
    """Read a csv file that `write_rows` wrote.

    Parameters
    ----------
    path
        The file.
    kind
        The dataclass of its rows.

    Returns
    -------
    list of kind
        The rows; an empty cell of a number is None.

    Examples
    --------
    >>> row = FoldRow("knn", "nested_cv", 1, 2, "{}", 0.125, 8, "knn")
    >>> write_rows(folder / "folds.csv", FoldRow, [row])
    >>> read_rows(folder / "folds.csv", FoldRow) == [row]
    True
    """
    with path.open(newline="", encoding="utf-8") as file:
        return [
            kind(**{f.name: _parse(line[f.name], f.type) for f in fields(kind)})
            for line in csv.DictReader(file)
        ]


def _parse(text: str, kind: Any) -> Any:
    if kind is str:
        return text
    if text == "":
        return None
    if kind is bool:
        return text == "True"
    return text if kind == str | None else int(text) if kind is int else float(text)
