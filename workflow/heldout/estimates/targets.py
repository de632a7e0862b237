"""The quantities that an audit compares estimates and intervals with.

Standard library only: the workflow imports this while it is parsed.
"""

THIS_PREDICTOR = "predictor"
THIS_ALGORITHM = "algorithm"
ALGORITHM_OWN = "algorithm_own_size"
MODELS = "fitted_models"
TUNED = "tuned"
TUNED_OWN = "tuned_own_size"

MEANING = {
    THIS_PREDICTOR: "ℓ_D(A_θ̂(S)): the risk of this model",
    THIS_ALGORITHM: "E[ℓ_D(A_θ̂(S))]: the mean risk of the algorithm with the selected θ, at size m",
    ALGORITHM_OWN: "the same at the size of the estimator's own training sets",
    MODELS: "the mean risk of the models that were fitted for the estimate",
    TUNED: "E[ℓ_D(A_θ̂(S)(S))]: the mean risk of the tuned procedure, at size m",
    TUNED_OWN: "the same at the size of the outer training sets",
}

WORDS = {
    THIS_PREDICTOR: "the risk of the final model",
    THIS_ALGORITHM: "the expected risk of the algorithm on samples of this size",
    ALGORITHM_OWN: "the expected risk of the algorithm, trained on as many rows as the held-out sets leave",
    MODELS: "the risk of the models fitted for it (not of the final one)",
    TUNED: "the expected risk of the tuned procedure on samples of this size",
    TUNED_OWN: "the expected risk of the tuned procedure, tuned on as many rows as the outer folds leave",
}
"""What an interval is for, in plain words."""
