"""Cells and selection → the estimates for tuned procedures that need no sealed row."""

from pathlib import Path
from typing import Any

from heldout.estimates.comparisons import Comparison
from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.procedures import ALL, Chosen, Procedures
from heldout.estimates.rows import EstimateRow, FoldRow, write_rows
from heldout.estimates.rules import Rule
from heldout.files import read_json


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Compute and write all rows."""
    selection = read_json(folder / "selection.json")
    selected: dict[str, Chosen] = {
        name: (name, entry["theta"]) for name, entry in selection["learners"].items()
    }
    selected[ALL] = selection["learner"], selection["theta"]
    procedures = Procedures(
        open_loss_table(folder, spec),
        selected,
        spec["estimators"],
        Rule(**spec["rule"]),
        spec["level"],
        spec["seed"],
    )
    write_rows(folder / "estimates" / "unsealed.csv", EstimateRow, procedures.rows())
    write_rows(folder / "folds.csv", FoldRow, procedures.fold_rows())
    write_rows(folder / "comparisons.csv", Comparison, procedures.comparisons())
