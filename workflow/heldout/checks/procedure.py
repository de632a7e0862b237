"""Checks of the estimates, the selection and the test set."""

from collections import Counter

import numpy as np

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.estimates.algorithm import evidence_for
from heldout.estimates.cv_intervals import ADVISED_REPEATS
from heldout.estimates.tails import rows_with_half, tail_ratio
from heldout.measures.registry import LOSSES
from heldout.resampling.kinds import DEV, FOLDS, FOLDS_WHOLE, PAIRS, PREFIXES

SQUARES = ("r2", "root")
"""The families of scores that are made of squared errors."""
UNSTABLE = 0.5
"""H006 fails if fewer outer folds than this share agree, be it on one θ or on θ like the best."""


def loo_of_a_majority_rule(context: Context) -> Outcome:
    """H001: leaving out one example of two balanced classes makes the other class the majority."""
    table = context.loss_table.table
    if "loo" not in context.loss_table.splits or not table.classification:
        return not_applicable("no leave-one-out, or the target is a number")
    target = np.asarray(table.target)
    counts = np.sort(np.bincount(target))[::-1]
    rows = [row for row in context.estimates if row.estimator == "loo" and row.learner != "all"]
    worst = max(rows, key=lambda row: row.risk)
    close = counts[0] - counts[1] <= 1
    if (
        context.loss_table.loss.name == "zero_one"
        and close
        and worst.risk > 1 - counts[0] / len(target)
    ):
        return failed(
            f"the classes are balanced and '{worst.learner}' has a leave-one-out error of "
            f"{worst.risk:.3g}, worse than guessing: a rule that follows the majority errs on every "
            "example that is left out. Use K-fold"
        )
    return passed("no learner does worse than guessing in leave-one-out")


def dev_set_large_enough(context: Context) -> Outcome:
    """H004: the bound on the excess risk must be smaller than the range of the loss."""
    loss_table = context.loss_table
    if not loss_table.has(DEV):
        return not_applicable("no development set")
    if loss_table.table.times is not None:
        return not_applicable("rows in time order are dependent: there is no such bound")
    if loss_table.loss.bound is None or not loss_table.plain:
        return not_applicable("the risk is no mean of bounded losses: there is no such bound")
    size = len(next(iter(loss_table.resamples[DEV].values())).held[DEV])
    count = sum(len(thetas) for thetas in loss_table.thetas.values())
    bound = excess_bound(size, count, 1 - context.level, loss_table.loss.bound)
    text = f"{size} rows for {count} θ: excess risk at most {bound:.3g} with probability {context.level:g}"
    if bound >= loss_table.loss.bound:
        return failed(
            f"{text}, no less than the range of the loss; enlarge holdout.fraction or shrink the grids"
        )
    return passed(text)


def excess_bound(size: int, count: int, delta: float, loss_bound: float) -> float:
    """√(2/|S_dev| · ln(2|Θ₀|/δ)), times the range of the loss.

    Shalev-Shwartz & Ben-David 2014, Understanding Machine Learning, Corollary 4.6.
    """
    return float(loss_bound * np.sqrt(2 / size * np.log(2 * count / delta)))


def not_on_the_edge(context: Context) -> Outcome:
    """H005: if the selected θ lies on the edge, a better one may lie outside the grid."""
    learner = context.selection["learner"]
    names = context.selection["learners"][learner]["edges"]
    if names:
        theta = context.selection["theta"]
        shown = ", ".join(f"{name} = {theta[name]}" for name in names)
        return failed(f"{learner}: {shown} lies on the edge of the grid; extend it")
    return passed("the selected θ lies inside its grid")


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
    by_name = {row.estimator: row.risk for row in context.estimates if row.learner == "all"}
    low, high = by_name["min_cv"], by_name["min_cv_tt"]
    other = by_name.get("nested_cv", by_name["min_cv_bbc"])
    shown = [f"{context.loss_table.loss.score(risk):.4g}" for risk in (low, high, other)]
    text = "min-CV {}, Tibshirani² {}, nested CV or BBC {}".format(*shown)
    if high - low > 2 * max(other - low, 0) and high > low:
        return failed(
            f"{text}: the fold-by-fold correction is too large; do not use min_cv_tt here"
        )
    return passed(text)


def bates_repeated(context: Context) -> Outcome:
    """H015: the standard error of `bates` varies much unless many partitions are averaged."""
    if not any(row.interval == "bates" for row in context.estimates) or not context.loss_table.has(
        PAIRS
    ):
        return not_applicable("no bates interval")
    repeats = len(context.loss_table.partitions)
    text = f"bates intervals rest on {repeats} partition(s); {ADVISED_REPEATS} or more are advised"
    return passed(text) if repeats >= ADVISED_REPEATS else failed(text)


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
