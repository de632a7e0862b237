"""risks.csv, confidence_set.csv and cells → choice.json: the frozen choice, before anything is tested."""

from pathlib import Path

from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.rows import RiskRow, read_rows
from heldout.estimates.rules import rule_of
from heldout.execution.specs.estimates import SelectModel
from heldout.files import write_json
from heldout.selection.edges import gains_by
from heldout.selection.select import select


def main(folder: Path, spec: SelectModel, batches: int) -> None:
    """Choose θ̂ and the learner, and freeze the choice."""
    rows = read_rows(folder / "risks.csv", RiskRow)
    kept = read_rows(folder / "confidence_set.csv", ConfidenceRow)
    table = open_loss_table(folder, spec.cells, batches)
    chosen = select(
        rows, kept, spec.by, rule_of(spec.rule), spec.maximum, table.loss, gains_by(table, spec.by)
    )
    write_json(folder / "selection" / "choice.json", chosen)
