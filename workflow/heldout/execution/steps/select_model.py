"""risks.csv → selection.json."""

from pathlib import Path
from typing import Any

from heldout.estimates.rows import RiskRow, read_rows
from heldout.estimates.rules import Rule
from heldout.files import write_json
from heldout.selection.select import select


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Choose θ̂ and the learner, and freeze the choice."""
    rows = read_rows(folder / "risks.csv", RiskRow)
    chosen = select(rows, spec["by"], Rule(**spec["rule"]), spec["maximum"])
    write_json(folder / "selection.json", chosen)
