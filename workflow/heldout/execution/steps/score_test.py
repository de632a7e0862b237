"""Stored predictions for the sealed rows → test risk. Another loss or level is no new look."""

from pathlib import Path

from heldout.data.vault import private_folders
from heldout.estimates.rows import EstimateRow, write_rows
from heldout.execution.specs.estimates import ScoreTest
from heldout.files import read_json
from heldout.selection.sealed_predictions import read_predictions
from heldout.selection.test import test_rows


def main(folder: Path, spec: ScoreTest) -> None:
    """Compute and write the rows; none if the opening was refused."""
    vault = folder / "vault"
    choice = read_json(folder / "selection" / "choice.json")
    count = read_json(vault / "opening.json")["count"]
    rows = test_rows(read_predictions(vault), choice, spec.test, count)
    with private_folders(vault, private=spec.private):
        write_rows(vault / "test.csv", EstimateRow, rows)
