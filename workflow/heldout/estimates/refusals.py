"""Conditions of intervals: each function returns why the evidence does not meet it, or None."""

from heldout.estimates.cv_intervals import out_of_bag_se
from heldout.estimates.evidence import Evidence

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


def unless_jackknife(evidence: Evidence) -> str | None:
    """Losses must vary, or have a known range."""
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
