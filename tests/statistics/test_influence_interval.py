"""The interval `influence` of a test set, and what scikit-learn has no scorer for, written out by hand."""

import numpy as np
import pytest
from naive_scores import student, wilson

from heldout.estimates.evidence import Evidence, Sample, facts_of
from heldout.estimates.intervals import bounds_of
from heldout.measures.registry import loss_for
from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions

LABELS = ["no", "yes"]
TARGET = np.repeat([0, 1], [24, 12])
SCORES = np.random.default_rng(4).normal(size=36).round(1) + 1.2 * TARGET
SAID = Predictions(label=(SCORES > 0.6).astype(int), decision=SCORES)


def sealed(name: str, said: Predictions = SAID) -> Evidence:
    loss = loss_for(LossSpec(name), LABELS, [24, 12])
    facts = facts_of(loss, None, [24, 12])
    rows = [np.arange(36)]
    sample = Sample(loss, TARGET, said, None)
    return Evidence("test", [loss(TARGET, said)], rows, **facts, sample=lambda: sample)


def delong_variance() -> float:
    ranks = np.array([[float(p > n) + (p == n) / 2 for n in SCORES[:24]] for p in SCORES[24:]])
    return float(ranks.mean(axis=1).var(ddof=1) / 12 + ranks.mean(axis=0).var(ddof=1) / 24)


def test_of_an_auc_it_is_wilsons_for_as_many_rows_as_delongs_variance_says() -> None:
    given, variance = sealed("roc_auc"), delong_variance()
    se, low, high = bounds_of("influence", given, 0.9)
    count = given.risk * (1 - given.risk) / variance
    assert se == pytest.approx(np.sqrt(variance))
    assert (low, high) == pytest.approx(wilson(given.risk, count, student(11, 0.9)))
    se, low, high = bounds_of("delong", given, 0.9)
    half = 1.6448536269514722 * np.sqrt(variance)
    assert (low, high) == pytest.approx((given.risk - half, given.risk + half))


def test_of_a_score_with_another_range_it_is_scaled() -> None:
    given = sealed("matthews_corrcoef")
    deviations = given.losses[0] - given.risk
    variance = 36 / 35 * (deviations**2).sum() / 36**2
    share = given.risk / 2
    expected = wilson(share, share * (1 - share) / (variance / 4), student(11))
    se, low, high = bounds_of("influence", given, 0.95)
    assert se == pytest.approx(np.sqrt(variance))
    assert (low / 2, high / 2) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["roc_auc", "f1"])
def test_where_nothing_is_wrong_the_rarest_class_counts(name: str) -> None:
    right = Predictions(label=TARGET, decision=TARGET.astype(float))
    se, low, high = bounds_of("influence", sealed(name, right), 0.95)
    assert (se, low) == (0.0, 0.0)
    assert high == pytest.approx(wilson(0.0, 12 / 1.44, student(11))[1])


def test_youden_and_precision_at_recall_by_hand() -> None:
    label = TARGET.copy()
    label[[24, 25, 26]] = 0  # 9 of 12 found
    label[[0, 1, 2, 3]] = 1  # 4 of 24 taken for positive
    said = Predictions(label=label)
    youden = loss_for(LossSpec("youden"), LABELS, [24, 12])
    assert youden.score(youden.risk(TARGET, said)) == pytest.approx(9 / 12 + 20 / 24 - 1)
    for least, score in ((0.75, 9 / 13), (0.76, 0.0)):
        spec = LossSpec("precision_at_recall", {"precision_at_recall": least})
        loss = loss_for(spec, LABELS, [24, 12])
        assert loss.score(loss.risk(TARGET, said)) == pytest.approx(score)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_influence_on_an_rmse_is_its_derivative(weighted: bool) -> None:
    generator = np.random.default_rng(1)
    target, said = generator.normal(size=30), Predictions(value=generator.normal(size=30))
    weights = generator.random(30) + 0.5 if weighted else np.ones(30)
    loss = loss_for(LossSpec("neg_root_mean_squared_error"), None)
    found = loss(target, said, weights if weighted else None) - loss.risk(target, said, weights)
    for row in (0, 7):
        more = weights.copy()
        more[row] *= 1 + 1e-6
        slope = (loss.risk(target, said, more) - loss.risk(target, said, weights)) / 1e-6
        assert found[row] == pytest.approx(30 * slope, rel=1e-4)
