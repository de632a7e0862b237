"""The risk of a set is optimum − score of scikit-learn's scorer, for every scorer, with and without weights."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import get_scorer, get_scorer_names

from heldout.measures.choice import classification_of
from heldout.measures.loss import takes_weights
from heldout.measures.registry import loss_for
from heldout.measures.scorers import StoredPredictions
from heldout.measures.spec import LossSpec
from heldout.predictions import Predictions

N = 60
WEIGHTS = np.random.default_rng(2).integers(1, 4, N).astype(float)
SEVERAL_LABELS = "_samples"
NAMES = [name for name in get_scorer_names() if SEVERAL_LABELS not in name]
CLASSES = [name for name in NAMES if classification_of(name)]
NUMBERS = [name for name in NAMES if classification_of(name) is False]


def classes(count: int) -> tuple[np.ndarray, Predictions]:
    generator = np.random.default_rng(count)
    target = generator.integers(0, count, N)
    label = np.where(generator.random(N) < 0.6, target, generator.integers(0, count, N))
    proba = generator.dirichlet(np.ones(count), N) + 0.5 * np.eye(count)[target]
    proba = proba.round(1) + 0.01  # ties
    return target, Predictions(label=label, proba=proba / proba.sum(axis=1, keepdims=True))


def positive_last(target: np.ndarray, said: Predictions) -> tuple[np.ndarray, Predictions]:
    assert said.label is not None
    assert said.proba is not None
    return 1 - target, Predictions(label=1 - said.label, proba=said.proba[:, ::-1])


def compare(name: str, loss: Any, ours: tuple, theirs: tuple, labels: list[str] | None) -> None:
    for weights in (None, WEIGHTS) if takes_weights(loss) else (None,):
        more = {} if weights is None else {"sample_weight": weights}
        stored = StoredPredictions(theirs[1], labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score = get_scorer(name)(stored, np.zeros((N, 1)), theirs[0], **more)
        found = loss.risk(*ours, weights)
        assert (loss.score(found) if loss.greater else -found) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("positive", ["a", "b"])
@pytest.mark.parametrize("name", CLASSES)
def test_two_classes(name: str, positive: str) -> None:
    ours, labels = classes(2), ["a", "b"]
    loss = loss_for(LossSpec(name, positive=positive), labels)
    compare(name, loss, ours, ours if positive == "b" else positive_last(*ours), labels)


@pytest.mark.parametrize("name", CLASSES)
def test_four_classes(name: str) -> None:
    ours, labels = classes(4), list("abcd")
    if loss_for(LossSpec(name), labels[:2]).two_classes:
        return
    compare(name, loss_for(LossSpec(name), labels), ours, ours, labels)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    generator = np.random.default_rng(1)
    target = np.exp(generator.normal(size=N))
    ours = target, Predictions(value=target * np.exp(0.5 * generator.normal(size=N)))
    compare(name, loss_for(LossSpec(name), None), ours, ours, None)
