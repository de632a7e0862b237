"""Checks of what the selected model predicts for held-out rows."""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.checks.held_out import predictions_of, selected
from heldout.measures import calibration
from heldout.measures.loss import RANKING
from heldout.measures.shown_classes import classes_of
from heldout.names import seed_for
from heldout.predictions import Predictions, joined

FEW = 0.05
"""H027 fails where other labels are predicted for fewer rows than this share of those that have them."""
NUMBERS = 0.01
"""H027 fails where predicted numbers spread less than this share of the spread of the target, …"""
SAME = 0.99
"""… or where this share of the rows gets the same number."""
ALL_ONE = 1e-9
"""Probabilities and scores that differ less than this are one."""
RELEVANT = 0.05
"""H028 fails where the calibration error is larger than by chance by this much, …"""
CHANCE = 0.001
"""… and would be so large with this probability, over all classes, if the probabilities were true."""
ROWS = 10_000
"""H028 looks at so many rows times classes."""


def predictions_differ(context: Context) -> Outcome:
    """H027: a model that predicts the same for every row has learned nothing that is of use."""
    learner, theta = selected(context)
    if learner in context.baselines:
        return not_applicable("the selected model is a baseline, which predicts one value")
    parts = list(predictions_of(context, learner, theta))
    if not parts:
        return not_applicable("there are no folds and no development set")
    table = context.loss_table.table
    target = np.asarray(table.target)
    if not table.classification:
        return _numbers(
            target, [(rows, said.value) for rows, said in parts if said.value is not None]
        )
    if context.loss_table.loss.needs in ("proba", RANKING):
        return _scores([said for _, said in parts])
    labels = [(rows, said.label) for rows, said in parts if said.label is not None]
    return _labels(context, target, labels)


def _labels(
    context: Context, target: np.ndarray, parts: list[tuple[np.ndarray, np.ndarray]]
) -> Outcome:
    """Of classes: other labels than the most frequent one are predicted seldom, and true often."""
    if not parts:
        return not_applicable("the selected learner gives no labels")
    true = target[np.concatenate([rows for rows, _ in parts])]
    label, names = np.concatenate([one for _, one in parts]), context.loss_table.table.classes or []
    main = int(np.bincount(label, minlength=len(names)).argmax())
    others, real = int((label != main).sum()), int((true != main).sum())
    text = (
        f"'{names[main]}' is predicted for {len(label) - others} of {len(label)} held-out rows; {real} of them are of "
        "another class"
    )
    if real == 0 or others > FEW * real:
        return passed(text)
    if len(names) > 2:
        return failed(f"{text}. Choose by balanced_accuracy or costs, or look at the features")
    return failed(
        f"{text}. Choose by roc_auc, balanced_accuracy or costs, set threshold: tune, or look at the features"
    )


def _scores(parts: list[Predictions]) -> Outcome:
    """Of probabilities or decision values, for losses that look at them: they are all one within every held-out set."""
    arrays = [said.decision if said.proba is None else said.proba for said in parts]
    known = [one for one in arrays if one is not None and len(one) > 1]
    if not known:
        return not_applicable("the selected learner gives no scores, or held-out sets have one row")
    spread = max(float(np.ptp(one, axis=0).max()) for one in known)
    if spread <= ALL_ONE:
        return failed("every held-out row of a model gets the same score: look at the features")
    return passed(f"scores of held-out rows differ by up to {spread:.3g}")


