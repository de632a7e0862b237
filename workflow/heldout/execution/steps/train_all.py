"""Choice and opened test → A_θ̂ trained on all rows, sealed ones included: nobody has tested it.

It depends on the opening. Where that was refused the sealed rows stay sealed: they are not read, no model is
trained, and the file that would hold it says why to whoever asks it for a prediction.
"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from heldout.cells.fit import fit_model
from heldout.cells.plan import Plan, open_plan
from heldout.data.joined import join_sealed
from heldout.data.openings import REFUSED
from heldout.data.vault import read_sealed
from heldout.errors import HeldoutError
from heldout.execution.specs.estimates import TrainAll
from heldout.files import read_json, write_atomic, write_json
from heldout.measures.thresholds import without_threshold
from heldout.resampling.kinds import FULL
from heldout.resampling.split import TRAIN, Resample
from heldout.selection.final import Predictor, Untrained
from heldout.selection.training import decision_of
from heldout.selection.untested import card_of_all, refused_card


def main(folder: Path, spec: TrainAll) -> None:
    """Train it, or say why not."""
    final = folder / "final"
    opening = read_json(folder / "vault" / "opening.json")
    training = read_json(final / "training.json")
    if opening["state"] == REFUSED:
        card = refused_card(training, opening["message"])
        model: Any = Untrained(card["note"])
    else:
        model, card = _trained(folder, spec, training)
    write_atomic(final / "model_all.joblib", lambda file: joblib.dump(model, file))
    write_json(final / "card_all.json", card)
    print(card["note"])


def _trained(
    folder: Path, spec: TrainAll, training: dict[str, Any]
) -> tuple[Predictor, dict[str, Any]]:
    """The model, and its card."""
    plan = open_plan(folder, replace(spec.cells, kinds=[FULL]))
    theta, labels = training["theta"], dict[str, Any]()
    if spec.thresholded:
        classes, counts = plan.table.classes or [], plan.table.class_counts or []
        labels = asdict(decision_of(theta, spec.positive, classes, counts))
        theta = without_threshold(theta)
    joined = join_sealed(plan.table, read_sealed(folder / "vault"))
    everything = np.arange(joined.table.n)
    resample = Resample(FULL, everything, {TRAIN: everything})
    whole: Plan = replace(plan, table=joined.table, resamples=[resample])
    outcome = fit_model(whole, plan.learner(training["learner"]), resample, theta)
    if outcome.error is not None:
        raise HeldoutError(f"the model of all rows could not be fitted: {outcome.error}")
    predictor = Predictor(outcome.model, plan.table.facts["schema"], **labels)
    predictor.reading = plan.table.facts.get("reading")
    return predictor, card_of_all(training, joined)
