"""The stored predictions of the selected model for rows that it was not trained on."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from heldout.estimates.loss_table import LossTable, open_loss_table
from heldout.estimates.spec import LossTableSpec
from heldout.measures.loss import Loss
from heldout.predictions import Predictions, joined
from heldout.results import calibration, curves
from heldout.resampling.kinds import DEV, FOLDS, FOLDS_WHOLE, LOO, PREFIXES
from heldout.resampling.split import Resample
from heldout.results.rows_frame import plain_loss
from heldout.results.tables import pack

POINTS = 2000
"""A scatter plot shows at most this many rows, evenly spaced in the table."""
HARDEST = 15
BINS = 30

TITLES = {
    FOLDS: "Each row is predicted by the model that was fitted without its fold.",
    LOO: "Each row is predicted by the model that was fitted without it.",
    PREFIXES: "Each row is predicted by a model of what was known before its block of time.",
    DEV: "The rows of the development set, predicted by the model that was fitted without them.",
}


@dataclass(frozen=True)
class HeldOut:
    """Rows, each predicted once by a model that was not trained on it.

    `losses` of single rows are those of `judged_by`; `units` are the groups of rows, if any; `sets` says
    which held-out set each row was in, where there are several.
    """

    source: np.ndarray
    target: np.ndarray
    predictions: Predictions
    losses: np.ndarray
    units: np.ndarray | None = None
    sets: np.ndarray | None = None
    judged_by: str = "loss"


def diagnostics(
    folder: Path, spec: LossTableSpec, batches: int, learner: str, theta: Any, level: float
) -> Any:
    """Collect the data of the sections on predictions.

    Parameters
    ----------
    folder
        `results/TASK`.
    spec
        Which cells are read, and the loss.
    batches
        The number of batches that the cells were fitted in.
    learner, theta
        Whose predictions.
    level
        The confidence level of what is computed from them.

    Returns
    -------
    dict or None
        What the page and the figures draw; None if the task has no such predictions.
    """
    kind = kind_of(spec.kinds)
    if kind is None:
        return None
    loss_table = open_loss_table(folder, replace(spec, kinds=[kind]), batches)
    held = held_out(loss_table, list(loss_table.resamples[kind].values()), learner, theta)
    classes = loss_table.table.classes
    if classes is None:
        shown = regression(held)
    else:
        shown = classification(held, classes, level, loss_table.loss.positive)
    return {"how": TITLES[kind] + first_of(loss_table, kind), "n": len(held.target), **shown}


def first_of(loss_table: LossTable, kind: str) -> str:
    """Of repeated partitions, a sentence that the first one is shown."""
    repeats = len(loss_table.partitions) if kind == FOLDS else 1
    return f" Of {repeats} partitions into folds, the first one is shown." if repeats > 1 else ""


def kind_of(kinds: list[str]) -> str | None:
    """The kind of cells that predictions are read from: K-fold, else leave-one-out, blocks of time, hold-out."""
    if FOLDS in kinds or FOLDS_WHOLE in kinds:
        return FOLDS
    return next((kind for kind in (LOO, PREFIXES, DEV) if kind in kinds), None)


def held_out(loss_table: LossTable, resamples: list[Resample], learner: str, theta: Any) -> HeldOut:
    """Predictions of every held-out row; of repeated partitions, those of the first."""
    rows: list[np.ndarray] = []
    predictions: list[Predictions] = []
    for resample in resamples:
        if sum(map(len, rows)) >= loss_table.table.n:
            break
        found = loss_table.predictions(learner, theta, resample)
        rows += resample.held.values()
        predictions += [found[name] for name in resample.held]
    where = np.concatenate(rows)
    everything = joined(predictions)
    target = np.asarray(loss_table.table.target)[where]
    source = np.asarray(loss_table.table.rows["source"])[where] + 1
    units = loss_table.units(where) if loss_table.table.grouped else None
    losses, label = row_losses(loss_table.loss, target, everything)
    sets = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
    return HeldOut(source, target, everything, losses, units, sets, label)


def row_losses(loss: Loss, target: np.ndarray, said: Predictions) -> tuple[np.ndarray, str]:
    """The losses of single rows, and what they are; for a loss of whole sets, those of a plain one."""
    loss = plain_loss(loss, said)
    return loss(target, said), loss.title.split(" (")[0]


# --- regression ------------------------------------------------------------------------------


def regression(held: HeldOut) -> dict[str, Any]:
    """Predicted against true values, and the residuals."""
    assert held.predictions.value is not None
    value, target = np.asarray(held.predictions.value, float), np.asarray(held.target, float)
    residual = target - value
    order = np.argsort(held.source, kind="stable")
    kept = order[np.linspace(0, len(order) - 1, min(POINTS, len(order))).astype(int)]
    counts, edges = np.histogram(residual, bins=min(BINS, max(5, len(residual) // 8)))
    spread = float(((target - target.mean()) ** 2).sum())
    return {
        "kind": "regression",
        "points": packed(source=held.source[kept], true=target[kept], predicted=value[kept]),
        "histogram": packed(low=edges[:-1], high=edges[1:], count=counts),
        "summary": {
            "mean residual": float(residual.mean()),
            "mean absolute error": float(np.abs(residual).mean()),
            "root mean squared error": float(np.sqrt((residual**2).mean())),
            "R²": 1 - float((residual**2).sum()) / spread if spread > 0 else None,
        },
        "judged_by": held.judged_by,
        "hardest": hardest(held, true=target, predicted=value),
    }


# --- classification --------------------------------------------------------------------------


def classification(
    held: HeldOut, classes: list[Any], level: float = 0.95, positive: int | None = None
) -> dict[str, Any]:
    """Confusion matrix, ROC of each class against the rest (of two, of the positive one), and probabilities."""
    names = [str(one) for one in classes]
    scores, proba = score_matrix(held.predictions, len(names)), held.predictions.proba
    label = held.predictions.label
    if label is None:
        assert scores is not None
        label = scores.argmax(axis=1)
    return {
        "kind": "classification",
        "classes": names,
        "confusion": curves.confusion(held.target, label, len(names)),
        "curves": [] if scores is None else curves_of(held, scores, positive),
        "calibration": []
        if proba is None
        else calibration.judged(held.target, proba, held.units, level, positive),
        "band": calibration.about_the_band(held.units is not None, level),
        "judged_by": held.judged_by,
        "hardest": hardest(
            held,
            true=np.array(names, object)[held.target],
            predicted=np.array(names, object)[label],
            **({} if proba is None else {"probability": probability_of_target(held.target, proba)}),
        ),
    }


def score_matrix(predictions: Predictions, count: int) -> np.ndarray | None:
    """A column of scores per class: of two classes decision values first, as for AUC; else probabilities."""
    decision = predictions.decision
    if decision is not None and decision.ndim == 1:
        decision = np.column_stack([-decision, decision])
    order = [decision, predictions.proba] if count == 2 else [predictions.proba, decision]
    fit = [one for one in order if one is not None and one.shape[1] == count]
    return np.asarray(fit[0], float) if fit else None


def curves_of(
    held: HeldOut, scores: np.ndarray, positive: int | None = None
) -> list[dict[str, Any]]:
    """The curves of held-out sets; none of single rows, which have none."""
    sets = np.zeros(len(held.target), int) if held.sets is None else held.sets
    return curves.one_versus_rest(held.target, scores, sets, positive)


def probability_of_target(target: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """The predicted probability of the true class; 0 for a class that no training row has."""
    padded = np.hstack([proba, np.zeros((len(proba), 1))])
    return padded[np.arange(len(target)), np.minimum(target, proba.shape[1])]


# --- both ------------------------------------------------------------------------------------


def hardest(held: HeldOut, **columns: np.ndarray) -> dict[str, Any]:
    """The rows with the largest losses; ties by the smallest probability of the true class."""
    tie = columns.get("probability", np.zeros(len(held.losses)))
    order = np.lexsort((held.source, tie, -held.losses))[:HARDEST]
    order = order[held.losses[order] > 0]
    named = {"row": held.source, **columns, "loss": held.losses}
    return packed(**{name: values[order] for name, values in named.items()})


def packed(**columns: np.ndarray) -> dict[str, Any]:
    """Columns as the tables of the page have them."""
    return pack({name: values.tolist() for name, values in columns.items()})
