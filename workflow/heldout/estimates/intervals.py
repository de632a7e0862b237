"""Confidence intervals. Each names its target, and refuses, with the reason, what it is not for.

δ = 1 − level. With several comparisons (or openings of the test set) each interval uses δ/M.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from heldout.estimates.evidence import Evidence

Bounds = tuple[float | None, float, float]
"""Standard error (None if the method has none), lower and upper end."""

PREDICTOR = "risk of this predictor"
ALGORITHM = "expected risk of this algorithm at the training size of its folds"
FOLD_AVERAGE = "average risk of the K fitted models (K-fold test error)"


@dataclass(frozen=True)
class Interval:
    """A method: where it is valid, and how it is computed."""

    name: str
    target: str
    plans: frozenset[str]
    refuses: Callable[[Evidence], str | None]
    bounds: Callable[[Evidence, float], Bounds]
    reference: str

    def reason_against(self, evidence: Evidence) -> str | None:
        """Why this interval may not be computed here, or None."""
        if evidence.plan not in self.plans:
            return f"{self.name} is not derived for {evidence.plan}"
        return self.refuses(evidence)

    def __call__(self, evidence: Evidence, level: float) -> Bounds:
        """The standard error and the ends of the interval."""
        reason = self.reason_against(evidence)
        if reason is not None:
            raise ValueError(reason)
        se, low, high = self.bounds(evidence, (1 - level) / evidence.comparisons)
        top = float("inf") if evidence.bound is None else evidence.bound
        return se, max(0.0, low), min(top, high)


# --- one sample of independent examples (or groups) ------------------------------------------


def _t(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± t · s/√n; with groups the group is the unit (linearised ratio of sums)."""
    sizes, sums = evidence.unit_sums
    count = len(sizes)
    deviations = sums - sizes * evidence.risk
    se = float(np.sqrt(count / (count - 1) * (deviations**2).sum()) / sizes.sum())
    half = float(special.stdtrit(count - 1, 1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def _hoeffding(evidence: Evidence, delta: float) -> Bounds:
    """±B·√(ln(2/δ)/(2n)) for losses in [0, B]."""
    assert evidence.bound is not None
    half = evidence.bound * np.sqrt(np.log(2 / delta) / (2 * evidence.n))
    return None, float(evidence.risk - half), float(evidence.risk + half)


def _empirical_bernstein(evidence: Evidence, delta: float) -> Bounds:
    """±(√(2V·ln(4/δ)/n) + 7B·ln(4/δ)/(3(n−1))), V the sample variance."""
    assert evidence.bound is not None
    log_term = np.log(4 / delta)
    spread = np.sqrt(2 * evidence.pooled.var(ddof=1) * log_term / evidence.n)
    half = spread + 7 * evidence.bound * log_term / (3 * (evidence.n - 1))
    return None, float(evidence.risk - half), float(evidence.risk + half)


def _clopper_pearson(evidence: Evidence, delta: float) -> Bounds:
    """Exact for a binomial number of errors."""
    n, errors = evidence.n, float(evidence.pooled.sum())
    low = 0.0 if errors == 0 else float(special.betaincinv(errors, n - errors + 1, delta / 2))
    high = 1.0 if errors == n else float(special.betaincinv(errors + 1, n - errors, 1 - delta / 2))
    return float(np.sqrt(evidence.risk * (1 - evidence.risk) / n)), low, high


def _wilson(evidence: Evidence, delta: float) -> Bounds:
    """The score interval of a binomial share."""
    n, share = evidence.n, evidence.risk
    z = float(special.ndtri(1 - delta / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return float(np.sqrt(share * (1 - share) / n)), centre - half, centre + half


def _bootstrap_percentile(evidence: Evidence, delta: float, draws: int = 2000) -> Bounds:
    """Percentiles of the mean over units drawn with replacement."""
    sizes, sums = evidence.unit_sums
    generator = np.random.default_rng(evidence.seed)
    means = np.empty(draws)
    for i in range(draws):
        drawn = generator.integers(len(sizes), size=len(sizes))
        means[i] = sums[drawn].sum() / sizes[drawn].sum()
    low, high = np.quantile(means, [delta / 2, 1 - delta / 2])
    return float(means.std(ddof=1)), float(low), float(high)


# --- cross-validation ------------------------------------------------------------------------


def _nadeau_bengio(evidence: Evidence, delta: float) -> Bounds:
    """Corrected resampled t: s²(1/J + n₂/n₁) over J held-out sets, J − 1 degrees of freedom."""
    assert evidence.ratio is not None
    count = len(evidence.set_means)
    variance = evidence.set_means.var(ddof=1)
    se = float(np.sqrt(variance * (1 / count + evidence.ratio)))
    half = float(special.stdtrit(count - 1, 1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def _conservative_z(evidence: Evidence, delta: float) -> Bounds:
    """Mean ± z·σ̂, σ̂² = Σ(μ₁−μ₂)²/(2M) over M pairs of disjoint halves (larger than the truth)."""
    assert evidence.halves is not None
    differences = evidence.halves[:, 0] - evidence.halves[:, 1]
    se = float(np.sqrt((differences**2).sum() / (2 * len(differences))))
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, evidence.risk - half, evidence.risk + half


def _bayle_within_fold(evidence: Evidence, delta: float) -> Bounds:
    """As all-pairs, with the mean over folds of the unbiased within-fold variance."""
    centre = float(evidence.pooled.mean())
    variance = float(np.mean([losses.var(ddof=1) for losses in evidence.losses]))
    se = float(np.sqrt(variance / evidence.n))
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, centre - half, centre + half


def _bayle_all_pairs(evidence: Evidence, delta: float) -> Bounds:
    """Pooled mean ± z·σ̂/√n, σ̂² the variance of all held-out losses about their mean."""
    sizes, sums = evidence.unit_sums
    centre = float(evidence.pooled.mean())
    se = float(np.sqrt(((sums - sizes * centre) ** 2).sum()) / sizes.sum())
    half = float(special.ndtri(1 - delta / 2)) * se
    return se, centre - half, centre + half


def _needs_bound(evidence: Evidence) -> str | None:
    if evidence.bound is None:
        return "the loss is unbounded; Hoeffding and Bernstein need losses in a known range"
    return _needs_rows(evidence)


def _needs_binary(evidence: Evidence) -> str | None:
    return _needs_rows(evidence) if evidence.binary else "binomial intervals are for zero-one loss"


def _needs_rows(evidence: Evidence) -> str | None:
    if evidence.grouped:
        return "rows come in groups; this interval takes rows as independent"
    return _needs_two(evidence)


def _needs_spread(evidence: Evidence) -> str | None:
    """Of use where no exact interval is: not for single zero-one losses, nor for equal ones."""
    if evidence.binary and not evidence.grouped:
        return "zero-one losses of single rows have exact binomial intervals"
    if np.ptp(evidence.pooled) == 0:
        return "all losses are equal: their spread says nothing"
    return _needs_two(evidence)


def _needs_two(evidence: Evidence) -> str | None:
    return None if len(evidence.unit_sums[0]) > 1 else "one independent unit only"


def _needs_sets(evidence: Evidence) -> str | None:
    return None if len(evidence.losses) > 1 else "one held-out set only"


def _needs_halves(evidence: Evidence) -> str | None:
    return "no halvings (montecarlo.halvings)" if evidence.halves is None else None


def _needs_folds_of_two(evidence: Evidence) -> str | None:
    if min(len(losses) for losses in evidence.losses) < 2:
        return "a held-out set of one has no variance within; leave-one-out: use bayle_all_pairs"
    if evidence.grouped:
        return "rows come in groups; this interval takes rows as independent"
    return _needs_one_partition(evidence)


def _needs_one_partition(evidence: Evidence) -> str | None:
    if evidence.repeats > 1:
        return "derived for one partition, not for repeats"
    return _needs_two(evidence)


SAMPLE = frozenset({"test", "holdout"})
PARTITION = frozenset({"kfold", "loo", "nested_cv", "nested_dev"})
SETS = frozenset({"kfold", "montecarlo", "nested_cv", "nested_dev"})
ROUNDS = frozenset({"montecarlo"})

INTERVALS = {
    interval.name: interval
    for interval in (
        Interval("clopper_pearson", PREDICTOR, SAMPLE, _needs_binary, _clopper_pearson, "Clopper & Pearson 1934"),
        Interval("wilson", PREDICTOR, SAMPLE, _needs_binary, _wilson, "Wilson 1927"),
        Interval("hoeffding", PREDICTOR, SAMPLE, _needs_bound, _hoeffding, "Hoeffding 1963"),
        Interval("hoeffding_union", PREDICTOR, SAMPLE, _needs_bound, _hoeffding, "Hoeffding 1963, union bound"),
        Interval("empirical_bernstein", PREDICTOR, SAMPLE, _needs_bound, _empirical_bernstein, "Maurer & Pontil 2009"),
        Interval("t", PREDICTOR, SAMPLE, _needs_spread, _t, "Student 1908"),
        Interval("bootstrap_percentile", PREDICTOR, SAMPLE, _needs_spread, _bootstrap_percentile, "Efron 1979"),
        Interval("nadeau_bengio", ALGORITHM, SETS, _needs_sets, _nadeau_bengio, "Nadeau & Bengio 2003"),
        Interval("bayle_all_pairs", FOLD_AVERAGE, PARTITION, _needs_one_partition, _bayle_all_pairs, "Bayle et al. 2020"),
        Interval("bayle_within_fold", FOLD_AVERAGE, PARTITION, _needs_folds_of_two, _bayle_within_fold, "Bayle et al. 2020"),
        Interval("conservative_z", ALGORITHM, ROUNDS, _needs_halves, _conservative_z, "Nadeau & Bengio 2003"),
    )
}  # fmt: skip
"""Every method by name; to add one, add an entry."""

RECOMMENDED = {
    "test": (
        "clopper_pearson",
        "wilson",
        "t",
        "bootstrap_percentile",
        "hoeffding",
        "empirical_bernstein",
    ),
    "holdout": ("hoeffding_union", "t"),
    "kfold": ("bayle_all_pairs", "bayle_within_fold", "nadeau_bengio"),
    "nested_cv": ("bayle_all_pairs", "bayle_within_fold", "nadeau_bengio"),
    "nested_dev": ("bayle_all_pairs", "bayle_within_fold", "nadeau_bengio"),
    "loo": ("bayle_all_pairs",),
    "montecarlo": ("conservative_z", "nadeau_bengio"),
}
"""For each plan, the methods that are tried, the recommended one first."""


def intervals_for(evidence: Evidence, level: float) -> list[tuple[str, str, Bounds]]:
    """(name, target, bounds) of every method that is valid here, the recommended one first."""
    found = []
    for name in RECOMMENDED.get(evidence.plan, ()):
        interval = INTERVALS[name]
        if interval.reason_against(evidence) is None:
            found.append((name, interval.target, interval(evidence, level)))
    return found


def refusals(evidence: Evidence) -> dict[str, str]:
    """Why each of the other methods is not computed here."""
    reasons = {name: interval.reason_against(evidence) for name, interval in INTERVALS.items()}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def standard_error(evidence: Evidence) -> float | None:
    """The dependence-aware standard error that selection rules compare risks by."""
    for name in RECOMMENDED.get(evidence.plan, ()):
        if INTERVALS[name].reason_against(evidence) is None:
            se = INTERVALS[name].bounds(evidence, 0.05)[0]
            if se is not None:
                return se
    if evidence.plan in SAMPLE and _needs_two(evidence) is None:
        return _t(evidence, 0.05)[0]
    return None
