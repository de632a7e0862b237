"""Intervals of weighted risks cover: seeded simulations with a truth in closed form.

The tolerance is four Monte Carlo standard errors. `HELDOUT_DRAWS=1000` draws more.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from memory_table import kfold_split
from scipy.special import ndtr

from heldout.data.prepared import ROWS, Prepared
from heldout.estimates.evidence import Evidence, Sample, facts_of
from heldout.estimates.intervals import bounds_of
from heldout.estimates.loss_table import LossTable, named_resamples
from heldout.estimates.procedures import Procedures
from heldout.estimates.rows import EstimateRow
from heldout.estimates.rules import Rule
from heldout.measures.registry import LOSSES, loss_for
from heldout.measures.spec import LossSpec
from heldout.measures.weighted import pseudo_losses
from heldout.predictions import Predictions
from heldout.resampling.kinds import FOLDS, PAIRS
from heldout.resampling.split import Resample

LEVEL, FEATURES, FOLD_COUNT = 0.95, 8, 5
DRAWS = int(os.environ.get("HELDOUT_DRAWS", "150"))
LEAST = LEVEL - 4 * float(np.sqrt(LEVEL * (1 - LEVEL) / DRAWS))
THETAS = [{"alpha": alpha} for alpha in (0.1, 1.0, 10.0, 100.0)]
TILT = 0.7


@dataclass(frozen=True)
class Ridge:
    """Weighted ridge without an intercept, as cells."""

    x: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    predicts: Callable[[np.ndarray], Predictions]

    def fit(self, alpha: float, train: np.ndarray) -> np.ndarray:
        x, w = self.x[train], self.weights[train]
        gram = (x.T * w) @ x + alpha * np.eye(FEATURES)
        return np.linalg.solve(gram, (x.T * w) @ self.y[train])

    def predictions(self, _: str, theta: dict[str, Any], resample: Resample) -> Predictions:
        held = np.concatenate(list(resample.held.values()))
        return self.predicts(self.x[held] @ self.fit(theta["alpha"], resample.train))


def ends_of(
    cells: Ridge, target: np.ndarray, loss: str, classes: list[str] | None, seed: int
) -> tuple[EstimateRow, float]:
    """The interval of nested CV, and the α that K-fold selects."""
    n = len(target)
    rows = np.zeros(n, ROWS)
    rows["source"] = rows["unit"] = np.arange(n)
    facts = {"schema": {"target": {"name": "y", "classes": classes}}, "groups": None}
    table = Prepared(facts, cells.x, target, rows, cells.weights)
    order = np.random.default_rng(seed).permutation(n)
    fold = np.empty(n, int)
    fold[order[np.argsort(target[order], kind="stable")] if classes else order] = (
        np.arange(n) % FOLD_COUNT
    )
    splits = {"kfold": kfold_split(fold)}
    named = named_resamples([FOLDS, PAIRS], n, splits)
    judge = loss_for(LossSpec(loss), classes, table.class_counts)
    loss_table = LossTable(table, judge, {"ridge": THETAS}, splits, named, cells)
    found = Procedures(
        loss_table, {"ridge": ("ridge", THETAS[0])}, ["kfold", "nested_cv"], Rule(), LEVEL, seed
    )
    choice = found.cv_choice("ridge")
    names = {"nested_cv", "nested_cv_pooled"}
    rows_found = [r for r in found.rows(only=names) if r.interval == "tuned_jackknife"]
    return rows_found[-1], choice.pairs[choice.best][1]["alpha"]


def coverage_of(loss: str, n: int) -> float:
    hits = []
    for seed in range(DRAWS):
        generator = np.random.default_rng([seed, n])
        x = generator.normal(size=(n, FEATURES))
        beta = np.full(FEATURES, 0.3)
        weights = np.exp(TILT * x[:, 0])
        y = x @ beta + generator.normal(size=n)
        cells = Ridge(x, y, weights, lambda value: Predictions(value=value))
        row, alpha = ends_of(cells, y, loss, None, seed)
        gap = cells.fit(alpha, np.arange(n)) - beta
        risk = (
            1 + gap @ gap + (TILT * gap[0]) ** 2
        )  # the weights shift the mean of the first feature
        if loss == "r2":
            risk /= 1 + beta @ beta
        hits.append(row.ci_low <= risk <= row.ci_high)
    return float(np.mean(hits))


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("loss", ["squared", "r2"])
def test_weighted_errors_are_covered(loss: str, n: int) -> None:
    assert coverage_of(loss, n) >= LEAST


def class_coverage(loss: str, n: int) -> float:
    hits = []
    for seed in range(DRAWS):
        generator = np.random.default_rng([seed, n])
        positive = generator.random(n) < 0.3
        if positive.sum() < 2 * FOLD_COUNT:
            positive[: 2 * FOLD_COUNT] = True
        shift = np.zeros(FEATURES)
        shift[0] = 1.5
        x = generator.normal(size=(n, FEATURES)) + np.where(
            positive[:, None], shift / 2, -shift / 2
        )
        weights = np.exp(generator.normal(scale=TILT, size=n))
        cells = Ridge(x, np.where(positive, 1.0, -1.0), weights, as_classes)
        row, alpha = ends_of(cells, positive.astype(int), loss, ["no", "yes"], seed)
        w = cells.fit(alpha, np.arange(n))
        size = np.linalg.norm(w)
        if loss == "roc_auc":
            risk = 1 - ndtr(w @ shift / (np.sqrt(2) * size))
        else:
            risk = ndtr(-(w @ shift) / (2 * size))  # the same for both classes
        hits.append(row.ci_low <= risk <= row.ci_high)
    return float(np.mean(hits))


def as_classes(value: np.ndarray) -> Predictions:
    return Predictions(label=(value > 0).astype(int), decision=value)


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("loss", ["zero_one", "roc_auc", "balanced_accuracy"])
def test_weighted_classes_are_covered(loss: str, n: int) -> None:
    assert class_coverage(loss, n) >= LEAST


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize(("loss", "interval"), [("zero_one", "wilson"), ("squared", "skewed_t")])
def test_weighted_means_of_a_test_set_are_covered(loss: str, interval: str, n: int) -> None:
    judge, hits = LOSSES[loss], []
    for seed in range(4 * DRAWS):
        generator = np.random.default_rng([seed, n])
        weights = np.exp(generator.normal(scale=TILT, size=n))
        drawn = generator.normal(size=n) ** 2
        losses = (drawn > 2.7).astype(float) if loss == "zero_one" else drawn
        truth = 2 * ndtr(-np.sqrt(2.7)) if loss == "zero_one" else 1.0
        facts = facts_of(judge, weights, None)
        given = Evidence("test", [pseudo_losses(losses, weights)], [np.arange(n)], **facts)
        _, low, high = bounds_of(interval, given, LEVEL)
        hits.append(low <= truth <= high)
    assert np.mean(hits) >= LEVEL - 4 * np.sqrt(LEVEL * (1 - LEVEL) / len(hits))


def score_coverage(loss: str, n: int, draws: int) -> float:
    """Of the interval `influence` on a test set of two Gaussians, 30 % of them positive."""
    judge, hits = loss_for(LossSpec(loss), ["no", "yes"], [7, 3]), []
    for seed in range(draws):
        generator = np.random.default_rng([seed, n, 7])
        positive = (generator.random(n) < 0.3).astype(int)
        positive[:4] = [0, 0, 1, 1]
        scores = generator.normal(size=n) + np.where(positive == 1, 0.75, -0.75)
        weights = np.exp(generator.normal(scale=TILT, size=n))
        said, counts = as_classes(scores), np.bincount(positive).tolist()
        sample = Sample(judge, positive, said, weights)
        losses = judge(positive, said, weights)
        facts = facts_of(judge, weights, counts)
        given = Evidence("test", [losses], [np.arange(n)], **facts, sample=lambda s=sample: s)
        _, low, high = bounds_of("influence", given, LEVEL)
        hits.append(low <= TRUTH[loss] <= high)
    return float(np.mean(hits))


HIT = float(ndtr(0.75))
TRUTH = {
    "roc_auc": 1 - float(ndtr(1.5 / np.sqrt(2))),
    "balanced_accuracy": 1 - HIT,
    "f1": 1 - 2 * 0.3 * HIT / (0.3 + 0.3 * HIT + 0.7 * (1 - HIT)),
}


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("loss", list(TRUTH))
def test_weighted_scores_of_a_test_set_are_covered(loss: str, n: int) -> None:
    draws = 2 * DRAWS
    assert score_coverage(loss, n, draws) >= LEVEL - 4 * np.sqrt(LEVEL * (1 - LEVEL) / draws)
