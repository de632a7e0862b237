"""Cells and choice → the estimates for tuned procedures that need no sealed row."""

from pathlib import Path

from heldout.estimates.comparisons import Comparison
from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.procedures import Procedures
from heldout.estimates.rows import EstimateRow, FoldRow, write_rows
from heldout.estimates.rules import rule_of
from heldout.execution.specs.estimates import EstimateProcedures
from heldout.files import read_json
from heldout.selection.select import selected_thetas


def main(folder: Path, spec: EstimateProcedures, batches: int) -> None:
    """Compute and write all rows."""
    procedures = Procedures(
        open_loss_table(folder, spec.cells, batches),
        selected_thetas(read_json(folder / "selection" / "choice.json")),
        spec.estimators,
        rule_of(spec.rule),
        spec.level,
        spec.cells.seed,
    )
    write_rows(folder / "estimates" / "unsealed.csv", EstimateRow, procedures.rows())
    write_rows(folder / "folds.csv", FoldRow, procedures.fold_rows())
    write_rows(folder / "comparisons.csv", Comparison, procedures.comparisons())
