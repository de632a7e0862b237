"""Why an interval may not be computed from some evidence: a reason, or None."""

import numpy as np

from heldout.estimates.evidence import Evidence


def unless_bounded(evidence: Evidence) -> str | None:
    """Hoeffding and Bernstein need a range."""
    if evidence.bound is None:
        return "the loss is unbounded; Hoeffding and Bernstein need losses in a known range"
    return unless_rows(evidence)


def unless_binary(evidence: Evidence) -> str | None:
    """Binomial intervals count errors."""
    return unless_rows(evidence) if evidence.binary else "binomial intervals are for zero-one loss"


def unless_rows(evidence: Evidence) -> str | None:
    """Rows must be independent."""
    if evidence.grouped:
        return "rows come in groups; this interval takes rows as independent"
    return unless_two(evidence)


def unless_spread(evidence: Evidence) -> str | None:
    """Of use where no exact interval is: not for single zero-one losses, nor for equal ones."""
    if evidence.binary and not evidence.grouped:
        return "zero-one losses of single rows have exact binomial intervals"
    if np.ptp(evidence.pooled) == 0:
        return "all losses are equal: their spread says nothing"
    return unless_two(evidence)


def unless_two(evidence: Evidence) -> str | None:
    """One unit has no spread."""
    return None if len(evidence.unit_sums[0]) > 1 else "one independent unit only"


def unless_sets(evidence: Evidence) -> str | None:
    """The spread over held-out sets needs two of them."""
    return None if len(evidence.losses) > 1 else "one held-out set only"


def unless_one_partition(evidence: Evidence) -> str | None:
    """Bayle's theorem is about one partition."""
    if evidence.repeats > 1:
        return "derived for one partition, not for repeats"
    return unless_two(evidence)


def unless_folds_of_two(evidence: Evidence) -> str | None:
    """A variance within folds needs two rows in each."""
    if min(len(losses) for losses in evidence.losses) < 2:
        return "a held-out set of one has no variance within; leave-one-out: use bayle_all_pairs"
    if evidence.grouped:
        return "rows come in groups; this interval takes rows as independent"
    return unless_one_partition(evidence)


def unless_halves(evidence: Evidence) -> str | None:
    """The variance comes from halvings."""
    return "no halvings (montecarlo.halvings)" if evidence.halves is None else None


def unless_fold_pairs(evidence: Evidence) -> str | None:
    """The standard error comes from the models without two folds."""
    if evidence.fold_pairs is None:
        return "needs the fold pairs that nested_cv fits, of rows without groups"
    return None


def unless_bootstrap_risks(evidence: Evidence) -> str | None:
    """The interval comes from the samples in which θ was chosen anew."""
    return "no bootstrap of the choice of θ" if evidence.bootstrap_risks is None else None
