"""Checks of the estimates, the selection and the test set."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import special

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.estimates.algorithm import evidence_for
from heldout.estimates.tails import rows_with_half, tail_ratio
from heldout.measures.registry import LOSSES
from heldout.resampling.kinds import FOLDS, FOLDS_WHOLE, PREFIXES

SQUARES = ("r2", "root")
"""The families of scores that are made of squared errors."""
MORE_THAN_CHANCE = 0.001
"""H001 fails where guessing would err as often with a smaller probability, over all learners."""
UNSTABLE = 0.5
"""H006 fails if fewer outer folds than this share agree, be it on one θ or on θ like the best."""


def loo_of_a_majority_rule(context: Context) -> Outcome:
    """H001: leaving out one example of two balanced classes makes the other class the majority."""
    table = context.loss_table.table
    if "loo" not in context.loss_table.splits or not table.classification:
        return not_applicable("no leave-one-out, or the target is a number")
    if context.loss_table.loss.name != "zero_one" or table.weighted:
        return not_applicable("the risk is no share of errors")
    counts = np.sort(np.bincount(np.asarray(table.target)))[::-1]
    rows = [row for row in context.estimates if row.estimator == "loo" and row.learner != "all"]
    risks = {row.learner: row.risk for row in rows}
    worst, risk = max(risks.items(), key=lambda one: one[1])
    guessing = 1 - float(counts[0] / table.n)
    units = len(np.unique(table.rows["unit"]))
    p = _as_many_errors(risk, guessing, units)
    if counts[0] - counts[1] <= 1 and risk > guessing and p < MORE_THAN_CHANCE / len(risks):
        return failed(
            f"the classes are balanced and '{worst}' has a leave-one-out error of {risk:.3g}, worse than guessing "
            f"({guessing:.3g}) by more than chance (p = {p:.1g}): a rule that follows the majority errs on every "
            "example that is left out. Use K-fold"
        )
    return passed("no learner does worse than guessing in leave-one-out, beyond chance")


def _as_many_errors(risk: float, guessing: float, units: int) -> float:
    """The probability that guessing errs on so many of independent rows, or groups."""
    errors = int(np.floor(risk * units + 1e-9))
    return float(special.bdtrc(errors - 1, units, guessing)) if errors > 0 else 1.0


def stable_choice(context: Context) -> Outcome:
    """H006: outer folds that choose θ that can be told apart evaluate different algorithms."""
    outer = ("nested_cv", "nested_rolling")
    folds = [f for f in context.folds if f.learner == "all" and f.estimator in outer]
    if not folds:
        return not_applicable("no nested CV")
    kept = {(row.learner, row.theta) for row in context.kept if row.kept_all}
    choices = Counter((fold.chosen, fold.theta) for fold in folds)
    (learner, theta), count = choices.most_common(1)[0]
    what = "blocks" if folds[0].estimator == "nested_rolling" else "outer folds"
    text = f"{count} of {len(folds)} {what} choose {learner} {theta}"
    if any(row.p_all < 1 for row in context.kept):  # there are units enough to tell something
        like_best = sum(number for choice, number in choices.items() if choice in kept)
        text += f"; {like_best} choose one of the {len(kept)} θ that cannot be told from the best"
        count = max(count, like_best)
    if count / len(folds) < UNSTABLE:
        return failed(f"only {text}: the choice depends on the sample")
    return passed(text)


def test_opened_once(context: Context) -> Outcome:
    """H012: the smallest of several results on the same test set is optimistic."""
    test = context.selection["test"]
    if test is None:
        return not_applicable("there is no test set")
    if test["ledger"]:
        faults = ", ".join(test["ledger"])
        return failed(
            f"the ledger of openings is damaged: {faults}. As far as it goes, {test['message']}"
        )
    if test["state"] == "refused" or test["count"] > 1:
        return failed(test["message"])
    return passed(test["message"])


def scan_ended(context: Context) -> Outcome:
    """H013: a scan that stopped at its maximum has not reached its stopping rule."""
    if context.selection["rule"] != "first_local_min":
        return not_applicable("no scan")
    stopped = [text for text in context.selection["warnings"] if "stated maximum" in text]
    return failed(stopped[0]) if stopped else passed("significant rises ended every scan")


def corrections_hold(context: Context) -> Outcome:
    """H014: with small folds and many θ, the minimum within a fold is mostly chance."""
    if "min_cv" not in context.estimators:
        return not_applicable("no min-CV")
    rows = {row.estimator: row for row in context.estimates if row.learner == "all"}
    other = rows.get("nested_cv", rows["min_cv_bbc"])
    low, high, judge = (row.risk for row in (rows["min_cv"], rows["min_cv_tt"], other))
    se = _first_se(context, ("nested_cv", "kfold", "min_cv_bbc"))
    shown = [f"{context.loss_table.loss.score(risk):.4g}" for risk in (low, high, judge)]
    text = "min-CV {}, Tibshirani² {}, nested CV or BBC {}".format(*shown)
    if high - low <= 2 * max(judge - low, 0) or high - judge <= (se or 0.0):
        return passed(text)
    return failed(
        f"{text}: the fold-by-fold correction is too large, by more than a standard error of the risk; do not use "
        "min_cv_tt here"
    )


def _first_se(context: Context, estimators: Sequence[str]) -> float | None:
    """The standard error of the choice between learners by the first of some estimators that has one."""
    found = {
        row.estimator: row.se
        for row in reversed(context.estimates)
        if row.learner == "all" and row.se is not None
    }
    return next((found[one] for one in estimators if one in found), None)


def no_heavy_tails(context: Context) -> Outcome:
    """H017: where few rows carry most of the loss, no interval holds."""
    loss = context.loss_table.loss
    if loss.family in SQUARES:  # R² and RMSE are made of squared errors
        loss = LOSSES["squared"]
    limit = loss.heavy
    kinds = (FOLDS, FOLDS_WHOLE, PREFIXES)
    if limit is None or not any(map(context.loss_table.has, kinds)):
        return not_applicable("no such limit is known for this loss, or there are no folds")
    judge = "rolling" if context.loss_table.has(PREFIXES) else "kfold"
    learner, theta = context.selection["learner"], context.selection["theta"]
    losses = evidence_for(context.loss_table.judged_by(loss), judge, learner, theta).pooled
    ratio, rows = tail_ratio(losses), rows_with_half(losses)
    text = (
        f"{rows} of {len(losses)} held-out losses of {learner} make up half of the risk "
        f"(n·Σℓ²/(Σℓ)² = {ratio:.3g})"
    )
    if ratio > limit:
        return failed(
            f"{text}: heavy tails, no interval can be trusted; look at these rows, or use absolute loss"
        )
    return passed(f"{text}; at most {limit:g} is usual. This is no proof of light tails")
