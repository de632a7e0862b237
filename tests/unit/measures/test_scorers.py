"""Scores of stored predictions equal scikit-learn's scorers on the fitted models."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer, get_scorer_names

from heldout.errors import HeldoutError
from heldout.measures.scorer_names import SCORERS
from heldout.measures.scorers import StoredPredictions, score, scorer_named
from heldout.numerics.engines.generic import predict

GENERATOR = np.random.default_rng(4)
FEATURES = GENERATOR.normal(size=(80, 3))
SIGNAL = FEATURES[:, 0] + GENERATOR.normal(size=80)
TARGETS = {
    "two": (SIGNAL > 0).astype(int),
    "three": np.digitize(SIGNAL, [-0.6, 0.6]),
    "number": SIGNAL + 10,
}
MODELS = {
    ("two", "proba"): LogisticRegression(),
    ("three", "proba"): LogisticRegression(),
    ("two", "decision"): RidgeClassifier(),
    ("three", "decision"): RidgeClassifier(),
    ("number", "value"): Ridge(),
}
COMMON = ["accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef", "recall_weighted"]
NAMES = {
    ("two", "proba"): [*COMMON, "f1", "roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"],
    ("three", "proba"): [*COMMON, "roc_auc_ovr", "roc_auc_ovo_weighted", "neg_log_loss", "top_k_accuracy"],
    ("two", "decision"): [*COMMON, "f1", "roc_auc", "average_precision"],
    ("three", "decision"): COMMON,
    ("number", "value"): ["r2", "neg_mean_absolute_error", "neg_max_error", "explained_variance", "neg_mean_squared_log_error"],
}  # fmt: skip


@pytest.mark.parametrize(("target", "kind"), MODELS)
def test_equal_to_the_scorer_on_the_model(target, kind):
    y = TARGETS[target]
    model = MODELS[target, kind].fit(FEATURES[:50], y[:50])
    classes = None if target == "number" else [f"class {c}" for c in range(len(set(y)))]
    stored = StoredPredictions(predict(model, FEATURES[50:], classes), classes)
    for name in NAMES[target, kind]:
        expected = get_scorer(name)(model, FEATURES[50:], y[50:])
        assert score(name, scorer_named(name), stored, y[50:], "l") == expected, name


def test_a_metric_that_the_learner_cannot_have():
    model = MODELS["two", "decision"].fit(FEATURES, TARGETS["two"])
    stored = StoredPredictions(predict(model, FEATURES, ["a", "b"]), ["a", "b"])
    with pytest.raises(HeldoutError, match="metrics: 'neg_log_loss' cannot be computed for 'l'"):
        score("neg_log_loss", scorer_named("neg_log_loss"), stored, TARGETS["two"], "l")


def test_a_metric_that_is_not_defined_is_no_number():
    model = MODELS["number", "value"].fit(FEATURES, TARGETS["number"])
    stored = StoredPredictions(predict(model, FEATURES[:1], None), None)
    with (
        pytest.warns(UserWarning, match="two samples"),
        pytest.raises(HeldoutError, match="'r2' is not defined on a fold"),
    ):
        score("r2", scorer_named("r2"), stored, TARGETS["number"][:1], "l")


def test_an_unknown_metric():
    with pytest.raises(HeldoutError, match="unknown scorer 'acuracy'; did you mean 'accuracy'"):
        scorer_named("acuracy")


def test_every_scorer_of_this_scikit_learn_is_known_to_the_config():
    assert set(get_scorer_names()) <= set(SCORERS)
