"""What each estimate is compared with: the quantity people want, and the one it was derived for."""

from heldout.estimates.intervals import ALGORITHM, FOLD_AVERAGE, INTERVALS, PREDICTOR

THIS_PREDICTOR = "predictor"
THIS_ALGORITHM = "algorithm"
ALGORITHM_OWN = "algorithm_own_size"
MODELS = "fitted_models"
TUNED = "tuned"
TUNED_OWN = "tuned_own_size"

MEANING = {
    THIS_PREDICTOR: "ℓ_D(A_θ̂(S)): the risk of this very model",
    THIS_ALGORITHM: "E[ℓ_D(A_θ̂(S))]: the mean risk of the algorithm with the selected θ, at size m",
    ALGORITHM_OWN: "the same at the size of the estimator's own training sets",
    MODELS: "the mean risk of the very models that were fitted for the estimate",
    TUNED: "E[ℓ_D(A_θ̂(S)(S))]: the mean risk of the tuned procedure, at size m",
    TUNED_OWN: "the same at the size of the outer training sets",
}

FIXED = (THIS_ALGORITHM, ALGORITHM_OWN, MODELS)
TARGETS = {
    "training": (THIS_PREDICTOR,),
    "holdout": (MODELS,),
    "kfold": (*FIXED, THIS_PREDICTOR),
    "kfold_pooled": FIXED,
    "kfold_adjusted": (THIS_ALGORITHM,),
    "loo": (*FIXED, THIS_PREDICTOR),
    "montecarlo": FIXED,
    "bootstrap": FIXED,
    "bootstrap_632": (THIS_ALGORITHM,),
    "bootstrap_632plus": (THIS_ALGORITHM,),
    "min_cv": (TUNED,),
    "min_cv_bbc": (TUNED,),
    "min_cv_tt": (TUNED,),
    "nested_cv": (TUNED, TUNED_OWN, MODELS),
    "nested_dev": (TUNED, TUNED_OWN, MODELS),
    "test": (THIS_PREDICTOR,),
}
"""For each estimator the quantities it is compared with; the first is what people want of it."""


def derived_for(estimator: str, interval: str) -> str:
    """The quantity that an interval was derived for, in the words of `MEANING`."""
    if interval == "bbc":
        return TUNED
    if interval == "bates":
        return THIS_PREDICTOR
    target = INTERVALS[interval].target
    nested = estimator.startswith("nested")
    if target == PREDICTOR:
        return MODELS if estimator == "holdout" else THIS_PREDICTOR
    assert target in (ALGORITHM, FOLD_AVERAGE)
    if target == FOLD_AVERAGE:
        return MODELS
    return TUNED_OWN if nested else ALGORITHM_OWN
