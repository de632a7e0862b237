"""Cells → risks.csv: the risk of each θ by each estimator."""

from pathlib import Path
from typing import Any

from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.risks import risk_rows
from heldout.estimates.rows import RiskRow, write_rows


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Compute and write all rows."""
    loss_table = open_loss_table(folder, spec)
    write_rows(folder / "risks.csv", RiskRow, risk_rows(loss_table, spec["level"]))
