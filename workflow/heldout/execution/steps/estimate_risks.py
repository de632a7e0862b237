"""Cells → risks.csv: the risk of each θ by each estimator."""

from pathlib import Path

from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.risks import risk_rows
from heldout.estimates.rows import RiskRow, write_rows
from heldout.execution.specs.estimates import EstimateRisks


def main(folder: Path, spec: EstimateRisks, batches: int) -> None:
    """Compute and write all rows."""
    loss_table = open_loss_table(folder, spec.cells, batches)
    write_rows(folder / "risks.csv", RiskRow, risk_rows(loss_table, spec.level))
