"""Frozen selection and final model → test risk: the only step that reads the sealed rows."""

from pathlib import Path

import joblib

from heldout.data.ledger import record_opening
from heldout.data.vault import read_sealed, sealed_identity
from heldout.estimates.rows import EstimateRow, write_rows
from heldout.execution.specs.estimates import OpenTest
from heldout.files import read_json
from heldout.selection.test import test_rows


def main(folder: Path, spec: OpenTest) -> None:
    """Record the opening, score the final model, write the rows."""
    vault, final = folder / "vault", folder / "final"
    sealed = read_sealed(vault)
    rows: list[EstimateRow] = []
    if sealed.num_rows:
        card = read_json(final / "card.json")
        identity = sealed_identity(sealed)
        openings = record_opening(vault, identity, card, spec.config, spec.open_again)
        predictor = joblib.load(final / "model.joblib")
        selection = read_json(folder / "selection.json")
        rows = test_rows(predictor, sealed, selection, spec.test, openings)
    write_rows(vault / "test.csv", EstimateRow, rows)