def _numbers(target: np.ndarray, parts: list[tuple[np.ndarray, np.ndarray]]) -> Outcome:
    """Of numbers: within held-out sets they hardly differ. Different models have different means, which say nothing."""
    parts = [(rows, value) for rows, value in parts if len(rows) > 1]
    if not parts:
        return not_applicable("held-out sets have one row")
    own = np.concatenate([value - value.mean() for _, value in parts])
    real = np.concatenate([target[rows] - target[rows].mean() for rows, _ in parts])
    if not real.any():
        return not_applicable("the target is the same in all rows")
    same = sum(int(np.unique(value, return_counts=True)[1].max()) for _, value in parts) / len(own)
    ratio = float(np.sqrt((own**2).mean() / (real**2).mean()))
    text = (
        f"predictions for held-out rows spread {ratio:.3g} times as much as the target; {same:.0%} of the rows of a "
        "held-out set get the same one"
    )
    if ratio < NUMBERS or same >= SAME:
        return failed(
            f"{text}: the model predicts one number. Look at the features, or at the grid"
        )
    return passed(text)


# --- calibration -----------------------------------------------------------------------------


class Judged(NamedTuple):
    """The calibration error of a class, what chance alone gives, and how often chance gives so much."""

    name: str
    error: float
    by_chance: float
    p: float


def probabilities_calibrated(context: Context) -> Outcome:
    """H028: probabilities that are far from the observed shares mislead whoever decides by them."""
    table = context.loss_table.table
    if not table.classification:
        return not_applicable("the target is a number")
    if table.weighted:
        return not_applicable("rows have weights, which bins of probabilities do not count")
    parts = list(predictions_of(context, *selected(context)))
    if not parts or any(said.proba is None for _, said in parts):
        return not_applicable(
            "the selected learner gives no probabilities, or there are no held-out rows"
        )
    rows = np.concatenate([rows for rows, _ in parts])
    proba = joined([said for _, said in parts]).proba
    assert proba is not None
    found, looked_at = _judge(context, rows, proba)
    worst = min(found, key=lambda one: (not _is_far(one, len(found)), one.by_chance - one.error))
    text = (
        f"{looked_at}class '{worst.name}': the expected calibration error is {worst.error:.3f}, by chance alone "
        f"{worst.by_chance:.3f}"
    )
    if not _is_far(worst, len(found)):
        return passed(text)
    return failed(
        f"{text}. Do not take these probabilities at their word; set calibrate: sigmoid or isotonic for "
        f"{context.selection['learner']}, and look at the reliability curve in the report"
    )


def _judge(context: Context, rows: np.ndarray, proba: np.ndarray) -> tuple[list[Judged], str]:
    table, names = context.loss_table.table, context.loss_table.table.classes or []
    wanted = classes_of(
        np.asarray(table.target)[rows], proba.shape[1], context.loss_table.loss.positive
    )
    part, text = _independent(context, rows, ROWS // len(wanted))
    target, proba = np.asarray(table.target)[rows[part]], proba[part]
    return [_class(str(names[one]), target == one, proba[:, one]) for one in wanted], text


def _independent(context: Context, rows: np.ndarray, limit: int) -> tuple[np.ndarray, str]:
    """Rows that are independent, at most so many: of a group one, because chance is known for single rows."""
    generator = np.random.default_rng(seed_for(0, "checks", "H028"))
    order, text = generator.permutation(len(rows)), ""
    if context.loss_table.table.grouped:
        _, first = np.unique(context.loss_table.units(rows[order]), return_index=True)
        order, text = order[first], f"of one row drawn from each of {len(first)} groups, "
    if len(order) > limit:
        order, text = generator.choice(order, limit, replace=False), f"of {limit} rows drawn, "
    return np.sort(order), text


def _class(name: str, positive: np.ndarray, proba: np.ndarray) -> Judged:
    predicted = np.asarray(proba, float)
    bins = calibration.bin_numbers(predicted)
    error = calibration.calibration_error(positive, predicted, bins)
    mean, sd = calibration.error_by_chance(predicted, bins)
    z = (error - mean) / sd if sd > 0 else (np.inf if error > mean else 0.0)
    return Judged(name, error, mean, 1 - NormalDist().cdf(float(z)))


def _is_far(one: Judged, classes: int) -> bool:
    return one.error - one.by_chance >= RELEVANT and one.p < CHANCE / classes
