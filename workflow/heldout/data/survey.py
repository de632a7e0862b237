"""What a table is like, as far as a first config wants to know it.

Columns are judged by the rows that the config will leave unsealed, so that nothing in the config
depends on a sealed value but the kind of the target.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from heldout.data.prepare import prepare
from heldout.data.prepared import Prepared, open_prepared
from heldout.data.read import SKLEARN, read_table
from heldout.data.request import Request
from heldout.data.schema import CATEGORY, infer_column, infer_target
from heldout.errors import HeldoutError

SEED = 19
TEST = 0.2
ENOUGH_TO_SEAL = 50
"""With fewer rows (or groups), a sealed fifth says next to nothing."""
FEW_CLASSES = 10
ROWS_PER_CLASS = 5
"""Whole numbers with at most so many values, each so often on average, are taken for classes."""
ID_NAME = re.compile(
    r"(?i:(^|[_\s.-])(id|uuid|guid|index|rowid|rownames?)$)|^$|^Unnamed: 0$|(?<=[a-z])(Id|ID)$"
)


@dataclass(frozen=True)
class Survey:
    """The facts that a config is written from."""

    task: str
    data: str
    target: str
    groups: str | None
    drop: dict[str, str]
    """Columns that are better left out, and why."""
    classes: list[Any] | None
    coded: bool
    """Whether the classes are numbers."""
    n: int
    sealed: int
    units: int
    features: int
    smallest: tuple[Any, int] | None
    """The smallest class and its unsealed rows (or groups)."""

    @property
    def test(self) -> float:
        """The share of rows to seal."""
        return TEST if self.sealed else 0


def survey(data: str, target: str, groups: str | None) -> Survey:
    """Read the table and look at it."""
    table = read_table(data, [])
    drop = {} if target not in table.column_names else _unusable(table, {target, groups})
    coded = target in table.column_names and _coded_classes(table.column(target).combine_chunks())
    request = Request(
        task=task_name(data),
        seed=SEED,
        data=data,
        target=target,
        groups=groups,
        drop=tuple(drop),
        classification=True if coded else None,
        test=TEST if _units(table, groups) >= ENOUGH_TO_SEAL else 0,
    )
    with TemporaryDirectory(prefix="heldout-init-") as folder:
        facts = prepare(request, Path(folder) / "data", Path(folder) / "vault")
        prepared = open_prepared(Path(folder) / "data")
        drop |= _poor_columns(prepared, facts["source_rows"])
        return _summed_up(request, facts, prepared, drop, coded)


def task_name(data: str) -> str:
    """A name for the task from that of the file."""
    name = data.removeprefix(SKLEARN)
    if name == data:
        name = Path(data).name
        for ending in (".gz", ".csv", ".tsv", ".txt", ".parquet"):
            name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:60] or "task"


def _unusable(table: pa.Table, apart: set[str | None]) -> dict[str, str]:
    """Columns that are no single value in each row."""
    found = {}
    for name in table.column_names:
        try:
            if name not in apart:
                infer_column(name, table.column(name).combine_chunks(), False)
        except HeldoutError:
            found[name] = f"of type {table.schema.field(name).type}"
    return found


def _coded_classes(values: pa.Array) -> bool:
    """Whether the target is a few whole numbers, each of them many times."""
    if values.null_count or infer_target("target", values, None).classification:
        return False
    labels = infer_target("target", values, True).classes or ()
    whole = all(isinstance(label, int) for label in labels)
    few = len(labels) <= FEW_CLASSES and len(labels) * ROWS_PER_CLASS <= len(values)
    return whole and few


def _units(table: pa.Table, groups: str | None) -> int:
    known = groups in table.column_names
    return len(table.column(groups).unique()) if known else table.num_rows


def _poor_columns(table: Prepared, source_rows: int) -> dict[str, str]:
    """Columns that tell rows apart, or tell nothing."""
    found = {}
    for i, column in enumerate(table.facts["schema"]["columns"]):
        values = np.asarray(table.features[:, i])
        reason = _poverty(column, values[~np.isnan(values)], table.n, source_rows)
        if reason:
            found[column["name"]] = reason
    return found


def _poverty(column: dict[str, Any], values: np.ndarray, n: int, source_rows: int) -> str:
    different = len(np.unique(values))
    named = ID_NAME.search(column["name"]) is not None
    if different == 1 and len(values) == n:
        return "the same value in every row"
    if column["kind"] == CATEGORY:
        if different > max(20, n / 2):
            return f"a different text in nearly every row ({different} in {n}): an identifier?"
    elif different == len(values) > 1 and (named or _counts_rows(values, source_rows)):
        return "a different number in every row: an identifier?"
    if named and n / 10 < different < n:
        return f"an identifier that repeats; if its rows belong together: groups: {column['name']}"
    return ""


def _counts_rows(values: np.ndarray, source_rows: int) -> bool:
    """Whole numbers that go up from row to row, none beyond the number of rows."""
    whole = (values == np.round(values)).all()
    return bool(
        whole and (np.diff(values) > 0).all() and 0 <= values[0] <= values[-1] <= source_rows
    )


def _summed_up(
    request: Request, facts: dict[str, Any], table: Prepared, drop: dict[str, str], coded: bool
) -> Survey:
    return Survey(
        task=request.task,
        data=request.data,
        target=request.target,
        groups=request.groups,
        drop=drop,
        classes=table.classes,
        coded=coded,
        n=table.n,
        sealed=facts["sealed"],
        units=len(np.unique(table.rows["unit"])),
        features=len([name for name in table.names if name not in drop]),
        smallest=_smallest_class(table),
    )


def _smallest_class(table: Prepared) -> tuple[Any, int] | None:
    if table.classes is None:
        return None
    pairs = np.unique(np.stack([table.rows["unit"], table.target]), axis=1)
    sizes = np.bincount(pairs[1], minlength=len(table.classes))
    return table.classes[int(sizes.argmin())], int(sizes.min())
