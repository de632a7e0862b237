"""The check that the selected model is better than a baseline."""

from dataclasses import dataclass, replace

from heldout.checks.check import Context, Outcome, failed, not_applicable, passed
from heldout.checks.held_out import WORDS, evidence_of, judge_of, selected
from heldout.estimates.comparisons import Comparison, Contestant, Field, compare
from heldout.estimates.constant import constant_evidence, has_constant
from heldout.estimates.evidence import Evidence
from heldout.estimates.noise import HeldOut
from heldout.estimates.out_of_fold import OutOfFold
from heldout.estimates.recommended import heavy_tails
from heldout.estimates.time_comparisons import compare_in_time

CONSTANT = "the best constant prediction"
BY = ("nested_cv", "nested_rolling", "kfold", "rolling")
"""The estimators that comparisons.csv rests on: the first that there is."""


@dataclass(frozen=True)
class Against:
    """The selected learner against a baseline: both risks, and the interval of their difference."""

    name: str
    own: float
    other: float
    row: Comparison
    where: str


def better_than_baseline(context: Context) -> Outcome:
    """H026: a model that is no better than guessing is not worth having."""
    learner, tried = context.selection["learner"], list(context.loss_table.thetas)
    if learner in context.baselines:
        if all(name in context.baselines for name in tried):
            return not_applicable("only baselines were tried")
        others = ", ".join(name for name in tried if name not in context.baselines)
        return failed(
            f"'{learner}' is selected, which looks at no feature, though {others} were tried: none of them does better "
            "than guessing. Look at the features, or collect more rows"
        )
    found = _against_learners(context) or _against_constant(context)
    return found if isinstance(found, Outcome) else _judged(context, found)


def _judged(context: Context, found: Against) -> Outcome:
    loss, learner = context.loss_table.loss, context.selection["learner"]
    row = found.row
    text = (
        f"{loss.label or 'risk'} of {learner} {loss.score(found.own):.4g}, of {found.name} "
        f"{loss.score(found.other):.4g} ({found.where})"
    )
    if row.ci_low is None or row.ci_high is None:
        return not_applicable(f"{text}; their difference has no interval: {row.note}")
    read = _turned(row) if loss.greater else row
    text = f"{text}; difference {read.difference:.3g}, {100 * context.level:g} % interval {read.ci_low:.3g} to {read.ci_high:.3g}"
    if row.ci_high < 0:
        return passed(text)
    return failed(
        f"{text}: the selected model cannot be told from guessing. Look at the features, or collect more rows"
    )


def _against_learners(context: Context) -> Against | None:
    """Against the best of the baselines among the learners, by comparisons.csv."""
    learner = context.selection["learner"]
    estimator, risks = _risks(context)
    found = [
        Against(name, risks[learner], risks[name], row, estimator)
        for name in context.baselines
        if (row := _row(context, learner, name)) and learner in risks and name in risks
    ]
    return min(found, key=lambda one: one.other, default=None)


def _risks(context: Context) -> tuple[str, dict[str, float]]:
    """The risk of each learner by the estimator that comparisons rest on."""
    for estimator in BY:
        rows = [row for row in context.estimates if row.estimator == estimator]
        if rows:
            return estimator, {row.learner: row.risk for row in reversed(rows)}
    return "", {}


def _row(context: Context, learner: str, baseline: str) -> Comparison | None:
    """The comparison of a learner with a baseline: learner minus baseline."""
    for row in context.comparisons:
        if (row.learner_a, row.learner_b) == (learner, baseline):
            return row
        if (row.learner_a, row.learner_b) == (baseline, learner):
            return _turned(row)
    return None


def _turned(row: Comparison) -> Comparison:
    low = None if row.ci_high is None else -row.ci_high
    high = None if row.ci_low is None else -row.ci_low
    return replace(row, difference=-row.difference, ci_low=low, ci_high=high)


def _against_constant(context: Context) -> Against | Outcome:
    """Against the best constant prediction of the training rows, on the same held-out rows."""
    table, (learner, theta) = context.loss_table, selected(context)
    judge, own = judge_of(context), evidence_of(context, learner, theta)
    if judge is None or own is None:
        return not_applicable("no baseline among the learners, and no folds or development set")
    if not has_constant(table.loss):
        return not_applicable(
            "no baseline among the learners (majority, mean), and the best constant prediction is not known for "
            f"{table.loss.label or table.loss.name}"
        )
    guess = constant_evidence(table, own)
    return Against(CONSTANT, own.risk, guess.risk, _compared(context, own, guess), WORDS[judge])


def _compared(context: Context, own: Evidence, guess: Evidence) -> Comparison:
    """As comparisons.csv compares learners at their selected θ."""
    bound = context.loss_table.loss.bound
    if own.in_order and own.estimator == "rolling":
        return compare_in_time({"own": own, "guess": guess}, bound, context.level)[0]
    sets = range(0, len(own.losses), own.k)
    held = [HeldOut.of(own.units[start : start + own.k]) for start in sets]
    noise = _selection_noise(context) if own.estimator == "kfold" else 0.0
    contestants = {
        "own": Contestant(own.losses_by_partition, None, noise, heavy_tails(own)),
        "guess": Contestant(guess.losses_by_partition, None, 0.0),
    }
    return compare(contestants, Field(held, own.k, bound, context.level))[0]


def _selection_noise(context: Context) -> float:
    """Q of the choice of θ, as in comparisons.csv."""
    return OutOfFold(context.loss_table).selection_noise([context.selection["learner"]])
