"""Everything → checks.csv."""

from pathlib import Path
from typing import Any

from heldout.checks.catalog import run_checks
from heldout.checks.check import CheckRow, Context
from heldout.estimate.lossbook import open_book
from heldout.estimate.rows import EstimateRow, FoldRow, read_rows, write_rows
from heldout.files import read_json
from heldout.vault import read_ledger


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Ask every question about the finished run."""
    context = Context(
        open_book(folder, spec),
        spec["estimators"],
        read_json(folder / "selection.json"),
        read_rows(folder / "estimates.csv", EstimateRow),
        read_rows(folder / "folds.csv", FoldRow),
        read_ledger(folder / "vault") if spec["test"] else [],
        spec["level"],
    )
    write_rows(folder / "checks.csv", CheckRow, run_checks(context))
