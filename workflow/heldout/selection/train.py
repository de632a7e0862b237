"""The final model: A_θ̂ trained on all unsealed rows."""

from dataclasses import asdict
from typing import Any

from heldout.cells.fit import fit_model
from heldout.cells.plan import Plan
from heldout.cells.store import Cell, Store
from heldout.errors import HeldoutError
from heldout.measures.thresholds import without_threshold
from heldout.names import Theta, theta_name
from heldout.resampling.kinds import FULL
from heldout.selection.final import Predictor
from heldout.selection.training import Decision, decision_of


def final_pipeline(plan: Plan, store: Store, name: str, theta: Theta) -> Any:
    """Get the final model: from the store if it was fitted before, else by a fit.

    Parameters
    ----------
    plan
        The table and the learners of a task; its first resample holds nothing out.
    store
        Where cells are kept.
    name, theta
        The selected learner and θ.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Fitted to all unsealed rows.
    """
    learner = plan.learner(name)
    resample = plan.resamples[0]
    cell = Cell(name, theta, FULL)
    [keys] = plan.keys(learner, resample, [theta])
    stored = store.fitted_model(cell, keys)
    if stored is not None:
        return stored[0]
    outcome = fit_model(plan, learner, resample, theta)
    if outcome.error is not None:
        raise HeldoutError(f"the final model could not be fitted: {cell}: {outcome.error}")
    return outcome.model


def final_predictor(
    plan: Plan, store: Store, choice: dict[str, Any], thresholded: bool, positive: str | None
) -> tuple[Predictor, Decision | None]:
    """Get the final model with all that it needs to predict new rows.

    Parameters
    ----------
    plan
        The table and the learners of a task; its first resample holds nothing out.
    store
        Where cells are kept.
    choice
        The content of choice.json.
    thresholded
        Whether θ holds a decision threshold.
    positive
        The class that the config calls the positive one, if it matters.

    Returns
    -------
    tuple
        The model, and how it decides if θ holds a threshold.
    """
    facts, theta = plan.table.facts, choice["theta"]
    decision, labels = None, dict[str, Any]()
    if thresholded:
        classes, counts = plan.table.classes or [], plan.table.class_counts or []
        decision = decision_of(theta, positive, classes, counts)
        theta, labels = without_threshold(theta), asdict(decision)
    pipeline = final_pipeline(plan, store, choice["learner"], theta)
    predictor = Predictor(pipeline, facts["schema"], **labels)
    predictor.reading = facts.get("reading")
    return predictor, decision


def selected_folders(selection: dict[str, Any], thresholded: bool = False) -> set[str]:
    """List the folders of the store with the selected θ of each learner.

    Parameters
    ----------
    selection
        The content of choice.json.
    thresholded
        Whether θ holds a decision threshold, which no cell knows of.

    Returns
    -------
    set of str
        Paths relative to `results/TASK/cells`.

    Examples
    --------
    >>> selected_folders({"learners": {"knn": {"theta": {"n_neighbors": 5}}}})
    {'knn/n_neighbors=5'}
    """
    chosen = {name: entry["theta"] for name, entry in selection["learners"].items()}
    if thresholded:
        chosen = {name: without_threshold(theta) for name, theta in chosen.items()}
    return {f"{name}/{theta_name(theta)}" for name, theta in chosen.items()}
