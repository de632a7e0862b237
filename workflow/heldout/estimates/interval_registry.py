"""The registry of confidence intervals: one entry per interval.

To add an interval, add an entry, write its function, and list it with the estimators that try it.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.estimates.targets import (
    ALGORITHM_OWN,
    MODELS,
    THIS_PREDICTOR,
    TUNED,
    TUNED_OWN,
)
from heldout.registries import refuse_empty

PREDICTOR = "risk of this predictor"
ALGORITHM = "expected risk of this algorithm at the training size of its folds"
FOLD_AVERAGE = "average risk of the K fitted models (K-fold test error)"


@dataclass(frozen=True, kw_only=True)
class Interval:
    """One entry of the registry. Functions are named by dotted paths.

    name, title: as in the column `interval`, and as in the report.
    target: the quantity that it is an interval for.
    derived_for: the estimators that it was derived for, each with the quantity that an audit compares
        it with (see `targets`).
    valid: the losses and rows that it is valid for.
    meaning, formula: what it is, in words and in symbols.
    caveat: completes "It …"; empty if there is none.
    reference, url: where it comes from.
    refuses: the function that gives the reason why it is not valid, (Evidence) → reason or None.
    bounds: the function that computes it, (Evidence, δ) → standard error, lower and upper end.
    """

    name: str
    title: str
    target: str
    derived_for: Mapping[str, str]
    valid: str
    meaning: str
    formula: str
    caveat: str
    reference: str
    url: str
    refuses: str
    bounds: str

    def __post_init__(self) -> None:
        refuse_empty(self, "title", "target", "valid", "meaning", "formula", "reference", "url")


SAMPLE = {"holdout": MODELS, "test": THIS_PREDICTOR}
PARTITION = dict.fromkeys(("kfold", "loo", "nested_cv", "nested_dev"), MODELS)
SETS = {
    **dict.fromkeys(("kfold", "montecarlo"), ALGORITHM_OWN),
    **dict.fromkeys(("nested_cv", "nested_dev"), TUNED_OWN),
}

_ENTRIES = (
    Interval(
        name="clopper_pearson", title="Clopper–Pearson", target=PREDICTOR, derived_for=SAMPLE,
        valid="zero-one losses of independent rows",
        meaning="Exact for the number of errors among independent examples: covers at least as often as stated.",
        formula="low = B⁻¹(δ/2; e, n−e+1), high = B⁻¹(1−δ/2; e+1, n−e), e errors, B⁻¹ the beta quantile",
        caveat="",
        reference="Clopper & Pearson 1934, The use of confidence or fiducial limits illustrated in the case of the binomial",
        url="https://doi.org/10.1093/biomet/26.4.404",
        refuses="heldout.estimates.refusals:unless_binary",
        bounds="heldout.estimates.sample_intervals:clopper_pearson",
    ),
    Interval(
        name="wilson", title="Wilson", target=PREDICTOR, derived_for=SAMPLE,
        valid="zero-one losses of independent rows",
        meaning="The score interval of a proportion: shorter than the exact one, its level holds on average.",
        formula="(p̂ + z²/2n ± z·√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n)",
        caveat="",
        reference="Wilson 1927, Probable inference, the law of succession, and statistical inference",
        url="https://doi.org/10.1080/01621459.1927.10502953",
        refuses="heldout.estimates.refusals:unless_binary",
        bounds="heldout.estimates.sample_intervals:wilson",
    ),
    Interval(
        name="hoeffding", title="Hoeffding", target=PREDICTOR, derived_for=SAMPLE,
        valid="losses in a known range, independent rows",
        meaning="For any loss in [0, B]; assumes nothing else about the losses, and is wide.",
        formula="R̂ ± B·√(ln(2/δ) / 2n)",
        caveat="",
        reference="Hoeffding 1963, Probability inequalities for sums of bounded random variables",
        url="https://doi.org/10.1080/01621459.1963.10500830",
        refuses="heldout.estimates.refusals:unless_bounded",
        bounds="heldout.estimates.sample_intervals:hoeffding",
    ),
    Interval(
        name="hoeffding_union", title="Hoeffding, union bound", target=PREDICTOR, derived_for=SAMPLE,
        valid="losses in a known range, independent rows; holds for all θ at once",
        meaning="Holds for all M risks that were compared at once, so also for the smallest of them.",
        formula="R̂ ± B·√(ln(2M/δ) / 2n)",
        caveat="",
        reference="Hoeffding 1963, Probability inequalities for sums of bounded random variables",
        url="https://doi.org/10.1080/01621459.1963.10500830",
        refuses="heldout.estimates.refusals:unless_bounded",
        bounds="heldout.estimates.sample_intervals:hoeffding",
    ),
    Interval(
        name="empirical_bernstein", title="Empirical Bernstein", target=PREDICTOR, derived_for=SAMPLE,
        valid="losses in a known range, independent rows",
        meaning="Like Hoeffding, but shorter where the losses vary little.",
        formula="R̂ ± (√(2V·ln(4/δ)/n) + 7B·ln(4/δ)/(3(n−1))), V the sample variance",
        caveat="",
        reference="Maurer & Pontil 2009, Empirical Bernstein bounds and sample variance penalization",
        url="https://arxiv.org/abs/0907.3740",
        refuses="heldout.estimates.refusals:unless_bounded",
        bounds="heldout.estimates.sample_intervals:empirical_bernstein",
    ),
    Interval(
        name="t", title="Student's t", target=PREDICTOR, derived_for=SAMPLE,
        valid="losses other than zero-one; groups, with the group as the unit",
        meaning="For the mean of independent losses (or of groups), by the central limit theorem.",
        formula="R̂ ± t_{n−1, 1−δ/2} · s/√n",
        caveat="",
        reference="Student 1908, The probable error of a mean",
        url="https://doi.org/10.1093/biomet/6.1.1",
        refuses="heldout.estimates.refusals:unless_spread",
        bounds="heldout.estimates.sample_intervals:t",
    ),
    Interval(
        name="bootstrap_percentile", title="Bootstrap percentile", target=PREDICTOR, derived_for=SAMPLE,
        valid="losses other than zero-one; groups, with the group as the unit",
        meaning="Quantiles of the mean of examples (or groups) drawn with replacement.",
        formula="[q_{δ/2}, q_{1−δ/2}] of the means of 2000 draws",
        caveat="",
        reference="Efron 1979, Bootstrap methods: another look at the jackknife",
        url="https://doi.org/10.1214/aos/1176344552",
        refuses="heldout.estimates.refusals:unless_spread",
        bounds="heldout.estimates.sample_intervals:bootstrap_percentile",
    ),
    Interval(
        name="bayle_all_pairs", title="Bayle, all pairs", target=FOLD_AVERAGE, derived_for=PARTITION,
        valid="one partition, leave-one-out included; stable algorithms",
        meaning="A central limit theorem for the average risk of the K fitted models.",
        formula="CV ± z·σ̂/√n, σ̂² = 1/n · Σᵢ (ℓᵢ − CV)²",
        caveat="",
        reference="Bayle, Bayle, Janson & Mackey 2020, Cross-validation confidence intervals for test error",
        url="https://arxiv.org/abs/2007.12671",
        refuses="heldout.estimates.refusals:unless_one_partition",
        bounds="heldout.estimates.cv_intervals:bayle_all_pairs",
    ),
    Interval(
        name="bayle_within_fold", title="Bayle, within folds", target=FOLD_AVERAGE, derived_for=PARTITION,
        valid="one partition with folds of two rows or more, no groups; stable algorithms",
        meaning="As Bayle, all pairs, with the variance taken within each fold.",
        formula="CV ± z·σ̂/√n, σ̂² the mean over folds of their sample variances",
        caveat="",
        reference="Bayle, Bayle, Janson & Mackey 2020, Cross-validation confidence intervals for test error",
        url="https://arxiv.org/abs/2007.12671",
        refuses="heldout.estimates.refusals:unless_folds_of_two",
        bounds="heldout.estimates.cv_intervals:bayle_within_fold",
    ),
    Interval(
        name="nadeau_bengio", title="Nadeau–Bengio", target=ALGORITHM, derived_for=SETS,
        valid="two held-out sets or more, repeats included",
        meaning="A t interval over held-out sets, widened because their training sets overlap.",
        formula="CV ± t_{J−1} · √(s²·(1/J + n₂/n₁)), J held-out sets of n₂ rows, n₁ training rows",
        caveat="assumes a correlation between held-out sets that is a rule of thumb, and can be too short, "
        "most of all where stratified folds hardly vary",
        reference="Nadeau & Bengio 2003, Inference for the generalization error",
        url="https://doi.org/10.1023/A:1024068626366",
        refuses="heldout.estimates.refusals:unless_sets",
        bounds="heldout.estimates.cv_intervals:nadeau_bengio",
    ),
    Interval(
        name="conservative_z", title="Conservative z", target=ALGORITHM,
        derived_for={"montecarlo": ALGORITHM_OWN},
        valid="Monte Carlo CV with `montecarlo.halvings`",
        meaning="A normal interval whose variance comes from Monte Carlo CV in pairs of disjoint halves.",
        formula="CV ± z·σ̂, σ̂² = 1/(2M) · Σ (μ₁ − μ₂)² over M pairs of halves",
        caveat="is too wide on average, because its variance is that of half as many rows",
        reference="Nadeau & Bengio 2003, Inference for the generalization error",
        url="https://doi.org/10.1023/A:1024068626366",
        refuses="heldout.estimates.refusals:unless_halves",
        bounds="heldout.estimates.cv_intervals:conservative_z",
    ),
    Interval(
        name="bates", title="Bates–Hastie–Tibshirani",
        target="risk of the model that these rows train, θ fixed",
        derived_for={"kfold": THIS_PREDICTOR},
        valid="K-fold where nested CV has fitted the fold pairs, no groups",
        meaning="A standard error from nested folds that allows for the dependence between folds.",
        formula="R̂ ± z·√MSE, MSE = (K−1)/K · mean of (aₖ − bₖ), aₖ the squared gap between inner and outer "
        "risk of fold k, bₖ the variance of its outer mean",
        caveat="varies much between partitions unless many of them are averaged",
        reference="Bates, Hastie & Tibshirani 2023, Cross-validation: what does it estimate and how well does it do it?",
        url="https://doi.org/10.1080/01621459.2023.2197686",
        refuses="heldout.estimates.refusals:unless_fold_pairs",
        bounds="heldout.estimates.cv_intervals:bates",
    ),
    Interval(
        name="bbc", title="Bootstrap corrected", target="risk of the tuned procedure",
        derived_for={"min_cv_bbc": TUNED},
        valid="min-CV, any loss; groups are drawn whole",
        meaning="Percentiles over bootstrap samples in each of which θ was chosen.",
        formula="[q_{δ/2}, q_{1−δ/2}] of the out-of-bag risks",
        caveat="does not include the variation of the fitted models",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation",
        url="https://doi.org/10.1007/s10994-018-5714-4",
        refuses="heldout.estimates.refusals:unless_bootstrap_risks",
        bounds="heldout.estimates.cv_intervals:bbc",
    ),
)  # fmt: skip

INTERVALS = {entry.name: entry for entry in _ENTRIES}
"""Every interval by name."""
