"""Unsealed and sealed estimates → estimates.csv."""

from pathlib import Path
from typing import Any

from heldout.estimates.rows import EstimateRow, read_rows, write_rows


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Put the rows of each learner together, `all` last."""
    parts = [folder / "estimates" / "unsealed.csv"]
    if spec["test"]:
        parts.append(folder / "vault" / "test.csv")
    rows = [row for part in parts for row in read_rows(part, EstimateRow)]
    order = {name: i for i, name in enumerate([*spec["learners"], "all"])}
    rows.sort(key=lambda row: order[row.learner])
    write_rows(folder / "estimates.csv", EstimateRow, rows)
