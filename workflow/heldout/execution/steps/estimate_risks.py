"""Cells → risks.csv and confidence_set.csv: the risk of each θ, and which of them may be the best."""

from pathlib import Path

from heldout.estimates.confidence_rows import ConfidenceRow, confidence_rows
from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.risks import risk_rows
from heldout.estimates.rows import RiskRow, write_rows
from heldout.execution.specs.estimates import EstimateRisks


def main(folder: Path, spec: EstimateRisks, batches: int) -> None:
    """Compute and write all rows."""
    loss_table = open_loss_table(folder, spec.cells, batches).remembering()
    write_rows(folder / "risks.csv", RiskRow, risk_rows(loss_table, spec.level))
    kept = confidence_rows(loss_table, spec.level, spec.cells.seed)
    write_rows(folder / "confidence_set.csv", ConfidenceRow, kept)
