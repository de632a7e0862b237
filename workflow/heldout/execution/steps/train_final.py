"""selection.json → A_θ̂ trained on all unsealed rows, with its card."""

from dataclasses import replace
from pathlib import Path

import joblib

from heldout.cells.plan import open_plan
from heldout.cells.store import Store
from heldout.execution.specs.estimates import TrainFinal
from heldout.files import read_json, write_atomic, write_json
from heldout.resampling.kinds import FULL
from heldout.selection.card import card_of
from heldout.selection.final import Predictor
from heldout.selection.train import final_pipeline, selected_folders


def main(folder: Path, spec: TrainFinal) -> None:
    """Take the model from the store where it is, else fit it."""
    selection = read_json(folder / "selection.json")
    store = Store(folder / "cells")
    plan = open_plan(folder, replace(spec.cells, kinds=[FULL]))
    pipeline = final_pipeline(plan, store, selection["learner"], selection["theta"])
    predictor = Predictor(pipeline, plan.table.facts["schema"])
    final = folder / "final"
    final.mkdir(parents=True, exist_ok=True)
    write_atomic(final / "model.joblib", lambda file: joblib.dump(predictor, file))
    write_json(final / "card.json", card_of(plan, selection))
    if spec.models == "selected":
        deleted = store.prune_models(selected_folders(selection))
        print(f"{deleted} models of other θ deleted")
