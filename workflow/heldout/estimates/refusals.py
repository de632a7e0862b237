"""Conditions of intervals: each function returns why the evidence does not meet it, or None."""

import numpy as np

from heldout.errors import counted
from heldout.estimates.cv_intervals import ADVISED_REPEATS, out_of_bag_se
from heldout.estimates.evidence import Evidence
from heldout.estimates.interval_registry import POOLED as POOLED_FAMILIES
from heldout.estimates.score_intervals import auc_se

POOLED_ONLY = "the mean over small sets is far off, and no interval of it is known"
FEWEST_PER_FOLD = 2
"""Intervals of scores hold from this many rows of the rarest class in each fold on."""
EQUAL = "all losses are equal: their variance cannot be estimated"
FEWEST_BAGS = 200
"""`bootstrap_se` is refused with fewer bags."""


def unless_bounded(evidence: Evidence) -> str | None:
    """Losses must have a known range."""
    if evidence.bound is None:
        return "the loss is unbounded; Hoeffding and Bernstein need losses in a known range"
    return unless_rows(evidence)


def unless_bounded_numbers(evidence: Evidence) -> str | None:
    """Losses must have a known range, and have no exact binomial interval."""
    if evidence.binary:
        return "zero-one losses of single rows have exact binomial intervals, which are shorter"
    return unless_bounded(evidence)


def unless_binary(evidence: Evidence) -> str | None:
    """Losses must be zero or one, of independent rows."""
    return unless_rows(evidence) if evidence.binary else "binomial intervals are for zero-one loss"


def unless_share(evidence: Evidence) -> str | None:
    """Losses must be zero or one."""
    return unless_two(evidence) if evidence.binary else "binomial intervals are for zero-one loss"


def unless_rows(evidence: Evidence) -> str | None:
    """Rows must be independent."""
    if evidence.grouped:
        return "rows come in groups; this interval takes rows as independent"
    return unless_two(evidence)


def unless_spread(evidence: Evidence) -> str | None:
    """Losses must vary, and have no exact binomial interval."""
    if evidence.binary and not evidence.grouped:
        return "zero-one losses of single rows have exact binomial intervals"
    return unless_varied(evidence)


def unless_unbounded(evidence: Evidence) -> str | None:
    """Losses must vary, and have no upper bound."""
    if evidence.bound is not None:
        return "losses have an upper bound"
    if evidence.negative:
        return "losses may be negative"
    return unless_varied(evidence)


def unless_varied(evidence: Evidence) -> str | None:
    """Losses must vary."""
    if not evidence.varies:
        return EQUAL
    return unless_two(evidence)


POOLED = {"kfold": "kfold_pooled", "nested_cv": "nested_cv_pooled"}
"""Where the interval of a pooled score is."""


def unless_jackknife(evidence: Evidence) -> str | None:
    """Losses must vary, or have a known range; scores that are pooled must be pooled."""
    if evidence.family in POOLED_FAMILIES and evidence.folds is None:
        where = POOLED.get(evidence.estimator)
        return (
            f"the value that is reported, with its interval, is that of {where}"
            if where
            else POOLED_ONLY
        )
    if evidence.family != "mean" and (reason := unless_enough(evidence)) is not None:
        return reason
    return unless_noisy(evidence)


def unless_noisy(evidence: Evidence) -> str | None:
    """The test noise must say something: losses must vary, or have a known range."""
    if evidence.bound is None:
        return unless_varied(evidence)
    return unless_two(evidence)


def unless_two(evidence: Evidence) -> str | None:
    """There must be two independent units."""
    return None if evidence.unit_count > 1 else "one independent unit only"


def unless_sets(evidence: Evidence) -> str | None:
    """There must be two held-out sets, and losses that vary."""
    if len(evidence.losses) < 2:
        return "one held-out set only"
    return unless_varied(evidence)


def unless_one_partition(evidence: Evidence) -> str | None:
    """There must be a single partition."""
    if evidence.repeats > 1:
        return "derived for one partition, not for repeats"
    return unless_varied(evidence)


def unless_folds_of_two(evidence: Evidence) -> str | None:
    """Every fold must have two rows, and rows must be independent."""
    if min(len(losses) for losses in evidence.losses) < 2:
        return "a held-out set of one row has no variance; for leave-one-out use bayle_all_pairs"
    if evidence.grouped:
        return "rows come in groups; this interval takes rows as independent"
    return unless_one_partition(evidence)


def unless_halves(evidence: Evidence) -> str | None:
    """Monte Carlo CV must have been repeated on halves."""
    if evidence.halves is None:
        return "no halvings (montecarlo.halvings)"
    return unless_varied(evidence)


def unless_fold_pairs(evidence: Evidence) -> str | None:
    """There must be models trained without two folds."""
    if evidence.fold_pairs is None:
        return "needs the fold pairs that nested_cv fits, of rows without groups"
    return unless_varied(evidence)


def few_partitions(evidence: Evidence) -> str | None:
    """What must be known of `bates`, whose estimate varies much between partitions."""
    if evidence.repeats >= ADVISED_REPEATS:
        return None
    found = counted(evidence.repeats, "partition")
    return f"rests on {found}; its authors average over {ADVISED_REPEATS} or more (kfold.repeats)"


def unless_many_bags(evidence: Evidence) -> str | None:
    """There must be enough bags for a standard error."""
    if evidence.bags is None:
        return "no bootstrap bags"
    if len(evidence.losses) < FEWEST_BAGS:
        return f"needs bootstrap.bags: {FEWEST_BAGS} or more, found {len(evidence.losses)}"
    if out_of_bag_se(evidence) is None:
        return "too few bags to tell the variance of the risk from that of the bootstrap"
    return unless_varied(evidence)


def unless_bootstrap_risks(evidence: Evidence) -> str | None:
    """There must be risks of bootstrap samples in each of which θ was chosen."""
    if evidence.bootstrap_risks is None:
        return "no bootstrap of the choice of θ"
    return None if evidence.bootstrap_risks.std() > 0 else EQUAL


def unless_enough(evidence: Evidence) -> str | None:
    """The rarest class must have rows in every fold."""
    folds = evidence.folds or evidence.k
    if evidence.fewest is not None and evidence.fewest < folds:
        return f"the rarest class has {evidence.fewest} rows, fewer than there are folds"
    return None


def unless_influence(evidence: Evidence) -> str | None:
    """The score must have a known range, and every class two units."""
    if evidence.sample is None:
        return "no predictions of the set"
    if evidence.bound is None:
        return "the score has no known range"
    sample, units = evidence.sample(), evidence.units[0]
    if evidence.fewest is not None and evidence.fewest < 2:
        return "needs two rows (or groups) of every class"
    count = min(len(np.unique(units[sample.target == one])) for one in np.unique(sample.target))
    return None if count > 1 else "needs two rows (or groups) of every class"


def unless_auc_varies(evidence: Evidence) -> str | None:
    """As `unless_influence`, and the ranking must have errors and hits."""
    return unless_influence(evidence) or (None if auc_se(evidence) > 0 else EQUAL)


def unless_resampled(evidence: Evidence) -> str | None:
    """There must be predictions of the set, which vary, and no class that a draw may lack."""
    if evidence.sample is None:
        return "no predictions of the set"
    if evidence.sample().loss.every_class and evidence.grouped:
        return "draws of whole groups may lack a class"
    return unless_varied(evidence)
