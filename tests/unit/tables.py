"""Small prepared tables for tests."""

from pathlib import Path

import pyarrow as pa
from pyarrow import csv, parquet

from heldout.data.prepare import prepare
from heldout.data.prepared import Prepared, open_prepared
from heldout.data.request import Request


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
