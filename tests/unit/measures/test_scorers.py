"""Scores of stored predictions equal scikit-learn's scorers on the fitted models."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer, get_scorer_names

from heldout.errors import HeldoutError
from heldout.measures.registry import _entry, loss_for
from heldout.measures.scorer_names import SCORERS
from heldout.measures.spec import LossSpec
from heldout.numerics.engines.generic import predict
from heldout.predictions import Predictions

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


def fitted(target, kind, rows):
    """The model, what is stored of its predictions for the rows, and the classes."""
    y = TARGETS[target]
    model = MODELS[target, kind].fit(FEATURES[:50], y[:50])
    classes = None if target == "number" else [f"class {c}" for c in range(len(set(y)))]
    return model, predict(model, FEATURES[rows], classes), classes


def score_of(name, y, said, classes, positive=None, **more):
    loss = loss_for(LossSpec(name, positive=positive), classes)
    found = loss.score(loss.risk(y, said, **more))
    return -found if name.startswith("neg_") or name == "max_error" else found


@pytest.mark.parametrize(("target", "kind"), MODELS)
def test_equal_to_the_scorer_on_the_model(target, kind):
    held = np.arange(50, 80)
    model, said, classes = fitted(target, kind, held)
    y = TARGETS[target][held]
    for name in names_for(target, kind):
        expected = get_scorer(name)(model, FEATURES[held], y)
        found = score_of(name, y, said, classes)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-14), name


def names_for(target, kind):
    """Every scorer of scikit-learn that is for this target and these predictions."""
    return [name for name in get_scorer_names() if _is_for(name, target, kind)]


def _is_for(name, target, kind):
    if name.endswith("_samples"):
        return False
    loss = _entry(name, None if target == "number" else ["a", "b"])
    if loss.classification is not (target != "number"):
        return False
    if target == "three" and (loss.two_classes or name in TWO_CLASSES):
        return False
    if target == "two" and name in MORE_CLASSES:
        return False
    return loss.needs != "proba" or kind == "proba"


TWO_CLASSES = ("neg_negative_likelihood_ratio", "positive_likelihood_ratio")
MORE_CLASSES = ("roc_auc_ovo", "roc_auc_ovo_weighted", "top_k_accuracy")
"""Scorers that scikit-learn gives, or that mean something, for two classes or for more only."""


@pytest.mark.parametrize("kind", ["proba", "decision"])
@pytest.mark.parametrize("name", ["f1", "precision", "recall", "jaccard", "average_precision", "roc_auc"])  # fmt: skip
def test_either_class_may_be_the_positive_one(name, kind):
    """scikit-learn's functions on the target and the scores of that class."""
    held = np.arange(50, 80)
    model, said, classes = fitted("two", kind, held)
    y, label = TARGETS["two"][held], model.predict(FEATURES[held])
    for positive in (0, 1):
        if name in ("average_precision", "roc_auc"):
            function = getattr(metrics, f"{name}_score")
            ranks = (
                said.proba[:, positive] if kind == "proba" else said.decision * (2 * positive - 1)
            )
            expected = function(y == positive, ranks)
        else:
            expected = getattr(metrics, f"{name}_score")(y, label, pos_label=positive)
        found = score_of(name, y, said, classes, positive=classes[positive])
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("target", "kind"), MODELS)
def test_equal_to_the_scorer_with_weights(target, kind):
    held = np.arange(50, 80)
    model, said, classes = fitted(target, kind, held)
    y, weights = TARGETS[target][held], GENERATOR.uniform(0.2, 3, size=30)
    for name in names_for(target, kind):
        try:
            expected = get_scorer(name)(model, FEATURES[held], y, sample_weight=weights)
        except (TypeError, ValueError):
            continue  # a scorer without weights
        found = score_of(name, y, said, classes, weights=weights)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-14), name


def test_a_score_that_the_learner_cannot_have():
    _, said, classes = fitted("two", "decision", np.arange(50, 80))
    for name in ("neg_log_loss", "d2_log_loss_score"):
        with pytest.raises((HeldoutError, ValueError), match=f"{name}|cross_entropy"):
            score_of(name, TARGETS["two"][50:], said, classes)


def test_a_score_that_is_not_defined_is_no_number():
    _, said, _ = fitted("number", "value", np.arange(50, 51))
    with pytest.raises(
        HeldoutError, match="'d2_absolute_error_score' is not defined on a set of 1 row"
    ):
        score_of("d2_absolute_error_score", TARGETS["number"][50:51], said, None)


def test_every_scorer_of_this_scikit_learn_is_known_to_the_config():
    assert set(get_scorer_names()) <= set(SCORERS)


SETS = ["roc_auc_ovr", "roc_auc_ovo_weighted", "top_k_accuracy", "d2_log_loss_score"]


@pytest.mark.parametrize("name", SETS)
def test_a_set_with_one_row_of_a_class(name):
    """Without that row the score is not defined: it has no influence, as on an AUC of two classes."""
    proba = np.random.default_rng(1).dirichlet(np.ones(3), size=7)
    target, said = np.array([0, 0, 0, 1, 1, 1, 2]), Predictions(proba=proba)
    loss = loss_for(LossSpec(name), ["a", "b", "c"])
    assert loss.every_class, "sets that lack a class are refused before the first fit"
    losses, risk = loss(target, said), loss.risk(target, said)
    assert losses[6] == pytest.approx(risk)
    assert losses.mean() == pytest.approx(risk)
    assert np.ptp(losses) > 0
    with pytest.raises(HeldoutError, match=f"'{name}' cannot be computed"):
        loss.risk(target[:6], said.take(slice(6)))
