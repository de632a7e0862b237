"""Unsealed and sealed estimates → estimates.csv."""

from pathlib import Path

from heldout.estimates.rows import EstimateRow, read_rows, write_rows
from heldout.estimates.tables import by_learner, with_tails
from heldout.execution.specs.estimates import TabulateEstimates


def main(folder: Path, spec: TabulateEstimates) -> None:
    """Put the rows of each learner together."""
    paths = [folder / "estimates" / "unsealed.csv"]
    if spec.test:
        paths.append(folder / "vault" / "test.csv")
    rows = [row for path in paths for row in read_rows(path, EstimateRow)]
    write_rows(folder / "estimates.csv", EstimateRow, by_learner(with_tails(rows), spec.learners))
