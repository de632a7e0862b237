"""risks.csv and confidence_set.csv → choice.json: the frozen choice, before anything is tested."""

from pathlib import Path

from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.rows import RiskRow, read_rows
from heldout.estimates.rules import rule_of
from heldout.execution.specs.estimates import SelectModel
from heldout.files import write_json
from heldout.measures.registry import named_loss
from heldout.selection.select import select


def main(folder: Path, spec: SelectModel) -> None:
    """Choose θ̂ and the learner, and freeze the choice."""
    rows = read_rows(folder / "risks.csv", RiskRow)
    kept = read_rows(folder / "confidence_set.csv", ConfidenceRow)
    loss = named_loss(spec.loss, classification=True)  # for its words only, which no default has
    chosen = select(rows, kept, spec.by, rule_of(spec.rule), spec.maximum, loss)
    write_json(folder / "selection" / "choice.json", chosen)
