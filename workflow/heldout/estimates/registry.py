"""The registry of estimators: one entry says all about each.

The config's accepted values, the rows of risks.csv and estimates.csv and their order, the glossary of
the report, the audit's targets and the tables of the docs come from here. To add an estimator, add an
entry and write its function.

Standard library only: the workflow imports this while it is parsed.
"""

from collections.abc import Container, Iterable

from heldout.estimates.estimator import Estimator
from heldout.estimates.targets import (
    ALGORITHM_OWN,
    MODELS,
    THIS_ALGORITHM,
    THIS_PREDICTOR,
    TUNED,
    TUNED_OWN,
)
from heldout.resampling.kinds import (
    ADJACENT,
    BAGS,
    DEV,
    FOLDS,
    FOLDS_WHOLE,
    FULL,
    HALVES,
    IMPLIED,
    KINDS,
    LOO,
    PAIRS,
    ROUNDS,
)

CHOSEN_BY_SAME = "is somewhat optimistic, because the same data also chose θ"
AT_FIXED_THETA = (THIS_ALGORITHM, ALGORITHM_OWN, MODELS)
OF_PARTITIONS = ("bayle_all_pairs", "bayle_within_fold", "nadeau_bengio")

_ENTRIES = (
    Estimator(
        name="training", title="Training", role="apparent", headline=14,
        target="none: the empirical risk of A_θ̂(S) on S itself (optimistic)",
        meaning="The loss on the very rows that the model was fitted to. It rewards memory.",
        formula="e = 1/n · Σᵢ ℓ(f_S(xᵢ), yᵢ)",
        caveat="is the risk on rows already seen, and too small",
        reference="Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, ch. 7",
        url="https://hastie.su.domains/ElemStatLearn/",
        kinds=(FULL,), judges=FULL, aims=(THIS_PREDICTOR,),
        fixed="heldout.estimates.fixed:training",
    ),
    Estimator(
        name="holdout", title="Hold-out", role="chosen", headline=12, selects=True,
        target="min_θ ℓ_D(A_θ(S)): the best θ on the development set, for this training part",
        meaning="The loss on a development set that took no part in the fit, but chose θ.",
        formula="1/|V| · Σ_{i∈V} ℓ(f_{S∖V}(xᵢ), yᵢ), at the θ with the smallest value",
        caveat="is the smallest of several, so optimistic; its interval allows for that",
        reference="Devroye, Györfi & Lugosi, A Probabilistic Theory of Pattern Recognition, ch. 22",
        url="https://doi.org/10.1007/978-1-4612-0711-5",
        kinds=(DEV,), judges=DEV, aims=(MODELS,), intervals=("hoeffding_union", "t"),
        fixed="heldout.estimates.fixed:held_out",
        tuned="heldout.estimates.tuned:best_on_dev",
    ),
    Estimator(
        name="kfold", title="K-fold CV", role="chosen", headline=5, selects=True,
        target="E[ℓ_D(A_θ̂(S))]: the algorithm with the selected θ (the same folds chose it)",
        meaning="Each fold is predicted by a model fitted to the other folds; the fold means are averaged.",
        formula="CV = 1/K · Σₖ 1/|Fₖ| · Σ_{i∈Fₖ} ℓ(f_{S∖Fₖ}(xᵢ), yᵢ)",
        caveat=CHOSEN_BY_SAME,
        reference="Stone 1974, Cross-validatory choice and assessment of statistical predictions",
        url="https://doi.org/10.1111/j.2517-6161.1974.tb00994.x",
        kinds=(FOLDS,), judges=FOLDS, aims=(*AT_FIXED_THETA, THIS_PREDICTOR),
        intervals=(*OF_PARTITIONS, "bates"),
        fixed="heldout.estimates.fixed:held_out",
    ),
    Estimator(
        name="kfold_pooled", title="K-fold CV, pooled", role="chosen", comes_with="kfold",
        target="as kfold, every example with the same weight",
        meaning="The same held-out losses, averaged over examples: it differs where folds are unequal.",
        formula="1/n · Σᵢ ℓ(f_{S∖F(i)}(xᵢ), yᵢ)",
        caveat=CHOSEN_BY_SAME,
        reference="Stone 1974, Cross-validatory choice and assessment of statistical predictions",
        url="https://doi.org/10.1111/j.2517-6161.1974.tb00994.x",
        kinds=(FOLDS,), judges=FOLDS, aims=AT_FIXED_THETA,
        fixed="heldout.estimates.fixed:kfold_pooled",
    ),
    Estimator(
        name="kfold_adjusted", title="K-fold CV, adjusted", role="chosen", headline=6,
        target="as kfold, at the full size of S (Burman's adjustment)",
        meaning="K-fold with a correction for the smaller training sets of its folds.",
        formula="CV + e − 1/K · Σₖ R_S(f_{S∖Fₖ}), R_S the loss on all rows",
        caveat=CHOSEN_BY_SAME,
        reference="Burman 1989, A comparative study of ordinary cross-validation",
        url="https://doi.org/10.1093/biomet/76.3.503",
        kinds=(FULL, FOLDS_WHOLE), judges=FULL, aims=(THIS_ALGORITHM,),
        fixed="heldout.estimates.fixed:kfold_adjusted",
    ),
    Estimator(
        name="loo", title="Leave-one-out", role="chosen", headline=8, selects=True,
        target="E[ℓ_D(A_θ̂(S))]: the algorithm with the selected θ, one example short of S",
        meaning="K-fold with one example per fold: almost no bias from size, but models that are nearly alike.",
        formula="1/n · Σᵢ ℓ(f_{S∖{i}}(xᵢ), yᵢ)",
        caveat=CHOSEN_BY_SAME,
        reference="Stone 1974, Cross-validatory choice and assessment of statistical predictions",
        url="https://doi.org/10.1111/j.2517-6161.1974.tb00994.x",
        kinds=(LOO,), judges=LOO, aims=(*AT_FIXED_THETA, THIS_PREDICTOR),
        intervals=("bayle_all_pairs",),
        fixed="heldout.estimates.fixed:held_out",
    ),
    Estimator(
        name="montecarlo", title="Monte Carlo CV", role="chosen", headline=7, selects=True,
        target="E[ℓ_D(A_θ̂(S))]: the algorithm with the selected θ, at the size of its training parts",
        meaning="The mean over many random hold-outs, which may overlap.",
        formula="1/r · Σₜ 1/|Vₜ| · Σ_{i∈Vₜ} ℓ(f_{S∖Vₜ}(xᵢ), yᵢ)",
        caveat=CHOSEN_BY_SAME,
        reference="Picard & Cook 1984, Cross-validation of regression models",
        url="https://doi.org/10.1080/01621459.1984.10478083",
        kinds=(ROUNDS,), judges=ROUNDS, aims=AT_FIXED_THETA,
        intervals=("conservative_z", "nadeau_bengio"),
        fixed="heldout.estimates.fixed:held_out",
    ),
    Estimator(
        name="bootstrap", title="Bootstrap", role="chosen", headline=11, selects=True,
        target="E[ℓ_D(A_θ̂(S))]: the algorithm with the selected θ, trained on bags (pessimistic)",
        meaning="Models fitted to bags drawn with replacement, scored on the rows outside the bag.",
        formula="1/B · Σ_b 1/|V_b| · Σ_{i∈V_b} ℓ(f_{bag b}(xᵢ), yᵢ), V_b the rows outside bag b",
        caveat="is pessimistic, because a bag holds only about 63 % of the different rows",
        reference="Efron 1983, Estimating the error rate of a prediction rule",
        url="https://doi.org/10.1080/01621459.1983.10477973",
        kinds=(FULL, BAGS), judges=BAGS, aims=AT_FIXED_THETA,
        fixed="heldout.estimates.fixed:held_out",
    ),
    Estimator(
        name="bootstrap_632", title="Bootstrap .632", role="chosen", headline=10, comes_with="bootstrap",
        target="E[ℓ_D(A_θ̂(S))]: bootstrap and training risk weighed .632 to .368",
        meaning="A fixed mixture of the training risk and the out-of-bag risk.",
        formula="0.368·e + 0.632·E₁",
        caveat="is optimistic for learners that fit the training rows closely",
        reference="Efron 1983, Estimating the error rate of a prediction rule",
        url="https://doi.org/10.1080/01621459.1983.10477973",
        kinds=(FULL, BAGS), judges=FULL, aims=(THIS_ALGORITHM,),
        fixed="heldout.estimates.fixed:bootstrap_632",
    ),
    Estimator(
        name="bootstrap_632plus", title="Bootstrap .632+", role="chosen", headline=9, comes_with="bootstrap",
        target="E[ℓ_D(A_θ̂(S))]: as .632, with weights that allow for overfitting",
        meaning=".632 with a weight that grows with the amount of overfitting.",
        formula="(1 − w)·e + w·E₁′, w = 0.632/(1 − 0.368·R), R = (E₁′ − e)/(γ − e), E₁′ = min(E₁, γ)",
        caveat=CHOSEN_BY_SAME,
        reference="Efron & Tibshirani 1997, Improvements on cross-validation: the .632+ bootstrap method",
        url="https://doi.org/10.1080/01621459.1997.10474007",
        kinds=(FULL, BAGS), judges=FULL, aims=(THIS_ALGORITHM,),
        fixed="heldout.estimates.fixed:bootstrap_632plus",
    ),
    Estimator(
        name="min_cv", title="Smallest CV", role="chosen", headline=13,
        target="E[min_θ ℓ_D(A_θ(S))]: the tuned procedure (cheapest, optimistic)",
        meaning="The smallest cross-validation risk of all θ, taken as the risk of the tuned procedure.",
        formula="min_θ CV(θ)",
        caveat="is the smallest of several, and too small",
        reference="Varma & Simon 2006, Bias in error estimation when using cross-validation for model selection",
        url="https://doi.org/10.1186/1471-2105-7-91",
        kinds=(FOLDS,), judges=FOLDS, aims=(TUNED,),
        tuned="heldout.estimates.tuned:min_cv",
    ),
    Estimator(
        name="min_cv_bbc", title="Smallest CV, bootstrap corrected", role="corrected", headline=2,
        comes_with="min_cv",
        target="E[min_θ ℓ_D(A_θ(S))]: the tuned procedure, min-CV corrected by bootstrap",
        meaning="Rows are resampled: θ is chosen on those in the bag and judged on those outside.",
        formula="1/B · Σ_b mean loss outside bag b of argmin_θ (mean loss in bag b), from the n × |Θ| "
        "matrix of out-of-fold losses",
        caveat="",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, Bootstrapping the out-of-sample predictions",
        url="https://doi.org/10.1007/s10994-018-5714-4",
        kinds=(FOLDS,), judges=FOLDS, aims=(TUNED,), intervals=("bbc",),
        tuned="heldout.estimates.tuned:min_cv_bbc",
    ),
    Estimator(
        name="min_cv_tt", title="Smallest CV, bias corrected", role="corrected", headline=4,
        comes_with="min_cv",
        target="E[min_θ ℓ_D(A_θ(S))]: the tuned procedure, min-CV corrected fold by fold",
        meaning="The smallest CV risk plus the mean regret of its θ within each fold.",
        formula="min_θ CV(θ) + 1/K · Σₖ [eₖ(θ̂) − min_θ eₖ(θ)]",
        caveat="corrects too much where folds are small and θ are many",
        reference="Tibshirani & Tibshirani 2009, A bias correction for the minimum error rate in cross-validation",
        url="https://doi.org/10.1214/08-AOAS224",
        kinds=(FOLDS,), judges=FOLDS, aims=(TUNED,),
        tuned="heldout.estimates.tuned:min_cv_tt",
    ),
    Estimator(
        name="nested_cv", title="Nested CV", role="honest", headline=1,
        target="E[min_θ ℓ_D(A_θ(S))]: the tuned procedure",
        meaning="In every outer fold θ is chosen anew by cross-validation on the other folds.",
        formula="1/K · Σᵢ 1/|Fᵢ| · Σ_{x∈Fᵢ} ℓ(f_{S∖Fᵢ, θᵢ}(x)), θᵢ = argmin_θ CV of θ on S∖Fᵢ",
        caveat="",
        reference="Varma & Simon 2006, Bias in error estimation when using cross-validation for model selection",
        url="https://doi.org/10.1186/1471-2105-7-91",
        kinds=(FOLDS, PAIRS), judges=FOLDS, aims=(TUNED, TUNED_OWN, MODELS),
        intervals=OF_PARTITIONS,
        tuned="heldout.estimates.tuned:nested",
    ),
    Estimator(
        name="nested_dev", title="Nested hold-out", role="honest", headline=3,
        target="E[min_θ ℓ_D(A_θ(S))]: the tuned procedure, tuned on one fold only",
        meaning="Nested CV in which one further fold, used as a development set, chooses θ: cheaper.",
        formula="1/K · Σᵢ mean loss on Fᵢ of f_{S∖Fᵢ, θᵢ}, θᵢ chosen on one other fold",
        caveat="",
        reference="Varma & Simon 2006, Bias in error estimation when using cross-validation for model selection",
        url="https://doi.org/10.1186/1471-2105-7-91",
        kinds=(FOLDS, ADJACENT), judges=FOLDS, aims=(TUNED, TUNED_OWN, MODELS),
        intervals=OF_PARTITIONS,
        tuned="heldout.estimates.tuned:nested",
    ),
    Estimator(
        name="test", title="Sealed test", role="honest",
        target="ℓ_D(A_θ̂(S)): this predictor",
        meaning="The loss on rows that were sealed before any split and opened after the choice was frozen.",
        formula="1/|T| · Σ_{i∈T} ℓ(f_S(xᵢ), yᵢ)",
        caveat="",
        reference="Devroye, Györfi & Lugosi, A Probabilistic Theory of Pattern Recognition, ch. 8",
        url="https://doi.org/10.1007/978-1-4612-0711-5",
        kinds=(), judges=FULL, aims=(THIS_PREDICTOR,),
        intervals=(
            "clopper_pearson", "wilson", "t", "bootstrap_percentile", "hoeffding", "empirical_bernstein",
        ),
    ),
)  # fmt: skip

