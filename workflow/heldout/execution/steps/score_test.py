"""Stored predictions for the sealed rows → test risk. Another loss or level is no new look."""

from pathlib import Path

from heldout.data.prepared import open_prepared
from heldout.data.vault import private_folders
from heldout.estimates.rows import EstimateRow, write_rows
from heldout.execution.specs.estimates import ScoreTest
from heldout.files import read_json
from heldout.measures.registry import loss_for
from heldout.selection.sealed_predictions import read_predictions
from heldout.selection.test import test_rows


def main(folder: Path, spec: ScoreTest) -> None:
    """Compute and write the rows; none if the opening was refused."""
    vault = folder / "vault"
    choice = read_json(folder / "selection" / "choice.json")
    count = read_json(vault / "opening.json")["count"]
    table = open_prepared(folder / "data")
    loss = loss_for(spec.loss, table.classes, table.class_counts)
    rows = test_rows(read_predictions(vault), choice, loss, spec.test, count)
    with private_folders(vault, private=spec.private):
        write_rows(vault / "test.csv", EstimateRow, rows)
