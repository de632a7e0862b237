"""What each estimator estimates: the table of the notes, quantity by quantity."""

TARGETS = {
    "training": "none: the empirical risk of A_θ̂(S) on S itself (optimistic)",
    "holdout": "min_θ ℓ_D(A_θ(S)): the best θ on the development set, for this training part",
    "kfold": "E[ℓ_D(A_θ̂(S))]: the algorithm with the selected θ (the same folds chose it)",
    "kfold_pooled": "as kfold, every example with the same weight",
    "kfold_adjusted": "as kfold, at the full size of S (Burman's adjustment)",
    "loo": "E[ℓ_D(A_θ̂(S))]: the algorithm with the selected θ, one example short of S",
    "montecarlo": "E[ℓ_D(A_θ̂(S))]: the algorithm with the selected θ, at the size of its training parts",
    "bootstrap": "E[ℓ_D(A_θ̂(S))]: the algorithm with the selected θ, trained on bags (pessimistic)",
    "bootstrap_632": "E[ℓ_D(A_θ̂(S))]: bootstrap and training risk weighed .632 to .368",
    "bootstrap_632plus": "E[ℓ_D(A_θ̂(S))]: as .632, with weights that allow for overfitting",
    "min_cv": "E[min_θ ℓ_D(A_θ(S))]: the tuned procedure (cheapest, optimistic)",
    "min_cv_bbc": "E[min_θ ℓ_D(A_θ(S))]: the tuned procedure, min-CV corrected by bootstrap",
    "min_cv_tt": "E[min_θ ℓ_D(A_θ(S))]: the tuned procedure, min-CV corrected fold by fold",
    "nested_cv": "E[min_θ ℓ_D(A_θ(S))]: the tuned procedure",
    "nested_dev": "E[min_θ ℓ_D(A_θ(S))]: the tuned procedure, tuned on one fold only",
    "test": "ℓ_D(A_θ̂(S)): this predictor",
}