ESTIMATORS = {entry.name: entry for entry in _ENTRIES}
"""Every estimator by name, in the order of the tables and of the report."""


def askable() -> list[str]:
    """The estimators that the config may ask for by name."""
    return [entry.name for entry in ESTIMATORS.values() if entry.comes_with is None]


def selectable() -> list[str]:
    """The estimators whose risks `select.by` may compare."""
    return [entry.name for entry in ESTIMATORS.values() if entry.selects]


def nested_among(asked: Container[str]) -> list[str]:
    """Of the estimators asked for, those that choose θ anew in every outer fold."""
    return [entry.name for entry in ESTIMATORS.values() if entry.nested and entry.name in asked]


def kinds_needed(estimators: Iterable[str], halvings: int = 0) -> list[str]:
    """List the kinds of held-out sets that estimators need together, each set once.

    Parameters
    ----------
    estimators
        Names of estimators.
    halvings
        How often Monte Carlo CV halves the rows.

    Returns
    -------
    list of str
        Kinds, in a fixed order.

    Examples
    --------
    >>> kinds_needed(["training", "kfold", "nested_cv"])
    ['full', 'folds', 'pairs']
    """
    needed = {kind for name in estimators for kind in ESTIMATORS[name].kinds}
    if ROUNDS in needed and halvings:
        needed.add(HALVES)
    needed -= {kind for kind, wider in IMPLIED.items() if wider in needed}
    return [kind for kind in KINDS if kind in needed]


def kind_there(kind: str, there: Container[str]) -> str | None:
    """The kind itself, or the wider one that its cells are among; None if neither is there."""
    return next((one for one in (kind, IMPLIED.get(kind, kind)) if one in there), None)


def has_cells(estimator: Estimator, there: Container[str]) -> bool:
    """Whether all cells that an estimator needs are there."""
    return all(kind_there(kind, there) is not None for kind in estimator.kinds)
