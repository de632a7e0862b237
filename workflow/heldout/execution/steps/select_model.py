"""risks.csv, confidence_set.csv and cells → choice.json: the frozen choice, before anything is tested."""

from pathlib import Path

from heldout.estimates.algorithm import evidence_for
from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.loss_table import LossTable, open_loss_table
from heldout.estimates.paired import gain
from heldout.estimates.rows import RiskRow, read_rows
from heldout.estimates.rules import rule_of
from heldout.execution.specs.estimates import SelectModel
from heldout.files import write_json
from heldout.names import Theta
from heldout.selection.edges import Gain
from heldout.selection.select import select


def main(folder: Path, spec: SelectModel, batches: int) -> None:
    """Choose θ̂ and the learner, and freeze the choice."""
    rows = read_rows(folder / "risks.csv", RiskRow)
    kept = read_rows(folder / "confidence_set.csv", ConfidenceRow)
    table = open_loss_table(folder, spec.cells, batches)
    chosen = select(
        rows, kept, spec.by, rule_of(spec.rule), spec.maximum, table.loss, _gain(table, spec.by)
    )
    write_json(folder / "selection" / "choice.json", chosen)


def _gain(table: LossTable, by: str) -> Gain:
    """Compares two θ on the held-out rows that they were chosen by."""

    def compare(learner: str, theta: Theta, other: Theta) -> tuple[float, float | None]:
        return gain(*(evidence_for(table, by, learner, one) for one in (theta, other)))

    return compare
