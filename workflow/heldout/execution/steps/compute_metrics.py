"""Cells → metrics.csv: extra scikit-learn metrics."""

from pathlib import Path
from typing import Any

from heldout.estimates.loss_table import open_book
from heldout.estimates.metrics import MetricRow, metric_rows
from heldout.estimates.rows import write_rows


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Compute and write all rows."""
    book = open_book(folder, spec)
    write_rows(folder / "metrics.csv", MetricRow, metric_rows(book, spec["metrics"]))
