"""Cells → risks.csv: the risk of each θ by each estimator."""

from pathlib import Path
from typing import Any

from heldout.estimates.loss_table import open_book
from heldout.estimates.risks import risk_rows
from heldout.estimates.rows import RiskRow, write_rows


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Compute and write all rows."""
    book = open_book(folder, spec)
    write_rows(folder / "risks.csv", RiskRow, risk_rows(book, spec["level"]))
