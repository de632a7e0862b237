"""The registry of scores: measures that are numbers of a whole held-out set.

To add one, add an entry and write its functions (`set_losses.py`, `confusion.py`). A scorer of scikit-learn
that has no entry works by its name (`scorers.py`).

Standard library only: the workflow imports this while it is parsed.
"""

from typing import Any

from heldout.measures.loss import RANKING, Loss

OF_LABELS: dict[str, Any] = {
    "classification": True,
    "needs": "label",
    "bound": 1.0,
    "heavy": None,
    "value": "heldout.measures.set_losses:label_risk",
    "influence": "heldout.measures.set_losses:label_influence",
    "bind": "heldout.measures.binding:bind_labels",
    "optimum": 1.0,
    "greater": True,
}
OF_RANKING: dict[str, Any] = {
    "classification": True,
    "needs": RANKING,
    "bound": 1.0,
    "heavy": None,
    "bind": "heldout.measures.binding:bind_positive",
    "optimum": 1.0,
    "greater": True,
    "two_classes": True,
    "every_class": True,
}
OF_NUMBERS: dict[str, Any] = {
    "classification": False,
    "needs": "value",
    "bound": None,
    "heavy": 4.0,
    "pooled": True,
}
OF_POSITIVES = (
    "TP, FP, FN: rows of the class `positive` found, others taken for it, rows of it missed"
)

AVERAGES = {
    "macro": "classes count alike",
    "micro": "the counts of all classes are added first",
    "weighted": "classes count by their rows",
}


def _averaged(of: str, title: str, average: str, meaning: str) -> Loss:
    return Loss(
        name=f"{of}_{average}",
        title=f"{title}, {average} average",
        label=f"{average} {title}",
        formula=f"the {title} of each class against the others, averaged: {meaning}",
        settings={"score": "averaged", "of": of, "average": average},
        family="other",
        **OF_LABELS,
    )


_ENTRIES = (
    Loss(
        name="roc_auc", title="area under the ROC curve", label="AUC", family="auc",
        formula="the share of pairs of a positive and a negative row in which the positive one has the higher score; ties one half",
        value="heldout.measures.set_losses:auc_risk",
        influence="heldout.measures.set_losses:auc_influence",
        **OF_RANKING,
    ),
    Loss(
        name="average_precision", title="average precision", label="average precision", family="other",
        formula="Σ (R_t − R_{t−1})·P_t over the thresholds t, with recall R and precision P; far off with few positives",
        value="heldout.measures.set_losses:precision_risk",
        influence="heldout.measures.set_losses:precision_influence",
        **OF_RANKING,
    ),
    Loss(
        name="balanced_accuracy", title="balanced accuracy", label="balanced accuracy", family="class_means",
        formula="the mean over classes of the share of their rows that are found",
        settings={"score": "balanced_accuracy", "within_class": True}, every_class=True, **OF_LABELS,
    ),
    Loss(
        name="recall", title="recall (sensitivity)", label="recall", family="class_means",
        formula="TP/(TP + FN)",
        settings={"score": "recall", "within_class": True}, two_classes=True, every_class=True, **OF_LABELS,
    ),
    Loss(
        name="youden", title="Youden's J", label="Youden's J", family="class_means",
        formula="recall of the class `positive` + recall of the other − 1",
        settings={"score": "youden", "within_class": True}, two_classes=True, every_class=True,
        **OF_LABELS | {"bound": 2.0},
    ),
    Loss(
        name="precision", title="precision", label="precision", family="ratio", pooled=True,
        formula=f"TP/(TP + FP). {OF_POSITIVES}",
        settings={"score": "precision"}, two_classes=True, **OF_LABELS,
    ),
    Loss(
        name="f1", title="F1 score", label="F1", family="ratio", pooled=True,
        formula="2·TP/(2·TP + FP + FN)",
        settings={"score": "fbeta"}, two_classes=True, **OF_LABELS,
    ),
    Loss(
        name="fbeta", title="F-beta score", label="F-beta", family="ratio", pooled=True,
        formula="(1+β²)·TP/((1+β²)·TP + β²·FN + FP): `loss: {fbeta: 2}`",
        settings={"score": "fbeta"}, two_classes=True, **OF_LABELS,
    ),
    Loss(
        name="jaccard", title="Jaccard index", label="Jaccard index", family="ratio", pooled=True,
        formula="TP/(TP + FP + FN)",
        settings={"score": "jaccard"}, two_classes=True, **OF_LABELS,
    ),
    Loss(
        name="precision_at_recall", title="precision at a recall", label="precision at the recall", family="unstudied",
        formula="the precision where the recall is at least r, else 0: `loss: {precision_at_recall: 0.9}`, for thresholds",
        settings={"score": "precision_at_recall"}, two_classes=True, every_class=True, **OF_LABELS,
    ),
    Loss(
        name="matthews_corrcoef", title="Matthews' correlation", label="Matthews' correlation", family="other",
        formula="the correlation of true and predicted classes; 0 where one of them does not vary",
        settings={"score": "matthews"}, **OF_LABELS | {"bound": 2.0},
    ),
    *(
        _averaged(of, title, average, meaning)
        for of, title in (("f1", "F1"), ("precision", "precision"), ("recall", "recall"), ("jaccard", "Jaccard index"))
        for average, meaning in AVERAGES.items()
    ),
    Loss(
        name="r2", title="R²", label="R²", family="r2", optimum=1.0, greater=True,
        formula="1 − Σ(y − ŷ)²/Σ(y − ȳ)²",
        value="heldout.measures.set_losses:r2_risk",
        influence="heldout.measures.set_losses:r2_influence",
        **OF_NUMBERS,
    ),
    Loss(
        name="neg_root_mean_squared_error", title="root of the mean squared error", label="RMSE", family="root",
        formula="√(mean of (y − ŷ)²), in the unit of the target",
        value="heldout.measures.set_losses:root_risk",
        influence="heldout.measures.set_losses:root_influence",
        **OF_NUMBERS,
    ),
)  # fmt: skip

