"""Frozen selection and final model → test risk: the only step that reads the sealed rows."""

from pathlib import Path
from typing import Any

import joblib
import numpy as np

from heldout.data.ledger import record_opening
from heldout.data.schema import schema_from_json
from heldout.data.vault import read_sealed, sealed_identity
from heldout.estimates.evidence import Evidence
from heldout.estimates.rows import EstimateRow, write_rows
from heldout.estimates.tables import estimate_rows
from heldout.files import read_json
from heldout.measures.losses import loss_for
from heldout.names import seed_for
from heldout.selection.final import Predictor


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Record the opening, score the final model, write the rows."""
    vault = folder / "vault"
    sealed = read_sealed(vault)
    if sealed.num_rows == 0:
        write_rows(vault / "test.csv", EstimateRow, [])
        return
    selection = read_json(folder / "selection.json")
    card = read_json(folder / "final" / "card.json")
    openings = record_opening(
        vault, sealed_identity(sealed), card, spec["config"], spec["open_again"]
    )
    predictor: Predictor = joblib.load(folder / "final" / "model.joblib")
    evidence = _evidence(predictor, sealed, spec, openings)
    rows = [
        row
        for learner in (selection["learner"], "all")
        for row in estimate_rows(
            learner,
            "test",
            selection["theta"],
            evidence,
            spec["level"],
            selection["learner"],
        )
    ]
    write_rows(vault / "test.csv", EstimateRow, rows)


def _evidence(predictor: Predictor, sealed: Any, spec: dict[str, Any], openings: int) -> Evidence:
    schema = schema_from_json(predictor.schema)
    target = schema.target.encode(sealed.column(schema.target.name).combine_chunks())
    loss = loss_for(spec["loss"], schema.target.classification)
    losses = loss(target, predictor.say(sealed))
    groups = spec["groups"]
    units = np.arange(len(losses))
    if groups is not None and groups in sealed.column_names:
        units = np.unique(np.array(sealed.column(groups).to_pylist(), str), return_inverse=True)[1]
    return Evidence(
        "test",
        [losses],
        [units],
        bound=loss.bound,
        binary=loss.name == "zero_one",
        comparisons=openings,
        seed=seed_for(spec["seed"], spec["task"], "test", "bootstrap"),
    )
