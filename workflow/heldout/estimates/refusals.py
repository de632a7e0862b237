"""Conditions of intervals: each function returns why the evidence does not meet it, or None."""

import numpy as np

from heldout.estimates.evidence import Evidence


def unless_bounded(evidence: Evidence) -> str | None:
    """Losses must have a known range."""
    if evidence.bound is None:
        return "the loss is unbounded; Hoeffding and Bernstein need losses in a known range"
    return unless_rows(evidence)


def unless_binary(evidence: Evidence) -> str | None:
    """Losses must be zero or one."""
    return unless_rows(evidence) if evidence.binary else "binomial intervals are for zero-one loss"


def unless_rows(evidence: Evidence) -> str | None:
    """Rows must be independent."""
    if evidence.grouped:
        return "rows come in groups; this interval takes rows as independent"
    return unless_two(evidence)


def unless_spread(evidence: Evidence) -> str | None:
    """Losses must vary, and have no exact binomial interval."""
    if evidence.binary and not evidence.grouped:
        return "zero-one losses of single rows have exact binomial intervals"
    if np.ptp(evidence.pooled) == 0:
        return "all losses are equal: their variance cannot be estimated"
    return unless_two(evidence)


def unless_two(evidence: Evidence) -> str | None:
    """There must be two independent units."""
    return None if len(evidence.unit_sums[0]) > 1 else "one independent unit only"


def unless_sets(evidence: Evidence) -> str | None:
    """There must be two held-out sets."""
    return None if len(evidence.losses) > 1 else "one held-out set only"


def unless_one_partition(evidence: Evidence) -> str | None:
    """There must be a single partition."""
    if evidence.repeats > 1:
        return "derived for one partition, not for repeats"
    return unless_two(evidence)


def unless_folds_of_two(evidence: Evidence) -> str | None:
    """Every fold must have two rows, and rows must be independent."""
    if min(len(losses) for losses in evidence.losses) < 2:
        return "a held-out set of one row has no variance; for leave-one-out use bayle_all_pairs"
    if evidence.grouped:
        return "rows come in groups; this interval takes rows as independent"
    return unless_one_partition(evidence)


def unless_halves(evidence: Evidence) -> str | None:
    """Monte Carlo CV must have been repeated on halves."""
    return "no halvings (montecarlo.halvings)" if evidence.halves is None else None


def unless_fold_pairs(evidence: Evidence) -> str | None:
    """There must be models trained without two folds."""
    if evidence.fold_pairs is None:
        return "needs the fold pairs that nested_cv fits, of rows without groups"
    return None


def unless_bootstrap_risks(evidence: Evidence) -> str | None:
    """There must be risks of bootstrap samples in each of which θ was chosen."""
    return "no bootstrap of the choice of θ" if evidence.bootstrap_risks is None else None
