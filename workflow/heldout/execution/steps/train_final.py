"""choice.json → A_θ̂ trained on all unsealed rows."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import joblib

from heldout.cells.plan import open_plan
from heldout.cells.store import Store
from heldout.execution.specs.estimates import TrainFinal
from heldout.files import read_json, write_atomic, write_json
from heldout.measures.thresholds import without_threshold
from heldout.selection.final import Predictor
from heldout.selection.requirements import requirements
from heldout.selection.train import final_pipeline, selected_folders
from heldout.selection.training import decision_of, training_of


def main(folder: Path, spec: TrainFinal) -> None:
    """Take the model from the store where it is, else fit it."""
    choice = read_json(folder / "selection" / "choice.json")
    store = Store(folder / "cells")
    plan = open_plan(folder, replace(spec.cells, kinds=[spec.full]))
    theta, decision, labels = choice["theta"], None, dict[str, Any]()
    if spec.thresholded:
        classes, counts = plan.table.classes or [], plan.table.class_counts or []
        decision = decision_of(theta, spec.positive, classes, counts)
        theta, labels = without_threshold(theta), asdict(decision)
    pipeline = final_pipeline(plan, store, choice["learner"], theta)
    predictor = Predictor(pipeline, plan.table.facts["schema"], **labels)
    predictor.reading = plan.table.facts.get("reading")
    final = folder / "final"
    final.mkdir(parents=True, exist_ok=True)
    write_atomic(final / "model.joblib", lambda file: joblib.dump(predictor, file))
    needs = requirements(pipeline, plan.versions)
    write_json(
        final / "training.json", training_of(plan, choice, decision) | {"requirements": needs}
    )
    if spec.models == "selected":
        deleted = store.prune_models(selected_folders(choice, spec.thresholded))
        print(f"{deleted} models of other θ deleted")
