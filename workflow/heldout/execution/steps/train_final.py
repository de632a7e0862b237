"""selection.json → A_θ̂ trained on all unsealed rows, with its card."""

import platform
from pathlib import Path
from typing import Any

import joblib

from heldout import __version__
from heldout.cells.fit import fit_model
from heldout.cells.key import family
from heldout.cells.plan import Plan, open_plan
from heldout.cells.store import Cell, Store
from heldout.errors import HeldoutError
from heldout.files import read_json, write_atomic, write_json
from heldout.names import Theta, canonical, digest, theta_name
from heldout.resampling.kinds import FULL
from heldout.selection.final import Predictor


def main(folder: Path, spec: dict[str, Any]) -> None:
    """Take the model from the store where it is, else fit it there."""
    selection = read_json(folder / "selection.json")
    store = Store(folder / "cells")
    plan = open_plan(folder, spec | {"kinds": [FULL]})
    pipeline = _pipeline(plan, store, selection["learner"], selection["theta"])
    predictor = Predictor(pipeline, plan.table.facts["schema"])
    final = folder / "final"
    final.mkdir(parents=True, exist_ok=True)
    write_atomic(final / "model.joblib", lambda file: joblib.dump(predictor, file))
    write_json(final / "card.json", _card(plan, selection))
    if spec["models"] == "selected":
        chosen = selection["learners"].items()
        kept = {f"{name}/{theta_name(entry['theta'])}" for name, entry in chosen}
        print(f"{store.prune_models(kept)} models of other θ deleted")


def _pipeline(plan: Plan, store: Store, name: str, theta: Theta) -> Any:
    [learner] = [learner for learner in plan.learners if learner.name == name]
    cell = Cell(name, theta, FULL)
    [keys] = plan.keys(learner, plan.resamples[0], [theta])
    stored = store.fitted_model(cell, keys)
    if stored is not None:
        return stored[0]
    outcome = fit_model(plan, learner, plan.resamples[0], theta)
    if outcome.error is not None:
        raise HeldoutError(f"the final model could not be fitted: {cell}: {outcome.error}")
    return outcome.model


def _identity(plan: Plan, selection: dict[str, Any]) -> str:
    """What the test set judges: the learner, θ and the rows and columns it was trained on."""
    [learner] = [learner for learner in plan.learners if learner.name == selection["learner"]]
    about = family(learner, plan.table.classification)
    return digest(plan.table.digest, learner.name, about, canonical(selection["theta"]))


def _card(plan: Plan, selection: dict[str, Any]) -> dict[str, Any]:
    facts = plan.table.facts
    return {
        "task": plan.task,
        "learner": selection["learner"],
        "theta": selection["theta"],
        "identity": _identity(plan, selection),
        "why": selection["why"],
        "trained_on": {
            "rows": plan.table.n,
            "source": facts["source"],
            "digest": plan.table.digest,
        },
        "sealed_rows": facts["sealed"],
        "features": plan.table.names,
        "target": facts["schema"]["target"]["name"],
        "classes": plan.table.classes,
        "seed": plan.seed,
        "versions": {"heldout": __version__, "python": platform.python_version()},
        "libraries": plan.versions,
    }
