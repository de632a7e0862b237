"""The names of scikit-learn's scorers.

The workflow is parsed without importing scikit-learn, and a misspelt metric should be an error before
any cell is fitted. A test compares this list with the scikit-learn that is installed.
"""

SCORERS = [
    "accuracy", "adjusted_mutual_info_score", "adjusted_rand_score", "average_precision",
    "balanced_accuracy", "completeness_score", "d2_absolute_error_score", "d2_brier_score",
    "d2_log_loss_score", "explained_variance", "f1", "f1_macro", "f1_micro", "f1_samples",
    "f1_weighted", "fowlkes_mallows_score", "homogeneity_score", "jaccard", "jaccard_macro",
    "jaccard_micro", "jaccard_samples", "jaccard_weighted", "matthews_corrcoef", "max_error",
    "mutual_info_score", "neg_brier_score", "neg_log_loss", "neg_max_error",
    "neg_mean_absolute_error", "neg_mean_absolute_percentage_error", "neg_mean_gamma_deviance",
    "neg_mean_poisson_deviance", "neg_mean_squared_error", "neg_mean_squared_log_error",
    "neg_median_absolute_error", "neg_negative_likelihood_ratio", "neg_root_mean_squared_error",
    "neg_root_mean_squared_log_error", "normalized_mutual_info_score",
    "positive_likelihood_ratio", "precision", "precision_macro", "precision_micro",
    "precision_samples", "precision_weighted", "r2", "rand_score", "recall", "recall_macro",
    "recall_micro", "recall_samples", "recall_weighted", "roc_auc", "roc_auc_ovo",
    "roc_auc_ovo_weighted", "roc_auc_ovr", "roc_auc_ovr_weighted", "top_k_accuracy",
    "v_measure_score",
]  # fmt: skip
"""The scorers of scikit-learn 1.6 to 1.9."""
