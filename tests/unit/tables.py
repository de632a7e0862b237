"""Small prepared tables for tests."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from heldout.data.prepare import Request, prepare
from heldout.data.prepared import ROWS, Prepared, open_prepared


def write_csv(path: Path, columns: dict) -> str:
    csv.write_csv(pa.table(columns), path)
    return str(path)


def write_parquet(path: Path, columns: dict) -> str:
    parquet.write_table(pa.table(columns), path)
    return str(path)


def prepared(folder: Path, columns: dict, target: str = "y", **request) -> Prepared:
    """The columns as a task's prepared table, by the same way as a user's file."""
    data = write_parquet(folder / "table.parquet", columns)
    given = {"task": "t", "seed": 19, "target": target, "test": 0} | request
    prepare(Request(data=data, **given), folder / "data", folder / "vault")
    return open_prepared(folder / "data")


def bare(target: np.ndarray, classes: int | None, units: np.ndarray | None = None) -> Prepared:
    """A prepared table in memory, for what looks at targets and units only."""
    n = len(target)
    rows = np.zeros(n, ROWS)
    rows["source"] = np.arange(n)
    rows["unit"] = np.arange(n) if units is None else units
    rows["fold"] = -1
    labels = None if classes is None else [f"class {c}" for c in range(classes)]
    facts = {
        "digest": "",
        "groups": None if units is None else "g",
        "schema": {"columns": [], "target": {"name": "y", "classes": labels}},
    }
    return Prepared(facts, np.zeros((n, 0)), np.asarray(target), rows)
