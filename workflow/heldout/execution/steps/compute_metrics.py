"""Cells → metrics.csv: extra scikit-learn metrics."""

from pathlib import Path

from heldout.estimates.loss_table import open_loss_table
from heldout.estimates.metrics import MetricRow, metric_rows
from heldout.estimates.rows import write_rows
from heldout.execution.specs.estimates import ComputeMetrics


def main(folder: Path, spec: ComputeMetrics, batches: int) -> None:
    """Compute and write all rows."""
    loss_table = open_loss_table(folder, spec.cells, batches)
    write_rows(folder / "metrics.csv", MetricRow, metric_rows(loss_table, spec.metrics))
