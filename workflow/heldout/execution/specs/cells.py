"""The spec of a fitting job."""

from dataclasses import dataclass

from heldout.cells.spec import CellsSpec
from heldout.measures.spec import LossSpec
from heldout.selection.spec import ScanSpec


@dataclass(frozen=True)
class FitCells:
    """One batch of cells."""

    cells: CellsSpec
    loss: LossSpec | None
    thresholded: bool
    """Whether labels are decided by thresholds, which needs probabilities. Which ones changes no fit."""
    models: str
    packed: bool
    """Whether new cells go into packs; stored ones are found in either form."""
    scan: ScanSpec | None
    """None where every grid ends."""
    batch: int
    batches: int
