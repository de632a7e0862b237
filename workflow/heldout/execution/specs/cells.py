"""The spec of a fitting job."""

from dataclasses import dataclass

from heldout.cells.spec import CellsSpec
from heldout.selection.spec import ScanSpec


@dataclass(frozen=True)
class FitCells:
    """One batch of cells."""

    cells: CellsSpec
    loss: str | None
    models: str
    scan: ScanSpec | None
    """None where every grid ends."""
    request: str
    """Digest of all that the cells of the task depend on in config and code; see `batches`."""
    batch: int
    batches: int
