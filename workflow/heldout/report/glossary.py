"""What each estimator and interval means: title, one line, formula, reference.

A name that is not here is shown as it is: the report never fails on a new estimator.
"""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A name, what it means and how far it can be trusted.

    `role` is apparent (seen in training), chosen (data that also chose θ), corrected, honest
    (data that chose nothing) or other; `caveat` completes "This estimate …".
    """

    name: str
    title: str
    role: str
    meaning: str
    formula: str = ""
    caveat: str = ""
    reference: str = ""
    url: str = ""


CHOSEN_BY_SAME = "is somewhat optimistic, because the same data also chose θ"

_ESTIMATORS = (
    Entry(
        "training", "Training", "apparent",
        "The loss on the very rows that the model was fitted to. It rewards memory.",
        "e = 1/n · Σᵢ ℓ(f_S(xᵢ), yᵢ)",
        "is the risk on rows already seen, and too small",
        "Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, ch. 7",
        "https://hastie.su.domains/ElemStatLearn/",
    ),
    Entry(
        "holdout", "Hold-out", "chosen",
        "The loss on a development set that took no part in the fit, but chose θ.",
        "1/|V| · Σ_{i∈V} ℓ(f_{S∖V}(xᵢ), yᵢ), at the θ with the smallest value",
        "is the smallest of several, so optimistic; its interval allows for that",
        "Devroye, Györfi & Lugosi, A Probabilistic Theory of Pattern Recognition, ch. 22",
        "https://doi.org/10.1007/978-1-4612-0711-5",
    ),
    Entry(
        "kfold", "K-fold CV", "chosen",
        "Each fold is predicted by a model fitted to the other folds; the fold means are averaged.",
        "CV = 1/K · Σₖ 1/|Fₖ| · Σ_{i∈Fₖ} ℓ(f_{S∖Fₖ}(xᵢ), yᵢ)",
        CHOSEN_BY_SAME,
        "Stone 1974, Cross-validatory choice and assessment of statistical predictions",
        "https://doi.org/10.1111/j.2517-6161.1974.tb00994.x",
    ),
    Entry(
        "kfold_pooled", "K-fold CV, pooled", "chosen",
        "The same held-out losses, averaged over examples: it differs where folds are unequal.",
        "1/n · Σᵢ ℓ(f_{S∖F(i)}(xᵢ), yᵢ)",
        CHOSEN_BY_SAME,
        "Stone 1974, Cross-validatory choice and assessment of statistical predictions",
        "https://doi.org/10.1111/j.2517-6161.1974.tb00994.x",
    ),
    Entry(
        "kfold_adjusted", "K-fold CV, adjusted", "chosen",
        "K-fold with a correction for the smaller training sets of its folds.",
        "CV + e − 1/K · Σₖ R_S(f_{S∖Fₖ}), R_S the loss on all rows",
        CHOSEN_BY_SAME,
        "Burman 1989, A comparative study of ordinary cross-validation",
        "https://doi.org/10.1093/biomet/76.3.503",
    ),
    Entry(
        "loo", "Leave-one-out", "chosen",
        "K-fold with one example per fold: almost no bias from size, but models that are nearly alike.",
        "1/n · Σᵢ ℓ(f_{S∖{i}}(xᵢ), yᵢ)",
        CHOSEN_BY_SAME,
        "Stone 1974, Cross-validatory choice and assessment of statistical predictions",
        "https://doi.org/10.1111/j.2517-6161.1974.tb00994.x",
    ),
    Entry(
        "montecarlo", "Monte Carlo CV", "chosen",
        "The mean over many random hold-outs, which may overlap.",
        "1/r · Σₜ 1/|Vₜ| · Σ_{i∈Vₜ} ℓ(f_{S∖Vₜ}(xᵢ), yᵢ)",
        CHOSEN_BY_SAME,
        "Picard & Cook 1984, Cross-validation of regression models",
        "https://doi.org/10.1080/01621459.1984.10478083",
    ),
    Entry(
        "bootstrap", "Bootstrap", "chosen",
        "Models fitted to bags drawn with replacement, scored on the rows outside the bag.",
        "1/B · Σ_b 1/|V_b| · Σ_{i∈V_b} ℓ(f_{bag b}(xᵢ), yᵢ), V_b the rows outside bag b",
        "is pessimistic, because a bag holds only about 63 % of the different rows",
        "Efron 1983, Estimating the error rate of a prediction rule",
        "https://doi.org/10.1080/01621459.1983.10477973",
    ),
    Entry(
        "bootstrap_632", "Bootstrap .632", "chosen",
        "A fixed mixture of the training risk and the out-of-bag risk.",
        "0.368·e + 0.632·E₁",
        "is optimistic for learners that fit the training rows closely",
        "Efron 1983, Estimating the error rate of a prediction rule",
        "https://doi.org/10.1080/01621459.1983.10477973",
    ),
    Entry(
        "bootstrap_632plus", "Bootstrap .632+", "chosen",
        ".632 with a weight that grows with the amount of overfitting.",
        "(1 − w)·e + w·E₁′, w = 0.632/(1 − 0.368·R), R = (E₁′ − e)/(γ − e), E₁′ = min(E₁, γ)",
        CHOSEN_BY_SAME,
        "Efron & Tibshirani 1997, Improvements on cross-validation: the .632+ bootstrap method",
        "https://doi.org/10.1080/01621459.1997.10474007",
    ),
    Entry(
        "min_cv", "Smallest CV", "chosen",
        "The smallest cross-validation risk of all θ, taken as the risk of the tuned procedure.",
        "min_θ CV(θ)",
        "is the smallest of several, and too small",
        "Varma & Simon 2006, Bias in error estimation when using cross-validation for model selection",
        "https://doi.org/10.1186/1471-2105-7-91",
    ),
    Entry(
        "min_cv_bbc", "Smallest CV, bootstrap corrected", "corrected",
        "Rows are resampled: θ is chosen on those in the bag and judged on those outside.",
        "1/B · Σ_b mean loss outside bag b of argmin_θ (mean loss in bag b), from the n × |Θ| "
        "matrix of out-of-fold losses",
        "",
        "Tsamardinos, Greasidou & Borboudakis 2018, Bootstrapping the out-of-sample predictions",
        "https://doi.org/10.1007/s10994-018-5714-4",
    ),
    Entry(
        "min_cv_tt", "Smallest CV, bias corrected", "corrected",
        "The smallest CV risk plus the mean regret of its θ within each fold.",
        "min_θ CV(θ) + 1/K · Σₖ [eₖ(θ̂) − min_θ eₖ(θ)]",
        "corrects too much where folds are small and θ are many",
        "Tibshirani & Tibshirani 2009, A bias correction for the minimum error rate in cross-validation",
        "https://doi.org/10.1214/08-AOAS224",
    ),
    Entry(
        "nested_cv", "Nested CV", "honest",
        "In every outer fold θ is chosen anew by cross-validation on the other folds.",
        "1/K · Σᵢ 1/|Fᵢ| · Σ_{x∈Fᵢ} ℓ(f_{S∖Fᵢ, θᵢ}(x)), θᵢ = argmin_θ CV of θ on S∖Fᵢ",
        "",
        "Varma & Simon 2006, Bias in error estimation when using cross-validation for model selection",
        "https://doi.org/10.1186/1471-2105-7-91",
    ),
    Entry(
        "nested_dev", "Nested hold-out", "honest",
        "Nested CV in which one further fold, used as a development set, chooses θ: cheaper.",
        "1/K · Σᵢ mean loss on Fᵢ of f_{S∖Fᵢ, θᵢ}, θᵢ chosen on one other fold",
        "",
        "Varma & Simon 2006, Bias in error estimation when using cross-validation for model selection",
        "https://doi.org/10.1186/1471-2105-7-91",
    ),
    Entry(
        "test", "Sealed test", "honest",
        "The loss on rows that were sealed before any split and opened after the choice was frozen.",
        "1/|T| · Σ_{i∈T} ℓ(f_S(xᵢ), yᵢ)",
        "",
        "Devroye, Györfi & Lugosi, A Probabilistic Theory of Pattern Recognition, ch. 8",
        "https://doi.org/10.1007/978-1-4612-0711-5",
    ),
)  # fmt: skip

_INTERVALS = (
    Entry(
        "clopper_pearson", "Clopper–Pearson", "interval",
        "Exact for a number of errors among independent examples; never too short.",
        "low = B⁻¹(δ/2; e, n−e+1), high = B⁻¹(1−δ/2; e+1, n−e), e errors, B⁻¹ the beta quantile",
        "", "Clopper & Pearson 1934", "https://doi.org/10.1093/biomet/26.4.404",
    ),
    Entry(
        "wilson", "Wilson", "interval",
        "The score interval of a share: shorter than the exact one, right on average.",
        "(p̂ + z²/2n ± z·√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n)",
        "", "Wilson 1927", "https://doi.org/10.1080/01621459.1927.10502953",
    ),
    Entry(
        "hoeffding", "Hoeffding", "interval",
        "For any loss in [0, B]; assumes nothing else, and is wide.",
        "R̂ ± B·√(ln(2/δ) / 2n)",
        "", "Hoeffding 1963", "https://doi.org/10.1080/01621459.1963.10500830",
    ),
    Entry(
        "hoeffding_union", "Hoeffding, union bound", "interval",
        "Holds for all M risks that were compared at once, so also for the smallest.",
        "R̂ ± B·√(ln(2M/δ) / 2n)",
        "", "Hoeffding 1963", "https://doi.org/10.1080/01621459.1963.10500830",
    ),
    Entry(
        "empirical_bernstein", "Empirical Bernstein", "interval",
        "Like Hoeffding, but shorter where the losses vary little.",
        "R̂ ± (√(2V·ln(4/δ)/n) + 7B·ln(4/δ)/(3(n−1))), V the sample variance",
        "", "Maurer & Pontil 2009", "https://arxiv.org/abs/0907.3740",
    ),
    Entry(
        "t", "Student's t", "interval",
        "For the mean of independent losses (or of groups), by the central limit theorem.",
        "R̂ ± t_{n−1, 1−δ/2} · s/√n",
        "", "Student 1908", "https://doi.org/10.1093/biomet/6.1.1",
    ),
    Entry(
        "bootstrap_percentile", "Bootstrap percentile", "interval",
        "Quantiles of the mean of examples (or groups) drawn with replacement.",
        "[q_{δ/2}, q_{1−δ/2}] of the means of 2000 draws",
        "", "Efron 1979", "https://doi.org/10.1214/aos/1176344552",
    ),
    Entry(
        "bayle_all_pairs", "Bayle, all pairs", "interval",
        "A central limit theorem for the average risk of the K fitted models.",
        "CV ± z·σ̂/√n, σ̂² = 1/n · Σᵢ (ℓᵢ − CV)²",
        "", "Bayle, Bayle, Janson & Mackey 2020", "https://arxiv.org/abs/2007.12671",
    ),
    Entry(
        "bayle_within_fold", "Bayle, within folds", "interval",
        "The same theorem with the variance taken within each fold.",
        "CV ± z·σ̂/√n, σ̂² the mean over folds of their sample variances",
        "", "Bayle, Bayle, Janson & Mackey 2020", "https://arxiv.org/abs/2007.12671",
    ),
    Entry(
        "nadeau_bengio", "Nadeau–Bengio", "interval",
        "A t interval over folds, widened because their training sets overlap.",
        "CV ± t_{J−1} · √(s²·(1/J + n₂/n₁)), J held-out sets of n₂ rows, n₁ training rows",
        "", "Nadeau & Bengio 2003", "https://doi.org/10.1023/A:1024068626366",
    ),
    Entry(
        "bates", "Bates–Hastie–Tibshirani", "interval",
        "A standard error from nested folds that allows for the dependence between folds.",
        "R̂ ± z·√MSE, MSE = (K−1)/K · mean of (aₖ − bₖ), aₖ the squared gap between inner and outer "
        "risk of fold k, bₖ the variance of its outer mean",
        "", "Bates, Hastie & Tibshirani 2023", "https://doi.org/10.1080/01621459.2023.2197686",
    ),
    Entry(
        "bbc", "Bootstrap corrected", "interval",
        "Percentiles over the bootstrap samples in which θ was chosen anew.",
        "[q_{δ/2}, q_{1−δ/2}] of the out-of-bag risks",
        "", "Tsamardinos, Greasidou & Borboudakis 2018", "https://doi.org/10.1007/s10994-018-5714-4",
    ),
)  # fmt: skip

ESTIMATORS = {entry.name: entry for entry in _ESTIMATORS}
INTERVALS = {entry.name: entry for entry in _INTERVALS}


def estimator(name: str) -> Entry:
    """The entry of an estimator, known or not."""
    return ESTIMATORS.get(name) or _unknown(name, "other")


def interval(name: str) -> Entry:
    """The entry of an interval, known or not."""
    return INTERVALS.get(name) or _unknown(name, "interval")


def in_order(names: set[str]) -> list[str]:
    """Estimators from the most optimistic to the test; unknown ones before the honest."""
    order = {name: i for i, name in enumerate(ESTIMATORS)}
    middle = order["min_cv"] + 0.5
    return sorted(names, key=lambda name: (order.get(name, middle), name))


def as_json(names: list[str], intervals: list[str]) -> dict[str, Any]:
    """The entries that a page uses."""
    return {
        "estimators": {name: asdict(estimator(name)) for name in names},
        "intervals": {name: asdict(interval(name)) for name in intervals},
    }


def _unknown(name: str, role: str) -> Entry:
    title = name.replace("_", " ").strip()
    return Entry(name, title[:1].upper() + title[1:] or "–", role, "")
