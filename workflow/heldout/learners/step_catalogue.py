"""Short names for steps of a Pipeline, and what each of them is made of.

Standard library only: the workflow imports this while it is parsed. To add a step, add one entry to
`STEPS`.
"""

from dataclasses import dataclass, field
from typing import Any

from heldout.learners.definition import TAKE

OWN = "heldout.numerics.steps."
"""Where heldout's own steps are. Their code is in the key of every cell of the engine `steps`."""
PREPARE, NATIVE, IMPUTE, COLUMNS = "prepare", "native", "impute", "columns"
PASSTHROUGH, DROP = "passthrough", "drop"
KINDS = ("numbers", "categories", "dates", "texts")
"""The kinds of columns that the keys of `columns` name."""
AUTO = "auto"
"""A strategy of `impute`: median for numbers, most_frequent for categories and texts."""
F_TEST = {TAKE: ["sklearn.feature_selection.f_classif", "sklearn.feature_selection.f_regression"]}
"""How columns are compared with the target: classes, or numbers."""


@dataclass(frozen=True)
class StepEntry:
    """What the short name of a step means.

    Parameters
    ----------
    path
        The import path of the class.
    meaning
        What it does; for the documentation.
    params
        Its default parameters, where they are not those of the class.
    """

    path: str
    meaning: str
    params: dict[str, Any] = field(default_factory=dict)


STEPS: dict[str, StepEntry] = {
    PREPARE: StepEntry(
        f"{OWN}prepare.Prepare",
        "heldout's own preprocessing of all columns: impute, one-hot, parts of dates, hashed texts",
    ),
    NATIVE: StepEntry(
        f"{OWN}native.NativeColumns",
        "columns as boosting libraries take them; these learners have it by themselves",
    ),
    IMPUTE: StepEntry(
        "sklearn.impute.SimpleImputer",
        "missing values by the median; of categories and texts, by the most frequent one",
        {"strategy": AUTO},
    ),
    "knn_impute": StepEntry("sklearn.impute.KNNImputer", "missing numbers by the nearest rows"),
    "missing": StepEntry(
        "sklearn.impute.MissingIndicator",
        "a column for each one with missing values: whether it is",
        {"error_on_new": False},
    ),
    "scale": StepEntry("sklearn.preprocessing.StandardScaler", "mean 0 and standard deviation 1"),
    "minmax": StepEntry("sklearn.preprocessing.MinMaxScaler", "from 0 to 1"),
    "robust": StepEntry("sklearn.preprocessing.RobustScaler", "by median and quartiles"),
    "power": StepEntry("sklearn.preprocessing.PowerTransformer", "closer to a Gaussian"),
    "quantile": StepEntry("sklearn.preprocessing.QuantileTransformer", "by ranks"),
    "bins": StepEntry(
        "sklearn.preprocessing.KBinsDiscretizer",
        "one-hot bins of numbers",
        {"encode": "onehot-dense"},
    ),
    "poly": StepEntry(
        "sklearn.preprocessing.PolynomialFeatures",
        "products and powers",
        {"include_bias": False},
    ),
    "splines": StepEntry("sklearn.preprocessing.SplineTransformer", "a basis of splines"),
    "onehot": StepEntry(
        "sklearn.preprocessing.OneHotEncoder",
        "one column per level; an unknown one has 0 everywhere",
        {"handle_unknown": "ignore", "sparse_output": False},
    ),
    "ordinal": StepEntry(
        f"{OWN}ordinal.Ordinal",
        "the position of the level: in the declared order, else by text; unknown: −1",
    ),
    "target": StepEntry(
        "sklearn.preprocessing.TargetEncoder", "the mean target of the level, cross-fitted"
    ),
    "dates": StepEntry(f"{OWN}dates.DateParts", "days since 1970, year, month, weekday, …"),
    "tfidf": StepEntry(
        f"{OWN}texts.Tfidf", "weighted counts of words, those of the training rows"
    ),
    "hash": StepEntry(
        f"{OWN}texts.HashedTexts", "words and pairs of words, hashed to 256 columns"
    ),
    "variance": StepEntry(
        "sklearn.feature_selection.VarianceThreshold", "leave constant columns out"
    ),
    "kbest": StepEntry(
        "sklearn.feature_selection.SelectKBest",
        "the k columns that go best with the target",
        {"score_func": F_TEST},
    ),
    "percentile": StepEntry(
        "sklearn.feature_selection.SelectPercentile",
        "a share of the columns, likewise",
        {"score_func": F_TEST},
    ),
    "pca": StepEntry("sklearn.decomposition.PCA", "principal components"),
    "svd": StepEntry("sklearn.decomposition.TruncatedSVD", "the same of sparse columns"),
    "nystroem": StepEntry("sklearn.kernel_approximation.Nystroem", "features of a kernel"),
    "oversample": StepEntry(
        "imblearn.over_sampling.RandomOverSampler", "rows of rare classes again, in training only"
    ),
    "undersample": StepEntry(
        "imblearn.under_sampling.RandomUnderSampler",
        "fewer rows of frequent classes, in training only",
    ),
    "smote": StepEntry(
        "imblearn.over_sampling.SMOTE", "rows between rows of rare classes, in training only"
    ),
}  # fmt: skip
"""Every step by its short name."""
