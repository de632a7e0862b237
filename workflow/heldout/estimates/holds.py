"""Which interval holds for which estimate, and by what evidence. Standard library only.

What stands here has been seen to cover at least 90 % for a nominal 95 %: by theorem, or in every problem of
docs/coverage.md without heavy tails, from 30 to 1,000 rows, rows and groups. A test compares this table with
docs/coverage.csv. For more rows, central limit theorems say that these intervals hold (Bayle et al. 2020).

Leave-one-out is not there: of a majority rule on balanced classes it is wrong on every row (check H001).
"""

from heldout.estimates.interval_registry import MEAN

BY_THEOREM = "exact for independent rows"
BY_STUDY = "simulation, docs/coverage.md"
IN_TIME = "simulation, docs/time.md"
AS_HOLDOUT = "as on a development set: the losses of independent rows under one model"

HOLDS = {
    ("bootstrap_632plus", "bootstrap_se"): BY_STUDY,
    ("holdout", "clopper_pearson"): BY_THEOREM,
    ("holdout", "cosine_t"): IN_TIME,
    ("holdout", "betting"): BY_THEOREM,
    ("holdout", "wilson"): BY_STUDY,
    ("holdout", "skewed_t"): BY_STUDY,
    ("kfold", "tuned_jackknife"): BY_STUDY,
    ("montecarlo", "tuned_jackknife"): BY_STUDY,
    ("nested_cv", "tuned_jackknife"): BY_STUDY,
    ("nested_dev", "tuned_jackknife"): BY_STUDY,
    ("nested_rolling", "cosine_t"): IN_TIME,
    ("rolling", "cosine_t"): IN_TIME,
    ("test", "clopper_pearson"): BY_THEOREM,
    ("test", "cosine_t"): IN_TIME,
    ("test", "betting"): BY_THEOREM,
    ("test", "wilson"): AS_HOLDOUT,
    ("test", "skewed_t"): AS_HOLDOUT,
}
"""(estimator, interval) → the evidence."""

OF_SCORES = {
    **{
        (family, estimator, "tuned_jackknife"): BY_STUDY
        for family in ("auc", "class_means", "other")
        for estimator in ("kfold", "nested_cv")
    },
    **{
        (family, estimator, "tuned_jackknife"): BY_STUDY
        for family in ("ratio", "r2", "root")
        for estimator in ("kfold_pooled", "nested_cv_pooled")
    },
    **{
        (family, "test", "influence"): BY_STUDY
        for family in ("auc", "class_means", "ratio", "other")
    },
    **{(family, "test", "bca"): BY_STUDY for family in ("r2", "root")},
    ("auc", "holdout", "influence"): BY_STUDY,
    ("auc", "nested_dev", "tuned_jackknife"): BY_STUDY,
}
"""(family, estimator, interval) → the evidence, for scores of whole sets."""

WITH_WEIGHTS = {
    *((family, "tuned_jackknife") for family in (MEAN, "auc", "class_means", "r2")),
    *((MEAN, interval) for interval in ("skewed_t", "wilson")),
    *((family, "influence") for family in ("auc", "class_means", "ratio")),
}
"""(family, interval) that were seen to hold for rows with weights (tests/statistics/test_weighted_coverage.py)."""
