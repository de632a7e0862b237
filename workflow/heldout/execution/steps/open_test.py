"""Frozen choice and final model → predictions for the sealed rows: the only step that reads these.

The ledger is asked first. If the rows have judged another selection they stay sealed, nothing fails, and
opening.json says why.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import joblib

from heldout.data.ledger import FOLDER
from heldout.data.openings import Wish, open_sealed
from heldout.data.vault import ROW_DIGEST, private_folders, read_sealed
from heldout.execution.specs.estimates import OpenTest
from heldout.files import read_json, write_json
from heldout.selection.sealed_predictions import predict_sealed, write_predictions

if TYPE_CHECKING:
    import pyarrow as pa


def main(folder: Path, spec: OpenTest) -> None:
    """Record the opening, apply the final model, write what it predicts."""
    vault, ledger = folder / "vault", folder.parent.parent / FOLDER
    with private_folders(vault, ledger.parent, ledger, private=spec.private):
        sealed = read_sealed(vault)
        wish = _wish(folder, spec, sealed)
        verdict = open_sealed(folder, wish)
        shown = sealed.slice(0, 0) if verdict.refused else sealed
        predictor = joblib.load(folder / "final" / "model.joblib")
        write_predictions(
            vault, predict_sealed(predictor, shown, spec.groups, spec.weights, spec.time)
        )
        write_json(vault / "opening.json", asdict(verdict))
    for text in (verdict.message, *verdict.notes, *verdict.ledger):
        print(text)


def _wish(folder: Path, spec: OpenTest, sealed: "pa.Table") -> Wish:
    training = read_json(folder / "final" / "training.json")
    return Wish(
        task=spec.task,
        target=spec.target,
        selection=training["identity"],
        learner=training["learner"],
        theta=training["theta"],
        group=spec.sharing,
        before=spec.before,
        row_digests=sealed.column(ROW_DIGEST).to_pylist(),
        again=spec.open_again,
    )