SCORES = {entry.name: entry for entry in _ENTRIES}
"""Every score by name."""

WITH_NUMBERS = ("fbeta", "precision_at_recall")
"""The scores that need a number in the config."""

SAME = {
    "accuracy": "zero_one",
    "neg_log_loss": "cross_entropy",
    "neg_mean_squared_error": "squared",
    "neg_mean_absolute_error": "absolute",
}
"""Scorers of scikit-learn whose risk is a mean of losses of the registry."""

_CLUSTERS = (
    "adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score", "fowlkes_mallows_score",
    "homogeneity_score", "normalized_mutual_info_score", "rand_score", "v_measure_score",
)  # fmt: skip
_NUMBERS = (
    "d2_absolute_error_score", "explained_variance", "max_error", "neg_max_error",
    "neg_mean_absolute_percentage_error", "neg_mean_gamma_deviance", "neg_mean_poisson_deviance",
    "neg_mean_squared_log_error", "neg_median_absolute_error", "neg_root_mean_squared_log_error",
)  # fmt: skip
_PROBABILITIES = (
    "d2_brier_score", "d2_log_loss_score", "roc_auc_ovo", "roc_auc_ovo_weighted", "roc_auc_ovr",
    "roc_auc_ovr_weighted", "top_k_accuracy",
)  # fmt: skip

OTHERS = {
    **dict.fromkeys((*_CLUSTERS, "mutual_info_score"), (True, "label")),
    **dict.fromkeys(
        ("neg_negative_likelihood_ratio", "positive_likelihood_ratio"), (True, "label")
    ),
    **dict.fromkeys(_PROBABILITIES, (True, "proba")),
    **dict.fromkeys(_NUMBERS, (False, "value")),
}
"""Scikit-learn's other scorers: whether targets are classes, and what they need."""

NO_OPTIMUM = ("mutual_info_score", "positive_likelihood_ratio")
"""Scores without a largest value: the risk is −score."""
ERRORS = ("neg_", "max_error")
"""Beginnings of names of scorers that are negative errors: people read the error."""
UP_TO_ONE = ("roc_auc_", "top_k_accuracy")
"""Beginnings of names of scores that lie in [0, 1]."""
EVERY_CLASS = ("roc_auc_", "top_k_accuracy", "d2_log_loss", "d2_brier")
"""Beginnings of names of scores that scikit-learn refuses on a set that lacks a class."""
UNSTUDIED = (
    *_CLUSTERS, "mutual_info_score", "neg_negative_likelihood_ratio", "positive_likelihood_ratio", "max_error", "neg_max_error",
)  # fmt: skip
"""Scores unlike those whose intervals were simulated; of a maximum the jackknife knows nothing."""


def other_scorer(name: str) -> Loss:
    """Make the loss of a scorer of scikit-learn that has no entry.

    Parameters
    ----------
    name
        One of `OTHERS`.

    Returns
    -------
    Loss
        Calls the scorer on stored predictions; influences by the jackknife.

    Examples
    --------
    >>> other_scorer("neg_median_absolute_error").label
    'median absolute error'
    """
    classification, needs = OTHERS[name]
    error = name.startswith(ERRORS)
    words = name.removeprefix("neg_").removesuffix("_score").replace("_", " ")
    return Loss(
        name=name,
        title=words,
        label=words,
        two_classes="likelihood" in name,
        classification=classification,
        needs=needs,
        bound=1.0 if name.startswith(UP_TO_ONE) else None,
        heavy=None,
        formula=f"scikit-learn's `{name}`",
        negative=name in NO_OPTIMUM,
        optimum=0.0 if error or name in NO_OPTIMUM else 1.0,
        greater=not error,
        family="unstudied" if name in UNSTUDIED else "other",
        every_class=name.startswith(EVERY_CLASS),
        value="heldout.measures.scorers:scorer_risk",
        influence="heldout.measures.scorers:scorer_influence",
        bind="heldout.measures.binding:bind_scorer",
    )
