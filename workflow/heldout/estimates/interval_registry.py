"""The registry of confidence intervals: one entry per interval.

To add an interval, add an entry, write its function, and list it with the estimators that try it.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.estimates.targets import (
    ALGORITHM_OWN,
    MODELS,
    THIS_ALGORITHM,
    THIS_PREDICTOR,
    TUNED,
    TUNED_OWN,
    WORDS,
)
from heldout.registries import refuse_empty

MEAN = "mean"
OF_SETS = ("auc", "class_means", "other", "unstudied")
"""Families of scores that are averaged over held-out sets."""
POOLED = ("ratio", "r2", "root")
"""Families of scores that are reported for all held-out rows together."""
FINAL_MODEL_ONLY = ("class_means", "ratio", "other", "unstudied")
"""Families whose intervals were not seen to hold for the mean over samples (docs/coverage.md)."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """One entry of the registry. Functions are named by dotted paths.

    name, title: as in the column `interval`, and as in the report.
    derived_for: the estimators that it was derived for, each with the quantities that an audit
        compares it with (see `targets`).
    valid: the losses and rows that it is valid for.
    meaning, formula: what it is, in words and in symbols.
    caveat: completes "It …"; empty if there is none.
    reference, url: where it comes from.
    families: the families of losses that it is for; by default means over examples.
    weights: whether it is for rows with weights.
    in_order: whether it is for rows in time order, and for no others.
    remark: the function that says what must be known of its rows, (Evidence) → remark or None; empty if there is none.
    refuses: the function that gives the reason why it is not valid, (Evidence) → reason or None.
    bounds: the function that computes it, (Evidence, δ) → standard error, lower and upper end.
    """

    name: str
    title: str
    derived_for: Mapping[str, tuple[str, ...]]
    valid: str
    meaning: str
    formula: str
    caveat: str
    reference: str
    url: str
    refuses: str
    bounds: str
    families: tuple[str, ...] = (MEAN,)
    weights: bool = False
    in_order: bool = False
    remark: str = ""

    def __post_init__(self) -> None:
        refuse_empty(self, "title", "valid", "meaning", "formula", "reference", "url")

    def targets(self, estimator: str, family: str = MEAN) -> tuple[str, ...]:
        """The quantities that it is an interval for."""
        found = self.derived_for[estimator]
        only = family in FINAL_MODEL_ONLY and THIS_PREDICTOR in found
        return (THIS_PREDICTOR,) if only else found

    def target(self, estimator: str, family: str = MEAN) -> str:
        """What it is an interval for, in words: the column `interval_target`."""
        return ", and ".join(WORDS[target] for target in self.targets(estimator, family))


SAMPLE = {"holdout": (MODELS,), "test": (THIS_PREDICTOR,)}
PARTITION = dict.fromkeys(("kfold", "loo", "nested_cv", "nested_dev"), (MODELS,))
SETS = {
    **dict.fromkeys(("kfold", "montecarlo"), (ALGORITHM_OWN,)),
    **dict.fromkeys(("nested_cv", "nested_dev"), (TUNED_OWN,)),
}
JACKKNIFE = {
    **dict.fromkeys(
        ("kfold", "kfold_pooled", "loo", "montecarlo"), (THIS_PREDICTOR, THIS_ALGORITHM)
    ),
    **dict.fromkeys(("nested_cv", "nested_cv_pooled", "nested_dev"), (THIS_PREDICTOR, TUNED)),
}

_ENTRIES = (
    Interval(
        name="tuned_jackknife", title="Tuned jackknife", derived_for=JACKKNIFE,
        valid="any loss; repeats, groups, unequal folds, the user's own folds",
        meaning="Allows for the noise of the test rows, for the variability of the trained models (a jackknife "
        "over folds) and for the selection of θ, without further fits.",
        formula="SE² = 1.1·AP² + V + (K−1)/8·Q; without pairs of folds 2·AP² + (K−1)/8·Q. Losses in [0, B]: "
        "Wilson's interval for C(1−C)/SE² rows; else [C − h, C + h + h²/(2C)], h = z·SE",
        caveat="rests on coefficients found by simulation (docs/coverage.md), and does not hold for heavy-tailed losses",
        reference="after Efron & Stein 1981, The jackknife estimate of variance",
        url="https://doi.org/10.1214/aos/1176345462",
        refuses="heldout.estimates.refusals:unless_jackknife",
        bounds="heldout.estimates.cv_intervals:tuned_jackknife",
        families=(MEAN, *OF_SETS, *POOLED), weights=True,
    ),
    Interval(
        name="clopper_pearson", title="Clopper–Pearson", derived_for=SAMPLE,
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
        name="wilson", title="Wilson", derived_for=SAMPLE,
        valid="zero-one losses; groups, for as many rows as the variance between groups says",
        meaning="The score interval of a proportion: shorter than the exact one, its level holds on average.",
        formula="(p̂ + z²/2n ± z·√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n)",
        caveat="",
        reference="Wilson 1927, Probable inference, the law of succession, and statistical inference",
        url="https://doi.org/10.1080/01621459.1927.10502953",
        refuses="heldout.estimates.refusals:unless_share",
        bounds="heldout.estimates.sample_intervals:wilson",
        weights=True,
    ),
    Interval(
        name="betting", title="Betting", derived_for=SAMPLE,
        valid="losses in a known range other than zero-one, independent rows",
        meaning="All means against which a fair game on the losses would not have made a gambler rich: exact "
        "for losses in [0, B], and shorter than Hoeffding and Bernstein.",
        formula="all m with max over t of ½·Π(1 + λₛ(ℓₛ − m)) and ½·Π(1 − λₛ(ℓₛ − m)), s ≤ t, below 1/δ",
        caveat="depends a little on the order of the rows, which is drawn at random",
        reference="Waudby-Smith & Ramdas 2024, Estimating means of bounded random variables by betting",
        url="https://doi.org/10.1093/jrsssb/qkad009",
        refuses="heldout.estimates.refusals:unless_bounded_numbers",
        bounds="heldout.estimates.sample_intervals:betting",
    ),
    Interval(
        name="skewed_t", title="Student's t, skewed", derived_for=SAMPLE,
        valid="losses without an upper bound; groups, with the group as the unit",
        meaning="Student's t with an upper end that allows for the skewness of losses.",
        formula="[R̂ − h, R̂ + h + h²/(2·R̂)], h = t_{n−1, 1−δ/2} · s/√n",
        caveat="",
        reference="after Johnson 1978, Modified t tests and confidence intervals for asymmetrical populations",
        url="https://doi.org/10.1080/01621459.1978.10480051",
        refuses="heldout.estimates.refusals:unless_unbounded",
        bounds="heldout.estimates.sample_intervals:skewed_t",
        weights=True,
    ),
    Interval(
        name="hoeffding", title="Hoeffding", derived_for=SAMPLE,
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
        name="hoeffding_union", title="Hoeffding, union bound", derived_for=SAMPLE,
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
        name="empirical_bernstein", title="Empirical Bernstein", derived_for=SAMPLE,
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
        name="t", title="Student's t", derived_for=SAMPLE,
        valid="losses other than zero-one; groups, with the group as the unit",
        meaning="For the mean of independent losses (or of groups), by the central limit theorem.",
        formula="R̂ ± t_{n−1, 1−δ/2} · s/√n",
        caveat="",
        reference="Student 1908, The probable error of a mean",
        url="https://doi.org/10.1093/biomet/6.1.1",
        refuses="heldout.estimates.refusals:unless_spread",
        bounds="heldout.estimates.sample_intervals:t",
        weights=True,
    ),
    Interval(
        name="bootstrap_percentile", title="Bootstrap percentile", derived_for=SAMPLE,
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
        name="bayle_all_pairs", title="Bayle, all pairs", derived_for=PARTITION,
        valid="one partition, leave-one-out included; stable algorithms",
        meaning="A central limit theorem for the average risk of the K fitted models.",
        formula="CV ± z·σ̂/√n, σ̂² = 1/n · Σᵢ (ℓᵢ − CV)²",
        caveat="",
        reference="Bayle, Bayle, Janson & Mackey 2020, Cross-validation confidence intervals for test error",
        url="https://arxiv.org/abs/2007.12671",
        refuses="heldout.estimates.refusals:unless_one_partition",
        bounds="heldout.estimates.cv_intervals:bayle_all_pairs",
        weights=True,
    ),
    Interval(
        name="bayle_within_fold", title="Bayle, within folds", derived_for=PARTITION,
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
        name="nadeau_bengio", title="Nadeau–Bengio", derived_for=SETS,
        valid="two held-out sets or more, repeats included",
        meaning="A t interval over held-out sets, widened because their training sets overlap.",
        formula="CV ± t_{J−1} · SE, SE² = s²·(1/J + n₂/n₁), at least the test noise; J held-out sets of n₂ rows, "
        "n₁ training rows",
        caveat="assumes a correlation between held-out sets that is a rule of thumb, and can be too short, "
        "most of all with repeats",
        reference="Nadeau & Bengio 2003, Inference for the generalization error",
        url="https://doi.org/10.1023/A:1024068626366",
        refuses="heldout.estimates.refusals:unless_sets",
        bounds="heldout.estimates.cv_intervals:nadeau_bengio",
        families=(MEAN, *OF_SETS), weights=True,
    ),
    Interval(
        name="conservative_z", title="Conservative z", derived_for={"montecarlo": (ALGORITHM_OWN,)},
        valid="Monte Carlo CV with `montecarlo.halvings`",
        meaning="A normal interval whose variance comes from Monte Carlo CV in pairs of disjoint halves.",
        formula="CV ± z·σ̂, σ̂² = 1/(2M) · Σ (μ₁ − μ₂)² over M pairs of halves",
        caveat="is too wide on average, because its variance is that of half as many rows",
        reference="Nadeau & Bengio 2003, Inference for the generalization error",
        url="https://doi.org/10.1023/A:1024068626366",
        refuses="heldout.estimates.refusals:unless_halves",
        bounds="heldout.estimates.cv_intervals:conservative_z",
        families=(MEAN, *OF_SETS), weights=True,
    ),
    Interval(
        name="cv_auc", title="Influence curve of the AUC", derived_for=PARTITION,
        valid="AUC; one partition",
        meaning="The noise of the test rows of a cross-validated AUC, by its influence curve.",
        formula="CV ± z·SE, SE² = the mean of the squared influences over n",
        caveat="allows neither for the variability of the models nor for the selection of θ",
        reference="LeDell, Petersen & van der Laan 2015, Computationally efficient confidence intervals for cross-validated area under the ROC curve estimates",
        url="https://doi.org/10.1214/15-EJS1035",
        refuses="heldout.estimates.refusals:unless_one_partition",
        bounds="heldout.estimates.cv_intervals:bayle_all_pairs",
        families=("auc",), weights=True,
    ),
    Interval(
        name="influence", title="Influence, score type", derived_for=SAMPLE,
        valid="scores in a known range; two rows (or groups) of every class",
        meaning="The spread of the influences of the rows on the score (for an AUC DeLong's variance, of groups "
        "Obuchowski's), with the ends of a score interval, which fit scores near their optimum too.",
        formula="Wilson's interval for R(1−R)/SE² rows, t_{m−1} in place of z, m the rows of the rarest class",
        caveat="",
        reference="after DeLong, DeLong & Clarke-Pearson 1988; Wilson 1927",
        url="https://doi.org/10.2307/2531595",
        refuses="heldout.estimates.refusals:unless_influence",
        bounds="heldout.estimates.score_intervals:influence",
        families=(*OF_SETS, "ratio"), weights=True,
    ),
    Interval(
        name="delong", title="DeLong", derived_for=SAMPLE,
        valid="AUC that is neither 0 nor 1; groups as Obuchowski",
        meaning="A normal interval of the AUC by its structural components.",
        formula="A ± z·√(s₁²/m + s₀²/n), s² the variances of the shares of the other class that rows beat",
        caveat="is too short where few rows are positive or the AUC is near 1",
        reference="DeLong, DeLong & Clarke-Pearson 1988, Comparing the areas under two or more correlated receiver operating characteristic curves",
        url="https://doi.org/10.2307/2531595",
        refuses="heldout.estimates.refusals:unless_auc_varies",
        bounds="heldout.estimates.score_intervals:delong",
        families=("auc",),
    ),
    Interval(
        name="bca", title="BCa bootstrap", derived_for={"test": (THIS_PREDICTOR,)},
        valid="any score of a set; groups are drawn whole, classes keep their numbers where one could vanish",
        meaning="A bootstrap interval that corrects for bias and skewness.",
        formula="quantiles of the score of 2000 draws at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z)))",
        caveat="is too short in small samples",
        reference="Efron 1987, Better bootstrap confidence intervals",
        url="https://doi.org/10.1080/01621459.1987.10478410",
        refuses="heldout.estimates.refusals:unless_resampled",
        bounds="heldout.estimates.score_intervals:bca",
        families=(*OF_SETS, *POOLED),
    ),
    Interval(
        name="bates", title="Bates–Hastie–Tibshirani",
        derived_for={"kfold": (THIS_PREDICTOR,)},
        valid="K-fold where nested CV has fitted the fold pairs, no groups",
        meaning="A standard error from nested folds that allows for the dependence between folds.",
        formula="R̂ ± z·√MSE, MSE = (K−1)/K · mean of (aₖ − bₖ), aₖ the squared gap between inner and outer "
        "risk of fold k, bₖ the variance of its outer mean",
        caveat="varies much between partitions unless many of them are averaged; it is centred at a "
        "bias-corrected estimate, and extended to the estimate of K-fold",
        reference="Bates, Hastie & Tibshirani 2023, Cross-validation: what does it estimate and how well does it do it?",
        url="https://doi.org/10.1080/01621459.2023.2197686",
        refuses="heldout.estimates.refusals:unless_fold_pairs",
        bounds="heldout.estimates.cv_intervals:bates",
        remark="heldout.estimates.refusals:few_partitions",
    ),
    Interval(
        name="bootstrap_se", title="Bootstrap standard error",
        derived_for=dict.fromkeys(("bootstrap", "bootstrap_632plus"), (THIS_ALGORITHM,)),
        valid="200 bags or more",
        meaning="A normal interval by the infinitesimal jackknife: how much the out-of-bag risk changes with the "
        "weight of each row.",
        formula="SE² = Σ Dᵢ² − Monte Carlo variance, Dᵢ = (2 + 1/(n−1))·(Eᵢ − E₁)/n + Σ_b (N_bi − N̄ᵢ)·q_b / Σ_b I_bi",
        caveat="does not allow for the bias of the bootstrap, whose bags hold fewer different rows",
        reference="Efron & Tibshirani 1997, Improvements on cross-validation: the .632+ bootstrap method",
        url="https://doi.org/10.1080/01621459.1997.10474007",
        refuses="heldout.estimates.refusals:unless_many_bags",
        bounds="heldout.estimates.cv_intervals:bootstrap_se",
    ),
    Interval(
        name="bbc", title="Bootstrap corrected",
        derived_for={"min_cv_bbc": (TUNED,)},
        valid="min-CV, any loss; groups are drawn whole",
        meaning="Percentiles over bootstrap samples in each of which θ was chosen.",
        formula="[q_{δ/2}, q_{1−δ/2}] of the out-of-bag risks",
        caveat="does not include the variation of the fitted models",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation",
        url="https://doi.org/10.1007/s10994-018-5714-4",
        refuses="heldout.estimates.refusals:unless_bootstrap_risks",
        bounds="heldout.estimates.cv_intervals:bbc",
        families=(MEAN, *OF_SETS, *POOLED), weights=True,
    ),
    Interval(
        name="cosine_t", title="Cosine averages over time",
        derived_for={
            **dict.fromkeys(("rolling", "nested_rolling", "holdout"), (MODELS,)), "test": (THIS_PREDICTOR,),
        },
        valid="rows in time order, six blocks (or time stamps, of a development or test set) or more",
        meaning="Losses that follow each other in time are dependent. The slow waves in the series of block means say "
        "how much their mean varies.",
        formula="R̂ ± h, h = t_B·√(ω²/T); losses without an upper bound: [R̂ − h, R̂ + h + h²/(2R̂)]; ω² = 1/B·Σ_j Λ_j², Λ_j = √(2/T)·Σ_t cos(πj(t − ½)/T)·x_t, B = max(2, ⌊0.4·T^(2/3)⌋)",
        caveat="is wide with few blocks, and takes risks as steady: it knows of no change to come",
        reference="Müller 2007, A theory of robust long-run variance estimation; Lazarus, Lewis, Stock & Watson 2018",
        url="https://doi.org/10.1080/07350015.2018.1506926",
        refuses="heldout.estimates.time_intervals:unless_in_time",
        bounds="heldout.estimates.time_intervals:cosine_t",
        families=(MEAN, *OF_SETS, *POOLED), weights=True, in_order=True,
    ),
)  # fmt: skip

INTERVALS = {entry.name: entry for entry in _ENTRIES}
"""Every interval by name."""
