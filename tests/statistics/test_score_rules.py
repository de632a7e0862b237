"""Choosing and comparing by a score, in plain loops: rules, the confidence set, pairs of learners."""

import json
from pathlib import Path
from typing import Any

import naive_scores as naive
import numpy as np
import pytest
from brute_force import (
    BruteForce,
    Choose,
    choose_first_local_min,
    choose_one_se,
    choose_smallest,
    test_noise,
)
from inprocess import Run
from scipy import stats
from score_loops import LEARNERS, data_of, folds_of, run

from heldout.estimates.comparisons import Comparison
from heldout.estimates.confidence_rows import ConfidenceRow
from heldout.estimates.confidence_set import p_values
from heldout.estimates.rows import read_rows
from heldout.names import seed_for

ONE_SE = {"rule": "one_se"}
LOCAL = {"rule": "first_local_min", "patience": 1}
SIMPLER = {"logistic": ("C", False), "knn": ("n_neighbors", True), "ridge": ("alpha", True)}
PSEUDO = {
    "roc_auc": naive.auc,
    "f1": naive.on_predictions(naive.f1_of),
    "r2": naive.on_predictions(naive.r2_of),
    "neg_root_mean_squared_error": naive.on_predictions(naive.root_of),
}
CASES = [
    ("two", "knn", "roc_auc", "groups", ONE_SE),
    ("two", "logistic", "roc_auc", "repeats", ONE_SE),
    ("two", "shuffled", "roc_auc", "plain", LOCAL),
    ("two", "knn", "f1", "plain", ONE_SE),
    ("number", "ridge", "r2", "unequal folds", ONE_SE),
    ("number", "knn", "neg_root_mean_squared_error", "plain", ONE_SE),
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    return {case[:4:3]: tmp_path_factory.mktemp("study") for case in CASES}  # type: ignore[misc]


def rule_in_loops(learner: str, rule: dict[str, Any], unit: np.ndarray) -> Choose:
    if rule is LOCAL:
        return choose_first_local_min(1, unit)
    return choose_one_se(*SIMPLER[learner], unit)


def held_by_theta(brute: BruteForce, folds: list[np.ndarray]) -> list[list[Any]]:
    return [
        [one for r, fold in enumerate(folds, 1) for one in brute.held_sets(fold, r, theta)]
        for theta in brute.thetas
    ]


@pytest.mark.parametrize(("kind", "learner", "name", "design", "rule"), CASES)
def test_the_same_rule_inside_and_outside(
    kind: str, learner: str, name: str, design: str, rule: dict[str, Any], folders: Any
) -> None:
    found = run(folders[kind, design], kind, design, name, select=rule, learners=[learner])
    data, folds = data_of(found), folds_of(found)
    brute = naive.brute_force(learner, kind, data, PSEUDO[name])
    choose = rule_in_loops(learner, rule, np.asarray(data.rows["unit"]))
    _, chosen = brute.nested(folds, dev=False, choose=choose)
    rows = [r for r in found.folds if (r.learner, r.estimator) == (learner, "nested_cv")]
    assert [json.loads(row.theta) for row in rows] == [brute.thetas[place] for place in chosen]
    held = held_by_theta(brute, folds)
    place = choose(brute.thetas, held)
    assert found.selection["theta"] == brute.thetas[place]
    _, smallest = brute.nested(folds, dev=False)
    told_apart = chosen != smallest or place != choose_smallest(brute.thetas, held)
    assert told_apart, "the case tells the rules apart"


# --- the confidence set --------------------------------------------------------------------------------


def matrices(brute: BruteForce, folds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Pseudo-losses, and these minus the mean of their fold, averaged over partitions: rows × θ."""
    shape = (len(brute.target), len(brute.thetas))
    losses, centred = np.zeros(shape), np.zeros(shape)
    for repeat, fold in enumerate(folds, 1):
        for column, theta in enumerate(brute.thetas):
            for rows, found in brute.held_sets(fold, repeat, theta):
                losses[rows, column] += found / len(folds)
                centred[rows, column] += (found - found.mean()) / len(folds)
    return losses, centred


@pytest.mark.parametrize("design", ["plain", "repeats"])
def test_the_confidence_set_by_auc(design: str, folders: Any) -> None:
    found = run(folders["two", design], "two", design, "roc_auc", learners=["logistic"])
    data, folds = data_of(found), folds_of(found)
    brute = naive.brute_force("logistic", "two", data, naive.auc)
    losses, centred = matrices(brute, folds)
    seed = seed_for(7, "confidence_set", "logistic")
    expected = p_values(losses, centred, np.arange(len(losses)), int(folds[0].max()) + 1, seed)
    rows: list[ConfidenceRow] = read_rows(found.folder / "confidence_set.csv", ConfidenceRow)
    assert [row.p for row in rows] == pytest.approx(expected.tolist(), abs=1e-12)
    risks = [np.mean([one.mean() for _, one in held]) for held in held_by_theta(brute, folds)]
    assert [row.risk for row in rows] == pytest.approx(risks, abs=1e-12)
    best = int(np.argmin(risks))
    assert [row.kept for row in rows] == [p > 0.05 or i == best for i, p in enumerate(expected)]


# --- pairs of learners ---------------------------------------------------------------------------------


class Side:
    """What a comparison needs of one tuned learner: its outer folds, V's values and Q."""

    def __init__(self, found: Run, learner: str, name: str):
        data = data_of(found)
        self.folds, self.unit = folds_of(found), np.asarray(data.rows["unit"])
        self.brute = naive.brute_force(learner, "two", data, PSEUDO[name])
        rows = [r for r in found.folds if (r.learner, r.estimator) == (learner, "nested_cv")]
        thetas = iter([json.loads(row.theta) for row in rows])
        self.chosen = [[next(thetas) for _ in range(fold.max() + 1)] for fold in self.folds]

    def outer(self, repeat: int) -> list[np.ndarray]:
        fold = self.folds[repeat]
        return [
            self.brute.fold_losses(fold, repeat + 1, theta, i)
            for i, theta in enumerate(self.chosen[repeat])
        ]

    def value(self, repeat: int, i: int, j: int) -> float:
        theta = self.chosen[repeat][i]
        return float(self.brute.fold_losses(self.folds[repeat], repeat + 1, theta, i, j).mean())

    def selection(self, repeat: int, units: list[np.ndarray], grouped: bool) -> float:
        fold = self.folds[repeat]
        table = [
            [x for _, x in self.brute.held_sets(fold, repeat + 1, t)] for t in self.brute.thetas
        ]
        best = table[int(np.argmin([np.mean([x.mean() for x in row]) for row in table]))]
        near = []
        for row in table:
            gap = [x - y for x, y in zip(row, best, strict=True)]
            variance = test_noise(gap, units, grouped)
            if np.mean([x.mean() for x in gap]) <= 2 * np.sqrt(variance):
                near.append(variance)
        return float(np.mean(near))


def compared(a: Side, b: Side, factor: float) -> tuple[float, float]:
    """The difference and its standard error, averaged over partitions."""
    grouped = len(set(a.unit.tolist())) < len(a.unit)
    centres, parts = [], []
    for repeat, fold in enumerate(a.folds):
        k = int(fold.max()) + 1
        units = [a.unit[fold == i] for i in range(k)]
        gap = [x - y for x, y in zip(a.outer(repeat), b.outer(repeat), strict=True)]
        centres.append(np.mean([one.mean() for one in gap]))
        training = 0.0
        for j in range(k):
            moved = []
            for i in (i for i in range(k) if i != j):
                others = [o for o in range(k) if o != i]
                values = {o: a.value(repeat, i, o) - b.value(repeat, i, o) for o in others}
                moved.append(values[j] - np.mean(list(values.values())))
            training += (k - 1) / k * np.mean(moved) ** 2
        selection = sum(one.selection(repeat, units, grouped) for one in (a, b))
        noise = test_noise(gap, units, grouped)
        parts.append(factor * noise + training + (k - 1) / 8 * selection)
    return float(np.mean(centres)), float(np.sqrt(np.mean(parts)))


@pytest.mark.parametrize(
    ("name", "design", "factor"),
    [("roc_auc", "repeats", 1.1), ("roc_auc", "groups", 1.1), ("f1", "plain", 1.25)],
)
def test_two_learners_compared(name: str, design: str, factor: float, folders: Any) -> None:
    found = run(folders["two", design], "two", design, name)
    sides = [Side(found, learner, name) for learner in LEARNERS["two"]]
    difference, se = compared(*sides, factor)
    [row] = read_rows(found.folder / "comparisons.csv", Comparison)
    assert row.difference == pytest.approx(difference, abs=1e-10)
    assert row.se == pytest.approx(se, rel=1e-9)
    df = len(set(sides[0].unit.tolist())) - 1 if design == "groups" else np.inf
    z = float(stats.t.ppf(0.975, df))
    ends = (max(-1.0, difference - z * se), min(1.0, difference + z * se))
    assert (row.ci_low, row.ci_high) == pytest.approx(ends, rel=1e-9)
    assert row.p == pytest.approx(2 * stats.t.sf(abs(difference) / se, df), rel=1e-9)
