"""Cells → metrics.csv: extra scikit-learn metrics."""

from pathlib import Path
from typing import Any

from heldout.estimate.lossbook import open_book
from heldout.estimate.rows import write_rows
from heldout.metrics import MetricRow, metric_rows


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Compute and write all rows."""
    book = open_book(folder, spec)
    write_rows(folder / "metrics.csv", MetricRow, metric_rows(book, spec["metrics"]))
