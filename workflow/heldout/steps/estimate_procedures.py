"""Cells and selection → the estimates for tuned procedures that need no sealed row."""

from pathlib import Path
from typing import Any

from heldout.estimate.lossbook import LossBook
from heldout.estimate.procedures import Chosen, procedure_rows
from heldout.estimate.rows import EstimateRow, write_rows
from heldout.files import read_json


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Compute and write all rows."""
    selection = read_json(folder / "selection.json")
    selected: dict[str, Chosen] = {
        name: (name, entry["theta"]) for name, entry in selection["learners"].items()
    }
    selected["all"] = selection["learner"], selection["theta"]
    rows = procedure_rows(LossBook(folder, spec), selected, spec["level"])
    write_rows(folder / "estimates" / "unsealed.csv", EstimateRow, rows)
