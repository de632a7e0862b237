"""choice.json → A_θ̂ trained on all unsealed rows."""

from dataclasses import replace
from pathlib import Path

import joblib

from heldout.cells.kept_models import Kept, keep_models
from heldout.cells.plan import open_plan
from heldout.cells.store import Store
from heldout.execution.specs.estimates import TrainFinal
from heldout.files import read_json, write_atomic, write_json
from heldout.selection.requirements import requirements
from heldout.selection.train import final_predictor, selected_folders
from heldout.selection.training import training_of


def main(folder: Path, spec: TrainFinal) -> Kept:
    """Take the model from the store where it is, else fit it; which models stay."""
    choice = read_json(folder / "selection" / "choice.json")
    store = Store(folder / "cells")
    plan = open_plan(folder, replace(spec.cells, kinds=[spec.full]))
    predictor, decision = final_predictor(plan, store, choice, spec.thresholded, spec.positive)
    final = folder / "final"
    final.mkdir(parents=True, exist_ok=True)
    write_atomic(final / "model.joblib", lambda file: joblib.dump(predictor, file))
    needs = requirements(predictor.pipeline, plan.versions)
    kept = keep_models(store, spec.models, selected_folders(choice, spec.thresholded))
    about = {"requirements": needs, "models": kept["kept"]}
    write_json(final / "training.json", training_of(plan, choice, decision) | about)
    if kept["deleted"]:
        print(f"{kept['deleted']} models of other θ deleted")
    return kept
