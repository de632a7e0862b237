"""Scores of sets: symmetries, weights as repeated rows, and what influences add up to and predict."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import get_scorer_names

from heldout.measures.loss import Loss
from heldout.measures.registry import LOSSES, loss_for
from heldout.measures.score_registry import OTHERS, SCORES, other_scorer
from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions

SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = {"fbeta": {"fbeta": 2.0}, "precision_at_recall": {"precision_at_recall": 0.4}}
CLASSES = {"two": ["no", "yes"], "three": ["a", "b", "c"]}
NO_WEIGHTS = {name for name, of in OTHERS.items() if of == (True, "label")} | {
    "roc_auc_ovo", "roc_auc_ovo_weighted", "neg_max_error", "max_error",
}  # fmt: skip
"""Scores that scikit-learn does not weigh; the config refuses them where rows have weights."""
NO_DERIVATIVE = {"precision_at_recall", "max_error", "neg_max_error", "neg_median_absolute_error"}
"""Scores that jump, or that one row decides."""
BY_MEDIAN = {"d2_absolute_error_score", "neg_median_absolute_error"}
"""Scores by a median: a weighted one takes the lower of two middle values."""


@dataclass
class Sample:
    """Targets and predictions of a model that is better than none."""

    target: np.ndarray
    said: Predictions

    def take(self, rows: np.ndarray) -> "Sample":
        return Sample(self.target[rows], self.said.take(rows))


def sample(kind: str, n: int, seed: int, ties: bool = False) -> Sample:
    """Of numbers, or of classes each of which has rows that are found and rows that are not."""
    generator = np.random.default_rng(seed)
    if kind == "number":
        target = generator.gamma(3.0, size=n)
        return Sample(target, Predictions(value=target * np.exp(generator.normal(0, 0.4, size=n))))
    count = len(CLASSES[kind])
    target = generator.permutation(np.arange(n) % count)
    proba = generator.dirichlet(np.full(count, 1.5), size=n) + 0.3 * np.eye(count)[target]
    if ties:
        proba = np.round(proba, 1) + 0.05
    proba /= proba.sum(axis=1, keepdims=True)
    decision = np.log(proba[:, 1] / proba[:, 0]) if count == 2 else np.log(proba)
    return Sample(target, Predictions(label=proba.argmax(axis=1), proba=proba, decision=decision))


def kind_of(name: str, loss: Loss) -> str:
    if loss.classification is False:
        return "number"
    two = loss.two_classes or "likelihood" in name or name == "d2_brier_score"
    return "two" if two else "three"


def loss_of(name: str, kind: str, positive: str | None = None) -> Loss:
    spec = LossSpec(name, NUMBERS.get(name, {}), positive=positive)
    return loss_for(spec, CLASSES.get(kind))


def cases() -> dict[str, tuple[Loss, str]]:
    found = {}
    for name in (*SCORES, *(set(OTHERS) & set(get_scorer_names()))):
        kind = kind_of(name, SCORES.get(name) or other_scorer(name))
        found[name] = (loss_of(name, kind), kind)
    return dict(sorted(found.items()))


CASES = cases()
FAST = [name for name in CASES if name in SCORES]


@pytest.mark.parametrize("name", CASES)
def test_the_mean_of_pseudo_losses_is_the_risk(name: str) -> None:
    loss, kind = CASES[name]
    for seed in range(3):
        one = sample(kind, 31, seed, ties=seed == 2)
        losses, risk = loss(one.target, one.said), loss.risk(one.target, one.said)
        assert losses.mean() == pytest.approx(risk, rel=1e-12, abs=1e-12)
        assert np.abs((losses - risk).sum()) < 1e-9, "influences add up to 0"


@pytest.mark.parametrize("name", FAST)
@given(SEEDS)
@settings(max_examples=10)
def test_the_mean_of_weighted_pseudo_losses_is_the_weighted_risk(name: str, seed: int) -> None:
    loss, kind = CASES[name]
    one = sample(kind, 40, seed)
    weights = np.random.default_rng(seed).gamma(2.0, size=40)
    losses = loss(one.target, one.said, weights)
    assert losses.mean() == pytest.approx(loss.risk(one.target, one.said, weights), abs=1e-10)


@pytest.mark.parametrize("name", [name for name in CASES if name not in NO_WEIGHTS | BY_MEDIAN])
def test_integer_weights_are_repeated_rows(name: str) -> None:
    loss, kind = CASES[name]
    for seed in range(4):
        one = sample(kind, 30, seed, ties=seed % 2 == 1)
        weights = np.random.default_rng(seed).integers(1, 4, size=30)
        repeated = one.take(np.repeat(np.arange(30), weights))
        expected = loss.risk(repeated.target, repeated.said)
        found = loss.risk(one.target, one.said, weights.astype(float))
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_integer_weights_are_repeated_rows_for_losses_of_examples(name: str) -> None:
    if name in ("costs", "quantile"):
        settings_of = {"costs": {"costs": {"a": {"b": 1, "c": 2}, "b": {"a": 3, "c": 1}, "c": {"a": 1, "b": 1}}}, "quantile": {"quantile": 0.3}}  # fmt: skip
        loss = loss_for(
            LossSpec(name, settings_of[name]), CLASSES["three"] if name == "costs" else None
        )
    else:
        loss = LOSSES[name]
    one = sample("three" if loss.classification else "number", 30, 1)
    weights = np.random.default_rng(1).integers(1, 4, size=30)
    repeated = one.take(np.repeat(np.arange(30), weights))
    found = loss.risk(one.target, one.said, weights.astype(float))
    assert found == pytest.approx(loss.risk(repeated.target, repeated.said), rel=1e-12)
    assert loss(one.target, one.said, weights.astype(float)).mean() == pytest.approx(found)


@pytest.mark.parametrize("name", [name for name in CASES if name not in NO_DERIVATIVE])
def test_influences_predict_the_risk_without_a_row(name: str) -> None:
    """(n − 1)·(risk − risk without the row), up to what vanishes with n."""
    loss, kind = CASES[name]
    n = 1500 if name in SCORES else 120
    one = sample(kind, n, 11)
    risk = loss.risk(one.target, one.said)
    influence = loss(one.target, one.said) - risk
    rows = np.arange(n)
    for x in range(0, n, n // 12):
        rest = one.take(np.delete(rows, x))
        change = (n - 1) * (risk - loss.risk(rest.target, rest.said))
        assert influence[x] == pytest.approx(change, abs=30 / n * max(1.0, np.abs(influence).max()))


@given(SEEDS, st.booleans(), st.sampled_from([np.exp, np.cbrt, lambda s: 3 * s - 7]))
def test_a_monotone_change_of_scores_changes_no_auc(seed: int, ties: bool, change: Any) -> None:
    one, loss = sample("two", 25, seed, ties), CASES["roc_auc"][0]
    moved = Predictions(decision=change(one.said.decision))
    assert loss.risk(one.target, moved) == loss.risk(one.target, one.said)
    assert loss(one.target, moved).tolist() == loss(one.target, one.said).tolist()


@given(SEEDS, st.booleans())
def test_the_other_class_as_the_positive_one_mirrors_the_auc(seed: int, ties: bool) -> None:
    """The decision value of the other class is the negative one, so that the AUC is the same."""
    one = sample("two", 25, seed, ties)
    no, yes = (loss_of("roc_auc", "two", positive) for positive in CLASSES["two"])
    assert no.risk(one.target, one.said) == pytest.approx(yes.risk(one.target, one.said), abs=1e-12)
    turned = Predictions(decision=-one.said.decision)
    assert no.risk(one.target, turned) == pytest.approx(1 - yes.risk(one.target, one.said))
    swapped = Predictions(decision=-one.said.decision)
    assert no.risk(one.target, one.said) == yes.risk(1 - one.target, swapped)


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "jaccard", "average_precision"])
@given(SEEDS)
def test_swapped_classes_are_the_other_positive_class(name: str, seed: int) -> None:
    one = sample("two", 25, seed)
    no, yes = (loss_of(name, "two", positive) for positive in CLASSES["two"])
    swapped = Predictions(label=1 - one.said.label, decision=-one.said.decision)
    assert no.risk(one.target, one.said) == yes.risk(1 - one.target, swapped)
    assert no(one.target, one.said) == pytest.approx(yes(1 - one.target, swapped), abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_the_best_predictions_have_no_risk(name: str) -> None:
    loss, kind = CASES[name]
    if loss.negative or "likelihood" in name:
        return
    one = sample(kind, 30, 5)
    sure = Predictions(value=one.target)
    if kind != "number":
        proba = np.eye(len(CLASSES[kind]))[one.target]
        decision = 2.0 * one.target - 1 if kind == "two" else proba
        sure = Predictions(label=one.target, proba=proba, decision=decision)
    assert loss.risk(one.target, sure) == pytest.approx(0.0, abs=1e-12)
    if loss.bound is not None:
        worst = loss.risk(one.target, one.said)
        assert 0 < worst <= loss.bound
